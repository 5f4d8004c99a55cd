"""Requests that a former run sent and never recorded, judged by what the portal turned out to hold. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from kbsync.fields import SideEffects
from kbsync.model import DRAFTS, Action, Base, Fields, Observed, Pending, Status, Value
from kbsync.plan.agreed import base_at
from kbsync.plan.known import Node, by_node
from kbsync.plan.nodes import Key, key_of
from kbsync.plan.resolve import value_of
from kbsync.plan.result import OUTSIDE, hold_again, with_arrived


class Recovery(msgspec.Struct, frozen=True):
    """`bases` as they are once the pending requests are judged; `settled` closes journal entries, with the base that
    follows, if any; `unknown` are entries whose result stays unknown."""

    bases: tuple[Base, ...]
    settled: Mapping[int, Base | None]
    unknown: tuple[Pending, ...]


def settle_pending(
    pending: Iterable[Pending],
    bases: Iterable[Base],
    observed: Iterable[Observed] | None,
    *,
    complete: bool,
    effects: SideEffects,
) -> Recovery:
    """Judge every pending request, the oldest first.

    A create whose slug is there and equal to what was sent was ours. A field of an update that holds what was sent was
    sent by us. Whatever else the portal holds is a person's, and is left to the plan. `observed` is None where the
    portal cannot be looked at. A create that is not in a list with holes may still be there, which the create itself
    then finds out (the slug is taken).
    """
    pending = list(pending)
    if not pending:
        return Recovery(tuple(bases), {}, ())
    by_id = by_node(bases)
    if observed is None:
        return _settle_by_ledger(pending, tuple(by_id.values()))
    there = by_node(observed)
    named = {key_of(item.kind, item.locale, item.slug): item for item in there.values()}
    settled: dict[int, Base | None] = {}
    for entry in pending:
        is_create = entry.action == Action.CREATE
        base = _made(entry, named) if is_create else _changed(entry, there, by_id, effects)
        settled[entry.entry] = base
        if base is not None:
            by_id[base.kind, base.remote_id] = base
    return Recovery(tuple(by_id.values()), settled, ())


def _made(entry: Pending, named: Mapping[Key, Observed]) -> Base | None:
    """The base of what a create made, where that has all that was sent."""
    item = named.get(key_of(entry.kind, entry.locale, entry.slug))
    if item is None or not _holds(item, entry):
        return None
    status = Status.DRAFT if item.kind == "article" else None
    return replace(base_at(entry, item, item.fields, status, item.updated_at), locale=item.locale)


def _changed(
    entry: Pending, there: Mapping[Node, Observed], bases: Mapping[Node, Base], effects: SideEffects
) -> Base | None:
    """The base after a change, as far as that arrived; None for a deletion, and where one of the sides is not there."""
    if entry.remote_id is None or entry.action == Action.DELETE:
        return None
    node = (entry.kind, entry.remote_id)
    item, known = there.get(node), bases.get(node)
    return _moved(known, item, entry, effects) if item is not None and known is not None else None


def _settle_by_ledger(pending: Iterable[Pending], bases: tuple[Base, ...]) -> Recovery:
    """Without a look at the portal only one thing is known: what was made since, by the word of the user, is made."""
    managed = {key_of(base.kind, base.locale, base.slug) for base in bases}
    settled: dict[int, Base | None] = {}
    unknown = []
    for entry in pending:
        if entry.action == Action.CREATE and key_of(entry.kind, entry.locale, entry.slug) in managed:
            settled[entry.entry] = None
        else:
            unknown.append(entry)
    return Recovery(bases, settled, tuple(unknown))


def _holds(item: Observed, entry: Pending) -> bool:
    # A place that no file gave (`plan/renumber.py`) is the panel's, which may have moved it since.
    claimed = (name for name in entry.after if name not in OUTSIDE and entry.leaves.get(name) != ())
    return all(item.fields.get(name) == entry.after[name] for name in claimed)


def _moved(base: Base, item: Observed, entry: Pending, effects: SideEffects) -> Base:
    """The base with every field that arrived."""
    sent = {name for name, value in entry.after.items() if value == value_of(item, name)}
    moved = with_arrived(base, item, entry.path, _arrived(item, entry.after), sent, effects)
    if "locale" in sent:
        moved = replace(moved, locale=item.locale)
    return hold_again(moved, base, {name: left for name, left in entry.leaves.items() if name in sent})


def _arrived(item: Observed, after: Fields) -> dict[str, Value]:
    arrived = {name: value for name, value in after.items() if _text_shown(item, name) == value}
    staged = after.keys() & set(DRAFTS.values())
    if staged <= arrived.keys():
        return arrived
    # Half of a staged edit is a person's: the panel saves both halves, also where one is unchanged.
    return {name: value for name, value in arrived.items() if name not in staged}


def _text_shown(item: Observed, name: str) -> Value:
    return item.drafts[name] if name in DRAFTS.values() else item.fields.get(name)
