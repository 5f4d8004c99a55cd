"""The pages of a help center as values, and their HTML.

Everything on a page is decided by the caller: addresses, dates as they shall read, the body already rendered. The
templates only arrange it; what is no HTML is escaped here. A page runs no script and asks no other host for anything
that its body does not ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import jinja2

RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "iw", "ku", "ps", "sd", "ug", "ur", "yi"})
"""Languages written from right to left, by the part of the locale before `_` or `-`."""


@dataclass(frozen=True, slots=True)
class Link:
    """Something to go to. `note` stands beside the text, `mark` names a state that the style knows."""

    text: str
    url: str
    note: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class TocEntry:
    """One heading of an article: its level, text, and the id to link to."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class WriterFinding:
    """One finding of the source behind the page; `editor_url` opens the editor there."""

    level: str
    code: str
    message: str
    hint: str = ""
    line: int = 1
    column: int = 1
    editor_url: str = ""


@dataclass(frozen=True, slots=True)
class WriterTranslation:
    """The article in another locale; `state` is a word such as `missing`."""

    locale: str
    state: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class WriterDiff:
    """What the portal holds beside what the source says.

    Args:
        state: one sentence, such as "no token: not compared".
        fields: name, before and after of each field that differs.
        body_html: the body's difference, already HTML, with `<ins>` and `<del>`.
    """

    state: str
    fields: tuple[tuple[str, str, str], ...] = ()
    body_html: str = ""


@dataclass(frozen=True, slots=True)
class Writer:
    """What only the writer sees: the source behind the page. `broken` stands over the last good page."""

    status: str = ""
    path: str = ""
    slug: str = ""
    public_url: str = ""
    editor_url: str = ""
    findings: tuple[WriterFinding, ...] = ()
    hidden: tuple[WriterFinding, ...] = ()
    translations: tuple[WriterTranslation, ...] = ()
    diff: WriterDiff | None = None
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is around every page.

    Args:
        portal: the name of the help center.
        home_url: where that name leads.
        locale: the language of the page, as the portal writes it (`pt_BR`).
        title: the window's title.
        locales: the same page (or the home page) in the portal's languages; the present one is marked `current`.
        head: pairs of name and content for `<meta>`.
        search_url: the index that the search box reads, "" for no search.
        assets_url: where stylesheet and scripts are; "" writes the style into the page and runs no script.
        live_url: the stream of changes, "" for a page that stays as it is.
        writer: what only the writer sees, beside the page.
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


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """One article. `body_html` goes into the page as it is; `picture_url` is the picture that counts visits."""

    frame: Frame
    title: str
    body_html: str
    crumbs: tuple[Link, ...] = ()
    author: str = ""
    updated: str = ""
    status: str = ""
    picture_url: str = ""
    toc: tuple[TocEntry, ...] = ()
    previous: Link | None = None
    next: Link | None = None
    translations: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingPage:
    """Nothing is at this address; perhaps one of the suggestions was meant."""

    frame: Frame
    suggestions: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """Everything there is, drafts included: a list of lists."""

    frame: Frame
    heading: str
    sections: tuple[Section, ...]


Page: TypeAlias = HomePage | CategoryPage | ArticlePage | MissingPage | OverviewPage

TEMPLATES: dict[type[Page], str] = {
    HomePage: "home.html",
    CategoryPage: "category.html",
    ArticlePage: "article.html",
    MissingPage: "missing.html",
    OverviewPage: "overview.html",
}


def render(page: Page) -> str:
    """The HTML of a page."""
    return _templates().get_template(TEMPLATES[type(page)]).render(page=page, frame=page.frame)


def render_live(page: Page) -> str:
    """What changes on a save: exactly what stands inside `<div id="live">`."""
    return render(page).partition('<div id="live">')[2].rpartition("</div>\n</body>")[0]


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("kbsync.site", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
