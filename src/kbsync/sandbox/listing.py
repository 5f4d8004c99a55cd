"""The article list: filters, order, pages and counters. Source: docs/service.md, section 4 and S6."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from .articles import SELECT, as_article
from .casts import STATUS_NAMES, STATUSES, leading_integer
from .http import Params
from .records import Article
from .refusals import crashed
from .store import Row, Store

PER_PAGE = 25
"""Rows in one page of the article list. Source: docs/service.md, section 4."""

_WORDS = re.compile(r"[\s?\\:‘’']+")


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed to. `status` and `author_id` do not touch the counters."""

    locales: tuple[str, ...] = ()
    category_slug: str = ""
    words: tuple[str, ...] = ()
    status: int | None = None
    author_id: int | None = None


@dataclass(frozen=True, slots=True)
class Counters:
    """The numbers that come with a page."""

    everything: int
    matching: int
    by_status: dict[int, int]
    mine: int


@dataclass(frozen=True, slots=True)
class Window:
    """Which rows of a list are asked for, and how ties in the sort column come out."""

    offset: int = 0
    limit: int = PER_PAGE
    ties: Literal["lose", "random", "stable"] = "stable"


def read_page(params: Params, per_page: int) -> int:
    """The offset that `page` means: zero, negative and nonsense are page 1, absurd numbers an exception.

    Raises:
        Halt: 500.
    """
    page = params.get("page")
    if page is None:
        return 0
    if not isinstance(page, str):
        raise crashed()
    offset = (max(leading_integer(page), 1) - 1) * per_page
    if offset >= 2**63:
        raise crashed()
    return offset


def read_filters(params: Params) -> Filters:
    """The filters in a query string.

    Raises:
        Halt: 500 for an unknown word as status and for a NUL in the query.
    """
    locale = params.get("locale")
    locales = tuple(locale) if isinstance(locale, list) else (str(locale),) if locale else ()
    query = _text(params, "query")
    if "\0" in query:
        raise crashed()
    author = _text(params, "author_id")
    return Filters(
        locales,
        _text(params, "category_slug"),
        tuple(word.lower() for word in _WORDS.split(query) if word),
        _read_status(_text(params, "status")),
        leading_integer(author) if author else None,
    )


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    return value if isinstance(value, str) else ""


def _read_status(text: str) -> int | None:
    if not text:
        return None
    if text in STATUSES:
        return STATUSES[text]
    if not text.isdigit():
        raise crashed()
    return int(text) if int(text) in STATUS_NAMES else -9


def matches(words: str, *texts: str | None) -> bool:
    """Whether every word begins a word of a text. `words` are separated by a line feed."""
    text = " ".join(part for part in texts if part).lower()
    return all(
        any(mark.isalnum() for mark in word) and re.search(rf"(?<!\w){re.escape(word)}", text) is not None
        for word in words.split("\n")
    )


def page_of_articles(store: Store, portal_id: int, filters: Filters, window: Window) -> list[Article]:
    """One page, newest first, or by position where a category is asked for."""
    by_position = bool(filters.category_slug)
    key, order = (
        ("a.position", "a.position IS NULL, a.position") if by_position else ("a.updated_at", "a.updated_at DESC")
    )
    tie = "random()" if window.ties == "random" else "a.id"
    where, values = _condition(store, portal_id, filters, for_counters=False)
    sql = f"SELECT a.id, {key} FROM articles a WHERE {where} ORDER BY {order}, {tie} LIMIT ? OFFSET ?"
    rows = store.rows(sql, (*values, window.limit + 1, window.offset))
    page = rows[: window.limit]
    if window.ties == "lose" and len(rows) > window.limit and rows[window.limit][1] == page[-1][1]:
        page = _lose_ties(store, f"FROM articles a WHERE {where}", values, (key, rows, window))
    return _load(store, [row[0] for row in page])


def _lose_ties(store: Store, source: str, values: tuple[Any, ...], page: tuple[str, list[Row], Window]) -> list[Row]:
    key, rows, window = page
    found = store.row(f"SELECT count(*), min(CASE WHEN {key} IS ? THEN a.id END) {source}", (rows[-1][1], *values))
    total, first = found or (0, 0)
    return lose_ties(rows, window, total, (first, rows[-1][1]))


def lose_ties(rows: list[Row], window: Window, total: int, first: Row) -> list[Row]:
    """The page that PostgreSQL gives where its last rows tie with the rows of the next page.

    While the rows up to the end of the page are less than half of all, it keeps them in a heap, which holds on to the
    first of the tied rows instead of the last: that one comes again on every page and others never come.
    Source: tests/fixtures/observed, `ties: …` (pages begin with 2 and 27, 198 of 200 distinct) and the category pages
    of 4.2.

    Args:
        rows: the page in a stable order, and one row more; the second column is the sort key.
        window: where the page lies.
        total: all rows that match.
        first: the first of all rows that tie with the end of the page.
    """
    page = rows[: window.limit]
    if total <= 2 * (window.offset + window.limit):
        return page
    begin = next(number for number, row in enumerate(page) if row[1] == first[1])
    return [*page[:begin], *page[begin + 1 :], first]


def _load(store: Store, article_ids: list[int]) -> list[Article]:
    marks = ", ".join("?" * len(article_ids))
    found = {row[0]: as_article(row) for row in store.rows(f"{SELECT} WHERE a.id IN ({marks})", tuple(article_ids))}
    return [found[article_id] for article_id in article_ids]


def count(store: Store, portal_id: int, filters: Filters, user_id: int) -> Counters:
    """The counters of a list."""
    everything = store.row("SELECT sum(rows) FROM tally WHERE portal_id = ?", (portal_id,))
    source = "tally" if not filters.words else "(SELECT *, 1 AS rows FROM articles)"
    where, values = _condition(store, portal_id, filters, for_counters=True)
    counted = "SELECT coalesce(a.status, -1), sum(rows), sum(rows * (a.author_id IS ?))"
    sql = f"{counted} FROM {source} a WHERE {where} GROUP BY 1"
    found = store.rows(sql, (user_id, *values))
    by_status = {status: rows for status, rows, _ in found}
    mine = sum(rows for *_, rows in found)
    return Counters((everything[0] if everything else 0) or 0, sum(by_status.values()), by_status, mine)


def count_by_locale(store: Store, portal_id: int) -> dict[str, int]:
    """How many articles each locale has, drafts included."""
    return dict(store.rows("SELECT locale, sum(rows) FROM tally WHERE portal_id = ? GROUP BY 1", (portal_id,)))


def _condition(store: Store, portal_id: int, filters: Filters, *, for_counters: bool) -> tuple[str, tuple[Any, ...]]:
    # The plus keeps SQLite from walking through the whole portal where the index by category leads straight there.
    parts = ["+a.portal_id = ?" if filters.category_slug else "a.portal_id = ?"]
    parameters: list[Any] = [portal_id]
    if filters.locales:
        parts.append(f"a.locale IN ({', '.join('?' * len(filters.locales))})")
        parameters += filters.locales
    if filters.category_slug:
        parts.append("a.category_id IN (SELECT id FROM categories WHERE slug = ?)")
        parameters.append(filters.category_slug)
    if filters.words:
        store.connection.create_function("matches", 4, matches, deterministic=True)
        parts.append("matches(?, a.title, a.description, a.content)")
        parameters.append("\n".join(filters.words))
    if not for_counters:
        for column, value in (("status", filters.status), ("author_id", filters.author_id)):
            if value is not None:
                parts.append(f"a.{column} = ?")
                parameters.append(value)
    return " AND ".join(parts), tuple(parameters)
