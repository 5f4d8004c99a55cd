"""What the writer's layer says of a page: where its source is, what is wrong with it, what readers will not see.

Also: links that open a file in the writer's editor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from kbsync.config import SANDBOX, Settings
from kbsync.content.body import body_of, readable
from kbsync.content.compile import Addresses
from kbsync.content.rules import HIDES_KEYS
from kbsync.errors import KbsyncError
from kbsync.files import real_path
from kbsync.lint.explanations import anchor_of
from kbsync.lint.finds import once_per_key
from kbsync.model import Finding
from kbsync.preview.checking import Project
from kbsync.preview.debts import Debts, missing_translation, translation_of_page
from kbsync.preview.findings_list import HIDDEN, FindingsList, Named
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.marks import NO_PLACES, Places
from kbsync.preview.urls import CODES, FINDINGS, OVERVIEW, list_url
from kbsync.site.writer_panel import (
    NOTHING_BROKEN,
    Broken,
    Choice,
    Writer,
    WriterDiff,
    WriterFinding,
    WriterTranslation,
)
from kbsync.words import count

_PLACE = re.compile(r"(?P<file>[^\n]+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?: ")
"""How a message about a file begins."""


def editor_url(settings: Settings, file: Path, line: int = 1, column: int = 1) -> str:
    """The address that opens a file at a place."""
    template = settings.preview.editor
    place = real_path(file).as_posix()
    words = {"path": quote(place, safe="/:"), "line": str(line), "column": str(column)}
    # In vscode://file/{path} the first slash of the path is there already, in x://open?file={path} it does not.
    template = template.replace("/{path}", "/" + words["path"].removeprefix("/"))
    for word, value in words.items():
        template = template.replace("{" + word + "}", value)
    return template


def no_content(settings: Settings) -> Broken:
    """The content folder is not there any more."""
    message = f"There is no folder `{settings.content.root}`. The pages show what was in it, until it is back."
    return Broken(message, title="The content folder is gone.")


def broken_settings(settings: Settings, error: KbsyncError) -> Broken:
    """What is wrong with kbsync.toml, or with a file that it names, with a link to the line."""
    file, line, column = settings.path, 1, 1
    if place := _PLACE.match(error.message):
        named = Path(place["file"])
        # A message names files from the current folder on.
        if named.is_file():
            file = named
        line, column = int(place["line"]), int(place["column"] or 1)
    hint = f" {error.hint}" if error.hint else ""
    url = editor_url(settings, file, line, column)
    return Broken(f"{error.message}{hint}", file.name, url, "The last valid settings are still in use.")


NOT_COMPARED = WriterDiff("Not compared with the portal. To compare, start the preview with `--portal`.")


def _not_compared(_catalogue: LiveTree, _path: str) -> WriterDiff:
    return NOT_COMPARED


def _none_edited() -> frozenset[str]:
    return frozenset()


@dataclass(slots=True)
class Writing:
    """Makes the writer's layer of a page.

    Args:
        project: settings and profile.
        diff_of: how a source and the portal differ, as far as that is known now.
        edited: the files whose articles were edited in the panel, as far as that is known now.
        broken: what is wrong with kbsync.toml, while the last good one is in use.
        away: that the content folder is not there, while the pages show what was in it.
        debts: how translations are to their originals, as far as that is known now.
    """

    project: Project
    diff_of: Callable[[LiveTree, str], WriterDiff | None] = _not_compared
    edited: Callable[[], frozenset[str]] = _none_edited
    broken: Broken = NOTHING_BROKEN
    away: Broken = NOTHING_BROKEN
    debts: Debts = field(default_factory=Debts)

    def of_source(self, live_tree: LiveTree, path: str, places: Places = NO_PLACES) -> Writer:
        """The layer beside an article or a category.

        Args:
            places: where the lines of the file are on the page.
        """
        index = live_tree.index
        source = live_tree.sources[path]
        is_article = path in index.site.articles
        identity = index.identity_of(path)
        failed = live_tree.broken.get(path, ())
        known = failed or live_tree.findings.get(path, ())
        findings = [self._finding(path, found, places) for found in known]
        writer = Writer(
            path=path,
            slug=identity.slug,
            public_url=self._public_url(live_tree, path, is_article=is_article),
            editor_url=self._editor_url(path, 1, 1),
            findings=tuple(found for found in findings if not found.is_hidden),
            hidden=tuple(found for found in findings if found.is_hidden),
            broken=self._notice or self._what_broke(path, failed),
        )
        if not is_article:
            return writer
        translations = tuple(self._translations(live_tree, path))
        status, diff = source.status or "draft", self.diff_of(live_tree, path)
        return replace(writer, status=status, translations=translations, diff=diff)

    def of_all(self, live_tree: LiveTree) -> Writer:
        """The layer of a page that no file makes: how all files are."""
        return Writer(broken=self._notice, counts=tuple(self._counts(live_tree)))

    def of_nothing(self) -> Writer | None:
        """The layer of a list, or of a page that is not there: what is wrong with the project, if something is."""
        return Writer(broken=self._notice) if self._notice else None

    @property
    def _notice(self) -> Broken:
        return self.away or self.broken

    # --- all files -------------------------------------------------------------------------------------------------

    def _counts(self, live_tree: LiveTree) -> Iterator[Choice]:
        levels = Counter(finding.level for _, finding in self._named(live_tree))
        for level in ("error", "warning"):
            url = list_url(FINDINGS, level=level)
            yield Choice(count(levels[level], level), url, level if levels[level] else "")
        yield from list_filters(self.paths_to_do(live_tree))

    def paths_to_do(self, live_tree: LiveTree) -> dict[str, frozenset[str]]:
        """The articles that somebody has something to do with, by what that is."""
        articles, sources = live_tree.index.site.articles, live_tree.sources
        return {
            "": frozenset(articles),
            "drafts": frozenset(path for path in articles if (sources[path].status or "draft") == "draft"),
            "untranslated": frozenset(original for original, _ in self.debts.missing if original in articles),
            "stale": frozenset(path for path, debt in self.debts.known.items() if debt.state == "stale"),
            "edited": self.edited() & articles.keys(),
        }

    def findings_list(self, live_tree: LiveTree) -> FindingsList:
        """The list of all findings."""

        def entry(path: str, finding: Finding) -> WriterFinding:
            url = live_tree.index.url_of.get(path, "")
            page_url = f"{url}#at-{finding.line}-{finding.column}" if url else ""
            return self._finding(path, finding, NO_PLACES, page_url)

        def page_of(path: str) -> tuple[str, str]:
            return live_tree.index.url_of.get(path, ""), self._editor_url(path, 1, 1)

        return FindingsList(tuple(self._named(live_tree)), entry, page_of)

    def _named(self, live_tree: LiveTree) -> Iterator[Named]:
        """As `kbsync lint` counts them: a key of another tool once, whatever number of files has it."""
        by_path = live_tree.findings | live_tree.broken
        found = once_per_key([finding for path in sorted(by_path) for finding in by_path[path]])
        return ((finding.path, finding) for finding in found)

    # --- one file --------------------------------------------------------------------------------------------------

    def _public_url(self, live_tree: LiveTree, path: str, *, is_article: bool) -> str:
        service, profile = self.project.settings.service, self.project.profile
        address = Addresses(profile.article_url, profile.category_url, service.portal)
        host = "" if service.base_url == SANDBOX else service.base_url
        return host + address.of(live_tree.index.identity_of(path), is_article=is_article)

    def _finding(self, path: str, finding: Finding, places: Places, page_url: str = "") -> WriterFinding:
        return WriterFinding(
            finding.level,
            finding.code,
            finding.message,
            finding.hint,
            finding.line,
            finding.column,
            self._editor_url(path, finding.line, finding.column),
            f"{CODES}#{anchor_of(finding.code)}",
            places.block_of(finding.line),
            page_url,
            finding.code.startswith(HIDDEN),
        )

    def _editor_url(self, path: str, line: int, column: int) -> str:
        return editor_url(self.project.settings, Path(self.project.root, path), line, column)

    def _translations(self, live_tree: LiveTree, path: str) -> Iterator[WriterTranslation]:
        family = live_tree.index.family_of(path)
        own = live_tree.index.site.articles[path].locale
        for locale in live_tree.index.locales:
            other = family.get(locale)
            # Of the page itself there is something to say where it is a translation.
            if locale == own and other not in self.debts.known:
                continue
            if other is None:
                yield self._missing(live_tree, path, locale)
            elif debt := self.debts.known.get(other):
                yield translation_of_page(debt, live_tree.index.url_of[other])
            else:
                yield WriterTranslation(locale, "there", live_tree.index.url_of[other])

    def _missing(self, live_tree: LiveTree, path: str, locale: str) -> WriterTranslation:
        original = live_tree.index.original_of(path)
        debt = self.debts.missing.get((original, locale))
        if debt is None:
            return WriterTranslation(locale, "missing")
        try:
            source, data = live_tree.text_of(original)
        except OSError:
            return missing_translation(debt, 0)
        text = f"{source.title or ''} {body_of(source, readable(data))}"
        return missing_translation(debt, len(text.split()))

    def _what_broke(self, path: str, findings: Iterable[Finding]) -> Broken:
        """The message over the last good page."""
        for finding in (finding for finding in findings if finding.code in HIDES_KEYS):
            hint = f" {finding.hint}" if finding.hint else ""
            message = f"{path}:{finding.line}:{finding.column}: {finding.message}{hint}"
            return Broken(message, path, self._editor_url(path, finding.line, finding.column))
        return NOTHING_BROKEN


TO_TRANSLATE = ("untranslated", "stale")
"""The lists that are in order of what readers read most."""


def list_filters(to_do: dict[str, frozenset[str]], current: str | None = None) -> tuple[Choice, ...]:
    """The lists of articles, each with how many are in it; what is empty and not shown now is left out."""
    texts = {
        "": count(len(to_do[""]), "article"),
        "drafts": count(len(to_do["drafts"]), "draft"),
        "untranslated": f"{len(to_do['untranslated']):,} not translated",
        "stale": f"{count(len(to_do['stale']), 'translation')} out of date",
        "edited": f"{len(to_do['edited']):,} edited in the panel",
    }
    return tuple(
        Choice(texts[name], list_url(OVERVIEW, show=name), name, is_current=name == current)
        for name, paths in to_do.items()
        if paths or name in ("", "drafts", current)
    )
