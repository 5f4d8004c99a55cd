"""Keys that kbsync does not know: misspelled ones of its own, and those of well-known tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from kbsync.content.rules import FOREIGN_KEY, UNKNOWN_KEY
from kbsync.content.source import Problem
from kbsync.words import suggestion

FOREIGN: Mapping[str, tuple[str, str]] = {
    # key: (the tools that read it, the key of kbsync that is for the same)
    "author_id": ("Zendesk", "author"),
    "authors": ("Docusaurus and Material for MkDocs", "author"),
    "categories": ("Hugo and Jekyll", "category"),
    "custom_edit_url": ("Docusaurus", ""),
    "date": ("Hugo and Jekyll", ""),
    "draft": ("Hugo and Docusaurus", "status"),
    "eleventyNavigation": ("Eleventy", ""),
    "expiryDate": ("Hugo", ""),
    "has_children": ("Just the Docs", ""),
    "hide_table_of_contents": ("Docusaurus", ""),
    "icon": ("Mintlify and Material for MkDocs", ""),
    "keywords": ("Hugo and Docusaurus", "tags"),
    "label_names": ("Zendesk", "tags"),
    "lastmod": ("Hugo", ""),
    "linkTitle": ("Hugo", ""),
    "menu_order": ("WordPress", "position"),
    "nav_order": ("Just the Docs", "position"),
    "next": ("VitePress", ""),
    "outline": ("VitePress", ""),
    "pagination_next": ("Docusaurus", ""),
    "pagination_prev": ("Docusaurus", ""),
    "permalink": ("Jekyll", "slug"),
    "prev": ("VitePress", ""),
    "promoted": ("Zendesk", ""),
    "publishDate": ("Hugo", "publish_on"),
    "published": ("Jekyll", "status"),
    "redirect_from": ("Jekyll", "aliases"),
    "section_id": ("Zendesk", "category"),
    "sidebarTitle": ("Mintlify", ""),
    "sidebar_label": ("Docusaurus", ""),
    "sidebar_position": ("Docusaurus", "position"),
    "summary": ("Hugo", "description"),
    "tag": ("Mintlify", ""),
    "toc_hide": ("Hugo", ""),
    "weight": ("Hugo", "position"),
}
"""Nobody types these by mistake, however much one looks like a key of kbsync."""

SAME_VALUE: Mapping[str, str] = {key: ours for key, (_, ours) in FOREIGN.items() if ours in {"position", "description"}}
"""Those whose value means the same under the key of kbsync."""

SHORT_CHARS = 5
"""Keys up to this length look like each other: one slip is a misspelling there, in longer ones two are."""

LISTS = frozenset({"tags", "aliases", "lint_ignore"})

MAX_SHOWN = 60


def unknown_key(
    key: str, place: tuple[int, int], allowed: Collection[str], written: Collection[str], *, is_simple: bool = True
) -> Problem:
    """What is wrong with a key that kbsync does not read.

    Args:
        key: as it is written.
        place: line and column of it.
        allowed: the keys that kbsync reads.
        written: all keys of the file. One that is there was not meant by another key.
        is_simple: whether it has one value, not a list or more keys. Nobody means a title by a list.
    """
    shown = key if len(key) <= MAX_SHOWN else key[:MAX_SHOWN] + "…"
    free = {*allowed} - {*written}
    if key in FOREIGN:
        tools, ours = FOREIGN[key]
        hint = "Delete the line if no other tool reads this file."
        if ours in free:
            hint = f"kbsync's key for this is `{ours}`."
        message = f"`{key}` is a key of {tools}. kbsync ignores it."
        return Problem.of(FOREIGN_KEY, place, message, hint)
    if key == "title" and "name" in free:
        return Problem.of(UNKNOWN_KEY, place, "A category has no `title`, but a `name`.", "Write `name:` instead.")
    near = _misspelled(key.casefold(), tuple(allowed))
    if near in free and (is_simple or near in LISTS):
        # A misspelt key would silently lose what the writer wanted; a foreign one is another tool's business.
        return Problem.of(UNKNOWN_KEY, place, f"Unknown key `{shown}`.", suggestion(near))
    return Problem.of(
        FOREIGN_KEY, place, f"The unknown key `{shown}` is ignored.", f"kbsync reads: {', '.join(allowed)}."
    )


@lru_cache(maxsize=1_000)
def _misspelled(key: str, allowed: tuple[str, ...]) -> str:
    """The key that this one is a misspelling of; "" where it is none. Files of a tree have the same foreign keys."""
    best, least = "", 3
    for known in allowed:
        most = 1 if len(known) <= SHORT_CHARS else 2
        if abs(len(known) - len(key)) <= most and (number := slips(key, known)) <= most and number < least:
            best, least = known, number
    return best


def slips(one: str, other: str) -> int:
    """How many letters were added, left out, exchanged or swapped with the next (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        before, above, row = row, before, [i + 1]
        for j, b in enumerate(other):
            least = min(before[j + 1] + 1, row[j] + 1, before[j] + (a != b))
            if i and j and a == other[j - 1] and one[i - 1] == b:
                least = min(least, above[j - 1] + 1)
            row.append(least)
    return row[-1]
