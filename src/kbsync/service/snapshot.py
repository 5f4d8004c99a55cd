"""What the portal held when it was last listed, so that the next listing only reads what moved since.

It is a cache like the scan cache: written whole, not trusted when damaged, and never the truth about anything.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import msgspec

from kbsync import __version__
from kbsync.files import load_sealed, store_sealed
from kbsync.model import RemoteId, Value

FORMAT = f"kbsync.portal/10 {__version__}"
HEAD = FORMAT.encode() + b"\n"


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
    as_written: str = ""
    staged: tuple[tuple[str, Value], ...] = ()
    stages: bool = False

    @property
    def chars(self) -> int:
        """How much of the service's words it keeps."""
        texts = [part for value in self.values for part in (value if isinstance(value, tuple) else (value,))]
        kept = (self.slug, *texts, *self.images, self.outline)
        return sum(len(text) for text in kept if isinstance(text, str)) + len(self.translations)


class LocaleRows(msgspec.Struct, array_like=True):
    """The articles of one locale by id.

    `read_at` is the service's clock when their listing began, seconds since 1970; 0 where it was not complete.
    """

    read_at: int = 0
    rows: dict[RemoteId, Row] = {}


class Snapshot(msgspec.Struct, array_like=True):
    """One portal: its articles by locale, the ids of its categories, and the version that the service last gave."""

    target: str = ""
    locales: dict[str, LocaleRows] = {}
    categories: tuple[RemoteId, ...] = ()
    version: str = ""


def snapshot_path(folder: Path, target: str) -> Path:
    """Where the snapshot of one portal lies."""
    return folder / f"portal-{blake2b(target.encode(), digest_size=6).hexdigest()}.cache"


def load_snapshot(path: Path, target: str) -> Snapshot:
    """The last snapshot of this portal, or an empty one."""
    body = load_sealed(path, HEAD)
    try:
        # Damaged, or another version's: everything is listed again.
        found = msgspec.msgpack.decode(body, type=Snapshot) if body is not None else Snapshot()
    except msgspec.DecodeError:
        return Snapshot(target)
    return found if found.target == target else Snapshot(target)


def store_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Keep the snapshot for the next listing; without room on the disk the next one reads everything."""
    store_sealed(path, HEAD, msgspec.msgpack.encode(snapshot))
