"""The last plan that had nothing to do, kept so that the next one need not decode a tree that did not change.

A plan is a function of what it reads, the clock among it, and of nothing else: no chance. So the same inputs give the
same plan and the same findings, and this record is a memory of one pair of them. It is used only where every input is
certainly the same:

    kbsync itself       the version, in the head of the file
    the command line    no options (selectors, --overwrite, --recreate, --publish, --full plan again)
    kbsync.toml,
    environment         the settings as they are in force, all of them; the profile as it was read
    the content tree    path, size, times of every source; the names of all other files (an image is there or not).
                        Not kept where a file was so young that it may change unseen (`Row.racy`), or a finding of the
                        walk could not look at something. Where the texts of a few sources moved and
                        nothing that others see of them (`content/part.py`), these alone are decided anew (`amended`)
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
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec
from msgspec.structs import replace

from kbsync import __version__
from kbsync.app.kept_findings import FindingsFile, KeptFindings
from kbsync.app.kept_unpublished import KeptUnpublished, encoded
from kbsync.app.reading import Reading, has_portal_file, read_content
from kbsync.app.sides import Peek, Portal, Recorded
from kbsync.app.workspace import Workspace
from kbsync.content.mark import Mark, Moved
from kbsync.digests import blake2b
from kbsync.files import MAX_SEALED_BYTES, load_sealed, read_within, store_sealed, store_whole
from kbsync.model import DRAFTS, Desired, Finding, LastRun, Observed, Plan, Reason, RemoteId

if TYPE_CHECKING:
    from kbsync.app.beside import Beside
    from kbsync.content.walk import Walk
    from kbsync.service.contract import Service
    from kbsync.service.peek import Head
    from kbsync.service.portal import PortalInfo

HEAD = f"kbsync.remembered/16 {__version__}\n".encode()
DIGEST_BYTES = 16

COMMAND = "plan"
"""Whose file of findings is that of the record."""

STAGED = tuple(DRAFTS.values())
"""The fields of an edit that is pending in the panel."""

MOST_MOVED = 10
"""Sources that moved, each of which costs a request, until everything is decided again."""

YOUNG_NS = 50_000_000
"""A file changed this shortly before it was looked at may change again within one tick of the file system's clock."""

Stamp = tuple[int, int, int, int]


class RememberedPlan(msgspec.Struct, frozen=True, array_like=True):
    """A plan that had nothing to do, the number of findings of its tree, and the names of all that it was made from.

    `settings` are those of the portal itself, where the plan has looked at them. `last_run` is of the ledger.
    `unpublished` is how many articles the plan leaves unpublished, which are in a file of their own, and its checksum.
    `late_since` is that of the ledger. `findings_name` is that of the file with the findings: to make it anew, all
    of the tree would be digested, also by a plan that shows none.
    `heads` are those of `service.peek`, still encoded: the module that knows them is loaded with the client. From
    `until_s` on, in seconds since 1970, a date in a file is reached.
    """

    local: bytes
    tree: Mark
    portal_locales: tuple[str, ...]
    categories: bytes
    category_ids: tuple[RemoteId, ...]
    heads: msgspec.Raw
    findings: int
    findings_name: bytes
    plan: Plan
    until_s: float
    settings: bytes = b""
    last_run: LastRun | None = None
    unpublished: tuple[int, int] = (0, 0)
    late_since: str = ""


class Local(msgspec.Struct, frozen=True):
    """Everything on this side: settings, profile and ledger by a name, and the tree."""

    name: bytes
    tree: Mark
    walk: Walk


def local_side(workspace: Workspace, walk: Walk) -> Local | None:
    """Everything on this side; None where a part of it has no sure name."""
    stamps = _ledger_stamps(workspace)
    if stamps is None or walk.findings or not workspace.profile.can_list:
        return None
    parts = [workspace.settings, workspace.profile, stamps, *_portal_file(workspace)]
    # Encoded one by one, each with its length in front: no two sets of inputs give the same bytes.
    return Local(_digest(msgspec.msgpack.encode([_encode(part) for part in parts])), Mark.of(walk), walk)


def _portal_file(workspace: Workspace) -> tuple[str, ...]:
    """What portal.toml says, where there is one."""
    if not has_portal_file(workspace):
        return ()
    from kbsync.config.portal_file import read_portal_file

    file = read_portal_file(workspace.settings.folder)
    return () if file is None else (file.text,)


def recall(workspace: Workspace, local: Local | None) -> tuple[RememberedPlan, Moved] | None:
    """The record that was made of these settings and this ledger, and the sources that moved since.

    The portal is still to be asked. None where more moved than is worth to be looked at one by one.
    """
    if local is None:
        return None
    found = _load(workspace)
    if found is None or found.until_s <= time.time():
        return None
    if found.local != local.name or (moved := found.tree.moved(local.tree)) is None:
        return None
    return (found, moved) if len(moved) <= MOST_MOVED else None


def peek(
    workspace: Workspace, service: Service, remembered: RememberedPlan, *, max_age_s: int = 0
) -> tuple[Peek, Plan | None]:
    """Ask the portal the least that can be asked; the plan, where it is as it was when the record was made.

    `max_age_s` is how long ago all its rows may have been read in any case.
    """
    from kbsync.app.recent_version import is_still
    from kbsync.service.peek import is_unmoved

    seen, heads, same = _look(service, remembered)
    total = sum(head.count for head in heads.values())
    pages = seen.pages.items()
    same = same and all(is_unmoved(heads[name], page, total=total, max_age_s=max_age_s) for name, page in pages)
    return seen, remembered.plan if same and is_still(workspace, service, remembered.plan.version) else None


def heads_after(service: Service, remembered: RememberedPlan, ours: Collection[RemoteId]) -> Mapping[str, Head] | None:
    """What the lists begin with now, where nothing moved since but articles of ours; None where that is not certain.

    When their rows were all read stays what it was: a plan that people read does not go by them for longer.
    """
    from kbsync.service.peek import head_after
    from kbsync.service.snapshot import PUSH_MAX_AGE_S

    seen, heads, same = _look(service, remembered)
    total = sum(head.count for head in heads.values())
    found = {
        locale: head_after(heads[locale], page, ours, total=total, max_age_s=PUSH_MAX_AGE_S)
        for locale, page in seen.pages.items()
    }
    now = {locale: head for locale, head in found.items() if head is not None}
    return now if same and now.keys() == heads.keys() else None


def _look(service: Service, remembered: RememberedPlan) -> tuple[Peek, dict[str, Head], bool]:
    """The portal now, what its lists began with then, and whether its locales, settings and categories are the same."""
    from kbsync.service.category_lister import Expected
    from kbsync.service.peek import Head

    heads = msgspec.msgpack.decode(remembered.heads, type=dict[str, Head])
    info = service.fetch_portal()
    if info.locales != remembered.portal_locales or (remembered.settings and _settings(info) != remembered.settings):
        return Peek(info, {}, remembered.last_run), heads, False
    known = {locale: head.known for locale, head in heads.items()}
    pages = service.peek(heads, Expected(info.categories, seen=remembered.category_ids), known)
    same = _categories(service.categories) == remembered.categories
    return Peek(info, pages, remembered.last_run), heads, same


def findings_of(workspace: Workspace, remembered: RememberedPlan) -> Sequence[Finding]:
    """The findings of the tree of a record."""
    if not remembered.findings:
        return ()
    file = FindingsFile.named(workspace, COMMAND, remembered.findings_name)
    return KeptFindings(file, remembered.findings, lambda: read_content(workspace, compiled=False).findings)


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
    from kbsync.service.peek import head_of

    busy = plan.changes or plan.held or plan.settled or plan.forgotten or is_watched(plan)
    young = reading.compiler.tree.is_racy
    if local is None or busy or young or not portal.complete or portal.info is None or portal.snapshot is None:
        return
    file = FindingsFile.of(workspace, COMMAND, local.tree)
    if not file.store(reading.findings):
        return
    heads = {locale: head_of(portal.snapshot.locale(locale)) for locale in portal.locales}
    categories = {item.remote_id: item for item in portal.items or () if item.kind == "category"}
    remembered = RememberedPlan(
        local.name,
        local.tree,
        portal.info.locales,
        _categories(categories),
        tuple(categories),
        msgspec.Raw(msgspec.msgpack.encode(heads)),
        len(reading.findings),
        file.name,
        plan,
        _next_date_s(reading.desired, began_s),
        _settings(portal.info) if any(item.kind == "portal" for item in reading.desired) else b"",
        record.last_run,
        late_since=record.late_since,
    )
    _store(workspace, remembered)


def is_watched(plan: Plan) -> bool:
    """Whether there is something that each plan has to look at anew, although nothing is to do."""

    # A plan is amended article by article, so a category must not have another slug there than here.
    renamed = any(item.kind == "category" and "slug" in item.fields for item in plan.kept)
    # Staged edits move no `updated_at` (docs/service.md, S105): the next plan has to look at each.
    staged = any(item.reason is Reason.STAGED or item.fields == STAGED for item in plan.kept)
    # Once git merges that commit, the file is gone here, too, and no other input of the plan has to move.
    return bool(plan.staged_edits) or staged or renamed or bool(plan.not_here)


def _next_date_s(desired: Iterable[Desired], began_s: float) -> float:
    """When the first of the dates is reached at which articles are published; infinite where there is none."""
    dates = {item.publish_on for item in desired if item.kind == "article" and item.publish_on}
    if not dates:
        return math.inf
    from kbsync.config.moments import seconds_of  # Loaded here: few projects have dates.

    return min((date for date in map(seconds_of, dates) if date > began_s), default=math.inf)


def remember_touched(workspace: Workspace, remembered: RememberedPlan, part: Reading, local: Local, plan: Plan) -> None:
    """Keep the record with the files as they are now, where what moved of them came to nothing to do."""
    if plan.changes or part.compiler.tree.is_racy:
        return
    _store_part(workspace, replace(remembered, plan=plan), part, local)


def remember_after(
    workspace: Workspace,
    remembered: RememberedPlan,
    part: Reading,
    local: Local,
    plan: Plan,
    heads: Mapping[str, Head],
    record: Recorded | Beside,
) -> None:
    """Keep the record with what is on both sides now, after what moved of the files was pushed.

    Args:
        workspace: the project.
        remembered: the record before.
        part: the sources that moved.
        local: this side now.
        plan: with nothing to do.
        heads: what the portal's lists begin with now.
        record: of the ledger now.
    """
    if plan.changes or is_watched(plan) or part.compiler.tree.is_racy:
        return
    now = replace(remembered, local=local.name, plan=plan, heads=msgspec.Raw(msgspec.msgpack.encode(heads)))
    _store_part(workspace, replace(now, last_run=record.last_run, late_since=record.late_since), part, local)


def _store_part(workspace: Workspace, remembered: RememberedPlan, part: Reading, local: Local) -> None:
    """Keep the record with the files as they are now, after some of them were read."""
    from kbsync.content.part import store_part

    store_part(part.compiler.tree, workspace.scan_cache)
    file = FindingsFile.of(workspace, COMMAND, local.tree)
    if file.store(part.findings):
        findings = len(part.findings)
        _store(workspace, replace(remembered, tree=local.tree, findings=findings, findings_name=file.name))


def may_be_committed(workspace: Workspace, remembered: RememberedPlan) -> bool:
    """Whether what was published before it was committed may be committed by now: a push has that to record."""
    if not remembered.late_since:
        return False
    from kbsync.history.missing_commits import head_commit  # Loaded here: most records need no git.

    return head_commit(workspace.content_root) != remembered.late_since


def is_recorded(workspace: Workspace, local: Local | None) -> bool:
    """Whether the record is one of this folder and this ledger, however much moved in the tree since."""
    found = _load(workspace) if local is not None else None
    return local is not None and found is not None and found.local == local.name


def record_digest(workspace: Workspace) -> bytes:
    """Name the record as it is now: with other inputs it is another one."""
    return _digest(load_sealed(_path(workspace), HEAD) or b"")


def _load(workspace: Workspace) -> RememberedPlan | None:
    body = load_sealed(_path(workspace), HEAD)
    try:
        found = msgspec.msgpack.decode(body, type=RememberedPlan) if body is not None else None
        number, checksum = found.unpublished if found is not None else (0, 0)
        if found is None or not number:
            return found
        rows = read_within(_unpublished_path(workspace), MAX_SEALED_BYTES)
    except (msgspec.DecodeError, OSError):
        return None
    if crc32(rows) != checksum:
        return None  # Of another record: the other file was not written any more.
    return replace(found, plan=replace(found.plan, unpublished=KeptUnpublished(rows, number)))


def _store(workspace: Workspace, remembered: RememberedPlan) -> None:
    plan = remembered.plan
    rows = encoded(plan.unpublished)
    if rows and not store_whole(_unpublished_path(workspace), rows):
        return
    bare = replace(plan, unpublished=())
    kept = replace(remembered, plan=bare, unpublished=(len(plan.unpublished), crc32(rows)))
    store_sealed(_path(workspace), HEAD, msgspec.msgpack.encode(kept))


def _path(workspace: Workspace) -> Path:
    return workspace.cache_folder / f"remembered-{_portal_name(workspace)}.cache"


def _unpublished_path(workspace: Workspace) -> Path:
    return workspace.cache_folder / f"unpublished-{_portal_name(workspace)}.cache"


def _portal_name(workspace: Workspace) -> str:
    return blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()


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
