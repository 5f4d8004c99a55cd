"""All articles of a portal, through a list that is no snapshot, has no tie-breaker and loses rows.

Newest first, a listing stops at what is known to be settled; the counts say whether that can be all. Where they
disagree, everything is read, more than once if need be, and the union is kept. Source:
observed.md, surprise 6, section 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from kbsync.model import RemoteId
from kbsync.service.snapshot import LocaleRows, Row

PASSES = 3
"""Full readings before a list that still does not add up is taken as it is."""

SETTLE_S = 1
"""`updated_at` has whole seconds: what changed in the second of a listing may have changed after it, too."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as the list answered it: rows in its order, its count of all, the service's clock."""

    rows: tuple[Row, ...]
    count: int | None
    server_time_s: int | None


ReadPage = Callable[[str, int], Page]
"""Reads a page (from 1) of the articles of a locale."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The articles of one locale; `complete` says whether they are as many as the service counts."""

    found: LocaleRows
    complete: bool


def list_locale(read: ReadPage, locale: str, known: LocaleRows | None, *, pool: ThreadPoolExecutor) -> Listing:
    """List one locale, from what is known where that is enough.

    Args:
        read: asks the service for one page.
        locale: the filter.
        known: the rows of the last listing, or None to read everything.
        pool: reads pages side by side.
    """
    first = read(locale, 1)
    if known is not None and known.read_at:
        if (found := _catch_up(read, locale, known, first)) is not None:
            return found
        first = read(locale, 1)
    return _read_all(read, locale, first, pool)


def _catch_up(read: ReadPage, locale: str, known: LocaleRows, first: Page) -> Listing | None:
    """Read down to the first row that was settled before the last listing; None where the counts disagree."""
    rows = dict(known.rows)
    page, number, last = first, 1, 0
    settled_s = known.read_at - SETTLE_S
    while page.rows:
        rows |= {row.id: row for row in page.rows}
        if any(row.updated_at < settled_s for row in page.rows):
            break
        if page.count is None or number * len(first.rows) > page.count + len(first.rows):
            return None
        number += 1
        last = page.rows[-1].updated_at
        page = read(locale, number)
        # A row that moved to the front while pages were read pushes others over the edge, never under it; only a
        # deletion hides one, and that shows in the counts.
        if page.rows and page.rows[0].updated_at > last:
            return None
    if page.count is not None and page.count != len(rows):
        return None
    return Listing(LocaleRows(first.server_time_s or known.read_at, rows), complete=page.count is not None)


def _read_all(read: ReadPage, locale: str, first: Page, pool: ThreadPoolExecutor) -> Listing:
    rows: dict[RemoteId, Row] = {}
    count = first.count
    for _ in range(PASSES):
        count = _one_pass(read, locale, first, rows, pool)
        if count is None or len(rows) == count:
            return Listing(LocaleRows(first.server_time_s or 0, rows), complete=count is not None)
        if len(rows) > count:
            # Something was deleted while we read, and a union cannot unlearn it: begin again.
            rows = {}
        first = read(locale, 1)
    return Listing(LocaleRows(0, rows), complete=False)


def _one_pass(
    read: ReadPage, locale: str, first: Page, rows: dict[RemoteId, Row], pool: ThreadPoolExecutor
) -> int | None:
    """Read every page once into `rows`; the count that the last one gave."""
    _keep_newest(rows, first.rows)
    if not first.rows or first.count is None:
        return _read_until_empty(read, locale, first, rows)
    pages = -(-first.count // len(first.rows))
    count: int | None = first.count
    for page in pool.map(lambda number: read(locale, number), range(2, pages + 1)):
        _keep_newest(rows, page.rows)
        count = page.count
    return count


def _read_until_empty(read: ReadPage, locale: str, page: Page, rows: dict[RemoteId, Row]) -> int | None:
    """A list that does not count: read on until a page brings nothing new (surprise 18: a wrong page is page 1)."""
    number = 1
    while page.rows:
        number += 1
        page = read(locale, number)
        if all(row.id in rows for row in page.rows):
            break
        _keep_newest(rows, page.rows)
    return page.count


def _keep_newest(rows: dict[RemoteId, Row], page: Iterable[Row]) -> None:
    for row in page:
        old = rows.get(row.id)
        if old is None or old.updated_at <= row.updated_at:
            rows[row.id] = row
