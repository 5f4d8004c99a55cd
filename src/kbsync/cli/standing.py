"""The last plan that had nothing to do, kept so that the next one need not decode a tree that did not change.

A plan is a function of what it reads, and of nothing else: no clock, no chance. So the same inputs give the same plan
and the same findings, and this record is a memory of one pair of them. It is taken only where every input is surely
the same:

    kbsync itself       the version, in the head of the file
    the command line    no wish at all (selectors, --overwrite, --recreate, --publish, --full plan anew)
    kbsync.toml,
    environment         the settings as they are in force, all of them; the profile as it was read
    the content tree    path, size, times of every source; the names of all other files (a picture is there or not).
                        Not kept where a file was so young that it may change unseen (`Row.racy`), or a finding of the
                        walk said that something could not be looked at
    the ledger          inode, size and times of its file and of its write-ahead log, taken before it was read; not
                        kept where they were as young, or where requests were pending
    the portal          its locales; its categories, all of them; of each locale the count and the newest rows,
                        judged as a listing judges them (`service/glance.py`). Not kept of a listing with holes

What is kept is a plan without changes, without anything held, settled or forgotten. So nothing in it rests on what is
looked up beyond these inputs for an item without a base (older revisions in git), and a push has nothing to do with it.
A record that is damaged, or is not there, costs time and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kbsync import __version__
from kbsync.cli.workspace import Glance, Portal, Reading, Workspace
from kbsync.files import store_whole
from kbsync.model import Finding, Observed, Plan, RemoteId

if TYPE_CHECKING:
    from kbsync.content.walk import Walk
    from kbsync.service.client import Service

HEAD = f"kbsync.standing/1 {__version__}\n".encode()
DIGEST_BYTES = 16

YOUNG_NS = 50_000_000
"""A file changed this shortly before it was looked at may change again within one tick of the file system's clock."""

Stamp = tuple[int, int, int, int]


class Standing(msgspec.Struct, frozen=True, array_like=True):
    """A plan that had nothing to do, the findings of its tree, and the names of all that it was made from.

    `heads` are those of `service.glance`, still encoded: the module that knows them is loaded with the client.
    """

    local: bytes
    portal_locales: tuple[str, ...]
    categories: bytes
    heads: msgspec.Raw
    findings: tuple[Finding, ...]
    plan: Plan


def local_key(workspace: Workspace, walk: Walk) -> bytes | None:
    """The name of everything on this side: settings, profile, tree, ledger. None where one of them has no sure name."""
    stamps = _ledger_stamps(workspace)
    if stamps is None or walk.findings or not workspace.profile.can_list:
        return None
    parts = (workspace.settings, workspace.profile, stamps, sorted(walk.others), walk.sources)
    # Encoded one by one, each with its length in front: no two sets of inputs give the same bytes.
    return _digest(msgspec.msgpack.encode([_encode(part) for part in parts]))


def recall(workspace: Workspace, local: bytes | None) -> Standing | None:
    """The record that was made of this tree, these settings and this ledger; the portal is still to be asked."""
    if local is None:
        return None
    try:
        data = _path(workspace).read_bytes()
        body = data[len(HEAD) + DIGEST_BYTES :]
        if not data.startswith(HEAD + _digest(body)):
            return None
        found = msgspec.msgpack.decode(body, type=Standing)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.local == local else None


def glance(service: Service, standing: Standing) -> tuple[Glance, bool]:
    """Ask the portal the least that can be asked, and whether it stands as it did when the record was made."""
    from kbsync.service.glance import Head, is_unmoved

    heads = msgspec.msgpack.decode(standing.heads, type=dict[str, Head])
    info = service.fetch_portal()
    if info.locales != standing.portal_locales:
        return Glance(info, {}), False
    pages = service.glance(heads)
    same = _categories(service.categories) == standing.categories
    return Glance(info, pages), same and all(is_unmoved(heads[locale], page) for locale, page in pages.items())


def remember(workspace: Workspace, reading: Reading, local: bytes | None, portal: Portal, plan: Plan) -> None:
    """Keep a plan that had nothing to do, where all that it was made from has a sure name."""
    from kbsync.service.glance import head_of

    busy = plan.changes or plan.held or plan.settled or plan.forgotten
    young = any(row.racy for row in reading.compiler.tree.rows.values())
    if local is None or busy or young or not portal.complete or portal.info is None or portal.snapshot is None:
        return
    listed = portal.snapshot.locales
    heads = {locale: head_of(listed[locale]) for locale in portal.locales}
    standing = Standing(
        local,
        portal.info.locales,
        _categories({item.remote_id: item for item in portal.items or () if item.kind == "category"}),
        msgspec.Raw(msgspec.msgpack.encode(heads)),
        tuple(reading.findings),
        plan,
    )
    body = msgspec.msgpack.encode(standing)
    store_whole(_path(workspace), HEAD + _digest(body) + body)


def _path(workspace: Workspace) -> Path:
    name = blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()
    return workspace.cache_folder / f"standing-{name}.cache"


def _ledger_stamps(workspace: Workspace) -> list[Stamp | None] | None:
    """What tells a changed ledger from an unchanged one without reading it; None where nothing does."""
    scheme, _, rest = workspace.settings.ledger.url.partition(":")
    if scheme != "sqlite":
        return None
    path = workspace.settings.folder / rest.removeprefix("//")
    stamps = [_stamp(path), _stamp(path.with_name(path.name + "-wal")), _stamp(path.with_name(path.name + "-journal"))]
    newest_ns = max((max(stamp[2:]) for stamp in stamps if stamp), default=0)
    return None if time.time_ns() - newest_ns < YOUNG_NS else stamps


def _stamp(path: Path) -> Stamp | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _categories(found: Mapping[RemoteId, Observed]) -> bytes:
    return _digest(_encode(sorted(found.values(), key=lambda item: str(item.remote_id))))


def _encode(value: Any) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=str, order="deterministic")


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()
