"""Verdicts under the decisions of people (`kbsync resolve`), each about the values of its time. Pure.

decided | the portal's value              | what becomes of the field
--------+---------------------------------+----------------------------------------------
theirs  | as it was, and ours did not move | left as it is, and not held
ours    | as it was                       | sent
ours    | as it was, and the file is not  | held: the decision was for another text, which may have
        | the one that it was made for    | the portal's edit in it, as after `kbsync pull`
either  | another one                     | held, as if nothing had been decided
"""

from __future__ import annotations

from collections.abc import Mapping

from kbsync.model import Base, Desired, Fields, Reason
from kbsync.plan.decide import ABSENT, HELD, Verdict
from kbsync.plan.draft import Draft, Place, hold
from kbsync.plan.resolve import is_for_another


def as_decided(
    draft: Draft,
    desired: Desired,
    base: Base,
    verdicts: Mapping[str, Verdict],
    there: Fields,
    place: Place | None = None,
) -> dict[str, Verdict]:
    """The verdicts as people decided them; the plan names what a decision is about, so that it can be taken back.

    Args:
        draft: the plan that is being made.
        desired, base: two of the three sides.
        verdicts: those of the fields, by name.
        there: the portal's values.
        place: the verdict about its place in an order: its number alone says nothing.
    """
    seen = there
    if place is not None and place.is_still:
        seen = {**there, "position": base.kept.get("position")}
    kept = tuple(
        name for name, verdict in verdicts.items() if verdict is Verdict.DRIFT and _is_about(base.kept, name, seen)
    )
    overruled = tuple(
        name
        for name, verdict in verdicts.items()
        if verdict in HELD
        and _is_about(base.overruled, name, there)
        and not is_for_another(base, name, desired.fields.get(name))
    )
    if kept:
        held = hold(desired, Reason.DRIFT, base.remote_id, kept, "", there)
        draft.kept.append(place.of(held) if place else held)
    if overruled:
        held = hold(desired, Reason.DRIFT, base.remote_id, overruled, "", there)
        draft.overruled.append(place.of(held) if place else held)
    return {**verdicts, **dict.fromkeys(kept, Verdict.NOTHING), **dict.fromkeys(overruled, Verdict.SEND)}


def _is_about(decided: Fields, name: str, there: Fields) -> bool:
    return decided.get(name, ABSENT) == there.get(name)
