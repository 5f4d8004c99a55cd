"""What a stranger may have put where kbsync keeps its own files: into `.kbsync`, or in the place of a repository."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from kbsync.errors import ConfigError
from kbsync.files import relative
from kbsync.git import LIMIT_S, check_not_embedded, git_command, git_environment
from kbsync.model import visible

COMPRESSED = b"DIRC\0\0\0\4"
"""The beginning of an index that is not written in whole paths (gitformat-index, version 4)."""


def check_own_folder(folder: Path, environ: Mapping[str, str]) -> None:
    """Refuse a `.kbsync` that came with the repository, and links in it.

    What a command leaves there for the next one is believed: a pull that was interrupted, or what was read before.

    Args:
        folder: the `.kbsync`.
        environ: what git may need of the environment.

    Raises:
        ConfigError: git tracks it, there is a link in it, or git would run what somebody committed.
    """
    top = check_not_embedded(folder.parent)
    tracked = _tracked_in(folder, top, environ) if (top / ".git").exists() else ""
    if tracked:
        name = _quoted(folder)
        raise ConfigError(
            f"{visible(tracked)} is tracked by git. What is in {folder.name} belongs to one clone, and kbsync uses "
            "nothing that came with a repository.",
            hint=f"Take it out of git: `git rm -r --cached --quiet {name} && rm -r {name}`. Then commit. This also "
            "deletes the local ledger and the sandbox's portal, where they are in that folder. Your help center stays "
            "as it is.",
        )
    link = next(_links_below(folder), None)
    if link is not None:
        raise ConfigError(
            f"{relative_to(folder, link)} is a symbolic link. kbsync made none there.",
            hint=f"If you did not make it, look at where this repository comes from. Delete it: `rm {_quoted(link)}`.",
        )


def relative_to(folder: Path, place: Path) -> str:
    """A path as messages show it, from the folder of kbsync.toml."""
    return visible(place.relative_to(folder.parent).as_posix())


def _quoted(place: Path) -> str:
    return shlex.quote(relative(place.parent) + "/" + place.name if relative(place.parent) != "." else place.name)


def _links_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (path for name in sorted((*folders, *files)) if (path := Path(place, name)).is_symlink())


def _tracked_in(folder: Path, top: Path, environ: Mapping[str, str]) -> str:
    """The first file of it that git tracks, "" for none; also under a name that some disks take for the same."""
    command = git_command(folder.parent, environ)
    if command is not None:
        done = subprocess.run(
            [*command, "ls-files", "-z", "--", f":(icase){folder.name}"],
            env=git_environment(environ, reads=True), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        if not done.returncode:
            return done.stdout.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    return _in_index(folder, top)


def _in_index(folder: Path, top: Path) -> str:
    """The same where git is missing or does not answer, as for another user's folder: by the bytes of its index.

    Raises:
        ConfigError: its paths are compressed.
    """
    within = folder.relative_to(top).as_posix() if folder.is_relative_to(top) else folder.name
    tracked = re.compile(re.escape(os.fsencode(within)) + rb"/[^\0]*", re.IGNORECASE)
    for index in _index_files(top / ".git"):
        content = index.read_bytes()
        if content[:8] == COMPRESSED:
            raise ConfigError(
                f"Git cannot be asked here whether it tracks {folder.name}: it is not installed, or the repository "
                "belongs to another user.",
                hint=f"Install git, or run `git config --global --add safe.directory {shlex.quote(str(top))}`.",
            )
        found = tracked.search(content)
        if found is not None:
            return os.fsdecode(found[0])
    return ""


def _index_files(git: Path) -> Iterator[Path]:
    """Git's index, and those that it may be split into; `.git` is a file in a further work tree and in a submodule."""
    if git.is_file():
        git = git.parent / os.fsdecode(git.read_bytes().removeprefix(b"gitdir:").strip())
    yield from (place for place in (git / "index", *git.glob("sharedindex.*")) if place.is_file())
