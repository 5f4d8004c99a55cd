"""In what your files and the portal differ, field by field: as text, as Markdown and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from kbsync.fields import label_of
from kbsync.model import Action, Change, FieldChange, Held, Plan, Unpublished, Value, Waiting, visible
from kbsync.report.body_diff import Bodies, Body, diff_lines, word_lines
from kbsync.report.escape import code, inert, prose
from kbsync.report.folding import Row, Section, portal_of, render, where
from kbsync.report.json_types import (
    AsOfEntry,
    Decision,
    DifferenceEntry,
    DifferentEntry,
    DiffReport,
    ItemState,
    TargetEntry,
    entry_of,
)
from kbsync.report.style import Style
from kbsync.report.value_text import as_of_sentence, both_texts, is_body, iso_moment, moving, value_text
from kbsync.report.vocabulary import NOUNS, reason_of
from kbsync.words import count

Item = Change | Held | Unpublished | Waiting

CELL_CHARS = 80
LEGEND = "Lines with - are on the portal, lines with + are in your files."
COLOURS = {"-": "red", "+": "green", "…": "dim"}

LATER: dict[Decision, str] = {
    "accepted": "accepted with `resolve --theirs`",
    "later": "published later",
    "left": "pushed only with `--publish`",
}
"""What becomes of a difference that no push sends now."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs, what becomes of it, and which line of the plan says so. A name of "" is all of it."""

    item: Item
    decision: Decision
    field: FieldChange

    @property
    def needs_decision(self) -> bool:
        return isinstance(self.item, Held) and self.decision == "decide"

    @property
    def why(self) -> str:
        """Why a person decides, or what becomes of it where no push sends it now."""
        if isinstance(self.item, Held) and self.decision == "decide":
            return reason_of(self.item)
        return LATER.get(self.decision, "")

    @property
    def label(self) -> str:
        return label_of(self.field.name) if self.field.name else ""

    @property
    def heading(self) -> str:
        """The field, and why it differs, as far as there is something to say."""
        why = f"needs your decision: {self.why}" if self.needs_decision else self.why
        return f"{self.label} ({why})" if self.label and why else self.label or why

    @property
    def values(self) -> tuple[Value, Value] | None:
        """Both values, where they are known, and are words."""
        field = self.field
        return None if is_body(field.name) or field.before is field.after is None else field.shown


@dataclass(frozen=True, slots=True)
class Different:
    """One article, category, image or the portal, with everything in which the two sides differ."""

    item: Item
    differences: tuple[Difference, ...]

    @property
    def path(self) -> str:
        """Of its file, or of the file that it had."""
        return self.item.path or (self.item.was if isinstance(self.item, Change) else "")

    @property
    def state(self) -> ItemState:
        """What a push would do with it as a whole."""
        actions = {found.item.action for found in self.differences if isinstance(found.item, Change)}
        if actions & {Action.CREATE, Action.UPLOAD}:
            return "new"
        if any(isinstance(found.item, Change) and found.item.is_removal for found in self.differences):
            return "removed"
        return "changed"

    @property
    def is_live(self) -> bool:
        """Whether readers see a change of it immediately."""
        return any(isinstance(found.item, Change) and found.item.live for found in self.differences)


def differences_of(plan: Plan) -> list[Different]:
    """What differs, by path: what a push sends, what needs a decision, and what stays as it is."""
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for found in _differences(plan):
        item = found.item
        path = item.path or (item.was if isinstance(item, Change) else "")
        groups.setdefault((path or f"{item.locale}: {item.slug}", item.kind), []).append(found)
    return [Different(found[0].item, tuple(found)) for _, found in sorted(groups.items(), key=lambda pair: pair[0])]


def _differences(plan: Plan) -> Iterator[Difference]:
    for change in plan.sent:
        yield from (Difference(change, "send", field) for field in _sent_fields(change) or [NOTHING])
    for item in plan.held:
        yield from _of_held(item, "decide")
    for item in plan.kept:
        yield from _of_held(item, "accepted")
    yield from _later(plan)


def _sent_fields(change: Change) -> list[FieldChange]:
    if change.action is Action.UPDATE:
        return moving(change.fields)
    return [field for field in change.fields if field.shown[0] != field.shown[1]]


def _later(plan: Plan) -> Iterator[Difference]:
    """What is published by another push; a new article differs as a whole already."""
    new = {change.path for change in plan.sent if change.action is Action.CREATE}
    yield from (Difference(item, "left", PUBLISHED) for item in plan.unpublished if item.path not in new)
    yield from (Difference(item, "later", PUBLISHED) for item in plan.waiting if item.path not in new)


def _of_held(item: Held, decision: Decision) -> Iterator[Difference]:
    known = {field.name: field for field in item.values}
    same = {field.name for field in item.values if field.before == field.after and field.before is not None}
    for name in [name for name in item.fields if name not in same] or [""]:
        yield Difference(item, decision, known.get(name, FieldChange(name, None, None)))


TAKE, MERGE = "to take the edit into", "to merge the edit into"

NOTHING = FieldChange("", None, None)
PUBLISHED = FieldChange("status", "draft", "published")


# --- for machines ----------------------------------------------------------------------------------------------------


def diff_report(plan: Plan, bodies: Bodies, note: str = "") -> DiffReport:
    """The differences as one object of schema `kbsync.diff/1`, by path."""
    return DiffReport(
        "kbsync.diff/1",
        entry_of(TargetEntry, plan.target, version=plan.version),
        [_entry(different, bodies) for different in differences_of(plan)],
        bodies.left,
        note,
        entry_of(AsOfEntry, plan.as_of) if plan.as_of else None,
    )


def _entry(different: Different, bodies: Bodies) -> DifferentEntry:
    item = different.item
    fields = [_field(found, bodies) for found in different.differences]
    edited = max((held.item.edited_s for held in different.differences if isinstance(held.item, Held)), default=0)
    return entry_of(
        DifferentEntry,
        item,
        path=different.path,
        state=different.state,
        live=different.is_live,
        fields=[field for field in fields if field.name],
        hints=_hints(different),
        edited_at=iso_moment(edited) if edited else None,
    )


def _field(found: Difference, bodies: Bodies) -> DifferenceEntry:
    field, body = found.field, _body(found, bodies)
    lines = list(diff_lines(body)) if body else UNSET
    reason = found.item.reason if isinstance(found.item, Held) and found.needs_decision else None
    return entry_of(DifferenceEntry, field, decision=found.decision, reason=reason, diff=lines)


def _body(found: Difference, bodies: Bodies) -> Body | None:
    if not is_body(found.field.name) or isinstance(found.item, Unpublished | Waiting):
        return None
    return bodies.of(found.item)


def _hints(different: Different) -> list[str]:
    hints = [found.item.hint for found in different.differences if isinstance(found.item, Held)]
    if not any(found.decision == "decide" for found in different.differences):
        return []
    # An edit of one field and a conflict of another have the same way out, said in other words: the latter fits both.
    return [
        hint
        for hint in dict.fromkeys(hints)
        if hint.replace(TAKE, MERGE) == hint or hint.replace(TAKE, MERGE) not in hints
    ]


# --- for people ------------------------------------------------------------------------------------------------------


def diff_text(plan: Plan, bodies: Bodies, style: Style, *, words: bool, note: str = "") -> str:
    """The differences, the portal first: lines of `-` and `+`, or word by word."""
    found, target = differences_of(plan), plan.target
    heading = f"Differences from portal `{visible(target.portal)}` {visible(target.place)}"
    lines = [*style.wrapped(heading, hang=2, colour="bold"), *style.wrapped(as_of_sentence(plan.as_of))]
    lines += [*(style.wrapped(LEGEND, colour="dim") if found and not words else []), ""]
    for different in found:
        lines += [*_different_lines(different, bodies, replace(style, verbose=True), words=words), ""]
    more = f"{count(bodies.left, 'more body')} differ. Add `-v` to see all, or name files." if bodies.left else ""
    lines += style.paragraphs((more, note), colour="dim")
    return inert("\n".join([*lines, *style.wrapped(summary_of(found))]) + "\n")


def summary_of(found: Sequence[Different]) -> str:
    """`3 articles and 1 category differ.`"""
    kinds = [different.item.kind for different in found]
    parts = [count(kinds.count(kind), noun) for kind, noun in NOUNS.items() if kind in kinds and kind != "portal"]
    parts += ["the portal's settings"] if "portal" in kinds else []
    if not parts:
        return "No differences."
    text = " and ".join(parts)
    is_one = len(found) == 1 and "portal" not in kinds
    return f"{text[:1].upper()}{text[1:]} {'differs' if is_one else 'differ'}."


def _different_lines(different: Different, bodies: Bodies, style: Style, *, words: bool) -> list[str]:
    item = different.item
    head = visible(different.path or f"{item.locale}: {item.slug}")
    mark = f"  {style.paint('LIVE', 'yellow')}" if different.is_live else ""
    lines = [style.paint(head, "bold") + mark]
    if different.state == "new":
        what = f"new {NOUNS[item.kind]}, not on the portal yet"
        return [*lines, *style.wrapped(f"  {what}", hang=2, colour="green")]
    if different.state == "removed":
        return [*lines, *style.wrapped("  removed: its file is gone", hang=2, colour="red")]
    for found in different.differences:
        lines += _difference_lines(found, bodies, style, words=words)
    return lines + style.paragraphs((f"  {visible(text)}" for text in _hints(different)), colour="dim")


def _difference_lines(found: Difference, bodies: Bodies, style: Style, *, words: bool) -> Iterable[str]:
    yield from style.wrapped(f"  {found.heading}", hang=2, colour="yellow" if found.needs_decision else "cyan")
    is_text = is_body(found.field.name)
    sides = Body(*map(value_text, found.values)) if found.values is not None else _body(found, bodies)
    if sides is None:
        yield from ["    (not shown)"] if is_text else []
    elif words:
        yield from word_lines(sides, style, indent=4)
    elif is_text:
        yield from (_diff_line(line, style) for line in diff_lines(sides))
    else:
        yield from style.wrapped(f"    - {sides.portal}", hang=2, colour="red")
        yield from style.wrapped(f"    + {sides.ours}", hang=2, colour="green")


def _diff_line(line: str, style: Style) -> str:
    colour = COLOURS.get(line[:1], "")
    return f"    {style.paint(line, colour) if colour else line}".rstrip()


def diff_markdown(plan: Plan, bodies: Bodies, note: str = "") -> str:
    """The same for an issue or the summary of a job."""
    found = differences_of(plan)
    head = [f"## kbsync diff: {summary_of(found).rstrip('.')}", portal_of(plan.target)]
    head += filter(None, (as_of_sentence(plan.as_of), note))
    rows = [row for different in found for row in _rows(different)]
    columns = ("File", "Field", "On the portal", "In your file", "")
    items = [found.item for different in found for found in different.differences if _body(found, bodies)]
    texts = [(item, body) for item in items if isinstance(item, Change | Held) and (body := bodies.of(item))]
    return render(head, [Section("Differences", columns, rows, len(rows))], texts, bodies.left)


def _rows(different: Different) -> Iterator[Row]:
    name = where(different.item) if different.item.path else code(different.path or different.item.slug)
    if different.state != "changed":
        yield name, "", "", "", "new" if different.state == "new" else "removed: its file is gone"
        return
    for found in different.differences:
        values = map(prose, both_texts(found.values, CELL_CHARS)) if found.values is not None else ("", "")
        yield (name, found.label, *values, found.why)
