"""The pages of a help center as values, and their HTML.

Everything on a page is decided by the caller: addresses, dates as they shall read, the body already rendered. The
templates only arrange it; what is no HTML is escaped here. A page runs no script and asks no other host for anything
that its body does not ask for.
"""

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
class Frame:
    """What is around every page.

    Args:
        portal: the name of the help center.
        home_url: where that name leads.
        locale: the language of the page, as the portal writes it (`pt_BR`).
        title: the window's title.
        locales: the home page in the portal's languages; the present one is marked `current`.
        head: pairs of name and content for `<meta>`.
    """

    portal: str
    home_url: str
    locale: str
    title: str
    locales: tuple[Link, ...] = ()
    head: tuple[tuple[str, str], ...] = ()

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


@dataclass(frozen=True, slots=True)
class MissingPage:
    """Nothing is at this address."""

    frame: Frame


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
