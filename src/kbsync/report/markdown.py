"""Plans, pushes and findings as GitHub-flavoured Markdown, within a budget of bytes: for a comment in a pull request,
for the summary of a job, for a file. Pure.

The numbers come first and are always whole. Then what a reader must see: what failed, what needs a decision, what is
LIVE, what is removed or renamed, what the plan warns of. Everything else is folded. What has no room as a row is named,
and what has no room as a name is counted. The first line of a comment is a marker that no page shows: by it the comment
is found again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from kbsync.fields import label_of
from kbsync.model import PORTAL_FILE, Action, FieldChange, Finding
from kbsync.plan.rules import RULES
from kbsync.report.escape import CELL_CHARS, NO_WIDTH, code, hint, prose
from kbsync.report.folding import (
    DIFF_BYTES,
    LIMIT_BYTES,
    OPEN_ROWS,
    Row,
    Section,
    fold_diff,
    list_texts,
    portal_of,
    size_of,
    table,
)
from kbsync.report.reported import (
    ChangeReport,
    FieldReport,
    FindingReport,
    HeldReport,
    HintedReport,
    ItemReport,
    OtherReport,
    Report,
    WaitingReport,
)
from kbsync.report.value_text import as_of_sentence, both_texts, fate_of_address, is_body
from kbsync.report.vocabulary import NOUNS, PAST, REASONS, need, panel_edits_sentence, refused_headline
from kbsync.words import count, field_names

MIN_BUDGET_BYTES = 8_000
"""What the numbers and the beginning of each list need, whatever the texts in them are."""

RESERVED_BYTES = 500
"""Room that each later list is sure of, so that a long one does not push it out."""

FRAME_BYTES = 400
"""Room for what is around the rows of a list: its heading, the heads of its tables, the fold, the rest."""

VALUE_CHARS = 60
"""Characters of a value, where what differs fits into that."""

SIDE_CHARS = 1_000
"""Characters of one side: what differs is whole, unless somebody rewrote a long text."""

REFERENCE = re.compile(r"(\\.|`[^`]*`|<code>.*?</code>)|&amp;|%")
"""What GitLab looks for, beside what is escaped or in code."""

OF_A_PLAN = frozenset(rule.code for rule in RULES)
"""What only the portal and the record show: a file that is gone, an address that stops working."""

DONE = {action.value: word for action, word in PAST.items()}
KINDS: Mapping[str, str] = {str(kind): noun for kind, noun in NOUNS.items()}
REASON_WORDS = {reason.value: words for reason, words in REASONS.items()}

MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}):[0-9]{2}Z")
"""As `iso_moment` writes it."""

UNKNOWN = "unknown"
"""An action or a reason of another version, or of a stranger."""

STOPPED = "Nothing was sent. Fix the errors first."


def marker_of(report: Report) -> str:
    """The line that a comment of kbsync about this portal begins with."""
    return f"<!-- kbsync:comment:{report.target.digest} -->"


def comment_markdown(report: Report, *, budget: int) -> str:
    """The comment, marker included.

    Args:
        report: a plan, or what a push did.
        budget: bytes that it may have, `MIN_BUDGET_BYTES` or more.
    """
    marker = marker_of(report) + "\n"
    return marker + report_markdown(report, budget=budget - len(marker))


def report_markdown(
    report: Report,
    *,
    budget: int = LIMIT_BYTES,
    root: str = "",
    facts: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """A plan, or what a push did.

    Args:
        report: which.
        budget: bytes that it may have.
        root: the content root as seen from the repository, put before the paths of findings.
        facts: what is said beside the portal.
        notes: paragraphs below the numbers.
    """
    head = [f"## kbsync {report.command}: {_headline(report)}", *_head(report, facts), *notes]
    return "\n\n".join([*head, *_parts(report, root, budget - sum(map(size_of, head)))]) + "\n"


def _parts(report: Report, root: str, left: int) -> Iterator[str]:
    """The lists, then how bodies change, then warnings; each with what room the earlier ones and the reserve leave."""
    of_files = [finding for finding in report.warnings if finding.code not in OF_A_PLAN]
    warnings = replace(findings_section("Warnings", of_files, root), folded="list")
    room = {"reserve": RESERVED_BYTES, "frame": FRAME_BYTES}
    for text in list_texts(_sections(report, root), left, **room, later=bool(warnings.total)):
        left -= size_of(text)
        yield text
    for text in _diffs(report, left - RESERVED_BYTES - FRAME_BYTES):
        left -= size_of(text)
        yield text
    yield from list_texts([warnings], left, **room)


def _diffs(report: Report, room: int) -> Iterator[str]:
    quiet = (change for change in _made(report) if not change.live)
    some: Iterator[ChangeReport | HeldReport] = chain(report.held, _live(report), quiet)
    items = [item for item in some if item.diff]
    for number, item in enumerate(items):
        text = fold_diff(f"How {_where(item)} changes", item.diff, min(room, DIFF_BYTES))
        room -= size_of(text)
        if room < 0:
            yield f"… and {len(items) - number:,} more bodies change, because a comment has a size limit."
            return
        yield text


# --- the numbers -----------------------------------------------------------------------------------------------------


def _headline(report: Report) -> str:
    if report.errors:
        return f"stopped by {count(len(report.errors), 'error')}"
    if report.is_up_to_date:
        return "everything is up to date"
    parts = _pushed_parts(report) if report.command == "push" else [count(len(report.sent), "change")]
    if not report.sent:
        parts = ["nothing was sent" if report.is_unsent else "nothing to send"]
    refused = ["refused"] if report.refused else []
    return ", ".join([*refused, *parts, *([need(len(report.held))] if report.held else [])])


def _pushed_parts(report: Report) -> list[str]:
    numbers = Counter(change.outcome for change in report.sent)
    others = [f"{numbers[word]:,} {word}" for word in ("failed", "skipped") if numbers[word]]
    return [f"{count(numbers['done'], 'change')} made", *others]


def _head(report: Report, facts: Sequence[str]) -> Iterator[str]:
    """The portal, and one line for each thing that a reader must see, in full also where its list is cut."""
    if report.refused:
        yield f"**{_text(refused_headline(report.refused.message))}** {_hint(report.refused.hint)}".rstrip()
    yield " · ".join([portal_of(report.target, VALUE_CHARS), *facts, *_quiet_numbers(report)])
    if report.errors:
        yield STOPPED
    if report.as_of is not None:
        yield as_of_sentence(report.as_of)
    lines = [
        ("LIVE", len(_live(report)), "Readers see these changes immediately."),
        ("STAGED", sum(1 for change in _made(report) if change.staged), "Readers see these after someone publishes."),
        ("Waiting for publication", report.number("pending"), "These were staged before. Readers do not see them yet."),
        ("Needs your decision", len(report.held), "A push does not touch these."),
        ("Removals", len(_removals(report)), "These are archived or deleted on the portal."),
    ]
    shown = [f"- **{word}: {number:,}.** {sentence}" for word, number, sentence in lines if number]
    if shown:
        yield "\n".join(shown)
    if actions := _actions(report):
        yield table(("Action", "What"), actions)


def _quiet_numbers(report: Report) -> Iterator[str]:
    if unchanged := report.number("unchanged"):
        yield f"{unchanged:,} unchanged"
    if matching := [change for change in report.changes if not change.is_sent]:
        yield f"{_kinds(matching)} already {'matches' if len(matching) == 1 else 'match'}"
    if others := report.number("unmanaged"):
        yield f"{count(others, 'other')} on the portal"
    if pending := len(report.panel_edits):
        yield panel_edits_sentence(pending).removesuffix(".")


def _actions(report: Report) -> list[Row]:
    """One row for each action, in the order of the changes, which is that of a plan."""
    groups: dict[str, list[ChangeReport]] = {}
    for change in _made(report):
        groups.setdefault(_action(change.action, past=report.command == "push"), []).append(change)
    return [(word, _kinds(changes)) for word, changes in groups.items()]


def _kinds(changes: Sequence[ChangeReport]) -> str:
    """`2 categories and 3 articles as drafts`, of changes of one action."""
    kinds = Counter(KINDS.get(change.kind, "item") for change in changes)
    words = " and ".join(count(number, noun) for noun, number in kinds.items())
    made = kinds["article"] if changes[0].action == Action.CREATE else 0
    return words + (" as drafts" if made > 1 else " as a draft" if made else "")


def _action(action: str, *, past: bool = False) -> str:
    """A word that is known here: in the plan of a stranger any other text may stand in its place."""
    if action not in DONE:
        return UNKNOWN
    return DONE[action] if past else action


def _made(report: Report) -> list[ChangeReport]:
    """The changes of a plan; of a push, those that were made."""
    return [change for change in report.sent if change.outcome in {"", "done"}]


def _live(report: Report) -> list[ChangeReport]:
    return [change for change in _made(report) if change.live]


def _removals(report: Report) -> list[ChangeReport]:
    return [change for change in _made(report) if change.is_removal]


# --- the lists -------------------------------------------------------------------------------------------------------


def _sections(report: Report, root: str) -> Iterator[Section]:
    taken = _taken_slugs(report)
    yield findings_section("Errors", report.errors, root)
    yield _unmade(report, "failed")
    yield _held(report.held)
    yield _changes("LIVE", _live(report), taken)
    yield _changes("Removals", _removals(report), taken)
    yield findings_section("Worth knowing", [finding for finding in report.warnings if finding.code in OF_A_PLAN], root)
    yield _unmade(report, "skipped")
    others = [change for change in _made(report) if not (change.live or change.is_removal)]
    yield _changes("Renamed", [change for change in others if change.was], taken)
    yield replace(_changes("Other changes", [change for change in others if not change.was], taken), folded="list")
    yield _unpublished(report.unpublished)
    yield replace(_waiting(report.waiting), folded="list")
    yield replace(_held(report.accepted, "Different, and accepted with `resolve --theirs`"), folded="list")
    yield _others(report.unmanaged)


def _taken_slugs(report: Report) -> Set[str]:
    """As `plan.order.taken_slugs`."""
    takers = (c for c in report.changes if c.kind == "article" and c.action in {Action.CREATE, Action.UPDATE})
    return {str(field.after) for change in takers for field in change.fields if field.name == "slug"}


def _changes(heading: str, changes: Sequence[ChangeReport], taken: Set[str]) -> Section:
    columns = ("Action", "File", "Title", "What changes")
    rows = (_change(change, taken) for change in changes)
    return Section(heading, columns, rows, len(changes), map(_where, changes))


def _change(change: ChangeReport, taken: Set[str]) -> Row:
    word = "**DELETE**" if change.action == "delete" else _action(change.action)
    mark = "**LIVE** " if change.live else "**STAGED** " if change.staged else ""
    if change.is_removal:
        fields = "made by that run" if change.path else "its file is gone"
    else:
        was = [f"renamed from {code(change.was)}"] if change.was else []
        moved = () if change.action == "create" else islice(_moved(change), OPEN_ROWS)
        fields = "; ".join([*was, *(_field(field, change, taken) for field in moved)])
    return (word, _where(change), mark + _text(change.title), fields)


def _moved(change: ChangeReport) -> Iterator[FieldReport]:
    return (field for field in change.fields if field.before != field.after)


def _field(field: FieldReport, change: ChangeReport, taken: Set[str]) -> str:
    label = _text(label_of(field.name), VALUE_CHARS)
    if is_body(field.name) or not (_has_words(field.before) and _has_words(field.after)):
        return f"{label} {'discarded' if is_body(field.name) and field.after is None else 'changed'}"
    fate = fate_of_address(FieldChange(field.name, field.before, field.after), taken, live=change.live)
    before, after = _both((field.before, field.after))
    return f"{label}: {before} → {after}" + (f" ({fate})" if fate else "")


def _has_words(value: Any) -> bool:
    """Whether a person knows a value when they see it: numbers are ids, mostly."""
    return value is None or isinstance(value, str)


def _both(values: tuple[Any, Any]) -> tuple[str, str]:
    before, after = both_texts(values, VALUE_CHARS)
    return _text(before, SIDE_CHARS), _text(after, SIDE_CHARS)


def _held(held: Sequence[HeldReport], heading: str = "Needs your decision") -> Section:
    rows = ((_why(item), _where(item), *_sides(item), _hint(item.hint)) for item in held)
    columns = ("Why", "File", "Fields", "On the portal", "In your file", "What to do")
    return Section(heading, columns, rows, len(held), map(_where, held))


def _why(held: HeldReport) -> str:
    """The reason in words, and the time of the edit; an older kbsync gave only the reason's name."""
    known = REASON_WORDS.get(held.reason, UNKNOWN)
    words = known if known == UNKNOWN else _text(held.why) or known
    moment = MOMENT.fullmatch(held.edited_at or "")
    return f"{words}, last changed {moment[1]} {moment[2]} UTC" if moment else words


def _sides(held: HeldReport) -> tuple[str, str, str]:
    """The fields, and both values of those that people know when they see them."""
    shown = [v for v in held.values if not is_body(v.name) and _has_words(v.portal) and _has_words(v.ours)]
    pairs = [_both((value.portal, value.ours)) for value in shown]
    theirs, ours = ("; ".join(side) for side in zip(*pairs, strict=True)) if pairs else ("", "")
    return _text(field_names(held.fields)), theirs, ours


def _unmade(report: Report, outcome: str) -> Section:
    found = [change for change in report.sent if change.outcome == outcome]
    rows = ((_action(c.action), _where(c), _hint(c.error or ""), _hint(c.hint)) for c in found)
    return Section(outcome.capitalize(), ("Action", "File", "Why", "What to do"), rows, len(found), map(_where, found))


def _unpublished(items: Sequence[HintedReport]) -> Section:
    rows = ((_where(item), _text(item.title), _hint(item.hint)) for item in items)
    heading = "Published in your files, but not on the portal"
    return Section(heading, ("File", "Title", "What to do"), rows, len(items), map(_where, items))


def _others(items: Sequence[OtherReport]) -> Section:
    rows = ((_where(item), _text(item.title), _text(item.status or "")) for item in items)
    return Section("On the portal, not in this repository", ("Slug", "Title", "Status"), rows, len(items))


def _waiting(items: Sequence[WaitingReport]) -> Section:
    rows = ((_where(item), _text(item.until or "", VALUE_CHARS), _text(item.release or "")) for item in items)
    return Section("Published later", ("File", "Not before", "With release"), rows, len(items), map(_where, items))


def findings_section(heading: str, findings: Sequence[FindingReport | Finding], root: str) -> Section:
    """A list of findings; `root` as in `report_markdown`."""
    rows = ((_text(f.code, VALUE_CHARS), _place(f, root), _hint(f.message), _hint(f.hint)) for f in findings)
    names = (_place(finding, root) for finding in findings)
    return Section(heading, ("Rule", "Where", "What", "What to do"), rows, len(findings), names)


def _place(finding: FindingReport | Finding, root: str) -> str:
    is_below = root and root != "." and finding.path != PORTAL_FILE
    path = f"{root}/{finding.path}" if is_below else finding.path
    return code(f"{path}:{finding.line}:{finding.column}")


def _where(item: ItemReport) -> str:
    return code(item.path or f"{item.locale}: {item.slug}")


def _text(text: str, room: int = CELL_CHARS) -> str:
    return _unreferenced(prose(text, room))


def _hint(text: str) -> str:
    """A sentence of kbsync's own in a cell."""
    return _unreferenced(hint(text))


def _unreferenced(markdown: str) -> str:
    """GitLab makes links of `%12` and `&12`, too, and leaves a note where they lead; never in code."""
    return REFERENCE.sub(lambda found: found[0] if found[1] else found[0] + NO_WIDTH, markdown)
