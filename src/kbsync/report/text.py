"""Plans, pushes and findings in words, for people. Colour only repeats what the words say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from posixpath import commonprefix

from kbsync.fields import label_of
from kbsync.model import Action, Change, FieldChange, Finding, Held, Kind, Outcome, Plan, Value, visible
from kbsync.plan.order import ASIDE, taken_slugs
from kbsync.plan.result import PLAN_AGAIN
from kbsync.report.escape import inert
from kbsync.report.vocabulary import NOUNS, PAST, REASONS, live_sentence, need, others_sentence
from kbsync.words import count, field_names

PUSH = "kbsync push"
"""The command that carries out a plan made without options."""

SHOWN = 30
"""Changes of one kind that are listed before the rest is counted; `-v` lists them all."""

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
COLOURS = {
    Action.CREATE: "green",
    Action.UPDATE: "cyan",
    Action.PUBLISH: "green",
    Action.ADOPT: "dim",
    Action.UNPUBLISH: "yellow",
    Action.ARCHIVE: "yellow",
    Action.DELETE: "red",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How the screen is: whether it shows colour, how many columns it has, whether everything is wanted."""

    color: bool = False
    width: int = 80
    verbose: bool = False

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, where the screen shows any."""
        return f"\x1b[{CODES[colour]}m{text}\x1b[0m" if self.color and text else text


def duration(seconds: float) -> str:
    """`1 second`, `12 seconds`, `3 minutes`, `2.5 hours`."""
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"{whole} second{'' if whole == 1 else 's'}"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"


# --- plans -----------------------------------------------------------------------------------------------------------


def plan_text(plan: Plan, style: Style, *, unmanaged: bool = False, heading: str = "Plan", command: str = PUSH) -> str:
    """A plan, to be read from top to bottom: what would happen, what needs a decision, what it costs.

    `command` carries the plan out, as typed in a shell; "" before a question.
    """
    lines = [style.paint(f"{heading} for {_portal(plan)}", "bold"), ""]
    for _, group in groupby(plan.changes, key=lambda change: (change.action, change.kind)):
        lines += _change_group(list(group), style, taken_slugs(plan.changes))
    lines += _held_lines(plan.held, style)
    lines += _warning_lines(plan.warnings, style)
    if unmanaged:
        lines += _unmanaged_lines(plan, style)
    return inert("\n".join([*lines, *_plan_summary(plan, style, command)]) + "\n")


def _portal(plan: Plan) -> str:
    return f"portal `{plan.target.portal}` {plan.target.place}"


def _change_group(changes: list[Change], style: Style, taken: Set[str]) -> list[str]:
    first = changes[0]
    heading = _heading(changes)
    live = sum(1 for change in changes if change.live and change.action is not Action.ADOPT)
    if live:
        heading += f". {live_sentence(live)}"
    lines = [style.paint(heading, COLOURS.get(first.action, "bold"))]
    shown = changes if style.verbose else changes[:SHOWN]
    for change in shown:
        lines += _change_lines(change, style, taken)
    return [*lines, *_rest(len(changes) - len(shown), style), ""]


def _heading(changes: list[Change]) -> str:
    first, items = changes[0], count(len(changes), NOUNS[changes[0].kind])
    if first.action is Action.ADOPT:
        return f"{items} already {'matches' if len(changes) == 1 else 'match'}"
    heading = f"{_verb(first)} {items}"
    if first.is_removal:
        heading += f" ({_why_removed(first, one=len(changes) == 1)})"
    if first.action is Action.CREATE and first.kind == "article":
        heading += " as a draft" if len(changes) == 1 else " as drafts"
    return heading


def _why_removed(change: Change, *, one: bool) -> str:
    """An undo deletes what a run made, and knows its source; a plan, what has none any more."""
    if change.path:
        return "made by that run"
    return "its file is gone" if one else "their files are gone"


def _verb(change: Change) -> str:
    return "DELETE" if change.action is Action.DELETE else change.action.value.capitalize()


def _change_lines(change: Change, style: Style, taken: Set[str]) -> list[str]:
    line = f"  {visible(change.path or f'{change.locale}: {change.slug}')}"
    title = f'"{visible(change.title)}"' if change.kind != "asset" else ""
    mark = "LIVE" if change.live and change.action is not Action.ADOPT else ""
    if title and len(line) + 2 + len(title) + (2 + len(mark) if mark else 0) <= style.width:
        line += "  " + style.paint(title, "dim")
    if mark:
        line += "  " + style.paint(mark, "yellow")
    if change.action is not Action.UPDATE:
        return [line]
    was = [f"      renamed from {visible(change.was)}"] if change.was else []
    return [line, *was, *(_field_line(field, style, taken) for field in moving(change.fields))]


def moving(fields: Iterable[FieldChange]) -> list[FieldChange]:
    """The fields that a reader of the plan cares about. A move sends its position along, whether it changes or not."""
    return [field for field in fields if field.before != field.after or field.said is not None]


def _field_line(field: FieldChange, style: Style, taken: Set[str]) -> str:
    word = label_of(field.name)
    if field.name == "content":
        return f"      {word}: changed"
    room = max(16, (style.width - len(word) - 14) // 2)
    line = f"      {word}: {' -> '.join(_both(field.shown, room))}"
    fate = fate_of_address(field, taken)
    return f"{line}  ({fate})" if fate else line


def fate_of_address(field: FieldChange, taken: Set[str]) -> str:
    """What becomes of the address that a slug gives up; "" of any other field."""
    if field.name != "slug" or str(field.before).endswith(ASIDE):
        return ""
    if str(field.after).endswith(ASIDE):
        return "for a moment, to free the address"
    return "the old address will show another article" if field.before in taken else "the old address will be 404"


def _values_lines(field: FieldChange, style: Style) -> list[str]:
    """What a held field is on both sides."""
    word = label_of(field.name)
    theirs, ours = _both((field.before, field.after), max(16, style.width - len(word) - 21))
    return [f"      {word} on the portal: {theirs}", f"      {word} in your file:  {ours}"]


def _both(values: tuple[Value, Value], room: int) -> tuple[str, str]:
    """Two values, each cut to so many characters in a way that the place where they begin to differ is left."""
    one, other = map(_text, values)
    same = len(commonprefix([one, other]))
    is_cut = max(len(one), len(other)) > room and same > room // 2
    start = same - room // 4 if is_cut else 0
    return _cut(one, start, room), _cut(other, start, room)


def _text(value: Value) -> str:
    if value is None or value == "" or value == ():
        return "(nothing)"
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return visible(" ".join(text.split()))


def _cut(text: str, start: int, room: int) -> str:
    text = "…" + text[start + 1 :] if start else text
    return text if len(text) <= room else text[: room - 1] + "…"


def _held_lines(held: Sequence[Held], style: Style) -> list[str]:
    if not held:
        return []
    lines = [style.paint(f"Needs your decision: {len(held):,}", "yellow")]
    shown = held if style.verbose else held[:SHOWN]
    for item in shown:
        lines += [*_held_head(item, style), style.paint(f"      {visible(item.hint)}", "dim")]
    return [*lines, *_rest(len(held) - len(shown), style), ""]


def held_text(item: Held, style: Style) -> str:
    """One thing that is held, without a hint: what it is, and its values on both sides."""
    return inert("\n".join(_held_head(item, style)) + "\n")


def _held_head(item: Held, style: Style) -> list[str]:
    fields = field_names(item.fields)
    reason = style.paint(REASONS[item.reason], "yellow") + (f": {fields}" if fields else "")
    values = (line for field in item.values if field.name != "content" for line in _values_lines(field, style))
    return [f"  {visible(item.path or item.slug)}  {reason}", *values]


def _warning_lines(warnings: Sequence[Finding], style: Style) -> list[str]:
    if not warnings:
        return []
    lines = [style.paint("Worth knowing", "yellow")]
    shown = warnings if style.verbose else warnings[:SHOWN]
    for finding in shown:
        lines.append(f"  {visible(finding.path)}  {finding.code}: {visible(finding.message)}")
        lines.append(style.paint(f"      {visible(finding.hint)}", "dim"))
    return [*lines, *_rest(len(warnings) - len(shown), style), ""]


def _rest(number: int, style: Style) -> list[str]:
    return [style.paint(f"  … and {number:,} more (-v lists them all)", "dim")] if number else []


def _unmanaged_lines(plan: Plan, style: Style) -> list[str]:
    lines = [style.paint(f"On the portal, not in this repository: {len(plan.unmanaged):,}", "bold")]
    lines += (f'  {item.locale}  {visible(item.slug)}  "{visible(item.title)}"' for item in plan.unmanaged)
    return [*lines, ""]


def _plan_summary(plan: Plan, style: Style, command: str) -> list[str]:
    tail = f" ({plan.unchanged:,} unchanged)" if plan.unchanged else ""
    others = [others_sentence(plan.unmanaged)] if plan.unmanaged else []
    if plan.sent:
        cost = f"{count(len(plan.sent), 'change')}, {count(plan.requests, 'request')}, about {duration(plan.seconds)}"
        them = "this change" if len(plan.sent) == 1 else "these changes"
        run = [f"Run `{command}` to make {them}."] if command else []
        return [f"{style.paint(cost, 'bold')}{tail}.", *others, *run]
    if plan.held:
        return [f"Nothing to send: {need(len(plan.held))}{tail}.", *others]
    if plan.changes:
        return [f"Nothing to send{tail}.", *others, f"Run `{command or PUSH}` to record what already matches."]
    return [f"Everything is up to date{tail}.", *others]


@dataclass(frozen=True, slots=True)
class Words:
    """What a report says of its command: the sentence for "nothing to do" (default: up to date), and what to run next.

    `anew` makes a new plan, where `again` would carry out the old one; "" where `again` plans by itself.
    """

    nothing: str = ""
    again: str = PUSH
    anew: str = ""


OF_A_PUSH = Words()

# --- pushes ----------------------------------------------------------------------------------------------------------


def push_text(
    plan: Plan, outcomes: Sequence[Outcome], style: Style, *, requests: int, seconds: float, words: Words = OF_A_PUSH
) -> str:
    """What a push did: done, failed, skipped and held, each with the reason."""
    lines: list[str] = []
    done = [outcome.change for outcome in outcomes if outcome.outcome == "done"]
    for (action, kind), group in _grouped(done):
        drafts = action is Action.CREATE and kind == "article"
        as_draft = (" as a draft" if len(group) == 1 else " as drafts") if drafts else ""
        lines.append(f"{count(len(group), NOUNS[kind])} {PAST[action]}{as_draft}")
    for word in ("failed", "skipped"):
        lines += _outcome_lines(word, [outcome for outcome in outcomes if outcome.outcome == word], style)
    people = [list(_held_lines(plan.held, style)), list(_warning_lines(plan.warnings, style))]
    for block in people:
        lines += ["", *block[:-1]] if block else []
    lines = lines[1:] if lines and not lines[0] else lines
    cost = f"{count(requests, 'request')} in {seconds:.1f} s"
    if not outcomes and (words.nothing or not lines):
        nothing = words.nothing or f"Everything is up to date ({plan.unchanged:,} unchanged; {cost})."
        return inert("\n".join([nothing, *([""] if lines else []), *lines]) + "\n")
    bad = any(outcome.outcome != "done" for outcome in outcomes)
    end = _what_next(outcomes, words) if bad else "Done."
    return inert("\n".join([*lines, "", f"{style.paint(end, 'yellow' if bad else 'green')} {cost}."]) + "\n")


def _what_next(outcomes: Iterable[Outcome], words: Words) -> str:
    """What to run next. Pushing a saved plan again would leave out what was edited since, however often."""
    if words.anew and any(outcome.hint == PLAN_AGAIN for outcome in outcomes):
        return f"Run `{words.anew}` to plan the rest again."
    return f"Run `{words.again}` again to finish the rest."


def _grouped(changes: Iterable[Change]) -> list[tuple[tuple[Action, Kind], list[Change]]]:
    groups: dict[tuple[Action, Kind], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.action, change.kind), []).append(change)
    return list(groups.items())


def _outcome_lines(word: str, outcomes: Sequence[Outcome], style: Style) -> list[str]:
    if not outcomes:
        return []
    lines = ["", style.paint(f"{word.capitalize()}: {len(outcomes):,}", "red" if word == "failed" else "yellow")]
    shown = outcomes if style.verbose else outcomes[:SHOWN]
    for outcome in shown:
        change = outcome.change
        lines.append(f"  {change.action} {visible(change.path or change.slug)}: {visible(outcome.error)}")
        # How to go on where the portal moved on is the last line of the report.
        if outcome.hint and outcome.hint != PLAN_AGAIN:
            lines.append(style.paint(f"      {visible(outcome.hint)}", "dim"))
    return [*lines, *_rest(len(outcomes) - len(shown), style)]
