"""Plans, pushes, findings and checks as JSON, in the shapes of `json_types.py`, which are stable for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from kbsync.fields import is_popular
from kbsync.model import Action, Change, FieldChange, Finding, Held, Outcome, Plan, Target, Waiting
from kbsync.report.body_diff import NO_BODIES, Bodies, diff_lines
from kbsync.report.escape import json_text
from kbsync.report.json_types import (
    AsOfEntry,
    ChangeEntry,
    CheckEntry,
    CheckReport,
    E,
    FieldEntry,
    FindingEntry,
    HeldEntry,
    LintReport,
    Mark,
    OtherEntry,
    PlanReport,
    PushedEntry,
    PushReport,
    RefusedEntry,
    StagedEntry,
    Summary,
    TargetEntry,
    UnpublishedEntry,
    ValueEntry,
    WaitingEntry,
    entry_of,
)
from kbsync.report.pushed import NO_AFTERMATH, Aftermath
from kbsync.report.value_text import iso_moment
from kbsync.report.vocabulary import reason_of


def plan_json(
    plan: Plan, findings: Sequence[Finding] = (), *, unmanaged: bool = False, bodies: Bodies = NO_BODIES
) -> str:
    """A plan as one object of schema `kbsync.plan/1`; what has a body in `bodies` has its `diff`."""
    return json_text(plan_report(plan, findings, unmanaged=unmanaged, bodies=bodies))


def push_json(
    plan: Plan,
    outcomes: Iterable[Outcome],
    *,
    requests: int,
    seconds: float,
    after: Aftermath = NO_AFTERMATH,
) -> str:
    """What a push did as one object of schema `kbsync.push/1`: the plan, with an outcome in each change.

    Args:
        plan: what was to be done.
        outcomes: how it went.
        requests: HTTP requests made.
        seconds: how long it took.
        after: what people need now.
    """
    cost = {"requests": requests, "seconds": round(seconds, 1), "reading_requests": after.reading}
    return json_text(push_report(plan, (), outcomes, after, **cost))


def lint_json(findings: Iterable[Finding]) -> str:
    return json_text(LintReport("kbsync.lint/1", _all(FindingEntry, findings)))


def check_json(checks: Iterable[tuple[Mark, str, str, str, int]]) -> str:
    """What was checked as one object of schema `kbsync.check/1`: mark, what, found, hint and code of each."""
    return json_text(CheckReport("kbsync.check/1", [CheckEntry(*check) for check in checks]))


def refused_report(target: Target, findings: Iterable[Finding], *, schema: str) -> PlanReport | PushReport:
    """A plan or push that findings of level error stopped: nothing in it but these."""
    nothing = Plan(target)
    return push_report(nothing, findings) if schema == "kbsync.push/1" else plan_report(nothing, findings)


def plan_report(
    plan: Plan, findings: Iterable[Finding] = (), *, unmanaged: bool = False, bodies: Bodies = NO_BODIES
) -> PlanReport:
    """A plan as one object of schema `kbsync.plan/1`."""
    return PlanReport(
        "kbsync.plan/1",
        changes=[_change(ChangeEntry, change, diff=_diff(change, bodies)) for change in plan.changes],
        unmanaged=_all(OtherEntry, plan.unmanaged) if unmanaged else UNSET,
        as_of=entry_of(AsOfEntry, plan.as_of) if plan.as_of else UNSET,
        **_rest(plan, findings, bodies),
    )


def push_report(
    plan: Plan,
    findings: Iterable[Finding] = (),
    outcomes: Iterable[Outcome] = (),
    after: Aftermath = NO_AFTERMATH,
    **cost: Any,
) -> PushReport:
    """What a push did as one object of schema `kbsync.push/1`; `cost` is what it did cost, by names of the summary."""
    changes, drafts = [_pushed(outcome) for outcome in outcomes], list(after.drafts.addresses)
    rest = _rest(plan, findings, NO_BODIES, **cost)
    return PushReport("kbsync.push/1", changes=changes, run=after.run, drafts=drafts, **rest)


def _rest(plan: Plan, findings: Iterable[Finding], bodies: Bodies, **cost: Any) -> dict[str, Any]:
    """What the reports of a plan and of a push have in common; `cost` is what a push did cost."""
    return {
        "target": entry_of(TargetEntry, plan.target, version=plan.version),
        "summary": _summary(plan, **cost),
        "held": [_held(held, bodies) for held in plan.held],
        "findings": _all(FindingEntry, (*findings, *plan.warnings)),
        "accepted": [_held(held) for held in plan.kept],
        "unpublished": _all(UnpublishedEntry, plan.unpublished),
        "waiting": [_waiting(item) for item in plan.waiting],
        "refused": entry_of(RefusedEntry, plan.refused) if plan.refused else None,
        "pending": _all(StagedEntry, plan.staged_edits),
        "panel_edits": _all(StagedEntry, plan.panel_edits),
    }


def _summary(plan: Plan, **cost: Any) -> Summary:
    counts = {action.value: plan.count(action) for action in Action}
    counts |= {name: len(getattr(plan, name)) for name in ("held", "unmanaged", "waiting")}
    counts |= {
        "live": sum(change.live for change in plan.sent),
        "staged": sum(change.stages for change in plan.sent),
        "pending": len(plan.staged_edits),
    }
    return entry_of(Summary, plan, **(counts | cost))


def _all(kind: type[E], items: Iterable[object]) -> list[E]:
    return [entry_of(kind, item) for item in items]


def _diff(item: Change | Held, bodies: Bodies) -> list[str] | UnsetType:
    body = bodies.of(item)
    return list(diff_lines(body)) if body else UNSET


def _change(kind: type[E], change: Change, **others: Any) -> E:
    return entry_of(kind, change, **{"staged": change.stages, "fields": list(map(_field, change.fields))} | others)


def _pushed(outcome: Outcome) -> PushedEntry:
    return _change(
        PushedEntry,
        outcome.change,
        remote_id=outcome.remote_id,
        outcome=outcome.outcome,
        error=outcome.error,
        hint=outcome.hint,
    )


def _waiting(item: Waiting) -> WaitingEntry:
    return entry_of(WaitingEntry, item, until=item.until or None, release=item.release or None)


def _field(field: FieldChange) -> FieldEntry:
    before, after = field.shown if is_popular(field.name) else (field.before, field.after)
    return FieldEntry(field.name, before, after)


def _held(held: Held, bodies: Bodies = NO_BODIES) -> HeldEntry:
    edited_at = iso_moment(held.edited_s) if held.edited_s else None
    values = _all(ValueEntry, held.values)
    return entry_of(HeldEntry, held, values=values, edited_at=edited_at, why=reason_of(held), diff=_diff(held, bodies))
