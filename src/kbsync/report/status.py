"""What is where, on one screen: as text, as Markdown and as JSON. Pure.

The text and the Markdown are made of the JSON type that a machine reads, so that all three say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kbsync.command import Option, command_line
from kbsync.model import Plan, visible
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
from kbsync.report.vocabulary import already_sentence
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
    orphans = (overview.total.orphans or 0) and _reports_orphans(plan)
    found = (
        (plan.held, "resolve", ""),
        (plan.sent and not plan.refused, "diff", ""),
        (plan.changes and not plan.refused, "push", ""),
        (plan.staged_edits, "push", "--publish-staged"),
        (plan.unpublished, "push", "--publish"),
        (plan.refused or orphans, "plan", ""),
    )
    steps = [(words, flag) for is_there, words, flag in found if is_there]
    # A list does not show every pending edit (docs/service.md, S105), so what is known may be less than there is.
    steps = steps or ([("plan", "--full")] if overview.total.pending else [])
    return [
        command_line(words, *selectors, options=[(flag, bool(flag)), *options]) for words, flag in steps[:MOST_NEXT]
    ]


def _reports_orphans(plan: Plan) -> bool:
    return not any(change.is_removal for change in plan.changes)


WHY: dict[str, str] = {
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
    translated = [entry for entry in report.locales if entry.translations is not None]
    for heading, names, entries in (
        ("Articles", ARTICLES, report.locales),
        ("Differences", DIFFERENCES, different),
        ("Translations", TRANSLATIONS, translated),
    ):
        lines += ["", *_table(heading, names, _with_total(entries, report.total), style)] if entries else []
    if report.owed:
        lines += ["", *owed_lines(report.owed, changes or {}, style)]
    lines += ["", *_notes(report, style), *_closing(report, style)]
    return inert("\n".join(lines) + "\n")


def _with_total(entries: Sequence[LocaleEntry], total: LocaleEntry) -> list[LocaleEntry]:
    return [*entries, total] if len(entries) > 1 else [*entries]


def _number(entry: LocaleEntry, name: str) -> int | None:
    if name in TRANSLATIONS:
        return getattr(entry.translations, name) if entry.translations is not None else None
    found: int | None = getattr(entry, name)
    return found


def _cell(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}" if number else NONE


def _table(heading: str, names: Sequence[str], entries: Sequence[LocaleEntry], style: Style) -> list[str]:
    """Numbers in columns; a number that asks for something is coloured."""
    locales = [visible(entry.locale) or ALL for entry in entries]
    numbers = {name: [_number(entry, name) for entry in entries] for name in names}
    columns = {name: found for name, found in numbers.items() if name in ALWAYS or any(found)}
    widths = {name: max(len(name), *(len(_cell(number)) for number in found)) for name, found in columns.items()}
    first = max(len(heading), *map(len, locales))
    head = f"{heading:<{first}}" + "".join(f"{name:>{widths[name] + GAP}}" for name in columns)
    lines = [style.paint(head, "bold")]
    for row, locale in enumerate(locales):
        cells = (_padded(name, found[row], widths[name], style) for name, found in columns.items())
        lines.append(f"{locale:<{first}}" + "".join(cells))
    return lines


def _padded(name: str, number: int | None, width: int, style: Style) -> str:
    text = f"{_cell(number):>{width + GAP}}"
    return style.paint(text, COLOURS[name]) if number and name in COLOURS else text


def _notes(report: StatusReport, style: Style) -> list[str]:
    """What the words mean that stand over a number."""
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
    columns = (*ARTICLES, *DIFFERENCES)
    rows = [_markdown_row(entry, columns) for entry in _with_total(report.locales, report.total)]
    parts = [*head, table(("Locale", *map(str.capitalize, columns)), rows)]
    translated = [entry for entry in report.locales if entry.translations is not None]
    if translated:
        translations = [_markdown_row(entry, TRANSLATIONS) for entry in _with_total(translated, report.total)]
        parts.append(table(("Translations", *map(str.capitalize, TRANSLATIONS)), translations))
    if report.owed:
        rows = [(code(i.path), i.state, _cell(i.words or 0), _cell(i.views or 0)) for i in report.owed[:MOST_OWED]]
        parts.append(table(("To translate", "State", "Words changed", "Views"), rows))
        parts += [f"… and {left:,} more"] if (left := len(report.owed) - MOST_OWED) > 0 else []
    parts += [prose(f"Waiting: {report.waiting}.")] if report.waiting else []
    parts += [hint(f"Run `{command}` to {_reason(command)}.") for command in report.next]
    return "\n\n".join(parts) + "\n"


def _markdown_row(entry: LocaleEntry, names: Sequence[str]) -> tuple[str, ...]:
    return (prose(entry.locale) or ALL, *(_cell(_number(entry, name)) for name in names))


def _headline(report: StatusReport) -> str:
    total = report.total
    facts: list[tuple[int, Callable[[int], str]]] = [
        (total.new + total.changed, lambda number: f"{count(number, 'article')} not pushed"),
        (total.decide, lambda number: f"{number:,} {'needs' if number == 1 else 'need'} your decision"),
        (total.pending, lambda number: f"{count(number, 'edit')} pending in the panel"),
    ]
    said = [text(number) for number, text in facts if number]
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
