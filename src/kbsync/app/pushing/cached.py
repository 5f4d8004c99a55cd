"""`push` of a whole tree, with the memory of the last plan around it.

the files ---+--- nothing moved, here and on the portal ----> nothing is sent, and the ledger is not touched
             +--- else: lock, read, look, decide, send (`push.py`)
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from kbsync.app.options import AS_CONFIGURED, PlanOptions
from kbsync.app.planning.plan import planning_now
from kbsync.app.planning.plan_cache import inputs_of, recall_unmoved
from kbsync.app.planning.saved_plans import resuming
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.push import push as carry_out
from kbsync.app.workspace import Workspace
from kbsync.content.walk import walk_tree
from kbsync.service.snapshot import PUSH_MAX_AGE_S


def push(
    workspace: Workspace, options: PlanOptions, *, saved: Path | None, first_push: bool, wait: bool, break_lock: bool
) -> Pushed:
    """Plan, carry it out and record it. See `Project.push`.

    Where the last plan had nothing to do and nothing moved since, there is nothing to lock or to record. A request
    whose answer was lost is in the ledger, and such a ledger is not the one that the plan was made from.
    """
    plain = options == AS_CONFIGURED and saved is None and not (first_push or break_lock)
    walk = walk_tree(workspace.content_root)
    inputs = inputs_of(workspace, walk) if plain else None
    started_s = time.monotonic()
    with ExitStack() as opened:
        remembered, asked = recall_unmoved(workspace, inputs, opened, max_age_s=PUSH_MAX_AGE_S)
        if remembered is not None and asked is not None:
            seconds, requests = time.monotonic() - started_s, asked.service.transport.requests
            return Pushed(remembered.plan, requests=requests, reading=requests, seconds=seconds)
        return carry_out(
            workspace,
            resuming(saved, workspace, options) if saved else planning_now(workspace, options),
            walk,
            full=options.full,
            first_push=first_push,
            wait=wait,
            break_lock=break_lock,
            asked=asked,
        )
