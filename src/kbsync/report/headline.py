"""The result in one line, for a heading: `3 changes, 1 of them live, 1 needs your decision`."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.model import Action, Finding, Outcome, Plan
from kbsync.report.vocabulary import need
from kbsync.words import count


def plan_headline(plan: Plan) -> str:
    """What a push would do. An adoption sends nothing, and without a ledger every run adopts what is equal."""
    live = sum(1 for change in plan.sent if change.live)
    parts = ["refused"] if plan.refused else []
    parts += [count(len(plan.sent), "change")] if plan.sent else []
    if live:
        parts.append("live" if live == len(plan.sent) == 1 else f"{live:,} of them live")
    if staged := sum(1 for change in plan.sent if change.stages):
        parts.append("staged" if staged == len(plan.sent) == 1 else f"{staged:,} of them staged")
    return _joined(parts, plan)


def push_headline(plan: Plan, outcomes: Sequence[Outcome]) -> str:
    """What a push did."""
    adopted = [o for o in outcomes if o.change.action is Action.ADOPT and o.outcome == "done"]
    words = [outcome.outcome for outcome in outcomes]
    made = words.count("done") - len(adopted)
    parts = [f"{count(made, 'change')} made"] if made or len(words) > len(adopted) else []
    parts += [f"{words.count(word):,} {word}" for word in ("failed", "skipped") if word in words]
    parts += ["nothing was sent"] if plan.sent and not outcomes else []
    return _joined(parts, plan)


def _joined(parts: list[str], plan: Plan) -> str:
    if not parts:
        idle = plan.held or plan.changes or plan.unpublished
        parts = ["nothing to send" if idle else "everything is up to date"]
    return ", ".join([*parts, *([need(len(plan.held))] if plan.held else [])])


def findings_headline(findings: Sequence[Finding]) -> str:
    """What lint found."""
    errors = sum(1 for finding in findings if finding.level == "error")
    warnings = len(findings) - errors
    parts = [count(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    return ", ".join(parts) or "no errors or warnings"
