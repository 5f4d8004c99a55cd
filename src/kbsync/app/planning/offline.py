"""`plan --offline`: the content tree against what the ledger last agreed on. No token, and no request to the service.

For jobs that have no token, such as those of pull requests from forks. What people edited in the panel since is not
seen; the plan says as of which run it is.
"""

from __future__ import annotations

from contextlib import closing

from msgspec import structs

from kbsync.app.options import PlanOptions, check_selected, chosen, kept_by, overwritten, policy_of, with_unwritten
from kbsync.app.planning.cached import PlanResult
from kbsync.app.planning.deciding import Sides, World, decide, without_portal
from kbsync.app.planning.plan import Planned, judged
from kbsync.app.reading import keep_slugs, read_sound
from kbsync.app.sides import Portal, Recorded, recorded
from kbsync.app.workspace import Workspace
from kbsync.command import quote
from kbsync.errors import LedgerError, PlanRefused
from kbsync.ledger import Ledger
from kbsync.ledger.values import RunInfo
from kbsync.markdown.uploaded import host_of
from kbsync.markdown.versions import Version
from kbsync.model import AsOf
from kbsync.plan.known import Known
from kbsync.plan.match import weigh
from kbsync.plan.recover import settle_pending
from kbsync.push.uploads import ImageAddresses, plan_uploads


def plan_offline(workspace: Workspace, options: PlanOptions) -> PlanResult:
    """What a push would do, if the portal still is as the last run left it.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: there is nothing on record to compare with.
    """
    planned = make_plan_offline(workspace, options)
    return PlanResult(planned.plan, planned.reading.findings)


def make_plan_offline(workspace: Workspace, options: PlanOptions) -> Planned:
    """The same plan, with what it was made from. Nothing of the portal was observed.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: there is nothing on record to compare with.
    """
    record, run = _read(workspace)
    recorded_slugs = (base.slug for base in record.bases if base.kind == "article")
    reading = keep_slugs(workspace.settings.content, read_sound(workspace), recorded_slugs)
    addresses = ImageAddresses.of(record.images, (), host_of(workspace.settings.service.base_url))
    everything = chosen(workspace.content_root, reading.desired, options)
    recovery = settle_pending(
        record.pending, record.bases, None, complete=False, effects=workspace.profile.side_effects
    )
    version = workspace.settings.service.version or run.version
    overwrite = overwritten(workspace.content_root, reading.desired, record.bases, options)
    check_selected(workspace, options, everything, overwrite)
    policy = policy_of(workspace, options, overwrite)
    profile = workspace.profile.at(Version.or_newest(version))
    lacks = {name: str(since) for name, since in profile.lacks.items()}
    able = frozenset(profile.operations)
    policy = structs.replace(policy, can=able, keeps=kept_by(policy, profile), version=version, lacks=lacks)
    policy = with_unwritten(policy, reading)
    known = Known(None, without_portal(recovery.bases), recovery.unknown, complete=False)
    weighed = weigh(without_portal(reading.desired), known)
    sides = Sides(workspace.target, everything, recovery.bases, None, policy, known, weighed)
    sides = decide(sides, World(workspace, reading, recovery))
    plan = plan_uploads(sides.plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    plan = structs.replace(plan, as_of=AsOf(run.number, run.ended_at or run.started_at), version=version)
    portal = Portal(None, complete=False)
    plan = judged(plan, workspace.settings.lint, reading)
    return Planned(plan, reading, recovery, portal, addresses, sides.weighed, sides.wanted)


def _read(workspace: Workspace) -> tuple[Recorded, RunInfo]:
    """What is on record, and the last run."""
    if not workspace.has_ledger():
        raise _nothing_recorded(workspace)
    with closing(open_as_fetched(workspace)) as ledger:
        record, runs = recorded(workspace, ledger), ledger.runs(workspace.target.key)
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
