"""What a push leaves behind: the record of a plan with nothing to do, so that the next plan need not begin anew.

A push writes into the ledger, and what it sends is another portal than the one that was listed: whatever was remembered
before it is void (`plan_cache.py`). Afterwards, with the lock given back and the ledger closed, it does what a plan
would do now, in the same order: name this side, read the ledger, list what moved, decide. Only the tree is not read
again. So nothing is taken for true because it was sent: a person's edit meanwhile, another run, or an answer that was
not what it seemed is in the listing or in the ledger, and then there is no record. `push_texts.py` does the same for a
few texts, without the rest of the tree.

Where nothing was sent and the ledger says what it said, the plan that was just made is the record.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from kbsync.app.listing_ahead import LARGE
from kbsync.app.options import AS_CONFIGURED, PlanOptions
from kbsync.app.plan import Planned, make_plan
from kbsync.app.plan_cache import YOUNG_NS, Local, is_watched, local_side, remember
from kbsync.app.reading import Reading, is_portal_as_read
from kbsync.app.sides import Recorded, read_ledger
from kbsync.app.signals import answering, interrupt
from kbsync.app.workspace import Workspace
from kbsync.content.walk import Walk
from kbsync.errors import KbsyncError
from kbsync.model import Action, Outcome, Plan
from kbsync.service.contract import Service
from kbsync.service.snapshot import PUSH_MAX_AGE_S

MOST_SENT = 1_000
"""Changes whose rows are worth to be listed once more, 25 with each request. After more, the next plan lists them."""


class Unsent(msgspec.Struct, frozen=True):
    """What a push without changes was planned from, and when that began, in seconds since 1970."""

    record: Recorded
    planned: Planned
    began_s: float


def is_worth_a_record(walk: Walk) -> bool:
    """Whether a record can be worth what it costs: a small tree is read in less time than the requests take."""
    return len(walk.sources) >= LARGE


def is_worth_a_look(walk: Walk, plan: Plan, options: PlanOptions, outcomes: Sequence[Outcome]) -> bool:
    """Whether the next plan will probably have nothing to do, and gains more by a record than the look for it costs."""
    if not is_worth_a_record(walk):
        return False
    if options.selectors or options.release or options.publish_staged or plan.held or is_watched(plan):
        return False
    sent = [outcome for outcome in outcomes if outcome.change.action is not Action.ADOPT]
    # A position that moved means that its category is read whole: once is enough, and the next plan does it.
    if any("position" in item.change.after for item in sent if item.change.action is not Action.CREATE):
        return False
    return len(sent) <= MOST_SENT and all(item.outcome == "done" and not item.change.stages for item in sent)


@contextmanager
def leaving_record() -> Iterator[None]:
    """A block that leaves a record. The push is over, and nobody need wait for this: whatever goes wrong, there is only
    no record. Ctrl-C ends the block.
    """
    with suppress(KbsyncError, KeyboardInterrupt), answering(interrupt):
        yield


def leave_record(
    workspace: Workspace, service: Service, walk: Walk, reading: Reading, unsent: Unsent | None = None
) -> None:
    """Leave a record of the plan that has nothing to do, where there is one by now.

    Args:
        workspace: the project; its ledger is closed.
        service: the portal.
        walk, reading: the tree.
        unsent: what the push was planned from, where nothing of that moved: it had no changes, and no options.
    """
    with leaving_record():
        _look_and_remember(workspace, service, walk, reading, unsent)


def _look_and_remember(
    workspace: Workspace, service: Service, walk: Walk, reading: Reading, unsent: Unsent | None
) -> None:
    local = settled_side(workspace, walk)
    if local is None:
        return
    record = read_ledger(workspace, reading.desired)
    # The tree has the name that it had when it was read; portal.toml has the one of now.
    if record.pending or not is_portal_as_read(workspace, reading):
        return
    if unsent is not None and record.says_as(unsent.record):
        portal, plan, began_s = unsent.planned.portal, unsent.planned.plan, unsent.began_s
    else:
        began_s = time.time()
        # A push may use it for as long; for a plan that people read, its rows are as old as they are.
        planned = make_plan(workspace, reading, service, record, AS_CONFIGURED, max_age_s=PUSH_MAX_AGE_S)
        portal, plan = planned.portal, planned.plan
        del planned  # With all that was weighed: a large record needs the room.
    remember(workspace, reading, local, portal, plan, began_s, record)


def settled_side(workspace: Workspace, walk: Walk) -> Local | None:
    """This side, a tick of the file system's clock after the ledger was written: before, it has no sure name."""
    time.sleep(YOUNG_NS / 1e9)
    return local_side(workspace, walk)
