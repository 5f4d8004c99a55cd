"""Plans, pushes and findings in Markdown right after the command: for the summary of a job, with costs and next steps.

What `comment` makes of them later is in `markdown.py`, which says most of both. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kbsync.model import Finding, Outcome, Plan, Target
from kbsync.report.body_diff import NO_BODIES, Bodies
from kbsync.report.data import plan_report, push_report, refused_report
from kbsync.report.escape import hint
from kbsync.report.folding import render
from kbsync.report.markdown import findings_section, report_markdown
from kbsync.report.pushed import DRAFTS, NO_AFTERMATH, Aftermath, Drafts, cost_text
from kbsync.report.reported import report_of
from kbsync.report.text import duration
from kbsync.report.vocabulary import version_note
from kbsync.words import count


def plan_markdown(
    plan: Plan,
    findings: Sequence[Finding] = (),
    *,
    root: str = "",
    unmanaged: bool = False,
    bodies: Bodies = NO_BODIES,
) -> str:
    """What a push would do.

    Args:
        plan: the plan.
        findings: of the content tree; warnings only, as errors stop a plan.
        root: as in `report_markdown`.
        unmanaged: whether to list what is on the portal and not ours.
        bodies: those whose differences are shown.
    """
    report = report_of(plan_report(plan, findings, unmanaged=unmanaged, bodies=bodies), plan.changes)
    facts = [f"{count(plan.requests, 'request')}, about {duration(plan.seconds)}"] if plan.sent else []
    left = count(bodies.left, "changed body")
    notes = [version_note(plan.version)]
    notes += [f"Not shown: {left}. `kbsync plan --diff -v` shows all."] if bodies.left else []
    return report_markdown(report, root=root, facts=facts, notes=list(filter(None, notes)))


def push_markdown(
    plan: Plan,
    outcomes: Sequence[Outcome],
    *,
    requests: int,
    seconds: float,
    root: str = "",
    after: Aftermath = NO_AFTERMATH,
) -> str:
    """What a push did.

    Args:
        plan: what was to be done.
        outcomes: how it went.
        requests: HTTP requests made.
        seconds: how long it took.
        root: as in `report_markdown`.
        after: what people need now.
    """
    report = report_of(push_report(plan, (), outcomes, after), [outcome.change for outcome in outcomes])
    facts = [cost_text(requests, seconds, after.reading if outcomes else 0)]
    notes = [*map(hint, filter(None, (after.staged, after.undo, version_note(plan.version)))), *_drafts(after.drafts)]
    return report_markdown(report, root=root, facts=facts, notes=notes)


def _drafts(drafts: Drafts) -> Iterator[str]:
    """Where the new drafts are, as links: their addresses are made of settings and of quoted slugs."""
    if drafts.addresses:
        shown = [f"- <{address}>" for address in drafts.addresses[:DRAFTS]]
        left = len(drafts.addresses) - len(shown)
        more = [f"- … and {left:,} more"] if left else []
        yield "\n".join(["New drafts (everyone who has the address can read them):", "", *shown, *more])
    elif drafts.number:
        yield hint(drafts.elsewhere)


def refused_markdown(target: Target, findings: Sequence[Finding], *, command: str, root: str) -> str:
    """A plan or push that these errors stopped."""
    return report_markdown(report_of(refused_report(target, findings, schema=f"kbsync.{command}/1"), ()), root=root)


def findings_markdown(findings: Sequence[Finding], *, root: str, sources: int) -> str:
    errors, warnings = ([f for f in findings if (f.level == "error") is is_error] for is_error in (True, False))
    parts = [count(len(some), noun) for some, noun in ((errors, "error"), (warnings, "warning")) if some]
    head = ["## kbsync lint: " + (", ".join(parts) or "no errors or warnings"), f"{count(sources, 'file')} checked"]
    return render(head, [findings_section("Errors", errors, root), findings_section("Warnings", warnings, root)])
