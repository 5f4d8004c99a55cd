"""Plans, pushes and findings as GitHub-flavoured Markdown, for a comment in a pull request or the summary of a job.

What needs a person comes first. Of each list the beginning is open and the rest is folded; what would make the
whole too large for a comment is counted instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from kbsync.fields import label_of
from kbsync.model import Action, Change, FieldChange, Finding, Held, Observed, Outcome, Plan, Target, Value
from kbsync.plan.order import taken_slugs
from kbsync.report.escape import code, hint, prose
from kbsync.report.headline import findings_headline, plan_headline, push_headline
from kbsync.report.text import duration, fate_of_address, moving
from kbsync.report.vocabulary import NOUNS, PAST, REASONS, action_word, others_sentence
from kbsync.words import count, field_names

LIMIT_BYTES = 60_000
"""Size of a whole report: GitHub cuts a comment at 65,536 characters, and the summary of a step at 1 MiB."""

RESERVED_BYTES = 4_000
"""Room that each later list is sure of, so that a long one does not push it out."""

FRAME_BYTES = 600
"""Room for what is around the rows of a list: its heading, the heads of its tables, the fold, what is left out."""

OPEN_ROWS = 20
"""Rows of a list that are seen without unfolding."""

VALUE_CHARS = 60

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One list of `total` rows. Their cells are Markdown already, and are made only as far as there is room."""

    heading: str
    columns: Row
    rows: Iterable[Row]
    total: int


# --- whole reports ---------------------------------------------------------------------------------------------------


def plan_markdown(plan: Plan, findings: Sequence[Finding] = (), *, root: str = "", unmanaged: bool = False) -> str:
    """What a push would do.

    Args:
        plan: the plan.
        findings: of the content tree; warnings only, as errors stop a plan.
        root: the content root as seen from the repository, put before the paths of findings.
        unmanaged: whether to list what is on the portal and not ours.
    """
    facts = [_portal(plan.target)]
    if plan.sent:
        facts.append(f"{count(plan.requests, 'request')}, about {duration(plan.seconds)}")
    head = ["## kbsync plan: " + plan_headline(plan), " · ".join([*facts, *_rest(plan)])]
    if plan.changes:
        head.append(_table(("Action", "What", "Seen by readers now"), _counts(plan.changes)))
    sections = [
        _held(plan.held),
        _listed("Changes", plan.changes),
        _findings("Worth knowing", plan.warnings, root),
        _findings("Warnings", findings, root),
    ]
    return _render(head, [*sections, _unmanaged(plan.unmanaged)] if unmanaged else sections)


def push_markdown(plan: Plan, outcomes: Sequence[Outcome], *, requests: int, seconds: float, root: str = "") -> str:
    """What a push did.

    Args:
        plan: what was to be done.
        outcomes: how it went.
        requests: HTTP requests made.
        seconds: how long it took.
        root: the content root as seen from the repository.
    """
    done = [outcome.change for outcome in outcomes if outcome.outcome == "done"]
    facts = [_portal(plan.target), f"{count(requests, 'request')} in {seconds:.1f} s"]
    head = ["## kbsync push: " + push_headline(plan, outcomes), " · ".join([*facts, *_rest(plan)])]
    if done:
        head.append(_table(("Done", "What", "Seen by readers now"), _counts(done, past=True)))
    bad = [_outcomes(word, [o for o in outcomes if o.outcome == word]) for word in ("failed", "skipped")]
    sections = [
        *bad,
        _held(plan.held),
        _changes("Done", done),
        _findings("Worth knowing", plan.warnings, root),
    ]
    return _render(head, sections)


def findings_markdown(findings: Sequence[Finding], *, root: str, sources: int) -> str:
    """What lint found in so many sources."""
    head = ["## kbsync lint: " + findings_headline(findings), f"{count(sources, 'file')} checked"]
    return _render(head, _by_level(findings, root))


def refused_markdown(target: Target, findings: Sequence[Finding], *, command: str, root: str) -> str:
    """A plan or push that findings of level error stopped."""
    head = [f"## kbsync {command}: stopped by {findings_headline([f for f in findings if f.level == 'error'])}"]
    head.append(f"{_portal(target)} · Nothing was sent. Fix the errors first.")
    return _render(head, _by_level(findings, root))


# --- what they are made of -------------------------------------------------------------------------------------------


def _portal(target: Target) -> str:
    where = "in the sandbox" if target.base_url == "sandbox" else f"at {code(target.base_url)}"
    return f"Portal {code(target.portal)} {where}"


def _rest(plan: Plan) -> Iterator[str]:
    if plan.unchanged:
        yield f"{plan.unchanged:,} unchanged"
    if plan.unmanaged:
        yield others_sentence(plan.unmanaged).removesuffix(".")


def _counts(changes: Sequence[Change], *, past: bool = False) -> Iterator[Row]:
    """One row for each action, in the order of the actions, which is that of a plan."""
    for action in Action:
        found = [change for change in changes if change.action is action]
        if not found:
            continue
        articles = sum(1 for change in found if change.kind == "article")
        numbers = Counter(change.kind for change in found)
        what = " and ".join(count(numbers[kind], noun) for kind, noun in NOUNS.items() if numbers[kind])
        if action is Action.CREATE and articles:
            what += " as a draft" if articles == 1 else " as drafts"
        live = sum(1 for change in found if _is_live(change))
        yield (PAST[action] if past else action_word(action), what, f"**LIVE**: {live:,}" if live else "")


def _is_live(change: Change) -> bool:
    return change.live and change.action is not Action.ADOPT


def _changes(heading: str, changes: Sequence[Change]) -> Section:
    """What is sent; without a ledger every run adopts all that is equal, and a list of that would hide the rest."""
    sent = [change for change in changes if change.action is not Action.ADOPT]
    return _listed(heading, sent)


def _listed(heading: str, changes: Sequence[Change]) -> Section:
    taken = taken_slugs(changes)
    rows = (_change(change, taken) for change in changes)
    return Section(heading, ("Action", "File", "Title", "What changes"), rows, len(changes))


def _change(change: Change, taken: Set[str]) -> Row:
    word = "**DELETE**" if change.action is Action.DELETE else action_word(change.action)
    mark = "**LIVE** " if _is_live(change) else ""
    fields = "; ".join(_field(field, taken) for field in moving(change.fields)) if _shows_fields(change) else ""
    if change.is_removal:
        fields = "made by that run" if change.path else "its file is gone"
    return (word, _where(change), mark + prose(change.title), fields)


def _shows_fields(change: Change) -> bool:
    return change.action not in {Action.CREATE, Action.DELETE}


def _where(item: Change | Held | Observed) -> str:
    path = "" if isinstance(item, Observed) else item.path
    return code(path or f"{item.locale}: {item.slug}")


def _field(field: FieldChange, taken: Set[str]) -> str:
    if field.name == "content":
        return "body changed"
    tail = f" ({fate})" if (fate := fate_of_address(field, taken)) else ""
    return f"{prose(label_of(field.name))}: {' → '.join(map(_value, field.shown))}{tail}"


def _value(value: Value) -> str:
    if value is None or value in ("", ()):
        return "(nothing)"
    return prose(", ".join(value) if isinstance(value, tuple) else str(value), VALUE_CHARS)


def _held(held: Sequence[Held]) -> Section:
    rows = ((REASONS[item.reason], _where(item), field_names(item.fields), hint(item.hint)) for item in held)
    return Section("Needs your decision", ("Why", "File", "Fields", "What to do"), rows, len(held))


def _outcomes(word: str, outcomes: Sequence[Outcome]) -> Section:
    rows = ((action_word(o.change.action), _where(o.change), hint(o.error), hint(o.hint)) for o in outcomes)
    return Section(word.capitalize(), ("Action", "File", "Why", "What to do"), rows, len(outcomes))


def _by_level(findings: Sequence[Finding], root: str) -> list[Section]:
    return [
        _findings(heading, [finding for finding in findings if finding.level == level], root)
        for level, heading in (("error", "Errors"), ("warning", "Warnings"))
    ]


def _findings(heading: str, findings: Sequence[Finding], root: str) -> Section:
    rows = ((f.code, code(_place(f, root)), hint(f.message), hint(f.hint)) for f in findings)
    return Section(heading, ("Rule", "Where", "What", "What to do"), rows, len(findings))


def _place(finding: Finding, root: str) -> str:
    path = f"{root}/{finding.path}" if root and root != "." else finding.path
    return f"{path}:{finding.line}:{finding.column}"


def _unmanaged(items: Sequence[Observed]) -> Section:
    rows = ((_where(item), prose(item.title), item.status or "") for item in items)
    return Section("On the portal, not in this repository", ("Slug", "Title", "Status"), rows, len(items))


# --- lists that fit --------------------------------------------------------------------------------------------------


def _render(head: Sequence[str], sections: Iterable[Section]) -> str:
    """The parts with a blank line between, each list with what room the earlier ones and the reserve leave it."""
    filled = [section for section in sections if section.total]
    blocks, left = list(head), LIMIT_BYTES - sum(_size(block) for block in head)
    for number, section in enumerate(filled, start=1):
        text = _section(section, left - RESERVED_BYTES * (len(filled) - number))
        blocks.append(text)
        left -= _size(text)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, room: int) -> str:
    rows = list(_fitting(section.rows, room - FRAME_BYTES))
    blocks = [f"### {section.heading}: {section.total:,}"]
    if rows:
        blocks.append(_table(section.columns, rows[:OPEN_ROWS]))
    if folded := rows[OPEN_ROWS:]:
        blocks.append(f"<details><summary>{len(folded):,} more</summary>")
        blocks += [_table(section.columns, folded), "</details>"]
    if len(rows) < section.total:
        blocks.append(f"… and {section.total - len(rows):,} more are not shown: a comment has a size limit.")
    return "\n\n".join(blocks)


def _fitting(rows: Iterable[Row], room: int) -> Iterator[Row]:
    for row in rows:
        room -= _size(_line(row))
        if room < 0:
            return
        yield row


def _table(columns: Row, rows: Iterable[Row]) -> str:
    return "\n".join([_line(columns), _line(("---",) * len(columns)), *map(_line, rows)])


def _line(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def _size(text: str) -> int:
    """Bytes, with a line break for each; a surrogate that has lost its other half counts as three."""
    return len(text.encode("utf-8", "surrogatepass")) + 2
