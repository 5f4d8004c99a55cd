"""Verdicts under the decisions of people (`kbsync resolve`), each about the values of its time. Pure.

decided | the portal's value              | what becomes of the field
--------+---------------------------------+----------------------------------------------
theirs  | as it was, and ours did not move | left as it is, and not held
ours    | as it was                       | sent
either  | another one                     | held, as if nothing had been decided
"""

from __future__ import annotations

from collections.abc import Mapping

from kbsync.model import Base, Desired, Fields, Reason
from kbsync.plan.decide import ABSENT, HELD, Verdict
from kbsync.plan.draft import Draft, hold


def as_decided(
    draft: Draft, desired: Desired, base: Base, verdicts: Mapping[str, Verdict], there: Fields
) -> dict[str, Verdict]:
    """The verdicts as people decided them; the plan names what a decision is about, so that it can be taken back.

    Args:
        draft: the plan that is being made.
        desired, base: two of the three sides.
        verdicts: those of the fields, by name.
        there: the portal's values.
    """
    kept = tuple(
        name for name, verdict in verdicts.items() if verdict is Verdict.DRIFT and _is_about(base.kept, name, there)
    )
    overruled = tuple(
        name for name, verdict in verdicts.items() if verdict in HELD and _is_about(base.overruled, name, there)
    )
    if kept:
        draft.kept.append(hold(desired, Reason.DRIFT, base.remote_id, kept, "", there))
    if overruled:
        draft.overruled.append(hold(desired, Reason.DRIFT, base.remote_id, overruled, "", there))
    return {**verdicts, **dict.fromkeys(kept, Verdict.NOTHING), **dict.fromkeys(overruled, Verdict.SEND)}


def _is_about(decided: Fields, name: str, there: Fields) -> bool:
    return decided.get(name, ABSENT) == there.get(name)
