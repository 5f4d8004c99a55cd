"""What is where, on one screen: as text, as Markdown and as JSON. Pure.

The text and the Markdown are made of the JSON type that a machine reads, so that all three say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kbsync.command import Option, command_line
from kbsync.model import Held, Reason, visible
from kbsync.plan.overview import LocaleState, Overview
from kbsync.report.escape import code, hint, inert, prose
from kbsync.report.folding import portal_of, table
from kbsync.report.json_types import (
    AsOfEntry,
    LocaleEntry,
    OwedEntry,
    StatusReport,
    TargetEntry,
    TranslationsEntry,
    entry_of,
)
from kbsync.report.style import Style
from kbsync.report.translations import MOST_OWED, Changes, owed_lines
from kbsync.report.value_text import as_of_sentence
from kbsync.report.vocabulary import already_sentence, need
from kbsync.report.waiting import waiting_headline
from kbsync.words import count

ALL = "all"
MOST_NEXT = 2
NONE, UNKNOWN = "-", "?"
GAP = 2

ARTICLES = ("files", "live", "draft", "archived", "others")
DIFFERENCES = ("new", "changed", "edited", "pending", "decide", "orphans")
TRANSLATIONS = ("fresh", "stale", "missing", "unknown")
ALWAYS = frozenset({"files", "live", "draft", "missing"})
"""Columns that are shown also where they are empty."""

NOTES = {
    "others": "others: on the portal, not in this repository",
    "edited": "edited: edited in the panel since the last push",
    "pending": "pending: an edit waits in the panel for publication",
    "decide": "decide: needs your decision",
    "orphans": "orphans: still on the portal, without a file here",
    "unknown": "unknown: kbsync cannot tell whether it is up to date",
}
"""What the words of the tables mean, each shown where it is needed."""

COLOURS = {"edited": "yellow", "decide": "yellow", "pending": "yellow", "orphans": "yellow", "stale": "yellow"}


def status_report(overview: Overview, selectors: Sequence[str] = (), options: Sequence[Option] = ()) -> StatusReport:
    """The numbers as one object of schema `kbsync.status/1`.

    Args:
        overview: the numbers.
        selectors: what they are limited to.
        options: without which the next commands would be about another portal.
    """
    plan = overview.plan
    changes, held = overview.beside
    return StatusReport(
        "kbsync.status/1",
        entry_of(TargetEntry, plan.target, version=plan.version),
        [_entry(state) for state in overview.locales],
        _entry(overview.total),
        changes,
        held,
        next_steps(overview, selectors, options),
        already_sentence(plan),
        entry_of(AsOfEntry, plan.as_of) if plan.as_of else None,
        [entry_of(OwedEntry, owed) for owed in overview.owed],
        waiting_headline(plan.waiting),
    )


def _entry(state: LocaleState) -> LocaleEntry:
    found = state.translations
    return entry_of(LocaleEntry, state, translations=entry_of(TranslationsEntry, found) if found else None)


def next_steps(overview: Overview, selectors: Sequence[str] = (), options: Sequence[Option] = ()) -> list[str]:
    """The one or two commands to run next, for the shell."""
    plan = overview.plan
    orphans = overview.total.orphans and not any(change.is_removal for change in plan.changes)
    sent, changes = ((), ()) if plan.refused else (plan.sent, plan.changes)
    found = (
        (not all(map(_is_behind, plan.held)), "resolve", ""),
        (sent, "diff", ""),
        (changes, "push", ""),
        (plan.staged_edits, "push", "--publish-staged"),
        (plan.unpublished, "push", "--publish"),
        (plan.refused or orphans, "plan", ""),
    )
    steps = [(words, flag) for is_there, words, flag in found if is_there]
    # A list does not show every pending edit (docs/service.md, S105), so what is known may be less than there is.
    steps += [("plan", "--full")] if overview.total.pending and not steps else []
    found_here = [command_line(words, *selectors, options=[(flag, bool(flag)), *options]) for words, flag in steps]
    return [*["git pull"] * any(map(_is_behind, plan.held)), *found_here][:MOST_NEXT]


def _is_behind(held: Held) -> bool:
    return held.reason is Reason.BEHIND


WHY: dict[str, str] = {
    "pull": "get the versions that the portal has",
    "resolve": "decide what needs your decision",
    "diff": "see what changes",
    "push": "send it",
    "plan": "see all of it",
    "--publish-staged": "publish the staged edits",
    "--publish": "publish what your files publish",
    "--full": "read every article and list what is pending in the panel",
}


def _reason(command: str) -> str:
    words = command.split()
    return next((WHY[word] for word in reversed(words) if word in WHY and word.startswith("--")), WHY[words[1]])


def status_text(report: StatusReport, style: Style, changes: Mapping[str, Changes] | None = None) -> str:
    """One screen: three tables with a line for each locale, what their words mean, and what to do next.

    `changes` are those of the originals, by the path of the translation, where they are shown.
    """
    target = report.target
    lines = style.wrapped(f"Status of portal `{visible(target.portal)}` {visible(target.place)}", hang=2, colour="bold")
    lines += style.wrapped(as_of_sentence(report.as_of))
    different = [entry for entry in report.locales if any(getattr(entry, name) for name in DIFFERENCES)]
    for heading, names, entries in (
        ("Articles", ARTICLES, report.locales),
        ("Differences", DIFFERENCES, different),
        ("Translations", TRANSLATIONS, _translated(report)),
    ):
        lines += ["", *_table(heading, names, _with_total(entries, report.total), style)] if entries else []
    if report.owed:
        lines += ["", *owed_lines(report.owed, changes or {}, style)]
    lines += ["", *_notes(report, style), *_closing(report, style)]
    return inert("\n".join(lines) + "\n")


def _translated(report: StatusReport) -> list[LocaleEntry]:
    return [entry for entry in report.locales if entry.translations is not None]


def _with_total(entries: Sequence[LocaleEntry], total: LocaleEntry) -> list[LocaleEntry]:
    return [*entries, total] if len(entries) > 1 else [*entries]


def _number(entry: LocaleEntry, name: str) -> int | None:
    found: int | None = getattr(entry.translations if name in TRANSLATIONS else entry, name, None)
    return found


def _cell(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}" if number else NONE


def _table(heading: str, names: Sequence[str], entries: Sequence[LocaleEntry], style: Style) -> list[str]:
    """Numbers in columns; a number that asks for something is coloured."""
    columns = [[heading, *(visible(entry.locale) or ALL for entry in entries)]]
    for name in names:
        numbers = [_number(entry, name) for entry in entries]
        if name in ALWAYS or any(numbers):
            cells = _right([name, *map(_cell, numbers)])
            columns.append([cells[0], *(_painted(*pair, name, style) for pair in zip(cells[1:], numbers, strict=True))])
    first = max(map(len, columns[0]))
    head, *rows = (f"{locale:<{first}}" + "".join(cells) for locale, *cells in zip(*columns, strict=True))
    return [style.paint(head, "bold"), *rows]


def _right(cells: Sequence[str]) -> list[str]:
    """The cells of a column as wide as the widest, behind a gap."""
    width = max(map(len, cells)) + GAP
    return [f"{cell:>{width}}" for cell in cells]


def _painted(cell: str, number: int | None, name: str, style: Style) -> str:
    return style.paint(cell, COLOURS[name]) if number and name in COLOURS else cell


def _notes(report: StatusReport, style: Style) -> list[str]:
    total = report.total
    needed = [text for name, text in NOTES.items() if _number(total, name)]
    lines = style.paragraphs((f"  {text}" for text in needed), hang=2, colour="dim")
    return [*lines, ""] if lines else []


def _closing(report: StatusReport, style: Style) -> list[str]:
    """What is beside the articles, and what to do next."""
    lines: list[str] = []
    parts = [(report.other_changes, "to push"), (report.other_held, "to decide")]
    beside = ", ".join(f"{number:,} {words}" for number, words in parts if number)
    if beside:
        lines += style.wrapped(f"Categories, images and the portal's settings: {beside}.")
    lines += style.wrapped(report.already)
    lines += style.wrapped(f"Waiting: {report.waiting}.", hang=2) if report.waiting else []
    if not report.next:
        translations = report.total.translations
        owed = translations is not None and translations.missing + translations.stale
        return [*lines, "Your files and the portal match." if owed else "Everything is up to date."]
    return lines + style.paragraphs(f"Run `{command}` to {_reason(command)}." for command in report.next)


def status_markdown(report: StatusReport) -> str:
    """The same for an issue or the summary of a job."""
    head = [f"## kbsync status: {_headline(report)}", portal_of(report.target)]
    head += filter(None, [as_of_sentence(report.as_of)])
    parts = [*head, _markdown_table("Locale", (*ARTICLES, *DIFFERENCES), _with_total(report.locales, report.total))]
    if translated := _translated(report):
        parts.append(_markdown_table("Translations", TRANSLATIONS, _with_total(translated, report.total)))
    if report.owed:
        rows = [(code(i.path), i.state, _cell(i.words or 0), _cell(i.views or 0)) for i in report.owed[:MOST_OWED]]
        parts.append(table(("To translate", "State", "Words changed", "Views"), rows))
        parts += [f"… and {left:,} more"] if (left := len(report.owed) - MOST_OWED) > 0 else []
    parts += [prose(f"Waiting: {report.waiting}.")] if report.waiting else []
    parts += [hint(f"Run `{command}` to {_reason(command)}.") for command in report.next]
    return "\n\n".join(parts) + "\n"


def _markdown_table(heading: str, names: Sequence[str], entries: Iterable[LocaleEntry]) -> str:
    rows = ((prose(entry.locale) or ALL, *(_cell(_number(entry, name)) for name in names)) for entry in entries)
    return table((heading, *map(str.capitalize, names)), rows)


def _headline(report: StatusReport) -> str:
    total = report.total
    facts = (
        (total.new + total.changed, f"{count(total.new + total.changed, 'article')} not pushed"),
        (total.decide, need(total.decide)),
        (total.pending, f"{count(total.pending, 'edit')} pending in the panel"),
    )
    said = [text for number, text in facts if number]
    return ", ".join(said) or ("up to date" if not report.next else "see below")


def failures(report: StatusReport) -> dict[str, int]:
    """What `--fail-on` may name, with how much there is of it."""
    total = report.total
    translations = total.translations or TranslationsEntry(0, 0, 0, 0)
    return {
        "changes": total.new + total.changed + report.other_changes,
        "edited": total.edited,
        "pending": total.pending,
        "decide": total.decide + report.other_held,
        "orphans": total.orphans or 0,
        "stale": translations.stale,
        "missing": translations.missing,
    }
