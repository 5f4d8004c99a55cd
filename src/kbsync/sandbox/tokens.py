"""The token of a sandbox: random, beside its database, and readable by its owner alone."""

import hashlib
import hmac
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from .claim import DataRefused

TOKEN = re.compile(r"[0-9a-f]{48}")


def token_of(database: Path) -> str:
    """The token of the sandbox with this database; made where it is missing, or others can read it.

    Raises:
        DataRefused: the file cannot be read or written.
    """
    path = database.with_suffix(".token")
    try:
        return _read(path) or _make(path)
    except OSError as exc:
        raise DataRefused(f"the sandbox's token in {path.name} cannot be used: {exc.strerror}") from exc


def token_for(token: str, person: int) -> str:
    """The token of another person in the same sandbox; it reveals nothing of the owner's."""
    return hmac.new(token.encode(), str(person).encode(), hashlib.sha256).hexdigest()[:48]


def _read(path: Path) -> str:
    """The token, "" for what came with a repository, was damaged, or could be read by others."""
    with suppress(FileNotFoundError):
        found = path.lstat()
        others = 0 if os.name == "nt" else stat.S_IMODE(found.st_mode) & 0o077
        if stat.S_ISREG(found.st_mode) and not others:
            text = path.read_text("ascii", "replace").strip()
            return text if TOKEN.fullmatch(text) else ""
    return ""


def _make(path: Path) -> str:
    token = secrets.token_hex(24)
    part = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return token
