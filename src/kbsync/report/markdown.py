"""Plans, pushes and findings as GitHub-flavoured Markdown, for a comment in a pull request or the summary of a job.

What needs a person comes first, then what readers see at once. What fits into a comment is in `folding.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from kbsync.fields import label_of
from kbsync.model import (
    PORTAL_FILE,
    Action,
    Change,
    FieldChange,
    Finding,
    Held,
    Observed,
    Outcome,
    Plan,
    Target,
    Unpublished,
)
from kbsync.plan.order import taken_slugs
from kbsync.report.body_diff import NO_BODIES, Bodies
from kbsync.report.escape import code, hint, prose
from kbsync.report.folding import Row, Section, portal_of, render, table, where
from kbsync.report.pushed import DRAFTS, NO_AFTERMATH, Aftermath, Drafts, cost_text
from kbsync.report.text import duration, grouped
from kbsync.report.value_text import as_of_sentence, both_texts, fate_of_address, is_body, items_of, moment, moving
from kbsync.report.vocabulary import (
    NOUNS,
    PAST,
    action_word,
    already_sentence,
    draft_text,
    need,
    others_sentence,
    panel_edits_sentence,
    reason_of,
    refused_headline,
    staged_before_sentence,
    version_note,
)
from kbsync.report.waiting import in_order, notes_of, waiting_headline
from kbsync.words import count, field_names

VALUE_CHARS = 60
"""Characters of a value, where what differs fits into that."""

SIDE_CHARS = 1_000
"""Characters of one side: what differs is whole, unless somebody rewrote a long text."""

# --- whole reports ---------------------------------------------------------------------------------------------------


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
        root: the content root as seen from the repository, put before the paths of findings.
        unmanaged: whether to list what is on the portal and not ours.
        bodies: those whose differences are shown.
    """
    facts = [portal_of(plan.target)]
    if plan.sent:
        facts.append(f"{count(plan.requests, 'request')}, about {duration(plan.seconds)}")
    head = ["## kbsync plan: " + plan_headline(plan), " · ".join([*facts, *_rest(plan)])]
    head += filter(None, (as_of_sentence(plan.as_of), version_note(plan.version)))
    if plan.refused:
        head.insert(1, f"**{prose(refused_headline(plan.refused))}** {hint(plan.refused.hint)}".rstrip())
    if plan.sent:
        head.append(table(("Action", "What", "Seen by readers now"), _counts(plan.sent)))
    sections = [
        _held(plan.held),
        _listed("Changes", [change for group in grouped(plan.sent) for change in group]),
        _findings("Worth knowing", plan.warnings, root),
        _unpublished(plan.unpublished),
        _waiting(plan),
        _accepted(plan.kept),
        _findings("Warnings", findings, root),
    ]
    items: list[Change | Held] = [*plan.held, *plan.sent]
    diffs = [(item, body) for item in items if (body := bodies.of(item))]
    return render(head, [*sections, _unmanaged(plan.unmanaged)] if unmanaged else sections, diffs, bodies.left)


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
        root: the content root as seen from the repository.
        after: what people need now.
    """
    done = [outcome.change for outcome in outcomes if outcome.outcome == "done"]
    facts = [portal_of(plan.target), cost_text(requests, seconds, after.reading if outcomes else 0)]
    head = ["## kbsync push: " + push_headline(plan, outcomes), " · ".join([*facts, *_rest(plan, done)])]
    sent = [change for change in done if change.action is not Action.ADOPT]
    if sent:
        head.append(table(("Done", "What", "Seen by readers now"), _counts(sent, past=True)))
    head += map(hint, filter(None, (after.staged, after.undo, version_note(plan.version))))
    head += [_drafts(after.drafts)] if after.drafts.number else []
    sections = [
        _outcomes("failed", outcomes),
        _outcomes("skipped", outcomes),
        _held(plan.held),
        _listed("Done", sent),
        _findings("Worth knowing", plan.warnings, root),
        _unpublished(plan.unpublished),
        _waiting(plan),
    ]
    return render(head, sections)


def findings_markdown(findings: Sequence[Finding], *, root: str, sources: int) -> str:
    head = ["## kbsync lint: " + findings_headline(findings), f"{count(sources, 'file')} checked"]
    return render(head, _by_level(findings, root))


def refused_markdown(target: Target, findings: Sequence[Finding], *, command: str, root: str) -> str:
    """A plan or push that these errors stopped."""
    head = [f"## kbsync {command}: stopped by {findings_headline(findings)}"]
    head.append(f"{portal_of(target)} · Nothing was sent. Fix the errors first.")
    return render(head, [_findings("Errors", findings, root)])


# --- what they are made of -------------------------------------------------------------------------------------------


def _rest(plan: Plan, done: Sequence[Change] | None = None) -> Iterator[str]:
    if adopted := already_sentence(plan if done is None else done):
        yield adopted.removesuffix(".")
    if plan.unchanged:
        yield f"{plan.unchanged:,} unchanged"
    if plan.unmanaged:
        yield others_sentence(plan.unmanaged).removesuffix(".")
    if plan.staged_edits:
        yield staged_before_sentence(len(plan.staged_edits)).removesuffix(".")
    if plan.panel_edits:
        yield panel_edits_sentence(len(plan.panel_edits)).removesuffix(".")


def _counts(changes: Sequence[Change], *, past: bool = False) -> Iterator[Row]:
    """One row for each action, in the order of the actions, which is that of a plan."""
    for action in Action:
        found = [change for change in changes if change.action is action]
        if not found:
            continue
        yield (PAST[action] if past else action_word(action), _what(found), _seen(found))


def _what(changes: Sequence[Change]) -> str:
    """`2 categories and 3 articles as drafts`, of changes of one action."""
    of_kinds = {kind: [change for change in changes if change.kind == kind] for kind in NOUNS}
    text = " and ".join(count(items_of(some), NOUNS[kind]) for kind, some in of_kinds.items() if some)
    articles = of_kinds["article"]
    return text + (draft_text(articles[0], items_of(articles)) if articles else "")


def _seen(changes: Sequence[Change]) -> str:
    """How many of these changes readers see at once, and how many after somebody publishes them."""
    live = items_of(change for change in changes if _is_live(change))
    staged = items_of(change for change in changes if change.stages)
    return ", ".join(filter(None, [f"**LIVE**: {live:,}" if live else "", f"staged: {staged:,}" if staged else ""]))


def _is_live(change: Change) -> bool:
    return change.live and change.action is not Action.ADOPT


def _drafts(drafts: Drafts) -> str:
    """Where the new drafts are, as links: their addresses are made of settings and of quoted slugs."""
    if not drafts.addresses:
        return hint(drafts.elsewhere)
    shown = [f"- <{address}>" for address in drafts.addresses[:DRAFTS]]
    left = len(drafts.addresses) - len(shown)
    more = [f"- … and {left:,} more"] if left else []
    return "\n".join(["New drafts (everyone who has the address can read them):", "", *shown, *more])


def _listed(heading: str, changes: Sequence[Change]) -> Section:
    taken = taken_slugs(changes)
    rows = (_change(change, taken) for change in changes)
    return Section(heading, ("Action", "File", "Title", "What changes"), rows, len(changes))


def _change(change: Change, taken: Set[str]) -> Row:
    word = "**DELETE**" if change.action is Action.DELETE else action_word(change.action)
    mark = "**LIVE** " if _is_live(change) else "**STAGED** " if change.stages else ""
    moved = moving(change.fields) if _shows_fields(change) else []
    was = [f"renamed from {code(change.was)}"] if change.was else []
    fields = "; ".join([*was, *(_field(field, change, taken) for field in moved)])
    if change.is_removal:
        fields = "made by that run" if change.path else "its file is gone"
    return (word, where(change), mark + prose(change.title), fields)


def _shows_fields(change: Change) -> bool:
    return change.action not in {Action.CREATE, Action.DELETE}


def _field(field: FieldChange, change: Change, taken: Set[str]) -> str:
    if is_body(field.name):
        return f"{label_of(field.name)} {'discarded' if field.after is None else 'changed'}"
    tail = f" ({fate})" if (fate := fate_of_address(field, taken, live=change.live)) else ""
    before, after = both_texts(field.shown, VALUE_CHARS)
    return f"{prose(label_of(field.name))}: {prose(before, SIDE_CHARS)} → {prose(after, SIDE_CHARS)}{tail}"


def _held(held: Sequence[Held]) -> Section:
    rows = ((_why(item), where(item), *_sides(item), hint(item.hint)) for item in held)
    columns = ("Why", "File", "On the portal", "In your file", "What to do")
    return Section("Needs your decision", columns, rows, len(held))


def _why(item: Held) -> str:
    """With the time of the edit, where the service gives it."""
    return f"{reason_of(item)}, last changed {moment(item.edited_s)} UTC" if item.edited_s else reason_of(item)


def _sides(item: Held) -> tuple[str, str]:
    """The fields of what is held with their values on both sides; where these are not known, only their names."""
    if not item.values:
        return field_names(item.fields), ""
    theirs, ours = [], []
    for field in item.values:
        label = prose(label_of(field.name))
        if is_body(field.name):
            theirs.append(f"{label} differs")
            continue
        before, after = both_texts(field.shown, VALUE_CHARS)
        theirs.append(f"{label}: {prose(before, SIDE_CHARS)}")
        ours.append(f"{label}: {prose(after, SIDE_CHARS)}")
    return "; ".join(theirs), "; ".join(ours)


def _accepted(kept: Sequence[Held]) -> Section:
    rows = ((where(item), *_sides(item)) for item in kept)
    heading = "Different, and accepted with `resolve --theirs`"
    return Section(heading, ("File", "On the portal", "In your file"), rows, len(kept), folded="rows")


def _unpublished(items: Sequence[Unpublished]) -> Section:
    rows = ((where(item), prose(item.title), hint(item.hint)) for item in items)
    heading = "Published in your files, but not on the portal"
    return Section(heading, ("File", "Title", "What to do"), rows, len(items))


def _waiting(plan: Plan) -> Section:
    items = in_order(plan.waiting)
    rows = ((where(item), prose(item.title), prose(notes_of(item, plan.held))) for item in items)
    heading = f"Waiting: {prose(waiting_headline(items))}" if items else ""
    return Section(heading, ("File", "Title", "Waits"), rows, len(items))


def _outcomes(word: str, outcomes: Sequence[Outcome]) -> Section:
    found = [outcome for outcome in outcomes if outcome.outcome == word]
    rows = ((action_word(o.change.action), where(o.change), hint(o.error), hint(o.hint)) for o in found)
    return Section(word.capitalize(), ("Action", "File", "Why", "What to do"), rows, len(found))


def _by_level(findings: Sequence[Finding], root: str) -> list[Section]:
    return [
        _findings(heading, [finding for finding in findings if finding.level == level], root)
        for level, heading in (("error", "Errors"), ("warning", "Warnings"))
    ]


def _findings(heading: str, findings: Sequence[Finding], root: str) -> Section:
    rows = ((f.code, code(_place(f, root)), hint(f.message), hint(f.hint)) for f in findings)
    return Section(heading, ("Rule", "Where", "What", "What to do"), rows, len(findings))


def _place(finding: Finding, root: str) -> str:
    is_below = root and root != "." and finding.path != PORTAL_FILE
    path = f"{root}/{finding.path}" if is_below else finding.path
    return f"{path}:{finding.line}:{finding.column}"


def _unmanaged(items: Sequence[Observed]) -> Section:
    rows = ((where(item), prose(item.title), item.status or "") for item in items)
    return Section("On the portal, not in this repository", ("Slug", "Title", "Status"), rows, len(items))


def plan_headline(plan: Plan) -> str:
    """What a push would do. An adoption sends nothing, and without a ledger every run adopts what is equal."""
    parts = ["refused"] if plan.refused else []
    parts += [count(len(plan.sent), "change")] if plan.sent else []
    live = sum(change.live for change in plan.sent)
    staged = sum(change.stages for change in plan.sent)
    for number, word in ((live, "live"), (staged, "staged")):
        if number:
            parts.append(word if number == len(plan.sent) == 1 else f"{number:,} of them {word}")
    return _joined(parts, plan)


def push_headline(plan: Plan, outcomes: Sequence[Outcome]) -> str:
    adopts = (Action.ADOPT, "done")
    words = Counter(o.outcome for o in outcomes if (o.change.action, o.outcome) != adopts)
    parts = [f"{count(words['done'], 'change')} made"] if words else []
    parts += [f"{words[word]:,} {word}" for word in ("failed", "skipped") if words[word]]
    parts += ["nothing was sent"] if plan.sent and not outcomes else []
    return _joined(parts, plan)


def _joined(parts: list[str], plan: Plan) -> str:
    if not parts:
        idle = plan.held or plan.changes or plan.unpublished
        parts = ["nothing to send" if idle else "everything is up to date"]
    return ", ".join([*parts, *([need(len(plan.held))] if plan.held else [])])


def findings_headline(findings: Sequence[Finding]) -> str:
    errors = sum(1 for finding in findings if finding.level == "error")
    warnings = len(findings) - errors
    parts = [count(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    return ", ".join(parts) or "no errors or warnings"
