"""What a stranger may have put where kbsync keeps its own files: into `.kbsync`, or in the place of a repository."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from kbsync.errors import ConfigError
from kbsync.files import relative
from kbsync.git import LIMIT_S, check_not_embedded, git_command, git_environment
from kbsync.model import visible


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
    tracked = _tracked_in(folder, environ) if (top / ".git").exists() else ""
    if tracked:
        name = _quoted(folder)
        raise ConfigError(
            f"{visible(tracked)} is tracked by git. What is in {folder.name} belongs to one clone, and kbsync uses "
            "nothing that came with a repository.",
            hint=f"Take it out of git: `git rm -r --cached --quiet {name} && rm -r {name}`. Then commit.",
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


def _tracked_in(folder: Path, environ: Mapping[str, str]) -> str:
    """The first file of it that git tracks, "" for none; also under a name that some disks take for the same."""
    command = git_command(folder.parent, environ)
    if command is None:
        return ""
    done = subprocess.run(
        [*command, "ls-files", "-z", "--", f":(icase){folder.name}"],
        env=git_environment(environ, reads=True), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.stdout.partition(b"\0")[0].decode("utf-8", "surrogateescape")
