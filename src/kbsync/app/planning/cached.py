"""`plan` of a whole tree, with the memory of the last plan around it.

the files ---+--- nothing moved, here and on the portal ----> the last plan, if that had nothing to do
             +--- else: read, look, recover, decide (`plan.py`)

Also: the bodies behind a plan, for `plan --diff`: as the portal has them now, and as a push would send them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync.app.committed import note_uncommitted
from kbsync.app.options import AS_CONFIGURED, PlanOptions
from kbsync.app.planning.plan import make_plan
from kbsync.app.planning.plan_cache import inputs_of, recall_unmoved, remember
from kbsync.app.planning.saved_plans import write_plan
from kbsync.app.reading import Reading, read_sound
from kbsync.app.sides import Beside, note_without_ledger, read_ledger
from kbsync.app.workspace import Workspace
from kbsync.content.walk import walk_tree
from kbsync.errors import NotFound
from kbsync.markdown.own_pages import OwnPages, with_paths
from kbsync.markdown.uploaded import body_digest, by_key
from kbsync.model import Change, Finding, Held, Plan, Reason
from kbsync.report.body_diff import TEXT_ACTIONS, Bodies, Body, Key, key_of

if TYPE_CHECKING:
    from kbsync.service.client import Service


def read_bodies(plan: Plan, reading: Reading, service: Service, *, most: int) -> Bodies:
    """The bodies that differ, in the order of the report, at most so many: each costs a request."""
    sources = reading.compiler.tree.sources  # Of a file that is gone there is no body to compare with.
    wanted = [item for item in _differing(plan) if item.path in sources] if service.profile.can("show_article") else []
    texts: dict[Key, Body] = {}
    for item in wanted[:most]:
        assert item.remote_id is not None
        try:
            _, live, staged = service.read_article(item.remote_id, locale=item.locale)
        except NotFound:
            continue  # Somebody deleted it since it was listed.
        ours = reading.compiler.content_of(item.path)
        texts[key_of(item)] = _compared(item, live or "", staged, ours, service.endpoint.own)
    return Bodies(texts, max(0, len(wanted) - most))


def _compared(item: Change | Held, portal: str, staged: str | None, ours: str, own: OwnPages) -> Body:
    """Two bodies as the plan compared them."""
    if isinstance(item, Held):
        fields = item.values
        portal = staged if staged is not None and item.reason is Reason.STAGED else portal
    else:
        fields = item.fields
        ours = by_key(staged) if staged is not None and item.publishes_staged else ours
    by_path = with_paths(portal, own)
    if by_path != portal and body_digest(by_path) in [field.before for field in fields]:
        portal = by_path
    return Body(by_key(portal), ours)


def _differing(plan: Plan) -> Iterator[Change | Held]:
    for change in sorted(plan.sent, key=lambda change: not change.live):
        is_moved = change.stages or change.before.get("content") != change.after.get("content")
        if change.action in TEXT_ACTIONS and is_moved:
            yield change
    for item in plan.held:
        if item.kind == "article" and item.remote_id is not None and "content" in item.fields:
            yield item


class PlanResult(msgspec.Struct, frozen=True):
    """A plan, and the warnings of the tree that it was made from; the bodies that differ where these were asked for."""

    plan: Plan
    findings: Sequence[Finding]
    bodies: Bodies | None = None


def plan(
    workspace: Workspace, options: PlanOptions = AS_CONFIGURED, *, out: Path | None = None, diffs: int = 0
) -> PlanResult:
    """What a push would do.

    Args:
        workspace: the project.
        options: what is asked for beyond kbsync.toml.
        out: the file that the plan is saved in, too; a plan that is refused is not.
        diffs: how many bodies are read to be compared.

    Raises:
        TreeRefused: the content tree has errors.
        KbsyncError: the portal, the ledger or a setting cannot be used.
    """
    note_without_ledger(workspace)
    walk = walk_tree(workspace.content_root)
    inputs = inputs_of(workspace, walk) if out is None and not diffs and options == AS_CONFIGURED else None
    with ExitStack() as opened:
        remembered, asked = recall_unmoved(workspace, inputs, opened)
        if remembered is not None:
            return PlanResult(remembered.plan, remembered.findings)
        # A tree with errors is refused before anybody is asked for anything.
        listing = Beside(workspace, 0 if options.full else len(walk.sources), opened)
        reading = read_sound(workspace, walk, listing.begin if asked is None else lambda: None)
        record = read_ledger(workspace)
        del walk  # The stamps of a large tree are 20 megabytes.
        service = asked.service if asked else listing.service()
        began_s = time.time()
        planned = make_plan(workspace, reading, service, record, options, asked.seen if asked else None)
        note_uncommitted(workspace, planned.plan)
        remember(workspace, reading, inputs, planned.portal, planned.plan, began_s, record)
        if out is not None and planned.plan.refused is None:
            write_plan(out, planned, workspace, reading, options)
        bodies = read_bodies(planned.plan, reading, service, most=diffs) if diffs else None
        return PlanResult(planned.plan, reading.findings, bodies)
