"""The files of the tree, without reading them: names, sizes, times, and what cannot be followed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG

import msgspec

from kbsync.content.rules import SYMBOLIC_LINK, UNREADABLE
from kbsync.errors import ContentError
from kbsync.model import Finding

MAX_SOURCE_BYTES = 2_000_000
"""A file beyond this is not read: an article has at most 20,000 characters (docs/service.md, S4)."""

SPLIT = "Split it, or move it out of the content folder."


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
            f"There is no content folder at {root}.",
            hint="Create it, or set `[content] root` in kbsync.toml. `kbsync init` writes a sample.",
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
                # A pipe or a device is no image, and reading one could wait for ever.
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
        walk.findings.append(UNREADABLE.finding(path, 1, 1, "This is not a regular file.", "Remove it."))


def _stamp(stat: os.stat_result) -> Stamp:
    return Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _is_utf8(path: str, walk: Walk) -> bool:
    """Whether the name can be written down; what cannot goes into no address, no ledger and no report."""
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="replace")
        walk.findings.append(UNREADABLE.finding(shown, 1, 1, "The name of the file is not UTF-8.", "Rename it."))
        return False
    return True


def _stays_inside(entry: os.DirEntry[str], folder: Folder, path: str, real_root: str, walk: Walk) -> bool:
    real, real_folder = os.path.realpath(entry.path), os.path.realpath(folder.place)
    if real != real_root and not real.startswith(real_root + os.sep):
        message, hint = "The link leads out of the content folder.", "Copy what it points to into the folder."
    elif real_folder == real or real_folder.startswith(real + os.sep):
        message, hint = "The link leads to a folder above it.", "Delete the link."
    elif not os.path.exists(entry.path):  # noqa: PTH110  (a str from scandir; a Path for each file would cost)
        message, hint = "The link points to nothing.", "Delete it, or create what it points to."
    elif folder.linked and entry.is_dir():
        # Two folders with links to each other have no end; twenty with two links to the next have a million.
        message, hint = "The link leads to a folder, and is itself in a folder that a link leads to.", "Delete it."
    else:
        return True
    walk.findings.append(SYMBOLIC_LINK.finding(path, 1, 1, f"{message} kbsync does not follow it.", hint))
    return False


def too_large(path: str, size: int) -> Finding:
    """The finding for a file that is too large to be an article."""
    message = f"The file has {size / 1_000_000:,.1f} MB; at most {MAX_SOURCE_BYTES / 1_000_000:g} MB are read."
    return UNREADABLE.finding(path, 1, 1, message, SPLIT)


def unreadable(path: str, exc: OSError) -> Finding:
    """The finding for a file or folder that exists and cannot be read."""
    if exc.errno == errno.EFBIG:
        return UNREADABLE.finding(path, 1, 1, f"Cannot be read: {exc.strerror}.", SPLIT)
    reason = exc.strerror or type(exc).__name__
    hint = "Run the command again." if isinstance(exc, FileNotFoundError) else "Check its permissions."
    return UNREADABLE.finding(path, 1, 1, f"Cannot be read: {reason}.", hint)
