"""A plan that had nothing to do, amended by the few sources that moved since. See `cli/standing.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kbsync.cli.policy import Wishes, policy_of
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import NotFound
from kbsync.model import Plan
from kbsync.sync.match import Match
from kbsync.sync.plan import amend_plan

if TYPE_CHECKING:
    from kbsync.service.client import Service


def amended(workspace: Workspace, standing: Plan, reading: Reading, service: Service) -> Plan | None:
    """A plan that had nothing to do, with what became of the few sources that moved since.

    Args:
        workspace: settings and profile.
        standing: that plan.
        reading: the sources that moved.
        service: the portal, which is as it was then but for what one look at each article may show.

    Returns:
        None where that does not settle it: an article is gone, or is another one, or is held.
    """
    ledger = workspace.open_ledger(looking=True)
    try:
        slugs = [item.slug for item in reading.desired]
        bases = {base.path: base for base in ledger.bases_of_slugs(workspace.target.key, "article", slugs)}
    finally:
        ledger.close()
    matches = []
    for item in reading.desired:
        base = bases.get(item.path)
        if base is None or base.slug != item.slug:
            return None
        try:
            there = service.show_article(base.remote_id, locale=base.locale)
        except NotFound:
            return None
        if there.slug != item.slug:
            return None
        matches.append(Match(item, base, there))
    policy = replace(policy_of(workspace, Wishes(), []), latency_s=service.transport.latency_s)
    plan = amend_plan(standing, matches, policy=policy)
    return None if plan.held or plan.settled else plan
