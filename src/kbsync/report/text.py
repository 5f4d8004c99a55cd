"""Plans in words, for people. Colour only repeats what the words say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from kbsync.fields import label_of
from kbsync.model import (
    PORTAL_FILE,
    Action,
    Change,
    FieldChange,
    Finding,
    Held,
    Kind,
    Plan,
    Reason,
    Unpublished,
    visible,
)
from kbsync.plan.order import taken_slugs
from kbsync.report.body_diff import NO_BODIES, TEXT_ACTIONS, Bodies, word_lines
from kbsync.report.escape import inert
from kbsync.report.staged_edits import panel_edit_lines, staged_edit_lines
from kbsync.report.style import SHOWN, Style, rest_lines, width_of
from kbsync.report.value_text import (
    as_of_sentence,
    both_texts,
    fate_of_address,
    is_body,
    items_of,
    moment,
    moving,
    value_text,
)
from kbsync.report.vocabulary import (
    NOUNS,
    STAGED_VERBS,
    already_sentence,
    counted,
    idle_sentence,
    live_sentence,
    need,
    others_sentence,
    reason_of,
    refused_headline,
    staged_before_sentence,
    staged_sentence,
    together_text,
    version_note,
    way_of,
)
from kbsync.report.waiting import waiting_lines
from kbsync.words import count, field_names

PUSH = "kbsync push"
"""The command that carries out a plan made without options."""

ONE_BY_ONE = 3
"""Files of which each has its own command; of more, one is about all."""

PUBLISH_ALL = "To publish them, add `--publish`, or set `publish = true` under [push] in kbsync.toml."

COLOURS = {
    Action.CREATE: "green",
    Action.UPDATE: "cyan",
    Action.PUBLISH: "green",
    Action.UNPUBLISH: "yellow",
    Action.ARCHIVE: "yellow",
    Action.DELETE: "red",
}


def duration(seconds: float) -> str:
    """`1 second`, `12 seconds`, `3 minutes`, `2.5 hours`."""
    if seconds < 90:
        whole = max(1, round(seconds))
        return f"{whole} second{'' if whole == 1 else 's'}"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"


def plan_text(
    plan: Plan,
    style: Style,
    *,
    unmanaged: bool = False,
    heading: str = "Plan",
    command: str = PUSH,
    bodies: Bodies = NO_BODIES,
) -> str:
    """A plan, to be read from top to bottom: what would happen, what needs a decision, what it costs.

    Args:
        plan: the plan.
        style: the screen.
        unmanaged: whether what is on the portal and not ours is listed.
        heading: the first word.
        command: carries the plan out, as typed in a shell; "" before a question.
        bodies: those whose differences are shown.
    """
    first = f"{heading} for portal `{plan.target.portal}` {plan.target.place}"
    first, colour = (f"{first}: REFUSED", "red") if plan.refused else (first, "bold")
    as_of = style.wrapped(as_of_sentence(plan.as_of)) if plan.as_of else []
    version = style.wrapped(note) if (note := version_note(plan.version)) else []
    lines = [*style.wrapped(first, hang=2, colour=colour), *as_of, *version, ""]
    for group in grouped(plan.sent):
        lines += _change_group(group, style, taken_slugs(plan.changes), bodies)
    lines += held_lines(plan.held, style, bodies)
    lines += _left_lines(bodies, style)
    lines += _accepted_lines(plan.kept, style) if style.verbose else []
    lines += warning_lines(plan.warnings, style)
    lines += unpublished_lines(plan.unpublished, style)
    lines += staged_edit_lines(plan.staged_edits, style)
    lines += panel_edit_lines(plan.panel_edits, style)
    if plan.waiting:
        lines += waiting_lines(plan.waiting, plan.held, style)
    lines += _unmanaged_lines(plan, style) if unmanaged else []
    return inert("\n".join([*lines, *_summary(plan, style, command)]) + "\n")


def grouped(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes by what they do to which kind: what readers see at once comes first, and first in each group."""
    groups: dict[tuple[Action, Kind, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.action, change.kind, way_of(change)), []).append(change)
    by_live = [sorted(group, key=lambda change: not change.live) for group in groups.values()]
    return sorted(by_live, key=lambda group: not group[0].live)


# --- changes ---------------------------------------------------------------------------------------------------------


def _change_group(changes: list[Change], style: Style, taken: Set[str], bodies: Bodies) -> list[str]:
    heading = _heading(changes)
    live = items_of(change for change in changes if change.live)
    if live:
        heading += f". {live_sentence(live)}"
    if changes[0].stages:
        heading += f". {staged_sentence(items_of(changes))}"
    lines = style.wrapped(heading, colour=COLOURS.get(changes[0].action, "bold"))
    shown = changes if style.verbose else changes[:SHOWN]
    for change in shown:
        lines += _change_lines(change, style, taken, bodies)
    return [*lines, *rest_lines(len(changes) - len(shown), style), ""]


def _heading(changes: list[Change]) -> str:
    first, number = changes[0], items_of(changes)
    items = counted(number, first.kind)
    heading = f"{_verb(first)} {items}"
    if first.is_removal:
        heading += f" ({_why_removed(first, one=number == 1)})"
    if first.action is Action.CREATE and first.kind == "article":
        heading += " as a draft" if number == 1 else " as drafts"
    return heading + together_text(changes)


def _why_removed(change: Change, *, one: bool) -> str:
    """An undo deletes what a run made, and knows its source; a plan, what has none any more."""
    if change.path:
        return "made by that run"
    return "its file is gone" if one else "their files are gone"


def _verb(change: Change) -> str:
    if way := way_of(change):
        return STAGED_VERBS[way]
    return "DELETE" if change.action is Action.DELETE else change.action.value.capitalize()


def _change_lines(change: Change, style: Style, taken: Set[str], bodies: Bodies) -> list[str]:
    line = f"  {visible(change.path or f'{change.locale}: {change.slug}')}"
    title = f'"{visible(change.title)}"' if change.kind != "asset" else ""
    mark = "LIVE" if change.live else "STAGED" if change.stages else ""
    if title and width_of(line) + 2 + width_of(title) + (2 + len(mark) if mark else 0) <= style.width:
        line += "  " + style.paint(title, "dim")
    if mark:
        line += "  " + style.paint(mark, "yellow")
    if change.action not in TEXT_ACTIONS:
        return [line]
    what = "renamed from" if change.path else "its file was"
    was = [f"      {what} {visible(change.was)}"] if change.was else []
    lines = [line, *was]
    for field in moving(field for field in change.fields if field.name != "status"):
        lines += _field_lines(field, change, style, taken)
        # Of an edit that is only discarded nothing is sent; what is sent is the body of the same change.
        lines += _body_lines(change, style, bodies) if is_body(field.name) and field.after is not None else []
    return lines


def _field_lines(field: FieldChange, change: Change, style: Style, taken: Set[str]) -> list[str]:
    word = label_of(field.name)
    if is_body(field.name):
        return [f"      {word}: {'discarded' if field.after is None else 'changed'}"]
    fate = fate_of_address(field, taken, live=change.live)
    tail = f"  ({fate})" if fate else ""
    line = f"      {word}: {' -> '.join(map(value_text, field.shown))}"
    if width_of(line) <= style.width:
        return [line + tail] if width_of(line + tail) <= style.width else [line, f"        {tail.strip()}"]
    before, after = both_texts(field.shown, _room(word, style))
    first = style.wrapped(f"      {word}: {before}", hang=2)
    return [*first, *style.wrapped(f"      {'-> ':>{len(word) + 2}}{after}{tail}", hang=2)]


def _room(word: str, style: Style) -> int:
    """Characters of a value: about two lines of the screen."""
    return max(32, 2 * (style.width - len(word) - 21))


def _body_lines(item: Change | Held, style: Style, bodies: Bodies) -> list[str]:
    body = bodies.of(item)
    return list(word_lines(body, style, indent=8)) if body else []


def _left_lines(bodies: Bodies, style: Style) -> list[str]:
    if not bodies.left:
        return []
    number = f"{count(bodies.left, 'more body')} differ{'s' if bodies.left == 1 else ''}"
    return [*style.wrapped(f"{number}. Add `-v` to see all, or name files.", colour="dim"), ""]


# --- what is left to people ------------------------------------------------------------------------------------------


def held_lines(held: Sequence[Held], style: Style, bodies: Bodies = NO_BODIES) -> list[str]:
    """What needs a decision, each with its values on both sides and what to do."""
    if not held:
        return []
    lines = [style.paint(f"Needs your decision: {len(held):,}", "yellow")]
    single = [item for item in held if not item.elsewhere]
    shown = single if style.verbose else single[:SHOWN]
    for item in shown:
        lines += [*_held_head(item, style), *_body_lines(item, style, bodies)]
        lines += style.wrapped(f"      {visible(item.hint)}", colour="dim")
    return [*lines, *rest_lines(len(single) - len(shown), style), *elsewhere_lines(held, style), ""]


def held_text(item: Held, style: Style) -> str:
    """One thing that is held, without a hint: what it is, and its values on both sides."""
    return inert("\n".join(_held_head(item, style)) + "\n")


def _held_head(item: Held, style: Style) -> list[str]:
    fields = field_names(item.fields)
    reason, head = reason_of(item), f"  {visible(item.path or item.slug)}  "
    first, *rest = style.wrapped(f"{reason}: {fields}" if fields else reason, hang=6, taken=width_of(head))
    # On a screen so narrow that the reason is broken, it has no colour.
    lines = [line.replace(reason, style.paint(reason, "yellow"), 1) for line in (first, *rest)]
    theirs = "pending in the panel" if item.reason is Reason.STAGED else "on the portal"
    shown = (field for field in item.values if not is_body(field.name))
    values = (line for field in shown for line in _values_lines(field, style, theirs))
    edited = [f"      last changed on the portal: {moment(item.edited_s)} UTC"] if item.edited_s else []
    return [f"{head}{lines[0]}".rstrip(), *lines[1:], *values, *edited]


def _values_lines(field: FieldChange, style: Style, place: str = "on the portal") -> list[str]:
    """What a held field is on both sides; `place` is where the other one is."""
    word = label_of(field.name)
    theirs, ours = both_texts(field.shown, _room(word, style))
    return [
        *style.wrapped(f"      {word} {place}: {theirs}", hang=2),
        *style.wrapped(f"      {word} {'in your file:':<{len(place) + 1}} {ours}", hang=2),
    ]


def _accepted_lines(kept: Sequence[Held], style: Style) -> list[str]:
    if not kept:
        return []
    by_path: dict[str, list[Held]] = {}
    for item in kept:
        by_path.setdefault(item.path, []).append(item)
    lines = [style.paint(f"Different, and accepted with `resolve --theirs`: {len(by_path):,}", "bold")]
    for path, items in by_path.items():
        lines += [f"  {visible(path)}  {field_names(name for item in items for name in item.fields)}"]
        values = (field for item in items for field in item.values if not is_body(field.name))
        lines += [line for field in values for line in _values_lines(field, style)]
    return [*lines, ""]


def warning_lines(warnings: Sequence[Finding], style: Style) -> list[str]:
    """What a reader of the plan should know."""
    if not warnings:
        return []
    lines = [style.paint("Worth knowing", "yellow")]
    shown = warnings if style.verbose else warnings[:SHOWN]
    for finding in shown:
        lines += style.wrapped(f"  {visible(finding.path)}  {finding.code}: {visible(finding.message)}", hang=4)
        lines += style.wrapped(f"      {visible(finding.hint)}", colour="dim")
    return [*lines, *rest_lines(len(warnings) - len(shown), style), ""]


def unpublished_lines(items: Sequence[Unpublished], style: Style) -> list[str]:
    """Statuses that nothing applies, and what does: for each file, or for all where they are many."""
    if not items:
        return []
    lines = style.wrapped(f"Published in your files, but not on the portal: {len(items):,}", colour="yellow")
    few = len(items) <= ONE_BY_ONE
    shown = items if style.verbose else items[:ONE_BY_ONE]
    for item in shown:
        lines.append(f"  {visible(item.path)}")
        lines += style.wrapped(f"      {visible(item.hint)}", colour="dim") if few else []
    lines += rest_lines(len(items) - len(shown), style)
    return [*lines, *([] if few else style.wrapped(f"      {PUBLISH_ALL}", colour="dim")), ""]


def _unmanaged_lines(plan: Plan, style: Style) -> list[str]:
    lines = [style.paint(f"On the portal, not in this repository: {len(plan.unmanaged):,}", "bold")]
    lines += (f'  {item.locale}  {visible(item.slug)}  "{visible(item.title)}"' for item in plan.unmanaged)
    return [*lines, ""]


# --- the end ---------------------------------------------------------------------------------------------------------


def _summary(plan: Plan, style: Style, command: str) -> list[str]:
    adopted = already_sentence(plan)
    others = style.wrapped(others_sentence(plan.unmanaged)) if plan.unmanaged else []
    accepted = [] if style.verbose or not plan.kept else style.wrapped(_accepted(plan.kept))
    waiting = style.wrapped(staged_before_sentence(len(plan.staged_edits))) if plan.staged_edits else []
    facts = [*([adopted] if adopted else []), *others, *accepted, *waiting]
    tail = f" ({plan.unchanged:,} unchanged)" if plan.unchanged else ""
    if plan.refused:
        hint = style.wrapped(visible(plan.refused.hint)) if plan.refused.hint else []
        return [*facts, *style.wrapped(refused_headline(plan.refused), colour="red"), *hint]
    if plan.sent:
        cost = f"{count(len(plan.sent), 'change')}, {count(plan.requests, 'request')}, about {duration(plan.seconds)}"
        them = "this change" if len(plan.sent) == 1 else "these changes"
        run = style.wrapped(f"Run `{command}` to make {them}.") if command else []
        return [f"{style.paint(cost, 'bold')}{tail}.", *facts, *run]
    if plan.held:
        return [f"Nothing to send: {need(len(plan.held))}{tail}.", *facts]
    if plan.changes:
        run = style.wrapped(f"Run `{command or PUSH}` to record what already matches.")
        return [f"Nothing to send{tail}.", *facts, *run]
    if plan.unpublished:
        return [f"Nothing to send{tail}.", *facts]
    return [f"{idle_sentence(plan)}{tail}.", *facts]


def _accepted(kept: Sequence[Held]) -> str:
    kinds = [kind for kind, _ in dict.fromkeys((item.kind, item.path) for item in kept)]
    parts = [count(kinds.count(kind), noun) for kind, noun in NOUNS.items() if kind in kinds and kind != "portal"]
    parts += [f"settings in {PORTAL_FILE}"] if "portal" in kinds else []
    text = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    is_one = len(kinds) == 1 and "portal" not in kinds
    return (
        f"{text[:1].upper()}{text[1:]} differ{'s' if is_one else ''} from the portal as you decided with "
        "`resolve --theirs` (-v lists them)."
    )


NAMED_SLUGS = 10
"""Slugs that are named in a line."""


def elsewhere_lines(held: Sequence[Held], style: Style) -> list[str]:
    """These slugs together: what to do is the same for many of them."""
    lines: list[str] = []
    for todo in dict.fromkeys(item.elsewhere for item in held if item.elsewhere):
        slugs = [visible(_slug_of(item)) for item in held if item.elsewhere == todo]
        lines += style.wrapped(f"  {_sentence(slugs, verbose=style.verbose)}", hang=4)
        lines += style.wrapped(f"      {visible(todo)}", colour="dim")
    return lines


def _sentence(slugs: Sequence[str], *, verbose: bool) -> str:
    belong = "1 slug belongs" if len(slugs) == 1 else f"{len(slugs):,} slugs belong"
    shown = slugs if verbose else slugs[:NAMED_SLUGS]
    left = len(slugs) - len(shown)
    more = f" … and {left:,} more (-v lists them all)" if left else ""
    return f"{belong} to another portal of this service: {', '.join(shown)}{more}."


def _slug_of(item: Held) -> str:
    """The slug that a held item is to get."""
    return next((str(field.after) for field in item.values if field.name == "slug"), item.slug)
