"""What the portal held when it was last listed, so that the next listing only reads what moved since.

It is a cache like the scan cache: written whole, not trusted when damaged, and never the truth about anything.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kbsync.memory import Kind, Memory
from kbsync.model import RemoteId, Value


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One article as listed. The category is kept by id: it may be renamed without the article moving.

    `values` are those of the other fields, in the order of `rows.LISTED`.
    """

    id: RemoteId
    updated_at: int
    slug: str
    category_id: RemoteId | None
    status: str | None
    values: tuple[Value, ...]
    translations: tuple[RemoteId, ...] = ()
    images: tuple[str, ...] = ()
    outline: str = ""
    staged: tuple[tuple[str, Value], ...] = ()
    stages: bool = False
    by_path: str = ""

    @property
    def chars(self) -> int:
        """How much of the service's words it keeps."""
        texts = [part for value in self.values for part in (value if isinstance(value, tuple) else (value,))]
        kept = (self.slug, *texts, *self.images, self.outline)
        return sum(len(text) for text in kept if isinstance(text, str)) + len(self.translations)


class Tag(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One page as it was answered: its ETag, the count of all rows, the ids of its own.

    With the same ETag the page is the same: the service makes it of the whole answer. Source: docs/service.md, S105.
    """

    etag: str
    count: int | None
    ids: tuple[RemoteId, ...]


class LocaleRows(msgspec.Struct, array_like=True):
    """The articles of one locale by id.

    `read_at` is the service's clock when their listing began, seconds since 1970; 0 where it was not complete.
    `whole_at` is when the last listing began that read every row, where that was an earlier one. `tags` are of its
    pages, by number, as far as their rows are the same since.
    """

    read_at: int = 0
    rows: dict[RemoteId, Row] = {}
    whole_at: int = 0
    tags: dict[int, Tag] = {}

    def tag_of(self, number: int) -> Tag | None:
        """The tag of a page all of whose rows are known."""
        tag = self.tags.get(number)
        return tag if tag is not None and all(id in self.rows for id in tag.ids) else None

    def without_tags_of(self, before: Mapping[RemoteId, Row]) -> LocaleRows:
        """The same without the tags of pages with rows that are not as they were before."""
        moved = {id for id, row in self.rows.items() if row is not (old := before.get(id)) and row != old}
        tags = {number: tag for number, tag in self.tags.items() if moved.isdisjoint(tag.ids)}
        return msgspec.structs.replace(self, tags=tags)


FRESH_S = 600
"""Rows that were read this shortly ago are not read again only because they may have moved unseen."""

PAGE_ROWS = 25
"""Rows of a page. Source: docs/service.md, section 4."""

FRESH_S_OF_A_PAGE = 5.0
"""A hundred times what a page costs at 1200 requests a minute: reading all again takes one percent of the time.

What moves unseen is a pending edit (docs/service.md, S105), a reorder that names the position of now (S124), and which
articles are translations of another one (section 4). Before a push writes to a live article or changes an order, its
category is read whole, however fresh it is.
"""

PUSH_MAX_AGE_S = 86_400
"""A push plans with rows that were read this long ago, so that a CI job need not read all of them.

What it carries out or asks about is then looked at by `app/pushing/push.py`, and where that is not as it was known,
all rows are read.
"""


def is_fresh(whole_at: int, rows: int, now_s: int | None, *, total: int, max_age_s: int = 0) -> bool:
    """Whether the rows of a locale were all read shortly enough before now.

    One page is read in any case. Where the service has no clock, nothing says how long ago it was.

    Args:
        whole_at: when they were.
        rows: how many they are.
        now_s: the service's clock.
        total: the rows of all locales.
        max_age_s: how long ago is shortly enough at least.
    """
    if rows <= PAGE_ROWS or now_s is None:
        return True
    return now_s - whole_at <= max(FRESH_S, FRESH_S_OF_A_PAGE * total / PAGE_ROWS, max_age_s)


class Snapshot(msgspec.Struct, array_like=True):
    """One portal: its articles by locale, the ids of its categories, and the version that the service last gave.

    `views` are those of articles by id, as they were when the row was last read; `authors` the names of people by id.
    """

    target: str = ""
    locales: dict[str, LocaleRows] = {}
    categories: tuple[RemoteId, ...] = ()
    version: str = ""
    views: dict[RemoteId, int] = {}
    authors: dict[RemoteId, str] = {}

    @property
    def is_overdue(self) -> bool:
        """Whether a locale was listed from rows that are fresh for a push alone."""
        total = sum(len(found.rows) for found in self.locales.values())
        return not all(
            is_fresh(found.whole_at or found.read_at, len(found.rows), found.read_at, total=total)
            for found in self.locales.values()
        )

    @property
    def views_by_slug(self) -> dict[str, int]:
        """How often readers opened each article. A slug names one article of the service (docs/service.md, S1)."""
        rows = (row for found in self.locales.values() for row in found.rows.values())
        return {row.slug: self.views[row.id] for row in rows if row.id in self.views}


LISTED: Kind[Snapshot] = Kind("portal", Snapshot)
"""By the key of the portal."""


def load_snapshot(memory: Memory, target: str) -> Snapshot:
    """The last snapshot of this portal, or an empty one: everything is listed then."""
    found = memory.get(LISTED, target)
    return found if found is not None and found.target == target else Snapshot(target)


def store_snapshot(memory: Memory, snapshot: Snapshot) -> None:
    """Keep the snapshot for the next listing; without room on the disk the next one reads everything."""
    memory.put(LISTED, {snapshot.target: snapshot})
