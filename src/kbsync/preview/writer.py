"""What the writer's layer says of a page: where its source is, what is wrong with it, what readers will not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from kbsync.config import SANDBOX
from kbsync.content.compile import Addresses
from kbsync.files import real_path
from kbsync.lint.explanations import anchor_of
from kbsync.model import Finding
from kbsync.plan.freshness import Translation
from kbsync.preview.checking import Project
from kbsync.preview.debts import translation_of_page
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.urls import CODES
from kbsync.site.pages import Writer, WriterDiff, WriterFinding, WriterTranslation

HIDDEN = "KB4"
"""Codes that begin so are about what the portal drops: readers will not see it."""

FINDINGS_OF_HOME = 100
"""The home page names this many findings of the tree."""

NOT_COMPARED = WriterDiff("Not compared with the portal. To compare, start the preview with `--portal`.")


def _not_compared(_catalogue: LiveTree, _path: str) -> WriterDiff:
    return NOT_COMPARED


@dataclass(slots=True)
class Writing:
    """Makes the writer's layer of a page.

    Args:
        project: settings and profile.
        diff_of: how a source and the portal differ, as far as that is known now.
        broken: what is wrong with kbsync.toml, while the last good one is in use.
        debts: how translations are to their originals, by path, as far as that is known now.
    """

    project: Project
    diff_of: Callable[[LiveTree, str], WriterDiff | None] = _not_compared
    broken: str = ""
    debts: Mapping[str, Translation] = field(default_factory=dict)

    def of_source(self, live_tree: LiveTree, path: str) -> Writer:
        """The layer beside an article or a category."""
        index = live_tree.index
        source = live_tree.sources[path]
        is_article = path in index.site.articles
        identity = index.site.articles[path] if is_article else index.site.categories[path]
        failed = live_tree.broken.get(path, ())
        findings = failed or live_tree.findings.get(path, ())
        return Writer(
            (source.status or "draft") if is_article else "",
            path,
            identity.slug,
            self._public_url(live_tree, path, is_article=is_article),
            self._editor_url(path, 1, 1),
            tuple(self._findings(path, findings, hidden=False)),
            tuple(self._findings(path, findings, hidden=True)),
            tuple(self._translations(live_tree, path)) if is_article else (),
            self.diff_of(live_tree, path) if is_article else None,
            self.broken or self._what_broke(path, failed),
        )

    def of_home(self, live_tree: LiveTree) -> Writer:
        """The layer beside a home page: the findings of the whole tree."""
        named = [
            (path, finding)
            for path, findings in sorted((live_tree.findings | live_tree.broken).items())
            for finding in findings
        ]
        shown = tuple(self._finding(path, finding, named=True) for path, finding in named[:FINDINGS_OF_HOME])
        if len(named) > len(shown):
            more = f"And {len(named) - len(shown):,} more. Run `kbsync lint` to see them."
            shown += (WriterFinding("warning", "", more),)
        state = "" if live_tree.complete else "Still reading your files."
        return Writer(state, findings=shown, broken=self.broken)

    def of_nothing(self) -> Writer | None:
        """The layer beside a page that is not there."""
        return Writer(broken=self.broken) if self.broken else None

    def _public_url(self, live_tree: LiveTree, path: str, *, is_article: bool) -> str:
        service, profile = self.project.settings.service, self.project.profile
        site = live_tree.index.site
        identity = site.articles[path] if is_article else site.categories[path]
        address = Addresses(profile.article_url, profile.category_url, service.portal)
        host = "" if service.base_url == SANDBOX else service.base_url
        return host + address.of(identity, is_article=is_article)

    def _findings(self, path: str, findings: Iterable[Finding], *, hidden: bool) -> Iterator[WriterFinding]:
        for finding in findings:
            if finding.code.startswith(HIDDEN) == hidden:
                yield self._finding(path, finding, named=False)

    def _finding(self, path: str, finding: Finding, *, named: bool) -> WriterFinding:
        message = f"{path}: {finding.message}" if named else finding.message
        place = (finding.line, finding.column)
        urls = (self._editor_url(path, *place), f"{CODES}#{anchor_of(finding.code)}")
        return WriterFinding(finding.level, finding.code, message, finding.hint, *place, *urls)

    def _editor_url(self, path: str, line: int, column: int) -> str:
        template = self.project.settings.preview.editor
        place = real_path(Path(self.project.root, path)).as_posix()
        words = {"path": quote(place, safe="/:"), "line": str(line), "column": str(column)}
        # In vscode://file/{path} the first slash of the path is there already, in x://open?file={path} it does not.
        template = template.replace("/{path}", "/" + words["path"].removeprefix("/"))
        for word, value in words.items():
            template = template.replace("{" + word + "}", value)
        return template

    def _translations(self, live_tree: LiveTree, path: str) -> Iterator[WriterTranslation]:
        family = live_tree.index.family_of(path)
        own = live_tree.index.site.articles[path].locale
        for locale in live_tree.index.locales:
            other = family.get(locale)
            # Of the page itself there is something to say where it is a translation.
            if locale != own or (other in self.debts):
                url = live_tree.index.url_of[other] if other else ""
                debt = self.debts.get(other) if other else None
                yield (
                    translation_of_page(debt, url)
                    if debt
                    else WriterTranslation(locale, "there" if other else "missing", url)
                )

    @staticmethod
    def _what_broke(path: str, findings: Iterable[Finding]) -> str:
        """The message over the last good page."""
        for finding in findings:
            hint = f" {finding.hint}" if finding.hint else ""
            return f"{path}:{finding.line}:{finding.column}: {finding.message}{hint}"
        return ""
