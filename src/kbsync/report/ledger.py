"""The ledger in words and in JSON: what is managed, who is at work, what the runs did. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kbsync.ledger.values import Entry, RunInfo
from kbsync.model import Action, Pending, visible
from kbsync.report.escape import inert, json_text
from kbsync.report.style import SHOWN, Style, listed
from kbsync.report.value_text import moment
from kbsync.report.vocabulary import action_word
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
