"""Paths as the user types them, and as the tree knows them: from the working folder or from the content folder."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from kbsync.app.file_transaction import is_same_file
from kbsync.app.selectors import near_path
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.tree import Tree
from kbsync.errors import UsageError
from kbsync.files import real_path

UNSAFE = re.compile(r'[\x00-\x1f\x7f\\<>:"|?*]|[ .]$')
"""What a name on Windows cannot have, so a clone there could not have the file."""

RESERVED = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?", re.IGNORECASE)


class Place(NamedTuple):
    """A file or folder of the tree, and the folder from which the user named it."""

    path: str
    base: Path
    is_folder: bool

    @property
    def name(self) -> str:
        """Its last part."""
        return self.path.rpartition("/")[2]


def find_place(given: str, root: Path, here: Path, tree: Tree) -> Place:
    """The file or folder that the user means.

    Args:
        given: as it was typed.
        root: the content folder, without symbolic links.
        here: the working folder.
        tree: what is in the content folder.

    Raises:
        UsageError: there is no such file or folder.
    """
    for base in (real_path(here), root):
        path = inside(base, given, root)
        place = root / path if path else None
        if place is None or not os.path.lexists(place):
            continue
        if real_path(place) != place:
            raise UsageError(f"`{given}` is reached through a symbolic link.", hint="Name what the link leads to.")
        if place.is_dir() or path in tree.sources or path in tree.others:
            return Place(path, base, place.is_dir())
    near = near_path(given, tree.sources)
    raise UsageError(
        f"There is no file or folder `{given}` in your content.",
        hint=near or "Write the path as seen from this folder, or from the content folder.",
    )


def inside(base: Path, given: str, root: Path) -> str:
    """A path below the content folder; "" for one outside, and for the folder itself."""
    if "\0" in given:
        return ""
    path = os.path.relpath(os.path.normpath(os.path.join(base, given)), root).replace(os.sep, "/")  # noqa: PTH118
    return "" if path == "." or path.split("/")[0] == ".." else path


def new_place(place: Place, to: str, root: Path) -> str:
    """Where something goes: into a folder with its own name, or to a new name.

    Raises:
        UsageError: it would leave the content folder, or it is not clear what is meant.
    """
    new = inside(place.base, to, root)
    if not new:
        hint = "Name a place inside the folder of a locale."
        raise UsageError(f"`{to}` is outside of the content folder.", hint=hint)
    into = to.endswith(("/", os.sep))
    if place.is_folder:
        if into and (root / new).is_dir():
            return f"{new}/{place.name}"
        if _is_filled(root / new) and new.casefold() != place.path.casefold():
            hint = f"To move it into that folder, write `{new}/{place.name}`."
            raise UsageError(f"`{new}` already exists.", hint=hint)
        return new
    if into or ((root / new).is_dir() and new.casefold() != place.path.casefold()):
        return f"{new}/{place.name}"
    suffix = os.path.splitext(place.name)[1]  # noqa: PTH122
    if not new.endswith(suffix):
        hint = f"Write `{new}/` for a folder, or `{new}{suffix}` for a file."
        raise UsageError(f"`{new}` is neither a folder nor the name of such a file.", hint=hint)
    return new


def _is_filled(place: Path) -> bool:
    """Whether there is a folder with something in it. Git leaves none without."""
    return place.is_dir() and any(place.iterdir())


def check_name(new: str, old: str = "") -> None:
    """Refuse names that kbsync would not read, or that not every computer can have.

    Raises:
        UsageError: one of the new parts is such a name.
    """
    for part in new.split("/"):
        if part in old.split("/"):
            continue
        if part.startswith("."):
            raise UsageError(f"`{new}`: kbsync does not read names that begin with a dot.", hint="Choose another name.")
        if UNSAFE.search(part) or RESERVED.fullmatch(part):
            raise UsageError(f"`{new}`: `{part}` cannot be a name on Windows.", hint="Choose another name.")
    if new.rpartition("/")[2] == CATEGORY_FILE and not old.endswith(CATEGORY_FILE):
        raise UsageError(f"`{CATEGORY_FILE}` is the name of a file that describes a category.", hint="Choose another.")


def check_free(root: Path, old: str, new: str) -> None:
    """Refuse a new path where something is, or that goes through a file or a link.

    Raises:
        UsageError: it cannot be made.
    """
    place = root / new
    if os.path.lexists(place) and not is_same_file(root / old, place):
        hint = "Choose another name, or delete that file first."
        raise UsageError(f"`{new}` already exists. Nothing was moved.", hint=hint)
    parent = next(folder for folder in place.parents if os.path.lexists(folder))
    if real_path(parent) != parent or not parent.is_dir():
        raise UsageError(f"`{new}` cannot be made: {parent.name} is not a folder.", hint="Choose another place.")
