"""`plan --offline`: the content tree against what the ledger last agreed on. No token, and no request to the service.

For jobs that have no token, such as those of pull requests from forks. What people edited in the panel since is not
seen; the plan says as of which run it is.
"""

from __future__ import annotations

from functools import partial

from msgspec import structs

from kbsync.app.cached import Compared
from kbsync.app.newer_runs import lost_files, read_newer
from kbsync.app.options import PlanOptions, check_selected, chosen, kept_by, overwritten, policy_of, with_unwritten
from kbsync.app.plan import Planned, judged, learn, sides_of_portal, was_named, without_portal
from kbsync.app.reading import keep_slugs, read_sound
from kbsync.app.sides import Portal, Recorded, recorded
from kbsync.app.workspace import Workspace
from kbsync.command import quote
from kbsync.errors import LedgerError, PlanRefused
from kbsync.ledger import Ledger
from kbsync.ledger.values import RunInfo
from kbsync.markdown.uploaded import host_of
from kbsync.markdown.versions import Version
from kbsync.model import AsOf, Plan
from kbsync.plan.build import build_plan
from kbsync.plan.former import renamed_where_desired
from kbsync.plan.known import Known
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
    planned = make_plan_offline(workspace, options)
    return Compared(planned.plan, planned.reading.findings)


def make_plan_offline(workspace: Workspace, options: PlanOptions) -> Planned:
    """The same plan, with what it was made from. Nothing of the portal was observed.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: there is nothing on record to compare with.
    """
    record, run = _read(workspace)
    recorded_slugs = (base.slug for base in record.bases if base.kind == "article")
    reading = keep_slugs(workspace, read_sound(workspace), recorded_slugs)
    addresses = ImageAddresses.of(record.images, (), host_of(workspace.settings.service.base_url))
    bases = renamed_where_desired(record.bases, reading.desired, partial(was_named, reading.compiler, addresses))
    everything = chosen(workspace, reading.desired, options)
    recovery = settle_pending(record.pending, bases, None, complete=False, effects=workspace.profile.side_effects)
    version = workspace.settings.service.version or run.version
    overwrite = overwritten(workspace, reading.desired, record.bases, options)
    check_selected(workspace, options, everything, overwrite)
    policy = policy_of(workspace, options, overwrite)
    profile = workspace.profile.at(Version.or_newest(version))
    lacks = {name: str(since) for name, since in profile.lacks.items()}
    able = frozenset(profile.operations)
    policy = structs.replace(policy, can=able, keeps=kept_by(policy, profile), version=version, lacks=lacks)
    policy = with_unwritten(policy, reading)
    known = Known(None, without_portal(recovery.bases), recovery.unknown, complete=False)
    weighed = learn(workspace, reading, None, known, publish=policy.publish)
    known = weighed.index.known
    sides = as_recorded(sides_of_portal(everything, recovery.bases, weighed, None))
    desired = with_originals(without_portal(everything), weighed)
    plan: Plan = build_plan(workspace.target, desired, known, policy=policy, weighed=weighed, portal=sides)
    lost = lost_files(plan, recovery.bases)
    if (plan.sent or lost) and (newer := read_newer(workspace, reading.compiler.tree, plan, lost).certain):
        known = structs.replace(known, newer=newer)
        plan = build_plan(workspace.target, desired, known, policy=policy, weighed=weighed, portal=sides)
    plan = plan_uploads(plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    plan = structs.replace(plan, as_of=AsOf(run.number, run.ended_at or run.started_at), version=version)
    portal = Portal(None, complete=False)
    return Planned(judged(plan, workspace, reading), reading, recovery, portal, addresses, weighed, tuple(desired))


def _read(workspace: Workspace) -> tuple[Recorded, RunInfo]:
    """What is on record, and the last run."""
    if not workspace.has_ledger():
        raise _nothing_recorded(workspace)
    ledger = open_as_fetched(workspace)
    try:
        record, runs = recorded(workspace, ledger, former=True), ledger.runs(workspace.target.key)
    finally:
        ledger.close()
    if not runs or not record.bases:
        raise _nothing_recorded(workspace)
    return record, runs[0]


def open_as_fetched(workspace: Workspace) -> Ledger:
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
        workspace.fetched = True  # Neither the wait nor the note is needed twice in one command.
        workspace.session.note(f"{exc.message} Comparing with what was fetched last.")
        return ledger


def _nothing_recorded(workspace: Workspace) -> PlanRefused:
    hint = 'Plan without `--offline`. With [ledger] url = "git:origin" every clone has what the last push recorded.'
    if workspace.has_git_ledger and not workspace.fetches:
        remote = workspace.settings.ledger.url.removeprefix("git:") or "origin"
        hint = f"Run `git fetch {quote(remote)} '+refs/kbsync/*:refs/kbsync/*'`, then run this again."
    return PlanRefused("The ledger is empty, so there is nothing to compare your files with.", hint=hint)
