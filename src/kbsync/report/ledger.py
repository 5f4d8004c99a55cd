"""The ledger in words and in JSON: what is managed, who is at work, what the runs did, and to one article. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kbsync.command import Option, command_line
from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Action, ItemRef, Pending, RemoteId, Target, visible
from kbsync.report.escape import inert, json_text
from kbsync.report.json_types import FieldEntry, HistoryEntry, HistoryReport, TargetEntry, entry_of
from kbsync.report.style import SHOWN, Style, listed
from kbsync.report.text import moved_lines
from kbsync.report.value_text import iso_moment, moment, moving
from kbsync.report.vocabulary import NOUNS, PAST, STAGED_PAST, action_word, draft_text, way_of
from kbsync.words import count, field_names

WORDS = {"settled": "looked up later", "unknown": "result unknown", "pending": "under way", "taken": "under way"}

OUTCOMES = {"held": "needs your decision"}
"""How a run ended, where that is not the name of its exit code."""

DEAD = " (that push has crashed: the next push takes the lock over)"


@dataclass(frozen=True, slots=True)
class Accepted:
    """An item that differs from the portal as somebody decided (`kbsync resolve --theirs`), in these fields."""

    path: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What the ledger says of one portal. `holder` is who holds the lock, in words, or "".

    `place` is where the portal is, in words; `at_work` are the runs that somebody who lives takes part in. Where the
    holder is dead, the next push takes the lock over.
    """

    portal: str
    base_url: str
    place: str
    articles: int
    categories: int
    pending: tuple[Pending, ...]
    holder: str
    runs: tuple[RunInfo, ...]
    at_work: tuple[int, ...] = ()
    holder_is_dead: bool = False
    accepted: tuple[Accepted, ...] = ()


def ledger_text(record: Record, style: Style) -> str:
    """The record, and its latest runs."""
    lines = [
        style.paint(f"Ledger of portal `{record.portal}` {record.place}", "bold"),
        f"  {count(record.categories, 'category')} and {count(record.articles, 'article')} published by kbsync",
        f"  lock: {record.holder or 'free'}{DEAD if record.holder_is_dead else ''}",
    ]
    if record.pending:
        open_requests = f"  {count(len(record.pending), 'request')} without a result: the next push checks"
        lines.append(style.paint(open_requests, "yellow"))
        lines += (f"    {entry.action} {visible(entry.path or entry.slug)}" for entry in record.pending[:SHOWN])
    lines += _accepted_lines(record.accepted, style)
    lines += ["", style.paint("Runs, newest first" if record.runs else "No runs yet", "bold")]
    lines += listed(record.runs, style, lambda run: [f"  {run_line(run, at_work=run.number in record.at_work)}"])
    return inert("\n".join(lines) + "\n")


def _accepted_lines(accepted: Sequence[Accepted], style: Style) -> list[str]:
    if not accepted:
        return []
    heading = f"  {count(len(accepted), 'difference')} accepted with `resolve --theirs`:"
    lines = listed(accepted, style, lambda item: [f"    {visible(item.path)}  {field_names(item.fields)}"], indent=4)
    return [heading, *lines]


def run_line(run: RunInfo, *, at_work: bool = False) -> str:
    """`12  2026-11-21 07:20  push: 3 done, 1 failed (partly failed)`. That all is done is not said twice."""
    states = ", ".join(f"{number:,} {WORDS.get(state, state)}" for state, number in sorted(run.states.items()))
    ended = OUTCOMES.get(run.outcome, run.outcome.replace("_", " "))
    outcome = ended or ("still running" if at_work else "did not end")
    tail = "" if outcome == "done" else f" ({outcome})"
    return visible(f"{run.number}  {moment(run.started_at)}  {run.command}: {states or 'nothing to send'}{tail}")


def run_text(run: RunInfo, entries: Sequence[Entry], style: Style, *, at_work: bool = False) -> str:
    """One run and everything that it did."""
    lines = [style.paint(f"Run {run_line(run, at_work=at_work)}", "bold")]
    lines += [f"  version {visible(run.version)} of the service"] if run.version else []
    lines += listed(entries, style, lambda entry: _entry_lines(entry, style))
    return inert("\n".join(lines) + "\n")


def _entry_lines(entry: Entry, style: Style) -> Iterator[str]:
    change = entry.change
    where = visible(change.path or f"{change.locale}: {change.slug}")
    fields = field_names(field.name for field in change.fields) if change.action is Action.UPDATE else ""
    tail = f" ({fields})" if fields else ""
    yield f"  {WORDS.get(entry.state, entry.state)}: {action_word(change.action)} {where}{tail}"
    if entry.error:
        yield style.paint(f"      {visible(entry.error)}", "dim")


def ledger_json(record: Record) -> str:
    """The record as one object of schema `kbsync.ledger-show/1`."""
    found: dict[str, Any] = {"schema": "kbsync.ledger-show/1", **msgspec.to_builtins(record)}
    return json_text(found)


def run_json(run: RunInfo, entries: Sequence[Entry]) -> str:
    """A run as one object of schema `kbsync.run/1`."""
    found = {"schema": "kbsync.run/1", **msgspec.to_builtins(run), "entries": msgspec.to_builtins(entries)}
    return json_text(found)


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
