"""A push of a few texts: what a plan of these alone says (`amend.py`) is carried out, and nothing else is read.

That is what a writer does all day, and in a large tree all the rest would cost a hundred times as much. It begins with
the record of a plan that had nothing to do (`plan_cache.py`). Whatever is not as it was then, on this side or on the
portal, is for a push of the whole tree.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from kbsync.app.amend import Amended, amended
from kbsync.app.beside import Beside, read_beside
from kbsync.app.lease import held_lock
from kbsync.app.ledger_place import note_without_ledger
from kbsync.app.options import AS_CONFIGURED
from kbsync.app.plan_cache import Local, RememberedPlan, heads_after, local_side, peek, remember_after
from kbsync.app.push import Since, Sources, carry_out_sources
from kbsync.app.push_result import Pushed
from kbsync.app.reading import Reading
from kbsync.app.record_after import is_worth_a_look, leaving_record, settled_side
from kbsync.app.sides import Asked
from kbsync.app.workspace import Workspace
from kbsync.errors import ExitCode, LeaseLost
from kbsync.service.snapshot import PUSH_MAX_AGE_S

if TYPE_CHECKING:
    from kbsync.service.contract import Service


class Texts(msgspec.Struct, frozen=True):
    """What is known before the portal is asked.

    Args:
        remembered: a plan that had nothing to do.
        local: this side now.
        part: the sources that moved since.
        beside: the ledger that the plan was made from, but for these sources.
    """

    remembered: RememberedPlan
    local: Local
    part: Reading
    beside: Beside


def push_texts(
    workspace: Workspace, service: Service, remembered: RememberedPlan, local: Local, part: Reading, *, wait: bool
) -> Pushed | Asked:
    """Push the sources that moved since a plan with nothing to do.

    Args:
        workspace: the project.
        service: the portal.
        remembered: that plan.
        local: this side, which but for these sources is as it was then.
        part: these sources.
        wait: for another push.

    Returns:
        What was asked of the portal so far, where the whole tree has to be looked at. Nothing was sent then.
    """
    beside = read_beside(workspace, part.desired)
    again = local_side(workspace, local.walk)
    # Where the ledger is the same before and after, what was read is what the plan was made from.
    if again is None or again.name != local.name or beside is None or beside.is_pending:
        return Asked(service, None)
    note_without_ledger(workspace)
    texts = Texts(remembered, local, part, beside)
    with closing(workspace.open_ledger()) as ledger:
        try:
            with held_lock(ledger, workspace, wait=wait, break_lock=False) as lease:
                since = Since(service.requests, time.monotonic())
                if ledger.last_run(lease.target) != beside.last_run:
                    return Asked(service, None)
                seen, plan = peek(workspace, service, remembered, max_age_s=PUSH_MAX_AGE_S)
                service.use_version(service.version or service.fetch_version())
                found = amended(workspace, plan, part, service) if plan is not None else None
                if found is None:
                    return Asked(service, seen)
                sources = Sources(part.compiler, found.addresses)
                pushed = carry_out_sources(
                    workspace, found.plan, service, lease, sources, bases=found.bases, since=since
                )
        except LeaseLost:
            if not wait:
                raise
            workspace.session.note("Another push was faster. Waiting for it.")
            return Asked(service, None)
    is_done = pushed.exit_code is ExitCode.DONE and not pushed.stopped
    if is_done and is_worth_a_look(local.walk, pushed.plan, AS_CONFIGURED, pushed.outcomes):
        with leaving_record():
            _look_and_remember(workspace, service, texts, found)
    more = service.requests - since.requests - pushed.requests
    pushed.requests, pushed.reading = pushed.requests + more, pushed.reading + more
    return pushed


def _look_and_remember(workspace: Workspace, service: Service, texts: Texts, sent: Amended) -> None:
    """Leave the record of a plan that has nothing to do, where what was sent is all that moved on either side."""
    local, beside = settled_side(workspace, texts.local.walk), read_beside(workspace, texts.part.desired)
    ours = {item.remote_id for item in sent.there.values()}
    if local is None or beside is None or beside.is_pending:
        return
    if beside.others != texts.beside.others or not beside.ids == texts.beside.ids == ours:
        return
    heads = heads_after(service, texts.remembered, ours)
    now = amended(workspace, texts.remembered.plan, texts.part, service) if heads is not None else None
    if heads is None or now is None or not _is_all_ours(sent, now):
        return
    remember_after(workspace, texts.remembered, texts.part, local, now.plan, heads, beside)


def _is_all_ours(sent: Amended, now: Amended) -> bool:
    """Whether nothing moved in these articles but what was sent: a person may have dragged one meanwhile, and with it
    all around it.
    """
    changes = {change.path: change.after for change in sent.plan.changes}
    return all(
        {**sent.there[path].fields, **changes.get(path, {})} == {**item.fields, **changes.get(path, {})}
        for path, item in now.there.items()
    )
