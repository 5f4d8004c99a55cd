"""What a push did, in words: done, failed, skipped and held, how to undo it, and where the drafts are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kbsync.command import Option, command_line
from kbsync.model import Action, Change, Outcome, Plan, visible
from kbsync.plan.result import PLAN_AGAIN
from kbsync.report.escape import inert
from kbsync.report.style import SHOWN, Style, listed
from kbsync.report.text import PUSH, held_lines, unpublished_lines, warning_lines
from kbsync.report.value_text import items_of
from kbsync.report.vocabulary import (
    PAST,
    STAGED_PAST,
    already_sentence,
    by_action,
    counted,
    draft_text,
    idle_sentence,
    need,
    version_note,
    way_of,
)
from kbsync.report.waiting import waiting_lines
from kbsync.words import count

IN_SANDBOX = "To read new drafts in a browser, run `kbsync sandbox` and open the address that it prints."
IN_PANEL = "You find new drafts in the panel, in the list of articles of the help center."

SKIPPED_SHOWN = 20
"""Changes that were not tried, as after Ctrl-C: fewer than of those that failed, for the reason is mostly the same."""

DRAFTS = 5
"""Drafts whose addresses are shown; `-v` shows them all."""


class Words(msgspec.Struct, frozen=True):
    """What a report says of its command: the sentence for "nothing to do" (default: up to date), and what to run next.

    `anew` makes a new plan, where `again` would carry out the old one; "" where `again` plans by itself. `look` shows
    what needs a decision; "" where no plan would.
    """

    nothing: str = ""
    again: str = PUSH
    anew: str = ""
    look: str = "kbsync plan"


class Drafts(msgspec.Struct, frozen=True):
    """So many new drafts, and where they can be read: at these addresses, or `elsewhere`."""

    addresses: tuple[str, ...] = ()
    number: int = 0
    elsewhere: str = ""


class Aftermath(msgspec.Struct, frozen=True):
    """What people need after a push.

    Args:
        run: its number in the ledger; None where it has none.
        undo: the sentence with the command that reverses it; "" where there is nothing to reverse.
        drafts: where the new ones can be read.
        reading: requests that only read the portal; a plan estimates all others.
        staged: what is said about staged edits that wait for publication, if there are some.
    """

    run: int | None = None
    undo: str = ""
    drafts: Drafts = Drafts()
    reading: int = 0
    staged: str = ""


OF_A_PUSH = Words()
NO_AFTERMATH = Aftermath()


def push_text(
    plan: Plan,
    outcomes: Sequence[Outcome],
    style: Style,
    *,
    requests: int,
    seconds: float,
    words: Words = OF_A_PUSH,
    after: Aftermath = NO_AFTERMATH,
) -> str:
    """What a push did: done, failed, skipped and held, each with the reason.

    Args:
        plan: what was to be done.
        outcomes: how it went.
        style: the screen.
        requests: HTTP requests made.
        seconds: how long it took.
        words: of the command.
        after: what people need now.
    """
    lines = _outcomes_and_people(plan, outcomes, style)
    if not outcomes and (words.nothing or not lines):
        whole = f"{count(requests, 'request')} in {seconds:.1f} s"
        # A ledger that cannot be written ends a push before its first change.
        idle = f"Nothing was sent ({whole})." if plan.sent else ""
        nothing = words.nothing or idle or f"{idle_sentence(plan)} ({plan.unchanged:,} unchanged; {whole})."
        return inert("\n".join([nothing, *([""] if lines else []), *lines]) + "\n")
    end, colour = _end(plan, outcomes, words)
    last = _last_line(style, end, colour, cost_text(requests, seconds, after.reading))
    undo = style.paragraphs(map(visible, (after.staged, after.undo)))
    return inert("\n".join([*lines, "", *last, *undo, *_draft_lines(after.drafts, style)]) + "\n")


def _outcomes_and_people(plan: Plan, outcomes: Sequence[Outcome], style: Style) -> list[str]:
    """How it went, and what is left to people, with an empty line between two lists."""
    of = {word: [outcome for outcome in outcomes if outcome.outcome == word] for word in ("done", "failed", "skipped")}
    blocks = [
        _done_lines([outcome.change for outcome in of["done"]]),
        _outcome_lines("failed", of["failed"], style),
        _outcome_lines("skipped", of["skipped"], style),
        held_lines(plan.held, style)[:-1],
        warning_lines(plan.warnings, style)[:-1],
        unpublished_lines(plan.unpublished, style)[:-1],
        waiting_lines(plan.waiting, plan.held, style)[:-1],
        style.wrapped(version_note(plan.version)),
    ]
    return [line for block in blocks if block for line in ("", *block)][1:]


def _done_lines(done: Sequence[Change]) -> list[str]:
    lines = []
    for changes in by_action(change for change in done if change.action is not Action.ADOPT):
        first, number = changes[0], items_of(changes)
        past = STAGED_PAST.get(way_of(first)) or PAST[first.action]
        line = f"{counted(number, first.kind)} {past}{draft_text(first, number)}"
        lines.append(line[0].upper() + line[1:])
    adopted = already_sentence(done)
    return [*lines, adopted.removesuffix(".")] if adopted else lines


def _outcome_lines(word: str, outcomes: Sequence[Outcome], style: Style) -> list[str]:
    if not outcomes:
        return []
    colour, most = ("red", SHOWN) if word == "failed" else ("yellow", SKIPPED_SHOWN)

    def lines_of(outcome: Outcome) -> Iterator[str]:
        change = outcome.change
        where = visible(change.path or change.slug)
        yield from style.wrapped(f"  {change.action} {where}: {visible(outcome.error)}", hang=4)
        # How to go on where the portal moved on is the last line of the report.
        if outcome.hint and outcome.hint != PLAN_AGAIN:
            yield from style.wrapped(f"      {visible(outcome.hint)}", colour="dim")

    heading = style.paint(f"{word.capitalize()}: {len(outcomes):,}", colour)
    return [heading, *listed(outcomes, style, lines_of, most=most)]


def _end(plan: Plan, outcomes: Sequence[Outcome], words: Words) -> tuple[str, str]:
    """How it ended in one sentence, and its colour."""
    if any(outcome.outcome != "done" for outcome in outcomes):
        return _what_next(outcomes, words), "yellow"
    if not plan.held:
        return ("Nothing was sent.", "yellow") if plan.sent and not outcomes else ("Done.", "green")
    sent = any(outcome.change.action is not Action.ADOPT for outcome in outcomes)
    return f"{'Done, but' if sent else 'Nothing was sent:'} {need(len(plan.held))}.", "yellow"


def _what_next(outcomes: Sequence[Outcome], words: Words) -> str:
    """What to run next. Pushing a saved plan again would leave out what was edited since, however often."""
    if words.anew and any(outcome.hint == PLAN_AGAIN for outcome in outcomes):
        return f"Run `{words.anew}` to plan the rest again."
    if words.look and all(outcome.hint == PLAN_AGAIN for outcome in outcomes if outcome.outcome != "done"):
        return f"Run `{words.look}` to see what needs your decision now."
    return f"Run `{words.again}` again to finish the rest."


def cost_text(requests: int, seconds: float, reading: int = 0) -> str:
    """`5 requests in 0.3 s`, with those that only read the portal apart: a plan estimates the others."""
    sent = f"{count(requests - reading, 'request')} in {seconds:.1f} s"
    return f"{sent}, after {reading:,} to read the portal" if reading else sent


def _last_line(style: Style, end: str, colour: str, cost: str) -> list[str]:
    """How it ended, and what it cost; the latter on a line of its own where both do not fit."""
    if len(f"{end} {cost}.") <= style.width:
        return [f"{style.paint(end, colour)} {cost}."]
    return [*style.wrapped(end, colour=colour), *style.wrapped(f"{cost}.")]


def _draft_lines(drafts: Drafts, style: Style) -> list[str]:
    """Where the new drafts can be read. An address is never broken."""
    if not drafts.number:
        return []
    if not drafts.addresses:
        return style.wrapped(drafts.elsewhere)
    what = "Read the new draft" if drafts.number == 1 else "Read the new drafts"
    heading = style.wrapped(f"{what} (everyone who has the address can):")
    return ["", *heading, *listed(drafts.addresses, style, lambda address: [f"  {address}"], most=DRAFTS)]


def undo_sentence(run: int, options: Sequence[Option]) -> str:
    return f"This was run {run}. To reverse it: `{command_line('undo', run, options=options)}`."
