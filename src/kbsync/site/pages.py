"""The pages of a help center as values, and their HTML.

Everything on a page is decided by the caller: addresses, dates as they shall read, the body already rendered and made
harmless (`defuse.py`). The templates only arrange it; everything else is escaped here. Without `assets_url` a page runs
no script; with it, only those of `assets/`. It asks no other host for anything that its body does not ask for.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import jinja2
from markupsafe import Markup, escape

from kbsync.site.assets import asset
from kbsync.site.reader_words import ReaderWords, words_of
from kbsync.site.writer_panel import Choice, Writer, WriterFinding
from kbsync.words import count

RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "iw", "ku", "ps", "sd", "ug", "ur", "yi"})
"""Languages written from right to left, by the part of the locale before `_` or `-`."""


PLACES = 1024
"""So many links beside a text are kept as HTML: those of a few categories."""

_BETWEEN_TICKS = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Link:
    """Something to go to: `note` is beside the text, `about` below it, `mark` is a state that the style knows."""

    text: str
    url: str
    note: str = ""
    mark: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class TocEntry:
    """One heading of an article. `anchor` is "" where the portal gives it no id: nothing can lead there."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What is around every page.

    Args:
        portal: the name of the help center.
        home_url: where that name leads.
        locale: the language of the page, as the portal writes it (`pt_BR`).
        title: the window's title.
        locales: the same page in the portal's languages, or their home, which a note says; the present one is
            marked `current`.
        head: pairs of name and content for `<meta>`.
        search_url: the index of this locale's articles, as JSON; "" for a page without a search.
        assets_url: the folder with stylesheet and scripts; "" for a page that carries its style and runs no script.
        live_url: the stream of changes; "" for a page that stays as it is.
        writer: what only the writer sees.
        policy: the content security policy, for a page that no header brings one with.
        practice_url: where the sandbox's practice panel edits this; "" for all pages but the sandbox's.
    """

    portal: str
    home_url: str
    locale: str
    title: str
    locales: tuple[Link, ...] = ()
    head: tuple[tuple[str, str], ...] = ()
    search_url: str = ""
    assets_url: str = ""
    live_url: str = ""
    writer: Writer | None = None
    policy: str = ""
    practice_url: str = ""

    @property
    def url(self) -> str:
        """The page's own address, where the locales tell it."""
        return next((link.url for link in self.locales if link.mark == "current"), "")

    @property
    def words(self) -> ReaderWords:
        """What is said around the page, in its language."""
        return words_of(self.locale)

    @property
    def lang(self) -> str:
        """The language as HTML writes it."""
        return self.locale.replace("_", "-")

    @property
    def dir(self) -> str:
        """The direction of writing."""
        return "rtl" if self.lang.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"


@dataclass(frozen=True, slots=True)
class Section:
    """A category with its articles."""

    name: str
    url: str
    icon: str = ""
    description: str = ""
    articles: tuple[Link, ...] = ()

    @property
    def count(self) -> str:
        """How many articles, in words."""
        return count(len(self.articles), "article")


@dataclass(frozen=True, slots=True)
class Navigation:
    """What is beside the text: the articles of its category, or the categories; the present one is marked `current`."""

    heading: Link
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class HomePage:
    """The home of one language: its categories with their articles, then the articles without a category."""

    frame: Frame
    heading: str
    sections: tuple[Section, ...]
    others: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """One category, or any other list of articles."""

    frame: Frame
    section: Section
    crumbs: tuple[Link, ...] = ()
    nav: Navigation | None = None

    @property
    def home(self) -> tuple[Link, ...]:
        """The way to the page where the caller gives none."""
        return (Link(self.frame.portal, self.frame.home_url),)


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """One article.

    Args:
        body_html: goes into the page as it is.
        crumbs: the way to the article, from the home page on.
        updated: when, in words.
        status: shown where readers do not see the article.
        image_url: the image that counts visits.
        toc: the headings of the body, in order.
        previous, next: the neighbours in the category.
        translations: the same article in other languages.
        description: one sentence under the title.
        nav: the articles of its category.
    """

    frame: Frame
    title: str
    body_html: str
    crumbs: tuple[Link, ...] = ()
    author: str = ""
    updated: str = ""
    status: str = ""
    image_url: str = ""
    toc: tuple[TocEntry, ...] = ()
    previous: Link | None = None
    next: Link | None = None
    translations: tuple[Link, ...] = ()
    description: str = ""
    nav: Navigation | None = None

    @property
    def toc_top(self) -> int:
        """The highest level among the headings, from which the others are indented."""
        return min((entry.level for entry in self.toc), default=1)


@dataclass(frozen=True, slots=True)
class MissingPage:
    """Nothing is at this address; the suggestions have nearly the same."""

    frame: Frame
    suggestions: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """Everything there is, drafts included: a list of lists."""

    frame: Frame
    heading: str
    sections: tuple[Section, ...]
    filters: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingsOfFile:
    """The errors and warnings of one file. `url` is its page; where there is none, `editor_url` opens it."""

    path: str
    url: str
    editor_url: str
    findings: tuple[WriterFinding, ...]


@dataclass(frozen=True, slots=True)
class FindingsPage:
    """The errors and warnings of all files.

    Args:
        filters: what the list can be limited to: a name, and its choices.
        summary: how many are shown, in words.
        previous, next: the pages before and after this one.
    """

    frame: Frame
    heading: str
    summary: str
    filters: tuple[tuple[str, tuple[Choice, ...]], ...] = ()
    files: tuple[FindingsOfFile, ...] = ()
    previous: Link | None = None
    next: Link | None = None


Page: TypeAlias = HomePage | CategoryPage | ArticlePage | MissingPage | OverviewPage | FindingsPage

TEMPLATES: dict[type[Page], str] = {
    HomePage: "home.html",
    CategoryPage: "category.html",
    ArticlePage: "article.html",
    MissingPage: "missing.html",
    OverviewPage: "overview.html",
    FindingsPage: "findings.html",
}


def render(page: Page) -> str:
    """The HTML of a page."""
    live = Markup(render_live(page))
    return templates().get_template("base.html").render(frame=page.frame, live=live, style=_style(), kind=kind_of(page))


def render_live(page: Page) -> str:
    """What a change may change: the inner HTML of the page's element `live`, to the byte."""
    return templates().get_template(TEMPLATES[type(page)]).render(page=page, frame=page.frame, kind=kind_of(page))


def kind_of(page: Page) -> str:
    """The stylesheet that a page has besides that of all: of articles, or of lists."""
    return "article" if isinstance(page, ArticlePage) else "lists"


@cache
def _style() -> Markup:
    """What a page carries that has no folder of assets: nobody writes beside it."""
    return Markup("\n".join(asset(name)[0].decode() for name in ("style.css", "article.css", "lists.css")))


@cache
def templates() -> jinja2.Environment:
    """What fills the templates: everything is escaped that is not marked as HTML."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kbsync.site", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # They are in the package: asking for the time of each file would be a twentieth of a page.
        auto_reload=False,
        # All of them are kept. The default, the last 400 used, takes a lock each time: nine times a page.
        cache_size=-1,
    )
    environment.filters |= {"coded": _coded, "icon": _icon, "places": _places}
    return environment


def _icon(name: str) -> Markup:
    """An icon as HTML. A name that a template has as it is becomes its icon when the template is compiled."""
    return Markup(templates().get_template("icons.html").module.icon(name))  # type: ignore[attr-defined]  # A macro.


def _places(links: tuple[Link, ...], locale: str) -> Markup:
    """The links beside a text, one after the other."""
    return Markup("".join([_place(link, locale) for link in links]))


@lru_cache(maxsize=PLACES)
def _place(link: Link, locale: str) -> Markup:
    """A link beside the text. All articles of a category have the same, each with another one marked."""
    parts = templates().get_template("parts.html").module
    return Markup(parts.place(link, words_of(locale)))  # type: ignore[attr-defined]  # A macro.


def _coded(message: str) -> Markup:
    """A message, with the parts between backticks as code."""
    return Markup(_BETWEEN_TICKS.sub(r"<code>\1</code>", str(escape(message))))
