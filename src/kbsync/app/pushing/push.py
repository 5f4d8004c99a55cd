"""Carry out a plan: what push, undo and join share, and push itself.

Also: what a push is about, looked at once more before anything is sent: a list does not show all that moved.

    what moves unseen              | what looks again, and when
    -------------------------------+---------------------------------------------------------------------------
    a pending edit in the panel    | its category, before readers see a change; the article, before each write
    a reorder with the same number | its category, before an order changes
    a link between translations    | all rows, where the last whole reading is too old for people who read

Where that reading is so old, the category of everything that the plan changes or asks about is read, whatever it does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from kbsync.app.committed import check_committed
from kbsync.app.lease import Lease, held_lock, stopping_softly, who_pushes
from kbsync.app.planning.plan import Prepare, check_first_push, check_removals
from kbsync.app.push_result import Pushed
from kbsync.app.reading import Reading, read_sound
from kbsync.app.session import Session
from kbsync.app.sides import (
    Beside,
    OpenPortal,
    Peek,
    Portal,
    keep_written,
    learn_version,
    note_without_ledger,
    recorded,
)
from kbsync.app.workspace import Workspace
from kbsync.content.compile import Compiler
from kbsync.content.walk import Walk
from kbsync.errors import LeaseLost, LedgerError
from kbsync.fields import LINK_FIELD
from kbsync.history.commits import head
from kbsync.ledger.values import NO_SOURCE, Source
from kbsync.memory import Memory
from kbsync.model import Action, Base, Change, Held, Kind, Observed, Outcome, Plan, RemoteId
from kbsync.plan.saved import tree_digest
from kbsync.push.runner import Run
from kbsync.push.runner import push as send
from kbsync.push.sender import Sender
from kbsync.push.uploads import ImageAddresses, Uploads, content_of, ready, record_known, upload_all
from kbsync.service.snapshot import PUSH_MAX_AGE_S, store_snapshot

if TYPE_CHECKING:
    from kbsync.service.client import Service

Categories = set[tuple[str, str]]
"""By locale and slug."""

There = Mapping[tuple[Kind, RemoteId], Observed]
"""What is on the portal."""


def is_as_seen(memory: Memory, service: Service, portal: Portal, plan: Plan) -> bool:
    """Whether what a plan does to readers and to orders still meets what was seen, every row looked at.

    A list shows neither every pending edit nor every reorder (docs/service.md, S105 and S124). Without a portal that
    can be listed there is nothing to look at.
    """
    if portal.items is None or portal.snapshot is None or not (plan.sent or plan.held):
        return True
    there: There = {(item.kind, item.remote_id): item for item in portal.items}
    concerned = _all_concerned(plan, there) if portal.is_overdue else _concerned(plan.sent, there)
    if concerned is None:
        return False
    if not concerned or service.reader.look_again(portal.snapshot, sorted(concerned)):
        return True
    store_snapshot(memory, portal.snapshot)
    return False


def _concerned(changes: Iterable[Change], there: There) -> Categories:
    """The categories in which changes are seen by readers, or depend on the order."""
    concerned: Categories = set()
    for change in changes:
        item = there.get((change.kind, change.remote_id)) if change.remote_id is not None else None
        if item is not None and item.kind == "article" and (change.live or "position" in change.after):
            concerned |= {(item.locale, str(slug)) for slug in [item.fields.get("category")] if slug}
    return concerned


def _all_concerned(plan: Plan, there: There) -> Categories | None:
    """The categories of all that a plan changes or asks about, where rows may have moved unseen for hours.

    None where a list of them does not show it: an article without a category, and a link between translations.
    """
    concerned: Categories = set()
    refs: Iterable[Change | Held] = (*plan.sent, *plan.held)
    for ref in refs:
        if ref.kind != "article":
            continue
        item = there.get((ref.kind, ref.remote_id)) if ref.remote_id is not None else None
        after = ref.after if isinstance(ref, Change) else {}
        if "category" in after:
            concerned.add((ref.locale, str(after["category"])))
        if item is not None:
            if LINK_FIELD in after or not item.fields.get("category"):
                return None
            concerned.add((item.locale, str(item.fields["category"])))
    return concerned


Outcomes = Generator[Outcome, None, None]
"""As they come; whoever takes them closes it."""


def push(
    workspace: Workspace,
    prepare: Prepare,
    walk: Walk,
    *,
    full: bool,
    first_push: bool,
    wait: bool,
    break_lock: bool,
    asked: OpenPortal | None = None,
) -> Pushed:
    """Plan, carry it out and record it, under the portal's lock. See `Project.push`.

    `full`: all of the portal is read under the lock, and so not listed before. `asked` is what was asked of it before.
    """
    note_without_ledger(workspace)
    with ExitStack() as opened:
        listing = Beside(workspace, 0 if full else len(walk.sources), opened, max_age_s=PUSH_MAX_AGE_S)
        reading = read_sound(workspace, walk, listing.begin if asked is None else lambda: None)
        ledger = opened.enter_context(closing(workspace.open_ledger()))
        service = asked.service if asked else listing.service()
        check_first_push(workspace.profile, workspace.target.key, ledger, allowed=first_push)
        seen = asked.seen if asked else None
        while True:
            try:
                with held_lock(ledger, workspace, wait=wait, break_lock=break_lock) as lease:
                    pushed = push_tree(workspace, reading, service, lease, prepare, seen)
                    break
            except LeaseLost:
                if not wait:
                    raise
                workspace.session.note("Another push was faster. Waiting for it.")
                seen = None  # What was seen before that one is of no use now.
        # With what was asked of the portal before and after it.
        beside = service.transport.requests - pushed.requests
        pushed.requests, pushed.reading = pushed.requests + beside, pushed.reading + beside
        return pushed


def push_tree(
    workspace: Workspace, reading: Reading, service: Service, lease: Lease, prepare: Prepare, seen: Peek | None = None
) -> Pushed:
    """Plan, or take the plan that was saved, and carry it out; the lock is held."""
    since = PushStart(service.transport.requests, time.monotonic())
    learn_version(workspace, service)
    record = recorded(workspace, lease.ledger)
    # Before the lock was ours another push may have sent something; what a person did is looked for before each write.
    seen = seen if seen is not None and seen.last_run == record.last_run else None
    # A request without an answer may have arrived as unseen as any other.
    prepared = prepare(reading, service, record, seen, max_age_s=0 if record.pending else PUSH_MAX_AGE_S)
    if not is_as_seen(workspace.memory, service, prepared.planned.portal, prepared.planned.plan):
        prepared = prepare(reading, service, record)
    planned = prepared.planned
    check_removals(planned.plan)
    check_committed(workspace, planned.plan)
    lease.ledger.settle(lease.target, planned.recovery.settled)
    pushed = carry_out_sources(
        workspace,
        planned.plan,
        service,
        lease,
        Sources(planned.reading.compiler, planned.addresses),
        bases=planned.recovery.bases,
        digest=tree_digest(workspace.target, reading.desired),
        refused=prepared.refused,
        since=since,
    )
    keep_written(workspace.memory, service, planned.portal)
    pushed.nothing, pushed.again, pushed.anew = prepared.nothing, prepared.again, prepared.anew
    return pushed


class PushStart(msgspec.Struct, frozen=True):
    """When a push began: how many requests there had been, and seconds of a clock that is never set."""

    requests: int
    started_s: float


class Sources(msgspec.Struct, frozen=True):
    """What a plan sends the bodies of: sources, and where their images are."""

    compiler: Compiler
    addresses: ImageAddresses


def carry_out_sources(
    workspace: Workspace,
    plan: Plan,
    service: Service,
    lease: Lease,
    sources: Sources,
    *,
    bases: Iterable[Base],
    since: PushStart,
    command: str = "push",
    digest: str = "",
    refused: Sequence[Outcome] = (),
) -> Pushed:
    """Carry out a plan of the tree, its images first; the lock is held. See `carry_out`."""
    compiler, addresses, bases = sources.compiler, sources.addresses, tuple(bases)
    body_of = partial(content_of, compiler=compiler, addresses=addresses)
    # Where nothing is sent, nothing is looked up either: an adoption of a hundred thousand articles has as many bases.
    sender = make_sender(service, plan.changes, (*bases, *plan.settled) if plan.sent else (), body_of)
    per_hour = workspace.uploads_per_hour
    uploads = Uploads(service, compiler, addresses, lease.ledger, lease.target, time.time, per_hour=per_hour)
    reading = service.transport.requests - since.requests
    pushed = carry_out(
        workspace,
        plan,
        sender,
        lease,
        command=command,
        digest=digest,
        uploads=uploads,
        refused=refused,
        source=head(workspace.content_root),
    )
    pushed.reading, pushed.requests = reading, service.transport.requests - since.requests
    pushed.seconds = time.monotonic() - since.started_s
    return pushed


def make_sender(
    service: Service, changes: Sequence[Change] | None, bases: Sequence[Base], content_of: Callable[[Change, str], str]
) -> Sender:
    """What sends the changes; None: they are not known yet."""
    creates = changes is None or any(change.action is Action.CREATE and change.kind == "article" for change in changes)
    # Asked once, before the threads start: the service requires an author (docs/service.md, section 4).
    author: RemoteId | None = service.fetch_owner().id if creates and service.profile.can("profile") else None
    return Sender(service, content_of, {(base.kind, base.remote_id): base for base in bases}, author)


def carry_out(
    workspace: Workspace,
    plan: Plan,
    sender: Sender,
    lease: Lease,
    *,
    command: str,
    digest: str = "",
    uploads: Uploads | None = None,
    refused: Sequence[Outcome] = (),
    source: Source = NO_SOURCE,
) -> Pushed:
    """Carry out a plan; the lock is held.

    Args:
        workspace: the settings.
        plan: what to do.
        sender: sends it.
        lease: ours, with the lock.
        command: what the ledger shall call the run.
        digest: names the tree, for those who want to join.
        uploads: sends the images that come first.
        refused: what is not in the plan any more, and why.
        source: the commit whose files are published.
    """
    pushed = Pushed(plan, list(refused))
    ledger = lease.ledger
    with stopping_softly(workspace.session.note) as stop:
        number = ledger.begin_run(
            lease.target,
            command=command,
            now=time.time(),
            owner=lease.owner,
            digest=digest,
            version=plan.version,
            who=who_pushes(lease.owner),
            source=source,
        )
        pushed.run = number
        if any(change.action is Action.UPLOAD for change in plan.changes):
            ledger.announce(lease.target, number)
        stopping, beat = (lambda: stop.asked), lease.beat
        run = Run(ledger, number, time.time, stopping, beat, lease.owner, lease.is_gone, source=source)
        outcomes = _images_first(plan, uploads, sender, run, workspace.settings.pace.concurrency)
        try:
            follow(outcomes, pushed, workspace.session, len(plan.sent))
        except BaseException:
            # Our part in the run ends with us: the next push would take it for that of one that crashed.
            with suppress(LedgerError):
                ledger.leave(lease.target, number, lease.owner, now=time.time())
            raise
        pushed.stopped = stop.asked
    if pushed.broken is None:
        try:
            ledger.end_run(number, outcome=pushed.exit_code.name.lower(), now=time.time())
        except LedgerError as exc:
            pushed.broken = exc
    return pushed


def _images_first(plan: Plan, uploads: Uploads | None, sender: Sender, run: Run, concurrency: int) -> Outcomes:
    if uploads is not None:
        record_known(plan, uploads)
        yield from upload_all(plan, uploads, run.stopping, concurrency=concurrency)
        plan, left = ready(plan, uploads.compiler, uploads.addresses)
        yield from left
    yield from send(plan, sender, run, concurrency=concurrency)


def follow(outcomes: Outcomes, pushed: Pushed, session: Session, total: int) -> None:
    """Collect the outcomes as they come, and show progress; they stay collected where the ledger breaks."""
    # Closed here: an error on the way out holds on to it, and nothing more may be sent when the lock is given back.
    with session.progress(total) as show, closing(outcomes):
        try:
            for outcome in outcomes:
                pushed.outcomes.append(outcome)
                if outcome.held is not None:
                    pushed.plan = replace(pushed.plan, held=(*pushed.plan.held, outcome.held))
                show(outcome)
        except KeyboardInterrupt as exc:
            # Where it came while an outcome was shown, those who send do not know of it yet.
            outcomes.throw(exc)
            raise
        except LeaseLost:
            raise
        except LedgerError as exc:
            pushed.broken = exc
