"""What somebody meant who named a file that is not there. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from kbsync.command import quote
from kbsync.content.body import CATEGORY_FILE
from kbsync.words import similar, suggestion

LIKENESS = 0.75
"""How much the last parts must look alike. Short names are soon half the same."""


def near_path(given: str, known: Iterable[str]) -> str:
    """The hint with the path or slug that somebody mistyped; "" where none looks like it.

    Only last parts are compared: the paths of one folder look alike, however much their files differ.

    Args:
        given: what was typed.
        known: paths of the tree, and slugs where these can be typed too. A category is its folder.
    """
    named: dict[str, list[str]] = {}
    for path in known:
        place = path.removesuffix(f"/{CATEGORY_FILE}")
        named.setdefault(_name(place), []).append(place)
    near = similar(_name(given), named, cutoff=LIKENESS)
    return suggestion(quote(similar(given, named[near[0]], cutoff=0.0)[0])) if near else ""


def _name(path: str) -> str:
    return posixpath.basename(path.rstrip("/")).removesuffix(".md")
