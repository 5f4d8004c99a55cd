"""A peek at a locale's list: whether its articles are certainly those of an earlier listing. Pure.

The list is newest first. Where its first page has nothing new on it, reaches back to what was settled before that
listing, and the count is the same, reading on would find the same rows: `listing.Lister` stops there for the same
reasons. So the newest rows and the count are enough to know, and all others need not be loaded.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kbsync.service.article_lister import SETTLE_S, Page
from kbsync.service.snapshot import LocaleRows, Row, Tag, is_fresh

NEWEST = 100
"""Rows that are kept of a listing; more than any page has."""


class ListHead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a listing began with: the service's clock then (seconds since 1970), how many rows, the newest of them.

    `whole_at` is when every row was read last. `tag` is of the first page, where all of its rows are among the newest.
    """

    read_at: int
    count: int
    newest: tuple[Row, ...]
    whole_at: int
    tag: Tag | None = None

    @property
    def known(self) -> LocaleRows:
        """What a reader needs so that an unchanged first page comes without its rows."""
        tags = {} if self.tag is None else {1: self.tag}
        return LocaleRows(self.read_at, {row.id: row for row in self.newest}, self.whole_at, tags)


def head_of(found: LocaleRows) -> ListHead:
    """The head of a complete listing."""
    newest = sorted(found.rows.values(), key=lambda row: row.updated_at, reverse=True)[:NEWEST]
    return ListHead(found.read_at, len(found.rows), tuple(newest), found.whole_at or found.read_at, _tag(found, newest))


def _tag(found: LocaleRows, newest: Iterable[Row]) -> Tag | None:
    tag = found.tag_of(1)
    return tag if tag is not None and {row.id for row in newest}.issuperset(tag.ids) else None


def is_unmoved(head: ListHead, first: Page, *, total: int = 0, max_age_s: int = 0) -> bool:
    """Whether a list that begins with this page now has exactly the rows that it had then.

    Where this is not certain the answer is no, and the list is read in full. `total` are the rows of all locales,
    `max_age_s` is how long ago they may all have been read in any case.
    """
    if not head.read_at or first.count != head.count or (first.server_time_s or head.read_at) < head.read_at:
        return False
    total = max(total, head.count)
    if not is_fresh(head.whole_at, head.count, first.server_time_s, total=total, max_age_s=max_age_s):
        return False
    if not first.rows:
        return head.count == 0
    known = {row.id: row for row in head.newest}
    return (
        len({row.id for row in first.rows}) == len(first.rows)
        and all(known.get(row.id) == row for row in first.rows)
        and any(row.updated_at < head.read_at - SETTLE_S for row in first.rows)
    )
