"""The public pages as HTML: rows of the sandbox put into the values that `kbsync.site` renders."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote

from kbsync.site.anchor_links import add_anchors
from kbsync.site.code_blocks import dress_code
from kbsync.site.languages import language_name
from kbsync.site.pages import (
    ArticlePage,
    CategoryPage,
    Frame,
    HomePage,
    Link,
    MissingPage,
    Navigation,
    Section,
)
from kbsync.site.reader_words import words_of

from .api_json import status_name
from .auth import World
from .portal_config import draft_locales, settings_of
from .public_rows import PublicList, categories_of, listed, published, translations_of
from .records import Article, Category, Portal
from .rendering import body_html

Row = TypeVar("Row", Article, Category)

PRACTICE = "/-/panel"
"""Where the practice panel is."""

BODY = '<div id="cw-article-content" class="prose">\n  {}\n</div>'
"""Where 4.16 puts the body. Source: docs/service.md, S147."""

BESIDE = 60
"""Articles of its category beside a page."""

POPULAR_CATEGORIES, POPULAR_ARTICLES = 3, 6
"""How many of them a home page shows at most. Source: docs/service.md, S137."""

UPLOADED = re.compile(r"http://127\.0\.0\.1:\d+/rails/")
"""Where an image was uploaded to, maybe by a command that had this data on another port."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a portal calls itself in a locale.

    Args:
        name: in the header, and in the titles of the classic layout.
        home: the title of a home page.
        suffix: what follows the name of an article or category in the title of its page.
        question: above the search of a home page.
    """

    name: str
    home: str
    suffix: str
    question: str


def names_of(world: World, portal: Portal, locale: str) -> Names:
    """The names of a portal; from 4.16 they are those of the locale, else of the default one (S136, S149)."""
    if not world.behaviour.is_4_16:
        return Names(portal.name, portal.name, portal.name, portal.header_text or portal.name)
    settings = settings_of(portal)
    translations = settings["locale_translations"]
    words = (translations.get(portal.default_locale) or {}) | (translations.get(locale) or {})
    name = _first(words.get("name"), portal.name)
    title = _first(words.get("page_title"), portal.page_title, name)
    suffix = title if settings["layout"] == "documentation" else name
    return Names(name, title, suffix, _first(words.get("header_text"), portal.header_text, name))


def _first(*texts: str | None) -> str:
    return next(filter(None, texts), "")


def home_page(world: World, portal: Portal, locale: str) -> HomePage:
    """The home of one locale; any locale has one, even an unknown one."""
    articles = published(world.store, portal, locale)
    by_category: dict[int | None, list[Article]] = {}
    for article in articles:
        by_category.setdefault(article.category_id, []).append(article)
    sections = tuple(
        _section(portal, category, by_category.get(category.id, []))
        for category in categories_of(world.store, portal, locale)
    )
    others = tuple(_link(portal, article) for article in articles if article.category.slug is None)
    names = names_of(world, portal, locale)
    popular = _popular(world, portal, locale)
    return HomePage(_frame(world, portal, locale, names.home), names.question, popular + sections, others)


def category_page(world: World, portal: Portal, category: Category) -> CategoryPage:
    """One category with its published articles."""
    articles = _of_category(published(world.store, portal, category.locale), category.id)
    there = {found.locale for found in categories_of(world.store, portal) if found.slug == category.slug}
    elsewhere = {locale: category_url(portal, locale, category.slug) for locale in there}
    names = names_of(world, portal, category.locale)
    frame = _frame(world, portal, category.locale, f"{category.name} | {names.suffix}", elsewhere=elsewhere)
    crumbs: tuple[Link, ...] = (Link(names.name, home_url(portal, category.locale)),)
    links = tuple(
        Link(
            other.name,
            category_url(portal, other.locale, other.slug),
            mark="current" if other.id == category.id else "",
        )
        for other in categories_of(world.store, portal, category.locale)
    )
    return CategoryPage(frame, _section(portal, category, articles), crumbs, Navigation(crumbs[0], links))


def list_page(world: World, portal: Portal, wanted: PublicList) -> CategoryPage:
    """The articles of a locale, or what a search found."""
    articles, _ = listed(world.store, portal, wanted)
    name = f"Search: {wanted.query}" if wanted.query else "Articles"
    section = Section(name, "", articles=tuple(_link(portal, article) for article in articles))
    return CategoryPage(_frame(world, portal, wanted.locale, names_of(world, portal, wanted.locale).name), section)


def search_page(world: World, portal: Portal, wanted: PublicList) -> CategoryPage:
    """What a search of 4.16 found (S145)."""
    found = listed(world.store, portal, wanted)[0] if wanted.query else []
    title = f"Search Results for '{wanted.query}'"
    section = Section(title, "", articles=tuple(_link(portal, article) for article in found))
    name = names_of(world, portal, wanted.locale).name
    return CategoryPage(_frame(world, portal, wanted.locale, f"{title} | {name}"), section)


def article_page(world: World, portal: Portal, article: Article) -> ArticlePage:
    """One article of any status. The language is the category's, else the portal's, never the article's own."""
    locale = article.category.locale or portal.default_locale
    names = names_of(world, portal, locale)
    crumbs = _crumbs(portal, article, locale, names)
    status = status_name(article) or "no status"
    is_public = status == "published"
    updated = datetime.fromtimestamp(article.updated_at / 1_000_000, UTC)
    translations = translations_of(world.store, article)
    elsewhere = {found.locale: article_url(portal, found) for found in (*translations, article)}
    row = _row(world, portal, article)
    before, after = (_link(portal, found) if found else None for found in _neighbours(row, article))
    words = words_of(locale)
    # The real portal's page script gives headings their ids; nothing runs here.
    body, toc = add_anchors(UPLOADED.sub("/rails/", body_html(world, article.content)))
    dressed = dress_code(body, words, copies=False)
    return ArticlePage(
        replace(
            _frame(world, portal, locale, f"{article.title} | {names.suffix}", _head(article), elsewhere),
            practice_url=f"{PRACTICE}/articles/{article.id}",
        ),
        article.title or "",
        BODY.format(dressed) if world.behaviour.is_4_16 else dressed,
        crumbs,
        article.author.name if article.author else "",
        words.filled("updated", date=words.long_date(updated.date())),
        "" if is_public else status,
        f"{article_url(portal, article)}.png" if is_public else "",
        toc=toc,
        previous=before,
        next=after,
        translations=tuple(
            Link(found.title or "", article_url(portal, found), language_name(found.locale)) for found in translations
        ),
        description=article.description or "",
        nav=_beside(portal, crumbs[-1], row, article),
    )


def _crumbs(portal: Portal, article: Article, locale: str, names: Names) -> tuple[Link, ...]:
    home, category = Link(names.name, home_url(portal, locale)), article.category
    if category.slug is None:
        return (home,)
    return home, Link(category.name or "", category_url(portal, locale, category.slug))


def missing_page(world: World, portal: Portal) -> MissingPage:
    """Nothing is there."""
    name = names_of(world, portal, portal.default_locale).name
    return MissingPage(_frame(world, portal, portal.default_locale, name))


def _head(article: Article) -> tuple[tuple[str, str], ...]:
    meta = article.meta
    head = [(name, str(meta[name])) for name in ("title", "description") if meta.get(name)]
    if meta.get("tags"):
        head.append(("tags", ", ".join(str(tag) for tag in meta["tags"])))
    return tuple(head)


def _row(world: World, portal: Portal, article: Article) -> list[Article]:
    """What visitors find in the category of an article; nothing without one."""
    if article.category.slug is None:
        return []
    return _of_category(published(world.store, portal, article.locale), article.category_id)


def _of_category(articles: list[Article], category_id: int | None) -> list[Article]:
    return [found for found in articles if found.category_id == category_id]


def _place(row: list[Article], article: Article) -> int | None:
    return next((place for place, found in enumerate(row) if found.id == article.id), None)


def _neighbours(row: list[Article], article: Article) -> tuple[Article | None, Article | None]:
    """What visitors find before and after an article in its category."""
    place = _place(row, article)
    if place is None:
        return None, None
    return row[place - 1] if place else None, row[place + 1] if place + 1 < len(row) else None


def _beside(portal: Portal, heading: Link, row: list[Article], article: Article) -> Navigation | None:
    """The nearest articles of the category; a draft is not among them."""
    if len(row) < 2:
        return None
    first = max(0, min((_place(row, article) or 0) - BESIDE // 2, len(row) - BESIDE))
    links = (
        replace(_link(portal, found), mark="current" if found.id == article.id else "")
        for found in row[first : first + BESIDE]
    )
    return Navigation(heading, tuple(links))


def _frame(
    world: World,
    portal: Portal,
    locale: str,
    title: str,
    head: tuple[tuple[str, str], ...] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> Frame:
    """The frame of a page; `elsewhere` are the addresses of the same in other locales, None for a home page."""
    hidden = draft_locales(portal) if world.behaviour.is_4_16 else []
    shown = [code for code in portal.allowed_locales or [] if code not in hidden]
    locales = tuple(_locale_link(portal, code, locale, elsewhere) for code in shown)
    name, home = names_of(world, portal, locale).name, home_url(portal, locale)
    practice_url = f"{PRACTICE}/portals/{portal.slug}/{quote(locale, safe='')}"
    return Frame(name, home, locale, title, locales, head, practice_url=practice_url)


def _locale_link(portal: Portal, code: str, locale: str, elsewhere: Mapping[str, str] | None) -> Link:
    name, home = language_name(code), home_url(portal, code)
    if code == locale:
        return Link(name, (elsewhere or {}).get(code, home), mark="current")
    if elsewhere is None or code in elsewhere:
        return Link(name, (elsewhere or {}).get(code, home))
    return Link(name, home, words_of(locale)["not_translated"])


def _popular(world: World, portal: Portal, locale: str) -> tuple[Section, ...]:
    """The categories and articles that a home page of 4.16 shows first, where they exist in the locale (S137)."""
    if not world.behaviour.is_4_16:
        return ()
    chosen = settings_of(portal)["popular_content"].get(locale) or {}
    shown = published(world.store, portal, locale)
    sections = [
        _section(portal, category, _of_category(shown, category.id))
        for category in _chosen(categories_of(world.store, portal, locale), chosen.get("category_ids"))
    ][:POPULAR_CATEGORIES]
    if articles := _chosen(shown, chosen.get("article_ids")):
        links = tuple(_link(portal, article) for article in articles[:POPULAR_ARTICLES])
        sections.append(Section("Popular articles", "", articles=links))
    return tuple(sections)


def _chosen(rows: Sequence[Row], ids: Iterable[int] | None) -> list[Row]:
    """Those of the rows that are named, in the order of their names."""
    there = {row.id: row for row in rows}
    return [there[number] for number in ids or () if number in there]


def _section(portal: Portal, category: Category, articles: list[Article]) -> Section:
    return Section(
        category.name,
        category_url(portal, category.locale, category.slug),
        category.icon or "",
        category.description or "",
        tuple(_link(portal, article) for article in articles),
    )


def _link(portal: Portal, article: Article) -> Link:
    return Link(article.title or "", article_url(portal, article), about=article.description or "")


def home_url(portal: Portal, locale: str) -> str:
    """The home of a locale."""
    return f"/hc/{portal.slug}/{quote(locale, safe='')}"


def category_url(portal: Portal, locale: str, slug: str) -> str:
    """The page of a category."""
    return f"{home_url(portal, locale)}/categories/{quote(slug, safe='')}"


def article_url(portal: Portal, article: Article) -> str:
    """The page of an article."""
    return f"/hc/{portal.slug}/articles/{quote(article.slug, safe='')}"
