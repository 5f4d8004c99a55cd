"""The files of the tree, without reading them: names, sizes, times, and what cannot be followed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG

import msgspec

from kbsync.errors import ContentError
from kbsync.model import Finding

MAX_SOURCE_BYTES = 2_000_000
"""A file beyond this is not read: an article has at most 20,000 characters (docs/service.md, S4)."""


class Stamp(msgspec.Struct, frozen=True, array_like=True, gc=False):
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
    others: dict[str, Stamp] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to look at: where it is, what its paths begin with, and whether a link led here."""

    place: str
    prefix: str
    linked: bool


def walk_tree(root: Path) -> Walk:
    """List every file below the root. Hidden files and folders are not looked at; links do not leave the root.

    Raises:
        ContentError: the root is not a folder.
    """
    if not os.path.isdir(root):  # noqa: PTH112  (a Path raises where kbsync.toml gives a name that is too long)
        raise ContentError(
            f"there is no content tree at {root}",
            hint="make the folder, or set `[content] root` in kbsync.toml (`kbsync init` writes a sample)",
        )
    walk = Walk()
    real_root = os.path.realpath(root)
    folders = [Folder(os.fspath(root), "", linked=False)]
    while folders:
        folders += _list_folder(folders.pop(), real_root, walk)
    walk.sources = dict(sorted(walk.sources.items()))
    return walk


def _list_folder(folder: Folder, real_root: str, walk: Walk) -> Iterator[Folder]:
    """Put the files of one folder into the walk; its folders are the result."""
    try:
        entries = list(os.scandir(folder.place))
    except OSError as exc:
        walk.findings.append(unreadable(folder.prefix.rstrip("/") or ".", exc))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = folder.prefix + entry.name
        try:
            linked = entry.is_symlink()
            if not _is_utf8(path, walk) or (linked and not _stays_inside(entry, folder, path, real_root, walk)):
                continue
            if entry.is_dir():
                yield Folder(entry.path, path + "/", linked=linked or folder.linked)
            elif entry.name.endswith(".md"):
                _add_source(entry, path, walk)
            else:
                stat = entry.stat()
                # A pipe or a device is no picture, and reading one could wait for ever.
                if S_ISREG(stat.st_mode):
                    walk.others[path] = _stamp(stat)
        except OSError as exc:
            walk.findings.append(unreadable(path, exc))


def _add_source(entry: os.DirEntry[str], path: str, walk: Walk) -> None:
    stat = entry.stat()
    if S_ISREG(stat.st_mode) and stat.st_size > MAX_SOURCE_BYTES:
        walk.findings.append(too_large(path, stat.st_size))
    elif S_ISREG(stat.st_mode):
        walk.sources[path] = _stamp(stat)
    else:
        # Reading a pipe or a device could wait for ever.
        walk.findings.append(Finding("KB102", "error", path, 1, 1, "is no regular file", "take it away"))


def _stamp(stat: os.stat_result) -> Stamp:
    return Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _is_utf8(path: str, walk: Walk) -> bool:
    """Whether the name can be written down; what cannot goes into no address, no ledger and no report."""
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="replace")
        walk.findings.append(Finding("KB102", "error", shown, 1, 1, "its name is not UTF-8", "rename it"))
        return False
    return True


def _stays_inside(entry: os.DirEntry[str], folder: Folder, path: str, real_root: str, walk: Walk) -> bool:
    real, real_folder = os.path.realpath(entry.path), os.path.realpath(folder.place)
    if real != real_root and not real.startswith(real_root + os.sep):
        message, hint = "a link out of the content tree is not followed", "copy what it points to into the tree"
    elif real_folder == real or real_folder.startswith(real + os.sep):
        message, hint = "a link to a folder above itself is not followed", "delete the link"
    elif not os.path.exists(entry.path):  # noqa: PTH110  (a str from scandir; a Path for each file would cost)
        message, hint = "a link that points to nothing", "delete it, or make what it points to"
    elif folder.linked and entry.is_dir():
        # Two folders with links to each other have no end; twenty with two links to the next have a million.
        message, hint = "a link to a folder, in a folder that is itself reached by a link, is not followed", "delete it"
    else:
        return True
    walk.findings.append(Finding("KB115", "error", path, 1, 1, message, hint))
    return False


def too_large(path: str, size: int) -> Finding:
    """The finding for a file that is too large to be an article."""
    message = f"the file has {size / 1_000_000:,.1f} MB; at most {MAX_SOURCE_BYTES / 1_000_000:g} MB are read"
    return Finding("KB102", "error", path, 1, 1, message, "split it, or move it out of the folder")


def unreadable(path: str, exc: OSError) -> Finding:
    """The finding for a file or folder that exists and cannot be read."""
    if exc.errno == errno.EFBIG:
        return Finding("KB102", "error", path, 1, 1, str(exc.strerror), "split it, or move it out of the folder")
    reason = exc.strerror or type(exc).__name__
    hint = "run the command again" if isinstance(exc, FileNotFoundError) else "check its permissions"
    return Finding("KB102", "error", path, 1, 1, f"cannot be read: {reason}", hint)
