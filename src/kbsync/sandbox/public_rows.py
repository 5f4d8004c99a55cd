"""What visitors may see of a portal: its published articles, and its categories."""

from dataclasses import dataclass
from typing import Self

from .articles import SELECT, as_article
from .casts import STATUSES, leading_integer
from .http import Params
from .listing import matches
from .records import Article, Category, Portal
from .store import CATEGORY_COLUMNS, Store

PUBLISHED = STATUSES["published"]

MAX_PER_PAGE = 100
"""Rows in one page of the public list at most. Source: docs/service.md, S146."""

SEARCH_PER_PAGE = 10
"""Rows in one page of the search. Source: docs/service.md, S145."""


@dataclass(frozen=True, slots=True)
class PublicList:
    """What a public list of articles is narrowed to, and its order.

    Before 4.16 `page` and `sort` are ignored. `per_page` None is all of them.
    """

    locale: str
    query: str = ""
    status: str = ""
    per_page: int | None = 25
    category_slug: str = ""
    page: int = 1
    most_viewed_first: bool = False

    def takes(self, article: Article) -> bool:
        """Whether an article is in the list, whatever its status."""
        words = "\n".join(self.query.lower().split())
        is_found = not words or matches(words, article.title, article.description, article.content)
        return is_found and self.category_slug in ("", article.category.slug)

    @classmethod
    def read(cls, locale: str, query: Params, *, is_4_16: bool) -> Self:
        """The list that a query string asks for."""
        texts = {name: str(query.get(name) or "") for name in ("query", "status", "per_page", "category_slug")}
        sent, page = leading_integer(texts["per_page"]), leading_integer(str(query.get("page") or ""))
        if is_4_16:
            per_page = min(sent, MAX_PER_PAGE) if sent > 0 else None
            by_views = query.get("sort") == "views"
            return cls(
                locale, texts["query"], texts["status"], per_page, texts["category_slug"], max(page, 1), by_views
            )
        return cls(locale, texts["query"], texts["status"], sent or 25, texts["category_slug"])


def published(store: Store, portal: Portal, locale: str = "") -> list[Article]:
    """The published articles of a portal, or of one of its locales, by position."""
    condition, values = ("AND a.locale = ?", (locale,)) if locale else ("", ())
    sql = f"{SELECT} WHERE a.portal_id = ? AND a.status = {PUBLISHED} {condition} ORDER BY a.position, a.id"
    return [as_article(row) for row in store.rows(sql, (portal.id, *values))]


def translations_of(store: Store, article: Article) -> list[Article]:
    """The published articles of the same set, by locale, without the article itself."""
    root = article.associated_article_id or article.id
    sql = (
        f"{SELECT} WHERE (a.id = ? OR a.associated_article_id = ?) AND a.id != ? AND a.portal_id = ? "
        f"AND a.status = {PUBLISHED} ORDER BY a.locale, a.id"
    )
    return [as_article(row) for row in store.rows(sql, (root, root, article.id, article.portal_id))]


def listed(store: Store, portal: Portal, wanted: PublicList) -> tuple[list[Article], int]:
    """The articles of a public list, and how many the locale has."""
    everything = published(store, portal, wanted.locale)
    if wanted.status and wanted.status not in {"1", "published"}:
        return [], len(everything)
    found = [article for article in everything if wanted.takes(article)]
    if wanted.most_viewed_first:
        # The database puts those that nobody has viewed before all others.
        found.sort(key=lambda article: (article.views is not None, -(article.views or 0)))
    if wanted.per_page is None:
        return found, len(everything)
    offset = (wanted.page - 1) * wanted.per_page
    return found[offset : offset + wanted.per_page], len(everything)


def count_published(store: Store, portal: Portal) -> int:
    """How many articles visitors can find."""
    sql = f"SELECT coalesce(sum(rows), 0) FROM tally WHERE portal_id = ? AND status = {PUBLISHED}"
    found = store.row(sql, (portal.id,))
    return int(found[0]) if found else 0


def categories_of(store: Store, portal: Portal, locale: str = "") -> list[Category]:
    """The categories of a portal, or of one of its locales, by position."""
    condition, values = ("AND locale = ?", (locale,)) if locale else ("", ())
    order = "ORDER BY position IS NULL, position, id"
    sql = f"SELECT {CATEGORY_COLUMNS} FROM categories WHERE portal_id = ? {condition} {order}"
    return [Category(*row) for row in store.rows(sql, (portal.id, *values))]


def category_at(store: Store, portal: Portal, locale: str, slug: str) -> Category | None:
    """The category at a public address."""
    return next((found for found in categories_of(store, portal, locale) if found.slug == slug), None)
