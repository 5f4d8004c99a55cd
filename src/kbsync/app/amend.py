"""A plan that had nothing to do, amended by the few sources that moved since. See `plan_cache.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from kbsync.app.kept_unpublished import KeptUnpublished
from kbsync.app.newer_runs import read_newer
from kbsync.app.options import AS_CONFIGURED, at_its_pace, policy_of, with_unwritten
from kbsync.app.reading import Reading
from kbsync.app.sides import Recorded, image_addresses
from kbsync.app.workspace import Workspace
from kbsync.errors import NotFound
from kbsync.markdown.uploaded import host_of
from kbsync.model import Base, Desired, Observed, Plan
from kbsync.plan.amended import amend_plan
from kbsync.plan.draft import Policy
from kbsync.plan.match import Match
from kbsync.push.uploads import ImageAddresses, plan_uploads

if TYPE_CHECKING:
    from kbsync.service.contract import Service


class Amended(msgspec.Struct, frozen=True):
    """Such a plan, and what it was made from: the articles there by path, their bases, where images are."""

    plan: Plan
    there: Mapping[str, Observed]
    bases: list[Base]
    addresses: ImageAddresses


def amended(workspace: Workspace, remembered: Plan, reading: Reading, service: Service) -> Amended | None:
    """A plan that had nothing to do, with what became of the few sources that moved since.

    Args:
        workspace: settings and profile.
        remembered: that plan.
        reading: the sources that moved.
        service: the portal, which is as it was then but for what one look at each article may show.

    Returns:
        None where that does not settle it: an article is gone, or is another one, or is held, or git has to be asked,
        or something was published from a commit that is not here.
    """
    record = _recorded(workspace, reading.desired)
    wanted = {(item.path, item.slug) for item in reading.desired}
    bases = {name: base for base in record.bases if (name := (base.path, base.slug)) in wanted}
    if bases.keys() != wanted:
        return None
    there: dict[str, Observed] = {}
    for base in bases.values():
        try:
            there[base.path] = service.show_article(base.remote_id, locale=base.locale)
        except NotFound:
            return None
        if there[base.path].slug != base.slug:
            return None
    addresses = ImageAddresses.of(record.images, there.values(), host_of(service.base_url))
    matches = [Match(item, bases[item.path, item.slug], there[item.path]) for item in reading.desired]
    policy = with_unwritten(at_its_pace(policy_of(workspace, AS_CONFIGURED), service), reading)
    plan = replace(_amended(remembered, matches, policy), version=service.version)
    plan = plan_uploads(plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    if plan.held or plan.settled or (plan.sent and read_newer(workspace, reading.compiler.tree, plan).certain):
        return None
    return Amended(plan, there, list(bases.values()), addresses)


def _amended(remembered: Plan, matches: Sequence[Match], policy: Policy) -> Plan:
    """That plan with what these articles come to; what it leaves unpublished besides stays encoded where it can."""
    before = remembered.unpublished
    if not isinstance(before, KeptUnpublished):
        return amend_plan(remembered, matches, policy=policy)
    places = before.places_of({match.desired.path for match in matches})
    own = tuple(before[place] for place in places)
    plan = amend_plan(replace(remembered, unpublished=own), matches, policy=policy)
    if [row.path for row in plan.unpublished] != [row.path for row in own]:
        return amend_plan(remembered, matches, policy=policy)
    return replace(plan, unpublished=before.with_rows(dict(zip(places, plan.unpublished, strict=True))))


def _recorded(workspace: Workspace, items: Iterable[Desired]) -> Recorded:
    """What the ledger says of some articles."""
    ledger = workspace.open_ledger(looking=True)
    try:
        key = workspace.target.key
        bases = ledger.bases_of_slugs(key, "article", [item.slug for item in items])
        return Recorded(bases, [], image_addresses(ledger, key))
    finally:
        ledger.close()
