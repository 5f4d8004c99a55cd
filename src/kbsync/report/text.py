"""Plans in words, for people. Colour only repeats what the words say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from kbsync.fields import label_of
from kbsync.model import (
    PORTAL_FILE,
    Action,
    Change,
    FieldChange,
    Finding,
    Held,
    Plan,
    Reason,
    Unpublished,
    visible,
)
from kbsync.plan.order import taken_slugs
from kbsync.report.body_diff import NO_BODIES, TEXT_ACTIONS, Bodies, word_lines
from kbsync.report.escape import inert
from kbsync.report.style import Style, listed, width_of
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
    by_action,
    counted,
    draft_text,
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
from kbsync.report.waiting import panel_edit_lines, staged_edit_lines, waiting_lines
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
    notes = style.paragraphs((as_of_sentence(plan.as_of), version_note(plan.version)))
    lines = [*style.wrapped(first, hang=2, colour=colour), *notes, ""]
    for group in grouped(plan.sent):
        lines += _change_group(group, style, taken_slugs(plan.changes), bodies)
    lines += held_lines(plan.held, style, bodies)
    lines += _left_lines(bodies, style)
    lines += _accepted_lines(plan.kept, style) if style.verbose else []
    lines += warning_lines(plan.warnings, style)
    lines += unpublished_lines(plan.unpublished, style)
    lines += staged_edit_lines(plan.staged_edits, style)
    lines += panel_edit_lines(plan.panel_edits, style)
    lines += waiting_lines(plan.waiting, plan.held, style)
    lines += _unmanaged_lines(plan, style) if unmanaged else []
    return inert("\n".join([*lines, *_summary(plan, style, command)]) + "\n")


def grouped(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes by what they do to which kind: what readers see at once comes first, and first in each group."""
    by_live = [sorted(group, key=lambda change: not change.live) for group in by_action(changes)]
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
    return [*lines, *listed(changes, style, lambda change: _change_lines(change, style, taken, bodies)), ""]


def _heading(changes: list[Change]) -> str:
    first, number = changes[0], items_of(changes)
    items = counted(number, first.kind)
    heading = f"{_verb(first)} {items}"
    if first.is_removal:
        heading += f" ({_why_removed(first, one=number == 1)})"
    return heading + draft_text(first, number) + together_text(changes)


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
    lines = [_change_head(change, style)]
    if change.action not in TEXT_ACTIONS:
        return lines
    if change.was:
        lines.append(f"      {'renamed from' if change.path else 'its file was'} {visible(change.was)}")
    for field in moving(field for field in change.fields if field.name != "status"):
        lines += _field_lines(field, change, style, taken)
        # Of an edit that is only discarded nothing is sent; what is sent is the body of the same change.
        lines += _body_lines(change, style, bodies) if is_body(field.name) and field.after is not None else []
    return lines


def _change_head(change: Change, style: Style) -> str:
    """The file, with its title where that fits, and whether readers see the change."""
    line = f"  {visible(change.path or f'{change.locale}: {change.slug}')}"
    title = f'  "{visible(change.title)}"' if change.kind != "asset" else ""
    mark = "  LIVE" if change.live else "  STAGED" if change.stages else ""
    if width_of(line + title + mark) <= style.width:
        line += title and "  " + style.paint(title[2:], "dim")
    return line + (mark and "  " + style.paint(mark[2:], "yellow"))


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


def moved_lines(field: FieldChange, style: Style, *, indent: int, hang: int) -> list[str]:
    """A field before and after; of a body only that it changed."""
    head = f"{' ' * indent}{label_of(field.name)}: "
    if is_body(field.name):
        return [f"{head}changed"]
    return style.wrapped(head + " -> ".join(both_texts(field.shown, max(32, style.width - 16))), hang=hang)


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

    def lines_of(item: Held) -> list[str]:
        hint = style.wrapped(f"      {visible(item.hint)}", colour="dim")
        return [*_held_head(item, style), *_body_lines(item, style, bodies), *hint]

    heading = style.paint(f"Needs your decision: {len(held):,}", "yellow")
    single = [item for item in held if not item.elsewhere]
    return [heading, *listed(single, style, lines_of), *elsewhere_lines(held, style), ""]


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
    values = _both_sides(item, style, theirs)
    edited = [f"      last changed on the portal: {moment(item.edited_s)} UTC"] if item.edited_s else []
    return [f"{head}{lines[0]}".rstrip(), *lines[1:], *values, *edited]


def _accepted_lines(kept: Sequence[Held], style: Style) -> list[str]:
    if not kept:
        return []
    by_path: dict[str, list[Held]] = {}
    for item in kept:
        by_path.setdefault(item.path, []).append(item)
    lines = [style.paint(f"Different, and accepted with `resolve --theirs`: {len(by_path):,}", "bold")]
    for path, items in by_path.items():
        lines += [f"  {visible(path)}  {field_names(name for item in items for name in item.fields)}"]
        lines += (line for item in items for line in _both_sides(item, style))
    return [*lines, ""]


def _both_sides(item: Held, style: Style, place: str = "on the portal") -> Iterator[str]:
    """What the fields of a held item are on both sides, all but bodies; `place` is where the other one is."""
    for field in item.values:
        if not is_body(field.name):
            texts = both_texts(field.shown, _room(label_of(field.name), style))
            yield from side_lines(label_of(field.name), texts, style, place=place)


def side_lines(
    word: str, texts: tuple[str, str], style: Style, *, place: str = "on the portal", indent: int = 6
) -> list[str]:
    """A value of the portal and that of the file, one below the other."""
    heads = f"{' ' * indent}{word} {place}: ", f"{' ' * indent}{word} {'in your file:':<{len(place) + 1}} "
    return style.paragraphs((head + text for head, text in zip(heads, texts, strict=True)), hang=2)


def warning_lines(warnings: Sequence[Finding], style: Style) -> list[str]:
    """What a reader of the plan should know."""
    if not warnings:
        return []

    def lines_of(finding: Finding) -> list[str]:
        what = style.wrapped(f"  {visible(finding.path)}  {finding.code}: {visible(finding.message)}", hang=4)
        return [*what, *style.wrapped(f"      {visible(finding.hint)}", colour="dim")]

    return [style.paint("Worth knowing", "yellow"), *listed(warnings, style, lines_of), ""]


def unpublished_lines(items: Sequence[Unpublished], style: Style) -> list[str]:
    """Statuses that nothing applies, and what does: for each file, or for all where they are many."""
    if not items:
        return []
    heading = style.wrapped(f"Published in your files, but not on the portal: {len(items):,}", colour="yellow")
    few = len(items) <= ONE_BY_ONE

    def lines_of(item: Unpublished) -> list[str]:
        hint = style.wrapped(f"      {visible(item.hint)}", colour="dim") if few else []
        return [f"  {visible(item.path)}", *hint]

    of_all = [] if few else style.wrapped(f"      {PUBLISH_ALL}", colour="dim")
    return [*heading, *listed(items, style, lines_of, most=ONE_BY_ONE), *of_all, ""]


def _unmanaged_lines(plan: Plan, style: Style) -> list[str]:
    lines = [style.paint(f"On the portal, not in this repository: {len(plan.unmanaged):,}", "bold")]
    lines += (f'  {item.locale}  {visible(item.slug)}  "{visible(item.title)}"' for item in plan.unmanaged)
    return [*lines, ""]


# --- the end ---------------------------------------------------------------------------------------------------------


def _summary(plan: Plan, style: Style, command: str) -> list[str]:
    adopted = already_sentence(plan)
    said = [
        others_sentence(plan.unmanaged) if plan.unmanaged else "",
        "" if style.verbose or not plan.kept else _accepted(plan.kept),
        staged_before_sentence(len(plan.staged_edits)) if plan.staged_edits else "",
    ]
    facts = [*([adopted] if adopted else []), *style.paragraphs(said)]
    if plan.refused:
        hint = style.wrapped(visible(plan.refused.hint))
        return [*facts, *style.wrapped(refused_headline(plan.refused.message), colour="red"), *hint]
    first, run = _what_it_costs(plan, style, command)
    tail = f" ({plan.unchanged:,} unchanged)" if plan.unchanged else ""
    return [f"{first}{tail}.", *facts, *style.wrapped(run)]


def _what_it_costs(plan: Plan, style: Style, command: str) -> tuple[str, str]:
    """What a push would send, and the sentence with the command for it; "" where there is none."""
    if plan.sent:
        cost = f"{count(len(plan.sent), 'change')}, {count(plan.requests, 'request')}, about {duration(plan.seconds)}"
        them = "this change" if len(plan.sent) == 1 else "these changes"
        return style.paint(cost, "bold"), f"Run `{command}` to make {them}." if command else ""
    if plan.held:
        return f"Nothing to send: {need(len(plan.held))}", ""
    if plan.changes:
        return "Nothing to send", f"Run `{command or PUSH}` to record what already matches."
    return "Nothing to send" if plan.unpublished else idle_sentence(plan), ""


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
    return next((str(field.after) for field in item.values if field.name == "slug"), item.slug)
