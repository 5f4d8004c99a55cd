"""What readers get beside the files: as text, as Markdown and as JSON. Pure.

A report is handed in as the JSON type that a machine reads, so that all three say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbsync.model import visible
from kbsync.report.escape import code, hint, inert, prose
from kbsync.report.folding import Section, portal_of, render
from kbsync.report.json_types import ProblemEntry, State, VerifiedEntry, VerifyReport
from kbsync.report.style import Style, listed
from kbsync.report.text import duration, side_lines
from kbsync.report.value_text import both_texts
from kbsync.report.vocabulary import version_note
from kbsync.words import count

HEADINGS: dict[State, str] = {
    "differs": "Readers see something else than your files say",
    "not_published": "Published in your files, but readers do not see it",
    "waiting": "Waiting for their date or release",
    "unreachable": "Could not be read",
    "not_in_files": "Published on the portal, but not by your files",
}
COLOURS: dict[State, str] = {"unreachable": "red"}
NOUNS = {"title": "title", "body": "body", "page": "page", "image": "image", "link": "link", "status": ""}
CELL_CHARS = 80
NOTHING = "None of these files is published, so there is nothing to compare."


def verified_text(report: VerifyReport, style: Style) -> str:
    """What differs, each with both values, and a line of numbers."""
    note = version_note(report.target.version)
    lines = [*style.wrapped(note, colour="dim"), ""] if note else []
    for state, heading in HEADINGS.items():
        found = [article for article in report.articles if article.state == state]
        if not found:
            continue
        lines += style.wrapped(f"{heading}: {len(found):,}", colour=COLOURS.get(state, "yellow"))
        lines += [*listed(found, style, lambda article: _article_lines(article, style)), ""]
    lines += style.wrapped(f"{headline(report)}. {_cost(report)}" if report.articles else NOTHING)
    return inert("\n".join(lines) + "\n")


def _article_lines(article: VerifiedEntry, style: Style) -> list[str]:
    lines = [f"  {visible(article.path or article.slug)}"]
    lines += style.wrapped(f"      {visible(article.address)}", colour="dim")
    for problem in article.problems:
        lines += _problem_lines(problem, style)
    return lines


def _problem_lines(problem: ProblemEntry, style: Style) -> list[str]:
    place = _place(problem)
    said = " ".join(filter(None, (problem.address, problem.message)))
    if not problem.theirs and not problem.ours:
        return style.wrapped(f"      {f'{place}: ' if place else ''}{visible(said)}", hang=2)
    texts = both_texts((problem.theirs, problem.ours), max(32, 2 * style.width - 60))
    lines = style.wrapped(f"      {place}: {visible(said)}", hang=2) if said else []
    if problem.ours:
        return lines + side_lines(place, texts, style)
    # Where the file has nothing, only the portal's value says what readers see.
    return lines + style.wrapped(f"      {place} on the portal: {texts[0]}", hang=2)


def _place(problem: ProblemEntry) -> str:
    return f"{NOUNS[problem.what]}{f', line {problem.line}' if problem.line else ''}"


def headline(report: VerifyReport) -> str:
    """`12 articles are as in your files, 1 differs`."""
    found = report.summary
    parts = [
        (found.differs, "differs", "differ"),
        (found.not_published, "is not published", "are not published"),
        (found.waiting, "waits for its date or release", "wait for their date or release"),
        (found.unreachable, "could not be read", "could not be read"),
        (found.not_in_files, "is not in your files", "are not in your files"),
    ]
    same = f"{count(found.same, 'article')} {'is' if found.same == 1 else 'are'} as in your files"
    return ", ".join([same, *(f"{number:,} {one if number == 1 else more}" for number, one, more in parts if number)])


def _cost(report: VerifyReport) -> str:
    found = report.summary
    skipped = f" {count(found.skipped, 'article')} with `manage: seed` or `false` skipped." if found.skipped else ""
    return f"{count(found.requests, 'request')} in {duration(found.seconds)}.{skipped}"


def verified_markdown(report: VerifyReport) -> str:
    """The same for an issue or the summary of a job."""
    said = headline(report) if report.articles else "nothing is published"
    head = [f"## kbsync verify: {said}", f"{portal_of(report.target)} · {_cost(report)}"]
    head += [hint(text) for text in [version_note(report.target.version)] if text]
    return render(head, [_section(report, state, heading) for state, heading in HEADINGS.items()])


def _section(report: VerifyReport, state: State, heading: str) -> Section:
    rows = list(_rows(article for article in report.articles if article.state == state))
    return Section(heading, ("Article", "What", "On the portal", "In your file"), rows, len(rows))


def _rows(articles: Iterable[VerifiedEntry]) -> Iterator[tuple[str, str, str, str]]:
    for article in articles:
        name = code(article.path or article.address)
        if not article.problems:
            yield name, "", "", ""
        for problem in article.problems:
            theirs, ours = both_texts((problem.theirs, problem.ours), CELL_CHARS)
            address = code(problem.address) if problem.address else ""
            said = " ".join(filter(None, (address, hint(problem.message))))
            what = ": ".join(filter(None, (_place(problem), said)))
            yield name, what, prose(theirs) if problem.theirs else "", prose(ours) if problem.ours else ""
