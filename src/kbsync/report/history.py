"""What was published of one article, run by run: as text and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kbsync.command import Option, command_line
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Action, ItemRef, RemoteId, Target, visible
from kbsync.report.escape import inert
from kbsync.report.json_types import FieldEntry, HistoryEntry, HistoryReport, TargetEntry, entry_of
from kbsync.report.ledger import WORDS
from kbsync.report.style import Style
from kbsync.report.text import moved_lines
from kbsync.report.value_text import iso_moment, moment, moving
from kbsync.report.vocabulary import NOUNS, PAST, STAGED_PAST, draft_text, way_of
from kbsync.words import count

OVER = frozenset({"done", "settled"})
NOT_RECORDED = "(not recorded by whom)"
EMPTY = "No push has changed it. What already matched when kbsync first compared it is recorded without a push."


@dataclass(frozen=True, slots=True)
class Step:
    """What one run did to an item."""

    run: RunInfo
    entry: Entry


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """The steps, newest first. `left` are older ones that were not asked for.

    `note` says where still older ones are.
    """

    target: Target
    item: ItemRef
    remote_id: RemoteId | None
    steps: tuple[Step, ...]
    left: int = 0
    note: str = ""


def history_report(found: ItemHistory) -> HistoryReport:
    """The steps as one object of schema `kbsync.history/1`."""
    return entry_of(
        HistoryReport,
        found.item,
        schema="kbsync.history/1",
        target=entry_of(TargetEntry, found.target),
        remote_id=found.remote_id,
        entries=[_entry(step) for step in found.steps],
        left=found.left,
        note=found.note,
    )


def _entry(step: Step) -> HistoryEntry:
    run, entry, change = step.run, step.entry, step.entry.change
    fields = [entry_of(FieldEntry, field) for field in change.fields]
    of_run = {"run": run.number, "command": run.command, "at": iso_moment(run.started_at), "who": run.who}
    return entry_of(HistoryEntry, change, **of_run, state=entry.state, fields=fields, error=entry.error)


def history_text(found: ItemHistory, style: Style, options: Sequence[Option] = ()) -> str:
    """The steps, newest first, each with what it changed, and how to reverse the last of them.

    Args:
        found: the steps.
        style: the screen.
        options: without which a command would be about another portal.
    """
    item = found.item
    where = visible(item.path or f"{item.locale}/{item.slug}")
    number = "" if found.remote_id is None else f" ({NOUNS[item.kind]} {visible(str(found.remote_id))})"
    heading = f"History of {where}{number} on portal `{visible(found.target.portal)}` {visible(found.target.place)}"
    lines = [*style.wrapped(heading, hang=2, colour="bold"), ""]
    for step in found.steps:
        lines += [*_step_lines(step, style), ""]
    if found.left:
        lines += style.wrapped(f"{count(found.left, 'older change')} not shown. Add `--limit N` to see more.")
    lines += style.wrapped(found.note, colour="dim")
    lines += _closing(found, style, options)
    return inert("\n".join(lines) + "\n")


def _step_lines(step: Step, style: Style) -> list[str]:
    run, entry, change = step.run, step.entry, step.entry.change
    command = "" if run.command == "push" else f", {run.command}"
    head = f"Run {run.number}  {moment(run.started_at)} UTC  {run.who or NOT_RECORDED}{command}"
    lines = style.wrapped(visible(head), hang=2, colour="cyan")
    is_over = entry.state in OVER
    lines += style.wrapped(f"  {_what(entry)}", hang=2, colour="" if is_over else "yellow")
    if change.was and change.path:
        lines += style.wrapped(f"    renamed from {visible(change.was)}", hang=2)
    if change.action is Action.UPDATE:
        for field in moving(change.fields):
            lines += moved_lines(field, style, indent=4, hang=2)
    lines += style.wrapped(f"    {visible(entry.error)}", hang=2, colour="dim")
    return lines


def _what(entry: Entry) -> str:
    """What became of it: `updated`, or `update failed`."""
    change = entry.change
    done = STAGED_PAST.get(way_of(change), "") or PAST[change.action] + draft_text(change)
    if entry.state in OVER:
        later = f" ({WORDS['settled']})" if entry.state == "settled" else ""
        return f"{done}{later}"
    return f"{change.action.value}: {WORDS.get(entry.state, entry.state)}"


def _closing(found: ItemHistory, style: Style, options: Sequence[Option]) -> list[str]:
    if not found.steps:
        return style.wrapped(EMPTY)
    # Of an undo the way back is to undo that: what it put back has nothing left to undo.
    last = next((step.run for step in found.steps if step.entry.state in OVER), None)
    if last is None:
        return []
    command = command_line("undo", last.number, options=options)
    everything = sum(last.states.values())
    them = "it" if everything == 1 else f"that run, which made {count(everything, 'change')}"
    return style.wrapped(f"Run `{command}` to reverse {them}.")
