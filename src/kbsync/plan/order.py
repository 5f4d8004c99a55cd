"""The order of a plan: what comes before what, so that a slug is free when it is taken and nothing waits in vain. Pure.

A slug that one change gives up and another takes makes them go one after the other, in turns. Where the changes make a
circle (two articles that swap their slugs), one of them gets a temporary slug: the service has
no other way (docs/service.md, S22).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from kbsync.model import Action, Change

ASIDE = "--kbsync-moving"
"""The ending of a temporary slug."""

SLUG_CHARS = 255


def take_turns(changes: Sequence[Change]) -> list[Change]:
    """The changes with their turns, and with the changes to temporary slugs added."""
    gives = {_key(change, str(slug)): place for place, change in enumerate(changes) if (slug := _given_up(change))}
    if not gives:
        return list(changes)
    waits = _waits(changes, gives)
    found = list(changes)
    for first in _circles(waits):
        step, found[first] = _in_two_steps(found[first])
        found.append(step)
        # The change that waited for the first one's slug can have it now.
        waits = {place: len(found) - 1 if other == first else other for place, other in waits.items()}
    return [_with_turn(change, _turn(place, waits)) for place, change in enumerate(found)]


def _waits(changes: Sequence[Change], gives: Mapping[Hashable, int]) -> dict[int, int]:
    """By the place of a change: that of the one which makes its slug free."""
    wanted = {place: _key(change, _taken(change)) for place, change in enumerate(changes) if _taken(change)}
    return {place: gives[key] for place, key in wanted.items() if gives.get(key, place) != place}


def _in_two_steps(change: Change) -> tuple[Change, Change]:
    """The change to a temporary slug, and the one from there."""
    slug = _given_up(change)
    aside = slug[: SLUG_CHARS - len(ASIDE)] + ASIDE
    step = replace(
        change,
        fields=tuple(replace(field, after=aside, leaves=None) for field in change.fields if field.name == "slug"),
    )
    rest = replace(
        change,
        fields=tuple(
            replace(field, before=aside, agreed=None) if field.name == "slug" else field for field in change.fields
        ),
    )
    return replace(step, turn=0, status=None), rest


def _with_turn(change: Change, turn: int) -> Change:
    return replace(change, turn=turn) if turn > change.turn else change


def _key(change: Change, slug: str) -> Hashable:
    return (change.kind, slug) if change.kind == "article" else (change.kind, change.locale, slug)


def _given_up(change: Change) -> str:
    """The slug that a change makes free, or ""."""
    if change.action is not Action.UPDATE:
        return ""
    return next((str(field.before) for field in change.fields if field.name == "slug"), "")


def _taken(change: Change) -> str:
    """The slug that a change needs to be free, or ""."""
    return str(change.after.get("slug", "")) if change.action in {Action.CREATE, Action.UPDATE} else ""


def taken_slugs(changes: Iterable[Change]) -> frozenset[str]:
    """The article slugs that some changes take: an address that another one gave up does not die."""
    return frozenset(slug for change in changes if change.kind == "article" and (slug := _taken(change)))


def _circles(waits: dict[int, int]) -> list[int]:
    """One change of each circle."""
    firsts, seen = [], set[int]()
    for start in sorted(waits):
        path: list[int] = []
        place: int | None = start
        while place is not None and place not in seen:
            seen.add(place)
            path.append(place)
            place = waits.get(place)
        if place is not None and place in path:
            firsts.append(min(path[path.index(place) :]))
    return firsts


def _turn(place: int, waits: dict[int, int]) -> int:
    turn = 0
    while (other := waits.get(place)) is not None:
        place, turn = other, turn + 1
    return turn
