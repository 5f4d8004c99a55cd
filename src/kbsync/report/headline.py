"""The result in one line, from counts alone, for a heading: `3 changes, 1 of them LIVE, 1 held`."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.model import Action, Finding, Outcome, Plan
from kbsync.report.text import count


def plan_headline(plan: Plan) -> str:
    """What a push would do."""
    live = sum(1 for change in plan.sent if change.live)
    adopted = plan.count(Action.ADOPT)
    parts = [count(len(plan.sent), "change") if plan.sent else "nothing to send"]
    if live:
        parts.append("LIVE" if live == len(plan.sent) == 1 else f"{live:,} of them LIVE")
    if adopted:
        parts.append(f"{adopted:,} to adopt")
    if plan.held:
        parts.append(f"{len(plan.held):,} held")
    return "nothing to do" if len(parts) == 1 and not plan.sent else ", ".join(parts)


def push_headline(plan: Plan, outcomes: Sequence[Outcome]) -> str:
    """What a push did."""
    words = [outcome.outcome for outcome in outcomes if outcome.change.action is not Action.ADOPT or _is_bad(outcome)]
    adopted = sum(1 for outcome in outcomes if outcome.change.action is Action.ADOPT and not _is_bad(outcome))
    parts = [f"{count(words.count('done'), 'change')} made"] if words else []
    parts += [f"{words.count(word):,} {word}" for word in ("failed", "skipped") if word in words]
    if adopted:
        parts.append(f"{adopted:,} adopted")
    if plan.held:
        parts.append(f"{len(plan.held):,} held")
    return ", ".join(parts) or "nothing to do"


def findings_headline(findings: Sequence[Finding]) -> str:
    """What lint found."""
    errors = sum(1 for finding in findings if finding.level == "error")
    warnings = len(findings) - errors
    parts = [count(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    return ", ".join(parts) or "no findings"


def _is_bad(outcome: Outcome) -> bool:
    return outcome.outcome != "done"
