"""A plan that had nothing to do, with what the few articles come to whose texts moved since. Pure.

Apart from `build.py`, which loads all that decides a whole tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from kbsync.model import ItemRef, Plan
from kbsync.plan.assembled import assemble
from kbsync.plan.decide import Verdict
from kbsync.plan.decide_item import decide_item
from kbsync.plan.draft import Draft, LeftDraft, Place, Policy
from kbsync.plan.lacking import hold_blank, hold_unfinished
from kbsync.plan.match import Match, with_one_name
from kbsync.plan.staged import published
from kbsync.plan.staging import decide_staged
from kbsync.plan.timed import wait_for_decisions

Listed = TypeVar("Listed", bound=ItemRef | LeftDraft)


def amend_plan(plan: Plan, matches: Iterable[Match], *, policy: Policy) -> Plan:
    """What a plan that had nothing to do becomes where the texts of some articles moved.

    Args:
        plan: that one; nothing of it but these articles moved since.
        matches: these, each with its base and what the portal holds.
        policy: how far the plan may go.
    """
    matches = [published(with_one_name(match)) for match in matches]
    moved = {match.desired.path for match in matches}
    draft = Draft(
        policy,
        kept=[item for item in plan.kept if item.path not in moved],
        unpublished=[item for item in plan.unpublished if item.path not in moved],
        waiting=[item for item in plan.waiting if item.path not in moved],
        panel_edits=[item for item in plan.panel_edits if item.path not in moved],
        # Nothing had to move, and only texts did since.
        places={path: Place(Verdict.NOTHING) for path in moved},
    )
    for match in matches:
        decide_item(draft, match, {}, ())
        draft.unchanged -= 1
    hold_blank(draft)
    hold_unfinished(draft)
    # Only the texts moved: what the plan warns of is the same.
    draft.warnings = list(plan.warnings)
    decide_staged(draft, matches)
    wait_for_decisions(draft, matches)
    draft.unchanged += plan.unchanged
    draft.kept = _in_order_of(plan.kept, draft.kept)
    draft.unpublished = _in_order_of(plan.unpublished, draft.unpublished)
    draft.waiting = _in_order_of(plan.waiting, draft.waiting)
    draft.panel_edits = _in_order_of(plan.panel_edits, draft.panel_edits)
    return assemble(plan.target, draft, plan.unmanaged, managed=plan.managed)


def _in_order_of(before: Sequence[ItemRef], now: Iterable[Listed]) -> list[Listed]:
    """What a plan lists now, in the order that it had before: that of the tree. What is new in the list comes last."""
    own, of_path = {id(item): place for place, item in enumerate(before)}, dict[str, int]()
    for place, item in enumerate(before):
        of_path.setdefault(item.path, place)
    return sorted(now, key=lambda item: own.get(id(item), of_path.get(item.path, len(own))))
