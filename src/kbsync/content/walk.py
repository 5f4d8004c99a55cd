"""The files of the tree, without reading them: names, sizes, times, and what cannot be followed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG

import msgspec

from kbsync.errors import ContentError
from kbsync.model import Finding


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """What tells a changed file from an unchanged one without reading it; times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(slots=True)
class Walk:
    """The Markdown files by path, all other files by path, and what could not be looked at.

    Paths are relative to the root, with forward slashes, in path order.
    """

    sources: dict[str, Stamp] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def walk_tree(root: Path) -> Walk:
    """List every file below the root. Hidden files and folders are not looked at; links do not leave the root.

    Raises:
        ContentError: the root is not a folder.
    """
    if not root.is_dir():
        raise ContentError(
            f"there is no content tree at {root}",
            hint="make the folder, or set `[content] root` in kbsync.toml (`kbsync init` writes a sample)",
        )
    walk = Walk()
    _walk_folder(os.fspath(root), "", os.path.realpath(root), walk)
    walk.sources = dict(sorted(walk.sources.items()))
    return walk


def _walk_folder(folder: str, prefix: str, real_root: str, walk: Walk) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError as exc:
        walk.findings.append(unreadable(prefix.rstrip("/") or ".", exc))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = prefix + entry.name
        try:
            if entry.is_symlink() and not _stays_inside(entry.path, folder, path, real_root, walk):
                continue
            if entry.is_dir():
                _walk_folder(entry.path, path + "/", real_root, walk)
            elif entry.name.endswith(".md"):
                stat = entry.stat()
                if not S_ISREG(stat.st_mode):
                    # Reading a pipe or a device could wait for ever.
                    walk.findings.append(Finding("KB102", "error", path, 1, 1, "is no regular file", "take it away"))
                    continue
                walk.sources[path] = Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
            else:
                walk.others.add(path)
        except OSError as exc:
            walk.findings.append(unreadable(path, exc))


def _stays_inside(link: str, folder: str, path: str, real_root: str, walk: Walk) -> bool:
    real, real_folder = os.path.realpath(link), os.path.realpath(folder)
    if real != real_root and not real.startswith(real_root + os.sep):
        message, hint = "a link out of the content tree is not followed", "copy what it points to into the tree"
    elif real_folder == real or real_folder.startswith(real + os.sep):
        message, hint = "a link to a folder above itself is not followed", "delete the link"
    elif not os.path.exists(link):  # noqa: PTH110  (a str from scandir; a Path for each file would cost)
        message, hint = "a link that points to nothing", "delete it, or make what it points to"
    else:
        return True
    walk.findings.append(Finding("KB115", "error", path, 1, 1, message, hint))
    return False


def unreadable(path: str, exc: OSError) -> Finding:
    """The finding for a file or folder that exists and cannot be read."""
    reason = exc.strerror or type(exc).__name__
    return Finding("KB102", "error", path, 1, 1, f"cannot be read: {reason}", "check its permissions")
