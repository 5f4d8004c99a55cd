"""The files of the tree, without reading them: names, sizes, times, and what cannot be followed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG

import msgspec

from kbsync.content.body import BOM
from kbsync.content.rules import SYMBOLIC_LINK, UNREADABLE
from kbsync.content.source import PICTURES
from kbsync.errors import ContentError
from kbsync.files import read_within
from kbsync.model import Finding

MAX_SOURCE_BYTES = 2_000_000
"""A file beyond this is not read: an article has at most 20,000 characters (docs/service.md, S4)."""

MARK_BYTES = 16

SPLIT = "Split it, or move it out of the content folder."


CLOSED = frozenset({".git", ".kbsync", ".", ".."})
"""Hidden folders in which nothing is ever looked at, not even an image."""


class Stamp(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What tells a changed file from an unchanged one without reading it; times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int


class Walk(msgspec.Struct):
    """The Markdown files by path, all other files by path, and what could not be looked at.

    Paths are relative to the root, with forward slashes, in path order.
    """

    sources: dict[str, Stamp] = msgspec.field(default_factory=dict)
    others: dict[str, Stamp] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)

    def mark(self) -> bytes:
        """Names the tree as it looks: with another file, size or time it is another name."""
        files = (sorted(self.others.items()), list(self.sources.items()))
        return blake2b(msgspec.msgpack.encode(files), digest_size=MARK_BYTES).digest()


class Folder(msgspec.Struct, frozen=True):
    """A folder to look at: where it is, what its paths begin with, and whether a link led here.

    Of one that is `hidden`, or is in one that is, only the images count.
    """

    place: str
    prefix: str
    linked: bool
    hidden: bool = False


def walk_tree(root: Path) -> Walk:
    """List every file below the root. Nothing hidden is, but images in hidden folders; links do not leave the root.

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
    walk.sources = {path: walk.sources[path] for path in sorted(walk.sources)}
    return walk


def _list_folder(folder: Folder, real_root: str, walk: Walk) -> Iterator[Folder]:
    """Put the files of one folder into the walk; its folders are the result."""
    try:
        with _opened(folder.place) as place:
            # Within the block: each entry is looked at through the open folder.
            yield from _list_entries(list(os.scandir(place)), folder, real_root, walk)
    except OSError as exc:
        walk.findings.append(unreadable(folder.prefix.rstrip("/") or ".", exc))


@contextmanager
def _opened(folder: str) -> Iterator[str | int]:
    """What lists a folder: open, where the system can, so that the way to it is not gone again for each file."""
    if os.scandir not in os.supports_fd:
        yield folder
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield number
    finally:
        os.close(number)


def _list_entries(entries: Iterable[os.DirEntry[str]], folder: Folder, real_root: str, walk: Walk) -> Iterator[Folder]:
    for entry in entries:
        name = entry.name
        if name[0] == "." or folder.hidden:
            yield from _look_at_hidden(entry, folder, walk)
            continue
        path = folder.prefix + name
        try:
            # Nearly all are what this asks for, and each question to one of ten thousand costs.
            if name[-3:] == ".md" and path.isascii() and name.lower() != README:
                stat = entry.stat(follow_symlinks=False)
                if stat.st_size <= MAX_SOURCE_BYTES and S_ISREG(stat.st_mode):
                    walk.sources[path] = _stamp(stat)
                    continue
            yield from _look_at(entry, folder, path, real_root, walk)
        except OSError as exc:
            walk.findings.append(unreadable(path, exc))


def _look_at(entry: os.DirEntry[str], folder: Folder, path: str, real_root: str, walk: Walk) -> Iterator[Folder]:
    """What is not plainly a source: a folder is the result, a file is put into the walk."""
    if not (_is_utf8(path, walk) and _stays_inside(entry, folder, path, real_root, walk)):
        return
    place = os.path.join(folder.place, entry.name)  # noqa: PTH118
    if entry.is_dir():
        yield Folder(place, path + "/", linked=folder.linked or entry.is_symlink())
        return
    stat = entry.stat()
    if path.endswith(".md") and not is_for_colleagues(place):
        if S_ISREG(stat.st_mode) and stat.st_size <= MAX_SOURCE_BYTES:
            walk.sources[path] = _stamp(stat)
        else:
            walk.findings.append(_no_source(path, stat))
    elif S_ISREG(stat.st_mode):
        # A pipe or a device is no image, and reading one could wait for ever.
        walk.others[path] = _stamp(stat)


def _look_at_hidden(entry: os.DirEntry[str], folder: Folder, walk: Walk) -> Iterator[Folder]:
    """A hidden entry, or one of a hidden folder: articles may show an image there (`.gitbook/assets`).

    What else is wrong with it is another tool's, and is not reported.
    """
    name, path = entry.name, folder.prefix + entry.name
    try:
        if entry.is_dir(follow_symlinks=False):
            if name.casefold() not in CLOSED:
                yield Folder(os.path.join(folder.place, name), path + "/", linked=folder.linked, hidden=True)  # noqa: PTH118
        elif is_visible(path) and entry.is_file(follow_symlinks=False) and _has_bytes(path):
            walk.others[path] = _stamp(entry.stat(follow_symlinks=False))
    except OSError:
        return


def is_visible(path: str) -> bool:
    """Whether the walk would find a file by its path."""
    *folders, name = path.split("/")
    hidden = [folder.casefold() for folder in folders if folder.startswith(".")]
    may_be_shown = not hidden or (path.lower().endswith(PICTURES) and CLOSED.isdisjoint(hidden))
    return may_be_shown and not name.startswith(".")


README = "readme.md"


def is_for_colleagues(place: str | Path) -> bool:
    """Whether a file is a README without front matter, which is no article."""
    if os.path.basename(place).lower() != README:  # noqa: PTH119  (a str, as above)
        return False
    try:
        text = read_within(place, MAX_SOURCE_BYTES).removeprefix(BOM.encode()).lstrip()
    except OSError:
        return False
    return not text.startswith((b"---", b"+++"))


def _no_source(path: str, stat: os.stat_result) -> Finding:
    """Why a file with the name of a source is none."""
    if S_ISREG(stat.st_mode):
        return too_large(path, stat.st_size)
    # Reading a pipe or a device could wait for ever.
    return UNREADABLE.finding(path, 1, 1, "This is not a regular file.", "Remove it.")


def _stamp(stat: os.stat_result) -> Stamp:
    return Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _is_utf8(path: str, walk: Walk) -> bool:
    """Whether the name can be written down; what cannot goes into no address, no ledger and no report."""
    if _has_bytes(path):
        return True
    shown = os.fsencode(path).decode(errors="replace")
    walk.findings.append(UNREADABLE.finding(shown, 1, 1, "The name of the file is not UTF-8.", "Rename it."))
    return False


def _has_bytes(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _stays_inside(entry: os.DirEntry[str], folder: Folder, path: str, real_root: str, walk: Walk) -> bool:
    if not entry.is_symlink():
        return True
    at = os.path.join(folder.place, entry.name)  # noqa: PTH118  (a str, as below)
    real, real_folder = os.path.realpath(at), os.path.realpath(folder.place)
    if real != real_root and not real.startswith(real_root + os.sep):
        message, hint = "The link leads out of the content folder.", "Copy what it points to into the folder."
    elif real_folder == real or real_folder.startswith(real + os.sep):
        message, hint = "The link leads to a folder above it.", "Delete the link."
    elif not os.path.exists(at):  # noqa: PTH110  (a str from scandir; a Path for each file would cost)
        if os.path.lexists(real):  # Where a link leads to nothing, there is nothing of that name.
            message, hint = "The link leads in a circle, to itself.", "Delete it."
        else:
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
