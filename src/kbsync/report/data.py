"""The JSON shapes, stable for machines. Source: docs/architecture.md, JSON output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kbsync.model import Action, Change, Finding, Held, Observed, Outcome, Plan, Refusal, Target, Unpublished
from kbsync.report.body_diff import NO_BODIES, Bodies, diff_lines
from kbsync.report.escape import json_text
from kbsync.report.pushed import NO_AFTERMATH, Aftermath
from kbsync.report.values import iso_moment


def plan_json(
    plan: Plan, findings: Sequence[Finding] = (), *, unmanaged: bool = False, bodies: Bodies = NO_BODIES
) -> str:
    """A plan as one object of schema `kbsync.plan/1`; what has a body in `bodies` has its `diff`."""
    found = _plan_object("kbsync.plan/1", plan, findings) | _unmanaged(plan, listed=unmanaged)
    items: list[Change | Held] = [*plan.changes, *plan.held]
    for item, entry in zip(items, [*found["changes"], *found["held"]], strict=True):
        if body := bodies.of(item):
            entry["diff"] = list(diff_lines(body))
    return json_text(found)


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
    found = _plan_object("kbsync.push/1", plan, ()) | {"run": after.run, "drafts": list(after.drafts.addresses)}
    found["summary"] |= {"requests": requests, "seconds": round(seconds, 1), "reading_requests": after.reading}
    found["changes"] = [
        _change(outcome.change) | {"outcome": outcome.outcome, "error": outcome.error, "remote_id": outcome.remote_id}
        for outcome in outcomes
    ]
    return json_text(found)


def lint_json(findings: Iterable[Finding]) -> str:
    """Findings as one object of schema `kbsync.lint/1`."""
    return json_text({"schema": "kbsync.lint/1", "findings": [_finding(finding) for finding in findings]})


def refused_json(target: Target, findings: Iterable[Finding], *, schema: str) -> str:
    """A plan or push that findings of level error stopped: nothing in it but these."""
    return json_text(_plan_object(schema, Plan(target), list(findings)))


def summary_of(plan: Plan) -> dict[str, int | float]:
    """The counts of a plan, by the names of the JSON shape."""
    counts: dict[str, int | float] = {action.value: plan.count(action) for action in Action}
    return counts | {
        "unchanged": plan.unchanged,
        "held": len(plan.held),
        "unmanaged": len(plan.unmanaged),
        "live": sum(1 for change in plan.sent if change.live),
        "requests": plan.requests,
        "seconds": plan.seconds,
    }


def _plan_object(schema: str, plan: Plan, findings: Iterable[Finding]) -> dict[str, Any]:
    target = plan.target
    return {
        "schema": schema,
        "target": {
            "base_url": target.base_url,
            "account_id": target.account_id,
            "portal": target.portal,
            "profile": target.profile,
        },
        "summary": summary_of(plan),
        "changes": [_change(change) for change in plan.changes],
        "held": [_held(held) for held in plan.held],
        "findings": [_finding(finding) for finding in (*findings, *plan.warnings)],
        "accepted": [_held(held) for held in plan.kept],
        "unpublished": [_unpublished(item) for item in plan.unpublished],
        "refused": _refused(plan.refused) if plan.refused else None,
    }


def _unmanaged(plan: Plan, *, listed: bool) -> dict[str, Any]:
    return {"unmanaged": [_stranger(item) for item in plan.unmanaged]} if listed else {}


def _stranger(item: Observed) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "locale": item.locale,
        "slug": item.slug,
        "remote_id": item.remote_id,
        "title": item.title,
        "status": item.status,
    }


def _unpublished(item: Unpublished) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "locale": item.locale,
        "slug": item.slug,
        "path": item.path,
        "remote_id": item.remote_id,
        "title": item.title,
        "hint": item.hint,
    }


def _refused(refusal: Refusal) -> dict[str, Any]:
    return {
        "removals": refusal.removals,
        "allowed": refusal.allowed,
        "message": refusal.message,
        "hint": refusal.hint,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "action": change.action,
        "kind": change.kind,
        "locale": change.locale,
        "slug": change.slug,
        "path": change.path,
        "remote_id": change.remote_id,
        "title": change.title,
        "was": change.was,
        "live": change.live,
        "fields": [{"name": f.name, "before": f.before, "after": f.after} for f in change.fields],
    }


def _held(held: Held) -> dict[str, Any]:
    return {
        "reason": held.reason,
        "kind": held.kind,
        "locale": held.locale,
        "slug": held.slug,
        "path": held.path,
        "remote_id": held.remote_id,
        "fields": list(held.fields),
        "values": [{"name": f.name, "portal": f.before, "ours": f.after} for f in held.values],
        "hint": held.hint,
        "edited_at": iso_moment(held.edited_s) if held.edited_s else None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "level": finding.level,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "hint": finding.hint,
        "fixable": finding.fixable,
    }
