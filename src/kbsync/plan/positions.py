"""The place of new articles without a `position` in their category: in path order, as the preview shows them. Pure.

Left to the service, each would come behind whatever was made before it, and requests overtake each other. So a create
says the place, and nothing later does: a position that no file gives stays the panel's. Files between two that are on
the portal already go between them, where the portal has those in path order and room between; else behind all.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise

import msgspec
from msgspec.structs import replace

from kbsync.model import Action, Change, FieldChange, Observed
from kbsync.plan.draft import Draft, follow_rename
from kbsync.plan.match import Match, Matches

STEP = 10
"""How far apart the service itself puts two articles. Source: docs/service.md, section 4."""

Key = tuple[str, object]
"""A category: locale and slug."""


class _Category(msgspec.Struct):
    """The order of a category: every position, and by path those that no file gives."""

    taken: set[int] = msgspec.field(default_factory=set)
    loose: dict[str, int] = msgspec.field(default_factory=dict)

    def in_order(self) -> list[tuple[str, int]]:
        """The loose ones, where the portal has them in path order; nothing where somebody arranged them otherwise."""
        found = sorted(self.loose.items())
        return found if all(one < two for (_, one), (_, two) in pairwise(found)) else []


def place_new(
    draft: Draft, matches: Matches, observed: Iterable[Observed], renamed: Mapping[tuple[str, str], str]
) -> None:
    """Give the creates of articles their places.

    Args:
        draft: the plan that is being made.
        matches: which source is which article.
        observed: what the portal holds.
        renamed: categories that get another slug, old to new.
    """
    if "position" not in draft.policy.keeps["article"]:
        return
    new: dict[Key, list[int]] = {}
    for number, change in enumerate(draft.changes):
        category = change.after.get("category")
        is_new = change.action is Action.CREATE and change.kind == "article" and category is not None
        if is_new and "position" not in change.after:
            new.setdefault((change.locale, category), []).append(number)
    if not new:
        return
    categories = _categories(new, matches.matched, observed, renamed)
    for key, numbers in new.items():
        numbers.sort(key=lambda number: draft.changes[number].path)
        paths = [draft.changes[number].path for number in numbers]
        for number, place in zip(numbers, _places(categories[key], paths), strict=True):
            draft.changes[number] = _placed(draft.changes[number], place)


def _categories(
    new: Iterable[Key], matched: Iterable[Match], observed: Iterable[Observed], renamed: Mapping[tuple[str, str], str]
) -> dict[Key, _Category]:
    found = {key: _Category() for key in new}
    for item in observed:
        key = (item.locale, follow_rename(item.fields, item.locale, renamed).get("category"))
        position = item.fields.get("position")
        if item.kind == "article" and isinstance(position, int) and key in found:
            found[key].taken.add(position)
    for match in matched:
        desired, there = match.desired, match.observed
        category = found.get((desired.locale, desired.fields.get("category")))
        if desired.kind != "article" or category is None:
            continue
        if isinstance(wanted := desired.fields.get("position"), int):
            category.taken.add(wanted)
        elif there is not None and isinstance(position := there.fields.get("position"), int):
            category.loose[desired.path] = position
    return found


def _places(category: _Category, paths: list[str]) -> Iterator[int]:
    """A place for each of some paths, which come in order."""
    known = category.in_order()
    names = [path for path, _ in known]
    last = max(category.taken, default=0)
    for where, group in groupby(paths, key=lambda path: bisect(names, path)):
        few = list(group)
        low = known[where - 1][1] if where else 0
        between = _between(low, known[where][1], len(few)) if where < len(known) else []
        if not between or not category.taken.isdisjoint(between):
            between = [last + STEP * nth for nth in range(1, len(few) + 1)]
            last = between[-1]
        yield from between


def _between(low: int, high: int, number: int) -> list[int]:
    """So many places between two, evenly, so that the next ones find room as well; none where there is too little."""
    found = [low + (high - low) * nth // (number + 1) for nth in range(1, number + 1)]
    return found if all(one < two for one, two in pairwise([low, *found, high])) else []


def _placed(change: Change, place: int) -> Change:
    # `leaves`: it was never agreed on, as no file gives it.
    return replace(change, fields=(*change.fields, FieldChange("position", None, place, leaves=())))
