"""What the user agreed to, kept in their own data folder: which kbsync.toml, and which token goes where.

One small file for each, so that two runs at once do not undo each other's. A token is kept as a digest only.

Also: whose kbsync.toml it is. The rule is the one of git's `safe.directory`.
"""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from kbsync.errors import ConfigError
from kbsync.files import real_path, store_whole
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


T = TypeVar("T")

SECRET = Path("secret.json")
SECRET_BYTES = 32


class Consent(msgspec.Struct, frozen=True):
    """That what a kbsync.toml reaches may be reached: its path, and the digest of what it reached then."""

    path: str
    digest: str


class Origins(msgspec.Struct, frozen=True):
    """Where one token may be sent."""

    origins: tuple[str, ...]


def data_folder(environ: Mapping[str, str]) -> Path:
    """`$XDG_DATA_HOME/kbsync`, by default `~/.local/share/kbsync`."""
    base = environ.get("XDG_DATA_HOME", "")
    # As the specification of the variable has it: a relative path is not used. It could be in the repository.
    return Path(base if os.path.isabs(base) else os.path.expanduser("~/.local/share"), "kbsync")  # noqa: PTH111, PTH117


class Store(msgspec.Struct, frozen=True):
    """The folder. `folder` is None where it could be inside the repository."""

    folder: Path | None
    environ: Mapping[str, str]

    @classmethod
    def beside(cls, boundary: Path, environ: Mapping[str, str]) -> Store:
        """The user's store, for a project in this repository."""
        folder = data_folder(environ)
        usable = folder.is_absolute() and not real_path(folder).is_relative_to(boundary)
        return cls(folder if usable else None, environ)

    def consent_of(self, path: Path) -> str:
        """The digest that was agreed to for a kbsync.toml, or ""."""
        found = self._read(self._consent_file(path), Consent)
        return found.digest if found and found.path == str(path) else ""

    def keep_consent(self, path: Path, digest: str) -> bool:
        """Remember a consent; whether that could be done."""
        return self._write(self._consent_file(path), Consent(str(path), digest))

    def drop_consent(self, path: Path) -> bool:
        """Forget a consent; whether there was one."""
        return self._drop(self._consent_file(path))

    def origins_of(self, token: str) -> tuple[str, ...]:
        """Where a token may be sent; () for one that was never seen."""
        found = self._read(self._token_file(token), Origins)
        return found.origins if found else ()

    def keep_origins(self, token: str, origins: tuple[str, ...]) -> bool:
        """Remember where a token may be sent; whether that could be done."""
        return self._write(self._token_file(token), Origins(origins))

    def drop_origins(self, token: str) -> bool:
        """Forget a token; whether it was known."""
        return self._drop(self._token_file(token))

    def secret(self) -> bytes:
        """What only this user's runs of kbsync know, made the first time; b"" where it cannot be kept."""
        found = self._read(SECRET, bytes)
        if not found:
            found = os.urandom(SECRET_BYTES)
            if not self._write(SECRET, found):
                return b""
        return found

    def _consent_file(self, path: Path) -> Path:
        return Path("trusted", _name(os.fsencode(path), b"kbsync.toml") + ".json")

    def _token_file(self, token: str) -> Path:
        return Path("tokens", _name(token.encode(), b"token") + ".json")

    def _read(self, name: Path, kind: type[T]) -> T | None:
        if self.folder is None or not self._is_there():
            return None
        path = self.folder / name
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as exc:
            # Not as if nothing were remembered: the token could be another portal's.
            raise ConfigError(
                f"{path} cannot be read: {exc}.", hint="Delete this file, then run the command again."
            ) from exc

    def _write(self, name: Path, value: object) -> bool:
        if self.folder is None:
            return False
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._is_there() and stat.S_IMODE(self.folder.stat().st_mode) != 0o700:
                self.folder.chmod(0o700)
        except OSError:
            return False
        return store_whole(self.folder / name, msgspec.json.encode(value))

    def _drop(self, name: Path) -> bool:
        if self.folder is None:
            return False
        try:
            (self.folder / name).unlink()
        except FileNotFoundError:
            return False
        except OSError as exc:
            raise ConfigError(f"{self.folder / name} cannot be deleted: {exc.strerror}.") from exc
        return True

    def _is_there(self) -> bool:
        """Whether there is such a folder.

        Raises:
            ConfigError: somebody else can write to it, so that what is in it says nothing.
        """
        assert self.folder is not None
        try:
            found = self.folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as exc:
            raise ConfigError(f"{self.folder} cannot be read: {exc.strerror}.") from exc
        if hasattr(os, "geteuid") and (
            found.st_uid not in allowed_owners(os.geteuid(), self.environ) or found.st_mode & 0o022
        ):
            raise ConfigError(
                f"Other users can write to {self.folder}, so kbsync cannot trust what is in it.",
                hint="Make it private (chmod 700), or set XDG_DATA_HOME to another folder.",
            )
        return True


def _name(data: bytes, person: bytes) -> str:
    return blake2b(data, digest_size=20, person=person).hexdigest()
