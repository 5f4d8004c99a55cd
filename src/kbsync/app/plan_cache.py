"""The last plan that had nothing to do, kept so that the next one need not decode a tree that did not change.

A plan is a function of what it reads, the clock among it, and of nothing else: no chance. So the same inputs give the
same plan and the same findings, and this record is a memory of one pair of them. It is used only where every input is
certainly the same:

    kbsync itself       its source, in the name of the kind (`memory.py`)
    the command line    no options (selectors, --overwrite, --recreate, --publish, --full plan again)
    kbsync.toml,
    environment         the settings as they are in force, all of them; the profile as it was read
    the content tree    path, size, times of every source; the names of all other files (an image is there or not).
                        Not kept where a file was so young that it may change unseen (`Row.racy`), or a finding of the
                        walk could not look at something
    the ledger          inode, size and times of its file and of its write-ahead log, taken before it was read; not
                        kept where they were as young, or where requests were pending
    portal.toml         its text, and then the settings of the portal itself
    the clock           until the next date at which an article is to be published
    the service         its version, asked again after ten minutes (`recent_version.py`)
    the portal          its locales; its categories, all of them; of each locale the count and the newest rows,
                        judged as a listing judges them (`service/peek.py`). Not kept of a listing with holes

What is kept is a plan without changes, without anything held, settled or forgotten. So nothing in it rests on what is
looked up beyond these inputs for an item without a base (older revisions in git), and a push has nothing to do with it.
A record that is damaged, or is not there, costs time and nothing else.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kbsync.app.reading import Reading, has_portal_file
from kbsync.app.sides import Peek, Portal, Recorded, is_still
from kbsync.app.workspace import Workspace
from kbsync.config.moments import seconds_of
from kbsync.config.portal_file import read_portal_file
from kbsync.memory import Kind
from kbsync.model import DRAFTS, Desired, Finding, LastRun, Observed, Plan, Reason, RemoteId
from kbsync.service.category_lister import Expected
from kbsync.service.peek import Head, head_of, is_unmoved

if TYPE_CHECKING:
    from kbsync.content.walk import Walk
    from kbsync.service.client import Service
    from kbsync.service.portal import PortalInfo

DIGEST_BYTES = 16

STAGED = tuple(DRAFTS.values())
"""The fields of an edit that is pending in the panel."""

YOUNG_NS = 50_000_000
"""A file changed this shortly before it was looked at may change again within one tick of the file system's clock."""

Stamp = tuple[int, int, int, int]


class RememberedPlan(msgspec.Struct, frozen=True, array_like=True):
    """A plan that had nothing to do, the findings of its tree, and the names of all that it was made from.

    `settings` are those of the portal itself, where the plan has looked at them. `last_run` is of the ledger. `heads`
    are those of `PortalReader.peek`, still encoded: the module that knows them is loaded with the client.
    From `until_s` on, in seconds since 1970, a date in a file is reached.
    """

    local: bytes
    tree: bytes
    portal_locales: tuple[str, ...]
    categories: bytes
    category_ids: tuple[RemoteId, ...]
    heads: msgspec.Raw
    findings: tuple[Finding, ...]
    plan: Plan
    until_s: float
    settings: bytes = b""
    last_run: LastRun | None = None


REMEMBERED: Kind[RememberedPlan] = Kind("plan", RememberedPlan)
"""By the key of the portal."""


class Local(msgspec.Struct, frozen=True):
    """Everything on this side: settings, profile and ledger by a name, and the tree."""

    name: bytes
    tree: bytes


def local_side(workspace: Workspace, walk: Walk) -> Local | None:
    """Everything on this side; None where a part of it has no sure name."""
    stamps = _ledger_stamps(workspace)
    if stamps is None or walk.findings or not workspace.profile.can_list:
        return None
    parts = [workspace.settings, workspace.profile, stamps, *_portal_file(workspace)]
    # Encoded one by one, each with its length in front: no two sets of inputs give the same bytes.
    return Local(_digest(msgspec.msgpack.encode([_encode(part) for part in parts])), walk.mark())


def _portal_file(workspace: Workspace) -> tuple[str, ...]:
    """What portal.toml says, where there is one."""
    if not has_portal_file(workspace):
        return ()
    file = read_portal_file(workspace.settings.folder)
    return () if file is None else (file.text,)


def recall(workspace: Workspace, local: Local | None) -> RememberedPlan | None:
    """The record that was made of this side as it is now. The portal is still to be asked."""
    if local is None:
        return None
    found = _load(workspace)
    if found is None or found.until_s <= time.time():
        return None
    return found if (found.local, found.tree) == (local.name, local.tree) else None


def peek(
    workspace: Workspace, service: Service, remembered: RememberedPlan, *, max_age_s: int = 0
) -> tuple[Peek, Plan | None]:
    """Ask the portal the least that can be asked; the plan, where it is as it was when the record was made.

    `max_age_s` is how long ago all its rows may have been read in any case.
    """
    heads = msgspec.msgpack.decode(remembered.heads, type=dict[str, Head])
    info = service.fetch_portal()
    if info.locales != remembered.portal_locales or (remembered.settings and _settings(info) != remembered.settings):
        return Peek(info, {}, remembered.last_run), None
    known = {locale: head.known for locale, head in heads.items()}
    pages = service.reader.peek(heads, Expected(info.categories, seen=remembered.category_ids), known)
    total = sum(head.count for head in heads.values())
    same = _categories(service.reader.categories) == remembered.categories and all(
        is_unmoved(heads[name], page, total=total, max_age_s=max_age_s) for name, page in pages.items()
    )
    plan = remembered.plan if same and is_still(workspace, service, remembered.plan.version) else None
    return Peek(info, pages, remembered.last_run), plan


def remember(
    workspace: Workspace,
    reading: Reading,
    local: Local | None,
    portal: Portal,
    plan: Plan,
    began_s: float,
    record: Recorded,
) -> None:
    """Keep a plan that had nothing to do, where all that it was made from has a sure name.

    Args:
        workspace, reading, local: this side.
        portal: the other side.
        plan: what came of them.
        began_s: a moment before it was made, in seconds since 1970: dates after that are still to come.
        record: of the ledger that it was made from.
    """
    busy = plan.changes or plan.held or plan.settled or plan.forgotten or _is_watched(plan)
    young = reading.compiler.tree.is_racy
    if local is None or busy or young or not portal.complete or portal.info is None or portal.snapshot is None:
        return
    heads = {locale: head_of(portal.snapshot.locales[locale]) for locale in portal.locales}
    categories = {item.remote_id: item for item in portal.items or () if item.kind == "category"}
    remembered = RememberedPlan(
        local.name,
        local.tree,
        portal.info.locales,
        _categories(categories),
        tuple(categories),
        msgspec.Raw(msgspec.msgpack.encode(heads)),
        tuple(reading.findings),
        plan,
        _next_date_s(reading.desired, began_s),
        _settings(portal.info) if any(item.kind == "portal" for item in reading.desired) else b"",
        record.last_run,
    )
    workspace.memory.put(REMEMBERED, {workspace.target.key: remembered})


def _is_watched(plan: Plan) -> bool:
    """Whether there is something that each plan has to look at anew, although nothing is to do."""
    # Staged edits move no `updated_at` (docs/service.md, S105): the next plan has to look at each.
    staged = any(item.reason is Reason.STAGED or item.fields == STAGED for item in plan.kept)
    # Once git merges that commit, the file is gone here, too, and no other input of the plan has to move.
    return bool(plan.staged_edits) or staged or bool(plan.not_here)


def _next_date_s(desired: Iterable[Desired], began_s: float) -> float:
    """When the first of the dates is reached at which articles are published; infinite where there is none."""
    dates = {item.publish_on for item in desired if item.kind == "article" and item.publish_on}
    if not dates:
        return math.inf
    return min((date for date in map(seconds_of, dates) if date > began_s), default=math.inf)


def digest_of(remembered: RememberedPlan) -> bytes:
    """Name a record: with other inputs it is another one."""
    return _digest(_encode(remembered))


def _load(workspace: Workspace) -> RememberedPlan | None:
    return workspace.memory.get(REMEMBERED, workspace.target.key)


def _ledger_stamps(workspace: Workspace) -> list[Stamp | None] | None:
    """What tells a changed ledger from an unchanged one without reading it; None where nothing does."""
    path = workspace.ledger_file()
    if path is None:
        return None
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


def _settings(info: PortalInfo) -> bytes:
    return _digest(_encode((info.settings, sorted(info.known_keys))))


def _encode(value: Any) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=str, order="deterministic")


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()
