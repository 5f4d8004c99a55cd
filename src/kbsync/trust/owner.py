"""Whose kbsync.toml it is. The rule is the one of git's `safe.directory`."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from kbsync.errors import ConfigError
from kbsync.files import real_path
from kbsync.git import git_command, git_environment, top_of


def allowed_owners(uid: int, environ: Mapping[str, str]) -> frozenset[int]:
    """Whose files may be used: one's own, and as root under sudo also those of the user who called sudo."""
    caller = environ.get("SUDO_UID", "")
    return frozenset({uid, int(caller)} if uid == 0 and caller.isascii() and caller.isdigit() else {uid})


def check_owner(path: Path, environ: Mapping[str, str]) -> None:
    """Refuse a kbsync.toml of another user, unless git's `safe.directory` names its folder.

    On Windows, where Python does not tell the owner, nothing is checked.

    Raises:
        ConfigError: it belongs to somebody else.
    """
    if not hasattr(os, "geteuid"):
        return
    try:
        # Of a symbolic link both count: who made the link, and who wrote the file.
        owners = {path.lstat().st_uid, path.stat().st_uid}
    except OSError:
        return  # Reading it says what is wrong.
    strangers = owners - allowed_owners(os.geteuid(), environ)
    if not strangers or _is_safe(path, environ):
        return
    folder = path.absolute().parent
    raise ConfigError(
        f"{path} belongs to another user ({', '.join(sorted(map(_name_of, strangers)))}), so kbsync does not use it.",
        hint=f"If you trust that user, run `git config --global --add safe.directory {shlex.quote(str(folder))}`.",
    )


def _name_of(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _is_safe(path: Path, environ: Mapping[str, str]) -> bool:
    folder = real_path(path).parent
    ours = {str(folder), str(path.absolute().parent), str(top_of(folder))}
    return any(
        word in ours or (word.endswith("/*") and any(f"{name}/".startswith(word[:-1]) for name in ours))
        for word in _safe_directories(environ)
    )


def _safe_directories(environ: Mapping[str, str]) -> Iterator[str]:
    """`safe.directory` of the user and the system, never of a repository; `*` comes out as `/*`."""
    # From the top folder, so that nothing of the repository in question is read.
    command = git_command(Path("/"), environ)
    if command is None:
        return
    words: list[str] = []
    for scope in ("--system", "--global"):
        done = subprocess.run(
            [*command, "config", scope, "-z", "--get-all", "safe.directory"],
            env=git_environment(environ, reads=True), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        words += done.stdout.decode(errors="surrogateescape").split("\0")[:-1]
    # As git has it: a blank value forgets those before it.
    last_blank = max((place for place, word in enumerate(words) if not word), default=-1)
    for word in words[last_blank + 1 :]:
        yield "/*" if word == "*" else word
