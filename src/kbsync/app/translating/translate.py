"""`kbsync translate`: which translations are to be made or renewed, and the folder for those who do it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kbsync.app.reading import Reading, read_content
from kbsync.app.selectors import select_paths
from kbsync.app.translating.filter_program import Program, ProgramFailed
from kbsync.app.translating.hand_off import TO_TRANSLATE, Article, Gatherer, check_folder, write_hand_off
from kbsync.app.translating.take_back import RefusedFile, checked
from kbsync.app.translation_state import translation_states, views_of
from kbsync.app.workspace import Workspace
from kbsync.content.handed import with_machine
from kbsync.content.parse import parse_source
from kbsync.errors import ContentError, UsageError
from kbsync.files import real_path, write_whole
from kbsync.lint.parity import missing_parts
from kbsync.plan.freshness import Freshness, Translation, most_read_first
from kbsync.report.handoff_types import INPUT, GlossaryTerm, HandOff, TranslateInput

OPEN = (Freshness.STALE, Freshness.MISSING)


@dataclass(frozen=True, slots=True)
class TranslationFilter:
    """Which translations are meant.

    Args:
        locales: into these; all where there are none.
        states: stale, missing or both.
        selectors: paths of originals or translations, and words such as `category:billing`; all where there are none.
        here: the folder from which paths are seen.
    """

    locales: tuple[str, ...]
    states: tuple[Freshness, ...]
    selectors: tuple[str, ...]
    here: Path


@dataclass(frozen=True, slots=True)
class TranslationBacklog:
    """The translations that are meant, what readers read most first; and how many of all there are in each state."""

    reading: Reading
    items: tuple[Translation, ...]
    all_of_locales: tuple[Translation, ...]


def find_owed(workspace: Workspace, wanted: TranslationFilter) -> TranslationBacklog:
    """The translations that are to be made or renewed.

    Raises:
        UsageError: a locale that does not exist, or a selector that means nothing.
    """
    reading = read_content(workspace, compiled=False)
    tree, site = reading.compiler.tree, reading.compiler.site
    others = [locale for locale in site.locales if locale != site.default_locale]
    if unknown := [locale for locale in wanted.locales if locale not in others]:
        listed = ", ".join(others) or "none"
        hint = "Add it to `[content] locales` in kbsync.toml."
        raise UsageError(f"`{unknown[0]}` is not a language to translate into (known: {listed}).", hint=hint)
    views = views_of(site, workspace.memory, workspace.target.key)
    states = [
        item
        for item in most_read_first(translation_states(workspace, reading), views)
        if not wanted.locales or item.locale in wanted.locales
    ]
    if wanted.selectors:
        root = real_path(workspace.content_root)
        missing = (item.path for item in states if item.state == Freshness.MISSING)
        sources = tree.sources.values()
        paths = select_paths(site, sources, missing, wanted.selectors, root=root, here=wanted.here)
        states = [item for item in states if {item.path, item.original} & paths]
    owed = tuple(item for item in states if item.state in wanted.states)
    return TranslationBacklog(reading, owed, tuple(states))


def hand_off(workspace: Workspace, owed: TranslationBacklog, out: Path) -> tuple[HandOff, tuple[Article, ...]]:
    """Write the folder for translators.

    Raises:
        UsageError: the folder cannot be used.
        ContentError: a file cannot be read or written.
    """
    check_folder(out, workspace.content_root)
    articles = tuple(Gatherer(workspace, owed.reading, owed.items).articles())
    try:
        return write_hand_off(out, articles, workspace.content_root), articles
    except OSError as exc:
        raise ContentError(f"{out} cannot be written: {exc.strerror}.", hint="Name another folder.") from exc


@dataclass(frozen=True, slots=True)
class Machined:
    """What a program made of one article; `reason` is a sentence where it was rejected."""

    path: str
    outcome: Literal["translated", "by a person", "rejected"]
    reason: str = ""


def translate_with(
    program: Program, owed: TranslationBacklog, articles: Sequence[Article], out: Path
) -> Iterator[Machined]:
    """Let a program translate what is in a hand-off, article by article. A person's text is left to people."""
    site = owed.reading.compiler.site
    for article in articles:
        state = article.state
        if article.present and not state.is_machine:
            yield Machined(state.path, "by a person")
            continue
        place = out / TO_TRANSLATE / state.path
        locales = site.articles[state.original].locale, state.locale
        said = b""
        try:
            said = program.run(_input(article, locales))
            text = checked(state.path, said)
            sources = parse_source(state.original, article.original.encode()), parse_source(state.path, text.encode())
            if lost := next(missing_parts(*sources, locales), None):
                raise RefusedFile(lost)
            write_whole(place, with_machine(text, on=True).encode())
            yield Machined(state.path, "translated")
        except (RefusedFile, ProgramFailed) as exc:
            write_whole(place.with_name(f"{place.name}.rejected"), said)
            yield Machined(state.path, "rejected", str(exc))
        except ContentError as exc:
            write_whole(place.with_name(f"{place.name}.rejected"), said)
            yield Machined(state.path, "rejected", exc.message)


def _input(article: Article, locales: tuple[str, str]) -> TranslateInput:
    state = article.state
    terms = [
        GlossaryTerm(
            term.spellings[locales[0]][0], term.spellings.get(state.locale, ()), " ".join(term.others.values())
        )
        for term in article.terms
    ]
    texts = (article.original, article.before, article.diff, article.text)
    return TranslateInput(INPUT, state.path, *locales, *texts, terms)
