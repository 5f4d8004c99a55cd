"""`plan --offline`: the content tree against what the ledger last agreed on. No token, and no request to the service.

For jobs that have no token, such as those of pull requests from forks. What people edited in the panel since is not
seen; the plan says as of which run it is.
"""

from __future__ import annotations

from functools import partial

from kbsync.app.cached import Compared
from kbsync.app.options import PlanOptions, chosen, named, policy_of
from kbsync.app.plan import judged, sides_of_portal, was_named, without_portal
from kbsync.app.reading import keep_slugs, read_sound
from kbsync.app.sides import Recorded, recorded
from kbsync.app.workspace import Workspace
from kbsync.errors import LedgerError, PlanRefused
from kbsync.ledger import Ledger
from kbsync.markdown.uploaded import host_of
from kbsync.model import AsOf, Plan
from kbsync.plan.build import build_plan
from kbsync.plan.former import renamed_where_desired
from kbsync.plan.known import Known
from kbsync.plan.match import weigh
from kbsync.plan.portal_settings import as_recorded
from kbsync.plan.recover import settle_pending
from kbsync.plan.translation_links import with_originals
from kbsync.push.uploads import ImageAddresses, plan_uploads


def plan_offline(workspace: Workspace, options: PlanOptions) -> Compared:
    """What a push would do, if the portal still is as the last run left it.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: there is nothing on record to compare with.
    """
    record, as_of = _read(workspace)
    recorded_slugs = (base.slug for base in record.bases if base.kind == "article")
    reading = keep_slugs(workspace, read_sound(workspace), recorded_slugs)
    addresses = ImageAddresses.of(record.images, (), host_of(workspace.settings.service.base_url))
    bases = renamed_where_desired(record.bases, reading.desired, partial(was_named, reading.compiler, addresses))
    everything = chosen(workspace, reading.desired, options)
    recovery = settle_pending(record.pending, bases, None, complete=False, effects=workspace.profile.side_effects)
    policy = policy_of(workspace, options, named(workspace, reading.desired, options.overwrite, options.here))
    known = Known(None, without_portal(recovery.bases), recovery.unknown, complete=False)
    weighed = weigh(without_portal(reading.desired), known)
    sides = as_recorded(sides_of_portal(everything, recovery.bases, weighed, None))
    desired = with_originals(without_portal(everything), weighed)
    plan: Plan = build_plan(workspace.target, desired, known, policy=policy, weighed=weighed, portal=sides)
    plan = plan_uploads(plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    return Compared(judged(plan.as_of_run(as_of), workspace, reading), reading.findings)


def _read(workspace: Workspace) -> tuple[Recorded, AsOf]:
    if not workspace.has_ledger():
        raise _nothing_recorded()
    ledger = _open(workspace)
    try:
        record, as_of = recorded(workspace, ledger, former=True), _last_run(ledger, workspace.target.key)
    finally:
        ledger.close()
    if as_of is None or not record.bases:
        raise _nothing_recorded()
    return record, as_of


def _open(workspace: Workspace) -> Ledger:
    """The ledger; one in git as it was fetched last, where its remote cannot be reached."""
    if not workspace.has_git_ledger:
        return workspace.open_ledger(looking=True)
    try:
        return workspace.open_git_ledger()
    except LedgerError as exc:
        ledger = workspace.open_git_ledger(fetch=False)
        if ledger.is_empty(workspace.target.key):
            ledger.close()
            raise
        workspace.session.note(f"{exc.message} Comparing with what was fetched last.")
        return ledger


def _last_run(ledger: Ledger, target: str) -> AsOf | None:
    runs = ledger.runs(target)
    return AsOf(runs[0].number, runs[0].ended_at or runs[0].started_at) if runs else None


def _nothing_recorded() -> PlanRefused:
    return PlanRefused(
        "The ledger is empty, so there is nothing to compare your files with.",
        hint='Plan without `--offline`. With [ledger] url = "git:origin" every clone has what the last push recorded.',
    )
