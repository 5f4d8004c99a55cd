"""Plans, pushes, findings and checks as JSON, in the shapes of `json_types.py`, which are stable for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType, structs

from kbsync.fields import is_popular
from kbsync.model import (
    Action,
    Change,
    FieldChange,
    Finding,
    Held,
    Observed,
    Outcome,
    Plan,
    Refusal,
    StagedEdit,
    Target,
    Unpublished,
    Waiting,
)
from kbsync.report.body_diff import NO_BODIES, Bodies, diff_lines
from kbsync.report.escape import json_text
from kbsync.report.json_types import (
    AsOfEntry,
    ChangeEntry,
    CheckEntry,
    CheckReport,
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
)
from kbsync.report.pushed import NO_AFTERMATH, Aftermath
from kbsync.report.value_text import iso_moment
from kbsync.report.vocabulary import reason_of

Entry = TypeVar("Entry", bound=UnpublishedEntry)


def plan_json(
    plan: Plan, findings: Sequence[Finding] = (), *, unmanaged: bool = False, bodies: Bodies = NO_BODIES
) -> str:
    """A plan as one object of schema `kbsync.plan/1`; what has a body in `bodies` has its `diff`."""
    others = [_other(item) for item in plan.unmanaged] if unmanaged else UNSET
    report = structs.replace(
        plan_report(plan, findings),
        unmanaged=others,
        changes=[structs.replace(_change(change), diff=_diff(change, bodies)) for change in plan.changes],
        held=[structs.replace(_held(held), diff=_diff(held, bodies)) for held in plan.held],
    )
    return json_text(report)


def _diff(item: Change | Held, bodies: Bodies) -> list[str] | UnsetType:
    body = bodies.of(item)
    return list(diff_lines(body)) if body else UNSET


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
    summary = structs.replace(
        summary_of(plan), requests=requests, seconds=round(seconds, 1), reading_requests=after.reading
    )
    report = _push_report(plan, (), summary, [_pushed(outcome) for outcome in outcomes])
    return json_text(structs.replace(report, run=after.run, drafts=list(after.drafts.addresses)))


def lint_json(findings: Iterable[Finding]) -> str:
    """Findings as one object of schema `kbsync.lint/1`."""
    return json_text(LintReport("kbsync.lint/1", [_finding(finding) for finding in findings]))


def check_json(checks: Iterable[tuple[Mark, str, str, str, int]]) -> str:
    """What was checked as one object of schema `kbsync.check/1`: mark, what, found, hint and code of each."""
    return json_text(CheckReport("kbsync.check/1", [CheckEntry(*check) for check in checks]))


def refused_json(target: Target, findings: Iterable[Finding], *, schema: str) -> str:
    """A plan or push that findings of level error stopped: nothing in it but these."""
    nothing = Plan(target)
    if schema == "kbsync.push/1":
        return json_text(_push_report(nothing, findings, summary_of(nothing), []))
    return json_text(plan_report(nothing, findings))


def summary_of(plan: Plan) -> Summary:
    """The counts of a plan."""
    return Summary(
        **{action.value: plan.count(action) for action in Action},
        unchanged=plan.unchanged,
        held=len(plan.held),
        unmanaged=len(plan.unmanaged),
        live=sum(1 for change in plan.sent if change.live),
        staged=sum(1 for change in plan.sent if change.stages),
        pending=len(plan.staged_edits),
        requests=plan.requests,
        seconds=plan.seconds,
        waiting=len(plan.waiting),
    )


def plan_report(plan: Plan, findings: Iterable[Finding] = ()) -> PlanReport:
    """A plan as one object of schema `kbsync.plan/1`, without differences of bodies."""
    changes = [_change(change) for change in plan.changes]
    as_of = AsOfEntry.of(plan.as_of) or UNSET
    return PlanReport("kbsync.plan/1", changes=changes, summary=summary_of(plan), as_of=as_of, **_rest(plan, findings))


def _push_report(
    plan: Plan, findings: Iterable[Finding], summary: Summary, changes: Sequence[PushedEntry]
) -> PushReport:
    return PushReport("kbsync.push/1", changes=changes, summary=summary, **_rest(plan, findings))


def _rest(plan: Plan, findings: Iterable[Finding]) -> dict[str, Any]:
    """What the reports of a plan and of a push have in common."""
    return {
        "target": TargetEntry.of(plan.target, plan.version),
        "held": [_held(held) for held in plan.held],
        "findings": [_finding(finding) for finding in (*findings, *plan.warnings)],
        "accepted": [_held(held) for held in plan.kept],
        "unpublished": [_titled(UnpublishedEntry, item) for item in plan.unpublished],
        "waiting": [_waiting(item) for item in plan.waiting],
        "refused": _refused(plan.refused) if plan.refused else None,
        "pending": [_titled(StagedEntry, item) for item in plan.staged_edits],
        "panel_edits": [_titled(StagedEntry, item) for item in plan.panel_edits],
    }


def _other(item: Observed) -> OtherEntry:
    return OtherEntry(item.kind, item.locale, item.slug, item.remote_id, item.title, item.status)


def _change(change: Change) -> ChangeEntry:
    return ChangeEntry(
        action=change.action,
        kind=change.kind,
        locale=change.locale,
        slug=change.slug,
        path=change.path,
        remote_id=change.remote_id,
        title=change.title,
        was=change.was,
        live=change.live,
        staged=change.stages,
        fields=[_field(field) for field in change.fields],
    )


def _titled(kind: type[Entry], item: Unpublished | StagedEdit | Held) -> Entry:
    return kind(item.kind, item.locale, item.slug, item.path, item.remote_id, item.title, item.hint)


def _waiting(item: Waiting) -> WaitingEntry:
    until, release = item.until or None, item.release or None
    return WaitingEntry(item.path, item.slug, item.locale, until, release, item.title, item.remote_id)


def _refused(refusal: Refusal) -> RefusedEntry:
    return RefusedEntry(refusal.removals, refusal.allowed, refusal.message, refusal.hint)


def _field(field: FieldChange) -> FieldEntry:
    before, after = field.shown if is_popular(field.name) else (field.before, field.after)
    return FieldEntry(field.name, before, after)


def _pushed(outcome: Outcome) -> PushedEntry:
    entry = structs.replace(_change(outcome.change), remote_id=outcome.remote_id)
    return PushedEntry(**structs.asdict(entry), outcome=outcome.outcome, error=outcome.error)


def _held(held: Held) -> HeldEntry:
    return HeldEntry(
        reason=held.reason,
        kind=held.kind,
        locale=held.locale,
        slug=held.slug,
        path=held.path,
        remote_id=held.remote_id,
        fields=held.fields,
        values=[ValueEntry(field.name, field.before, field.after) for field in held.values],
        hint=held.hint,
        edited_at=iso_moment(held.edited_s) if held.edited_s else None,
        why=reason_of(held),
    )


def _finding(finding: Finding) -> FindingEntry:
    return FindingEntry(
        finding.code,
        finding.level,
        finding.path,
        finding.line,
        finding.column,
        finding.message,
        finding.hint,
        finding.fixable,
    )
