"""Selectors: paths as seen from where the user stands, `locale:fr`, `category:billing`, `status:published`."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from kbsync.errors import UsageError
from kbsync.model import Desired

WORDS = ("locale", "category", "status")


def select(desired: list[Desired], selectors: Iterable[str], *, root: Path, here: Path) -> list[Desired]:
    """The items that any of the selectors means, and the categories that these articles need.

    Raises:
        UsageError: a selector that means nothing.
    """
    chosen: dict[str, Desired] = {}
    for selector in selectors:
        found = [item for item in desired if _means(selector, item, root, here)]
        if not found:
            raise UsageError(
                f"nothing in the content tree is meant by `{selector}`",
                hint="give a path, or one of locale:CODE, category:SLUG, status:draft|published|archived",
            )
        chosen |= {item.path: item for item in found}
    needed = {(item.locale, item.fields.get("category")) for item in chosen.values() if item.kind == "article"}
    for item in desired:
        if item.kind == "category" and (item.locale, item.slug) in needed:
            chosen[item.path] = item
    return [item for item in desired if item.path in chosen]


def _means(selector: str, item: Desired, root: Path, here: Path) -> bool:
    word, colon, value = selector.partition(":")
    if colon and word in WORDS:
        if word == "locale":
            return item.locale == value
        if word == "status":
            return item.kind == "article" and (item.status or "draft") == value
        return value == (item.slug if item.kind == "category" else item.fields.get("category"))
    if not (here / selector).exists():
        # As a plan prints it: from the content root.
        return _holds(posixpath.normpath(selector), item.path)
    return any(_holds(path, item.path) for path in _paths(here / selector, root))


def _paths(place: Path, root: Path) -> Iterator[str]:
    """A place as the tree may know it: as it is written, and where symbolic links on the way there lead."""
    yield Path(os.path.relpath(place, root)).as_posix()
    yield Path(os.path.relpath(place.resolve(), root.resolve())).as_posix()


def _holds(path: str, item: str) -> bool:
    """Whether a path of the tree is an item or a folder around it; `..` and above hold all of the tree."""
    return set(path.split("/")) <= {".", ".."} or item == path or item.startswith(path + "/")
