"""The pages of the local help center as values for `kbsync.site`; everything there is to see, drafts included.

Also: the time that a page may take to be rendered. Nothing else happens in the preview meanwhile.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from kbsync.content.source import Source
from kbsync.preview.findings_list import Limits
from kbsync.preview.index import CategoryKey
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.policy import BUILT
from kbsync.preview.suggestions import suggest
from kbsync.preview.urls import (
    ASSETS,
    CODES,
    EVENTS,
    FINDINGS,
    OVERVIEW,
    OWN,
    Place,
    category_url,
    home_url,
    read_list_url,
    read_url,
    search_url,
)
from kbsync.preview.writer import TO_TRANSLATE, Writing, list_filters
from kbsync.site.languages import language_name
from kbsync.site.pages import (
    ArticlePage,
    CategoryPage,
    FindingsPage,
    Frame,
    HomePage,
    Link,
    MissingPage,
    Navigation,
    OverviewPage,
    Page,
    Section,
)
from kbsync.site.reader_words import ReaderWords, words_of

MOST_S = 5.0

TOO_LONG = f"""\
<p><strong>This article is not shown, because it takes longer than {MOST_S:.0f} seconds to render.</strong></p>
<p>Split it, or look for a sign that is repeated thousands of times.</p>
"""
"""Stands in the place of a body."""


class RenderingTooLong(Exception):
    """A page took longer than it may."""


@dataclass(slots=True, eq=False)
class Deadline:
    """Ends the rendering of a page that takes too long.

    Args:
        clock: the seconds that this thread has had the CPU: other programs do not make a page slow.
    """

    clock: Callable[[], float] = time.thread_time
    _until: float = math.inf

    def start(self) -> None:
        """Begin with a page."""
        self._until = self.clock() + MOST_S

    def check(self) -> None:
        """Go on, if there is time.

        Raises:
            RenderingTooLong: there is none.
        """
        if self.clock() > self._until:
            raise RenderingTooLong


@dataclass(frozen=True, slots=True)
class View:
    """How pages are dressed.

    Args:
        live_tree: what they show.
        writing: what the writer's layer says; None leaves it out.
        live: whether pages follow changes.
        dated: whether the time of a file is a date where git has none; in a fresh checkout it says nothing.
        deadline: how long an article may take to be rendered.
    """

    live_tree: LiveTree
    writing: Writing | None = None
    live: bool = True
    dated: bool = True
    deadline: Deadline = field(default_factory=Deadline)
    portal: str = field(init=False)

    def __post_init__(self) -> None:
        name = self.live_tree.project.settings.service.portal.replace("-", " ").replace("_", " ").title()
        object.__setattr__(self, "portal", name)

    def page_at(self, url: str, *, media: bool = False) -> Page:
        """The page at an address; what is nowhere is a `MissingPage`."""
        place = read_url(url)
        index = self.live_tree.index
        if url.startswith(OWN):
            return self._own(url)
        if place is None:
            return self.missing(url, index.site.default_locale)
        if place.kind == "home" and place.locale in (*index.locales, ""):
            return self.home(place.locale)
        if place.kind == "categories" and index.has_shelf((place.locale, place.slug)):
            return self.category((place.locale, place.slug))
        path = index.path_at.get(url)
        if path is None:
            return self.missing(url, place.locale if place.locale in index.locales else index.site.default_locale)
        if place.kind == "categories":
            return self.category(index.shelf_of(path))
        try:
            return self.article(path, media=media)
        except OSError:
            # Deleted a moment ago: the event is on its way.
            return self.missing(url, place.locale)

    def _own(self, url: str) -> Page:
        """A page that is not of the help center."""
        base, query = read_list_url(url)
        if base == OVERVIEW:
            return self.overview(query.get("show", ""))
        if base == FINDINGS and self.writing:
            return self.findings(Limits.of(query), self.writing)
        return self.codes() if base == CODES else self.missing(url, self.live_tree.index.site.default_locale)

    # --- pages -----------------------------------------------------------------------------------------------------

    def home(self, locale: str) -> HomePage:
        """The home of one locale: its categories with their articles."""
        index = self.live_tree.index
        sections = tuple(self._section(category_key, path) for category_key, path in index.shelves_of(locale))
        others = tuple(self._link(path) for path in index.articles_of((locale, "")))
        frame = self._frame(locale, self.portal, self._locale_links(locale, home_url))
        if self.writing:
            frame = replace(frame, writer=self.writing.of_all(self.live_tree))
        return HomePage(frame, self.portal, sections, others)

    def category(self, category_key: CategoryKey) -> CategoryPage:
        """One category; the switch leads to the category of the same slug in other locales."""
        locale, slug = category_key
        index = self.live_tree.index
        path = index.shelf_source(category_key)
        section = self._section(category_key, path, detailed=True)
        links = self._locale_links(
            locale, lambda other: category_url(other, slug) if index.has_shelf((other, slug)) else ""
        )
        frame = self._frame(locale, f"{section.name} | {self.portal}", links)
        if self.writing and path:
            frame = replace(frame, writer=self.writing.of_source(self.live_tree, path))
        return CategoryPage(frame, section, (Link(self.portal, home_url(locale)),), self._categories(locale, slug))

    def article(self, path: str, *, media: bool) -> ArticlePage:
        """One article.

        Raises:
            OSError: the file is not there any more.
        """
        # Loaded here: a page that was made before is not rendered again, and needs no parser.
        from kbsync.preview.article_body import ArticleBody, article_body

        marked, check = self.writing is not None, self.deadline.check
        self.deadline.start()
        try:
            body = article_body(self.live_tree, path, media=media, marked=marked, check=check)
        except RenderingTooLong:
            body = ArticleBody(TOO_LONG, ())
        index = self.live_tree.index
        source, identity = self.live_tree.sources[path], index.site.articles[path]
        before, after = index.neighbours(path)
        family = index.family_of(path)
        links = self._locale_links(identity.locale, lambda other: index.url_of.get(family.get(other, ""), ""))
        title = self._title(source)
        frame = self._frame(identity.locale, f"{title} | {self.portal}", links, tuple(self._head(source)))
        if self.writing:
            frame = replace(frame, writer=self.writing.of_source(self.live_tree, path, body.places))
        return ArticlePage(
            frame,
            title,
            body.html,
            tuple(self._crumbs(identity.locale, identity.category)),
            author=(source.author or "").title(),
            updated=self._updated(path, words_of(identity.locale)),
            status=_mark(source),
            toc=body.toc,
            previous=self._link(before) if before else None,
            next=self._link(after) if after else None,
            translations=tuple(
                Link(self._title(self.live_tree.sources[other]), index.url_of[other], self._language(locale))
                for locale, other in family.items()
                if other != path
            ),
            description=source.description or "",
            nav=self._beside(path),
        )

    def overview(self, show: str = "") -> OverviewPage:
        """Every article with its status, locale by locale; `show` limits it to what there is to do."""
        to_do = self.writing.paths_to_do(self.live_tree) if self.writing else {}
        show = show if show in to_do else ""
        sections = []
        for locale in (*self.live_tree.index.locales, ""):
            paths = [path for path in self._in_order(locale) if not show or path in to_do[show]]
            if self.writing and show in TO_TRANSLATE:
                paths.sort(key=self.writing.debts.most_read_first)
            if paths:
                links = tuple(map(self._overview_link, paths))
                sections.append(Section(self._language(locale), home_url(locale), articles=links))
        frame = self._own_frame("All articles")
        filters = list_filters(to_do, show) if to_do else ()
        return OverviewPage(frame, "All articles", tuple(sections), filters)

    def _in_order(self, locale: str) -> Iterator[str]:
        """The articles of a locale, those without a category first."""
        index = self.live_tree.index
        for category_key in ((locale, ""), *(category_key for category_key, _ in index.shelves_of(locale))):
            yield from index.articles_of(category_key)

    def _overview_link(self, path: str) -> Link:
        source = self.live_tree.sources[path]
        return Link(self._title(source), self.live_tree.index.url_of[path], path, source.status or "draft")

    def findings(self, limits: Limits, writing: Writing) -> FindingsPage:
        """The errors and warnings of all files, as far as these limits go."""
        frame = self._own_frame("Errors and warnings")
        return writing.findings_list(self.live_tree).page(frame, limits)

    def codes(self) -> ArticlePage:
        """What lint can find: the page that the codes of the writer's layer link to."""
        # Loaded here: the rules with their explanations are of no use to a page without errors and warnings.
        from kbsync.lint.explanations import handbook
        from kbsync.lint.registry import RULES
        from kbsync.preview.article_body import dressed, page_html

        title, locale = "Error and warning codes", self.live_tree.index.site.default_locale
        html, toc = page_html(handbook(sorted(RULES, key=lambda rule: rule.code)), locale, media=False)
        frame = self._own_frame(title)
        return ArticlePage(frame, title, dressed(html, locale), (Link(self.portal, home_url(locale)),), toc=toc)

    def missing(self, url: str, locale: str) -> MissingPage:
        """Nothing is there; what was meant may be elsewhere."""
        place = read_url(url) or Place("articles", locale, url.strip("/").rpartition("/")[2])
        index = self.live_tree.index
        near = suggest(place.slug, locale, index.site.articles, self.live_tree.sources) if place.slug else []
        links = self._locale_links(locale, lambda other: url if other == locale else home_url(other))
        frame = self._noticed(self._frame(locale, f"{words_of(locale)['missing_title']} | {self.portal}", links))
        return MissingPage(frame, tuple(self._suggestion(path, locale) for path in near))

    # --- parts -----------------------------------------------------------------------------------------------------

    def _frame(self, locale: str, title: str, links: tuple[Link, ...], head: tuple[tuple[str, str], ...] = ()) -> Frame:
        return Frame(
            self.portal,
            home_url(locale),
            locale,
            title,
            links,
            head,
            search_url(locale),
            ASSETS,
            EVENTS if self.live else "",
            policy="" if self.live else BUILT,
        )

    def _own_frame(self, title: str) -> Frame:
        """That of a page that is not of the help center."""
        return self._noticed(self._frame(self.live_tree.index.site.default_locale, f"{title} | {self.portal}", ()))

    def _noticed(self, frame: Frame) -> Frame:
        """A frame that says what is wrong with the project, on a page that no file makes."""
        return replace(frame, writer=self.writing.of_nothing()) if self.writing else frame

    def _locale_links(self, locale: str, url_in: Callable[[str], str]) -> tuple[Link, ...]:
        """The same thing in each locale; where its address is "", the home of the locale, which says so."""

        def link(other: str) -> Link:
            if url := url_in(other):
                return Link(self._language(other), url, mark="current" if other == locale else "")
            return Link(self._language(other), home_url(other), words_of(locale)["not_translated"])

        return tuple(link(other) for other in self.live_tree.index.locales)

    @staticmethod
    def _language(locale: str) -> str:
        return language_name(locale) if locale else "no language"

    def _crumbs(self, locale: str, category: str) -> Iterator[Link]:
        yield Link(self.portal, home_url(locale))
        if category:
            yield self._category_link((locale, category))

    def _beside(self, path: str) -> Navigation | None:
        """The articles around one in its category."""
        index = self.live_tree.index
        category_key = index.shelf_of(path)
        if not category_key[1]:
            return None
        links = ((other, self._link(other)) for other in index.beside(path))
        return Navigation(
            self._category_link(category_key),
            tuple(replace(link, mark="current") if other == path else link for other, link in links),
        )

    def _category_link(self, category_key: CategoryKey) -> Link:
        name = self._shelf_name(category_key, self.live_tree.index.shelf_source(category_key))
        return Link(name, category_url(*category_key))

    def _categories(self, locale: str, slug: str) -> Navigation:
        links = tuple(
            Link(self._shelf_name(key, path), category_url(*key), mark="current" if key[1] == slug else "")
            for key, path in self.live_tree.index.shelves_of(locale)
        )
        return Navigation(Link(self.portal, home_url(locale)), links)

    def _shelf_name(self, category_key: CategoryKey, path: str) -> str:
        return (self.live_tree.sources[path].name if path else "") or category_key[1]

    def _section(self, category_key: CategoryKey, path: str, *, detailed: bool = False) -> Section:
        source = self.live_tree.sources[path] if path else Source("", "category", b"")
        return Section(
            self._shelf_name(category_key, path),
            category_url(*category_key),
            source.icon or "",
            source.description or "",
            tuple(self._link(article, detailed=detailed) for article in self.live_tree.index.articles_of(category_key)),
        )

    def _link(self, path: str, *, detailed: bool = False) -> Link:
        source = self.live_tree.sources[path]
        about = source.description or "" if detailed else ""
        return Link(self._title(source), self.live_tree.index.url_of[path], mark=_mark(source), about=about)

    def _suggestion(self, path: str, locale: str) -> Link:
        """An article that may have been meant, with its language where that is another."""
        other = self.live_tree.index.site.articles[path].locale
        return replace(self._link(path), note="" if other == locale else self._language(other))

    def _title(self, source: Source) -> str:
        return (source.title or "").strip() or source.path.rpartition("/")[2].removesuffix(".md")

    def _updated(self, path: str, words: ReaderWords) -> str:
        seconds = self.live_tree.updated_at(path) if self.dated else self.live_tree.dates.get(path)
        if seconds is None:
            return ""
        return words.filled("updated", date=words.long_date(datetime.fromtimestamp(seconds).date()))

    @staticmethod
    def _head(source: Source) -> Iterator[tuple[str, str]]:
        if title := source.meta_title:
            yield "title", title
        if description := source.meta_description or source.description:
            yield "description", description
        if source.tags:
            yield "tags", ", ".join(source.tags)


def _mark(source: Source) -> str:
    """What readers see carries no mark."""
    status = source.status or "draft"
    return "" if status == "published" else status
