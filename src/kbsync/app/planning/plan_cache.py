"""The last plan that had nothing to do, kept so that the next one need not read a tree that did not change.

One key, one value: the key names everything that a plan is made from, the value is that plan. It is used only where
every input is certainly the same:

    kbsync itself     its source, in the name of the kind (`memory.py`)
    the command       no options (selectors, --overwrite, --recreate, --publish, --full plan again)
    the settings      all of them, as they are in force; the profile as it was read; the text of portal.toml
    the tree          path, size and times of every source; the names of all other files
    the ledger        inode, size and times of its file and its write-ahead log; not kept while requests are pending
    the clock         until the next date at which an article is to be published
    the service       its version, asked again after ten minutes (`app/sides.py`)
    the portal        its locales and settings; all categories; of each locale the count and the newest rows, judged as
                      a listing judges them (`service/peek.py`)

Nothing is kept of a file so young that it may change unseen, nor of a plan that changes, holds, settles or forgets
anything: so nothing in it rests on git. A record that is damaged, or is not there, costs time and nothing else.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kbsync.app.reading import Reading, has_portal_file
from kbsync.app.sides import OpenPortal, Peek, Portal, Recorded, is_still
from kbsync.app.workspace import Workspace
from kbsync.config.moments import seconds_of
from kbsync.config.portal_file import read_portal_file
from kbsync.memory import Kind
from kbsync.model import DRAFTS, Desired, Finding, LastRun, Observed, Plan, Reason, RemoteId
from kbsync.service.category_lister import Expected
from kbsync.service.peek import ListHead, head_of, is_unmoved

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
    """A plan that had nothing to do, the findings of its tree, and what it was made from.

    `inputs` names this side, `portal` the other. `heads` are those of `PortalReader.peek`, still encoded: the module
    that knows them is loaded with the client. From `until_s` on, in seconds since 1970, a date in a file is reached.
    """

    inputs: bytes
    portal: bytes
    category_ids: tuple[RemoteId, ...]
    heads: msgspec.Raw
    findings: tuple[Finding, ...]
    plan: Plan
    until_s: float
    last_run: LastRun | None = None


REMEMBERED: Kind[RememberedPlan] = Kind("plan", RememberedPlan)
"""By the key of the portal."""


def inputs_of(workspace: Workspace, walk: Walk) -> bytes | None:
    """Names everything on this side; None where a part of it has no sure name."""
    stamps = _ledger_stamps(workspace)
    if stamps is None or walk.findings or not workspace.profile.can_list:
        return None
    file = read_portal_file(workspace.settings.folder) if has_portal_file(workspace.settings.folder) else None
    return _digest(workspace.settings, workspace.profile, stamps, file and file.text, walk.mark())


def recall(workspace: Workspace, inputs: bytes | None) -> RememberedPlan | None:
    """The record that was made of this side as it is now. The portal is still to be asked."""
    found = workspace.memory.get(REMEMBERED, workspace.target.key) if inputs is not None else None
    return found if found is not None and found.inputs == inputs and time.time() < found.until_s else None


def recall_unmoved(
    workspace: Workspace, inputs: bytes | None, opened: ExitStack, *, max_age_s: int = 0
) -> tuple[RememberedPlan | None, OpenPortal | None]:
    """The last plan, where nothing moved since, and what the portal was asked to know that.

    Where this side moved, the portal is not asked.

    Args:
        workspace: the project.
        inputs: this side, as it is now.
        opened: closes the service in the end.
        max_age_s: how long ago all rows of the portal may have been read in any case.
    """
    if (found := recall(workspace, inputs)) is None:
        return None, None
    service = opened.enter_context(workspace.open_service())
    seen, is_same = _peek(workspace, service, found, max_age_s)
    return (found if is_same else None), OpenPortal(service, seen)


def _peek(workspace: Workspace, service: Service, remembered: RememberedPlan, max_age_s: int) -> tuple[Peek, bool]:
    """Ask the portal the least that can be asked; whether it is as it was when the record was made."""
    heads = msgspec.msgpack.decode(remembered.heads, type=dict[str, ListHead])
    info = service.fetch_portal()
    known = {locale: head.known for locale, head in heads.items()}
    pages = service.reader.peek(heads, Expected(info.categories, seen=remembered.category_ids), known)
    total = sum(head.count for head in heads.values())
    is_same = (
        _portal(info, service.reader.categories) == remembered.portal
        and all(is_unmoved(heads[name], page, total=total, max_age_s=max_age_s) for name, page in pages.items())
        and is_still(workspace, service, remembered.plan.version)
    )
    return Peek(info, pages, remembered.last_run), is_same


def remember(
    workspace: Workspace,
    reading: Reading,
    inputs: bytes | None,
    portal: Portal,
    plan: Plan,
    began_s: float,
    record: Recorded,
) -> None:
    """Keep a plan that had nothing to do, where all that it was made from has a sure name.

    Args:
        workspace, reading, inputs: this side.
        portal: the other side.
        plan: what came of them.
        began_s: a moment before it was made, in seconds since 1970: dates after that are still to come.
        record: of the ledger that it was made from.
    """
    busy = plan.changes or plan.held or plan.settled or plan.forgotten or record.pending or _is_watched(plan)
    if inputs is None or busy or reading.compiler.tree.is_racy:
        return
    if not portal.complete or portal.info is None or portal.snapshot is None:
        return
    categories = {item.remote_id: item for item in portal.items or () if item.kind == "category"}
    remembered = RememberedPlan(
        inputs,
        _portal(portal.info, categories),
        tuple(categories),
        msgspec.Raw(msgspec.msgpack.encode({name: head_of(portal.snapshot.locales[name]) for name in portal.locales})),
        tuple(reading.findings),
        plan,
        _next_date_s(reading.desired, began_s),
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


def _portal(info: PortalInfo, categories: Mapping[RemoteId, Observed]) -> bytes:
    ordered = sorted(categories.values(), key=lambda item: str(item.remote_id))
    return _digest(info.locales, info.settings, sorted(info.known_keys), ordered)


def _digest(*parts: Any) -> bytes:
    """Names some values. Each is encoded by itself: no two lists of them give the same bytes."""
    encoded = [msgspec.msgpack.encode(part, enc_hook=str, order="deterministic") for part in parts]
    return blake2b(msgspec.msgpack.encode(encoded), digest_size=DIGEST_BYTES).digest()
