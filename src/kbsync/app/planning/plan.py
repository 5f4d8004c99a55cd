"""A plan: the tree, the portal and the ledger are read, what a crash left is recovered, and it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import structs

from kbsync.app.options import (
    PlanOptions,
    at_its_pace,
    check_selected,
    chosen,
    named,
    note_left_out,
    overwritten,
    policy_of,
    push_command,
    with_unwritten,
)
from kbsync.app.planning.deciding import Sides, World, decide, without_portal
from kbsync.app.pull_record import load_records
from kbsync.app.push_result import TooManyRemovals
from kbsync.app.reading import Reading, keep_slugs
from kbsync.app.session import Session
from kbsync.app.sides import Peek, Portal, Recorded, observe
from kbsync.app.workspace import Workspace
from kbsync.config import LintSettings
from kbsync.errors import PlanRefused
from kbsync.ledger import Ledger
from kbsync.lint.ignore import Severities
from kbsync.markdown.uploaded import host_of
from kbsync.model import Base, Desired, Outcome, Plan
from kbsync.plan.hints import with_pulled_hints
from kbsync.plan.known import Known
from kbsync.plan.match import Weighed, weigh
from kbsync.plan.recover import Recovery, settle_pending
from kbsync.push.uploads import ImageAddresses, plan_uploads

if TYPE_CHECKING:
    from kbsync.service.client import Service
    from kbsync.service.profile import Profile


class Planned(msgspec.Struct, frozen=True):
    """A plan, what a push needs beside it, what was seen of the portal, and where its images are.

    `reading` is the tree with the slugs that its articles have on this portal; `weighed` says which file is which
    article. `desired` is what was planned, with ids of the portal in the place of paths.
    """

    plan: Plan
    reading: Reading
    recovery: Recovery
    portal: Portal
    addresses: ImageAddresses
    weighed: Weighed
    desired: tuple[Desired, ...] = ()


class Prepared(msgspec.Struct, frozen=True):
    """What a push is to carry out, and how it reports that.

    `refused` is what a saved plan had and cannot do any more. `nothing`, `again` and `anew` are those of `Pushed`.
    """

    planned: Planned
    refused: tuple[Outcome, ...] = ()
    nothing: str = ""
    again: str = ""
    anew: str = ""


class Prepare(Protocol):
    """Plans, or takes the plan that was saved, for a push that holds the lock."""

    def __call__(
        self, reading: Reading, service: Service, record: Recorded, seen: Peek | None = None, *, max_age_s: int = 0
    ) -> Prepared: ...


def planning_now(workspace: Workspace, options: PlanOptions) -> Prepare:
    """A plan that is made when it is carried out."""

    def prepare(
        reading: Reading, service: Service, record: Recorded, seen: Peek | None = None, *, max_age_s: int = 0
    ) -> Prepared:
        planned = make_plan(workspace, reading, service, record, options, seen, max_age_s=max_age_s)
        is_idle = options.publish_staged and not planned.plan.held
        return Prepared(planned, nothing="No staged edit of kbsync is waiting for publication." if is_idle else "")

    return prepare


def make_plan(
    workspace: Workspace,
    reading: Reading,
    service: Service,
    record: Recorded,
    options: PlanOptions,
    peek: Peek | None = None,
    *,
    max_age_s: int = 0,
) -> Planned:
    """Look at the portal and decide.

    Args:
        workspace: settings and profile.
        reading: a tree without errors.
        service: the portal.
        record: of the ledger.
        options: of the command line.
        peek: what was asked of the portal just now.
        max_age_s: how long ago all rows of the portal may have been read, for who looks again before anything is sent.
    """
    bases: Sequence[Base] = record.bases
    full, root = options.full, workspace.content_root
    portal = observe(workspace, service, reading.desired, bases, full=full, peek=peek, max_age_s=max_age_s)
    known_slugs = (item.slug for item in (*bases, *(portal.items or ())) if item.kind == "article")
    reading = keep_slugs(workspace.settings.content, reading, known_slugs)
    addresses = ImageAddresses.of(record.images, portal.items or (), host_of(service.transport.base_url))
    desired = chosen(root, reading.desired, options)
    effects = service.profile.side_effects
    recovery = settle_pending(record.pending, bases, portal.everything, complete=portal.complete, effects=effects)
    overwrite = overwritten(root, reading.desired, record.bases, options)
    consent = named(root, reading.desired, options.live, options.here)
    check_selected(workspace, options, desired, overwrite, consent)
    policy = with_unwritten(at_its_pace(policy_of(workspace, options, overwrite, consent), service), reading)
    note_left_out(workspace, service, desired)
    known = Known(portal.items, without_portal(recovery.bases), recovery.unknown, complete=portal.complete)
    items, world = without_portal(reading.desired), World(workspace, reading, recovery, service, anew=full)
    # Without a name: what is found out takes its place, and of a large tree it is large.
    sides = decide(Sides(workspace.target, desired, recovery.bases, portal, policy, known, weigh(items, known)), world)
    plan = plan_uploads(sides.plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    plan = judged(with_way_out(plan, workspace.session, options), workspace.settings.lint, reading)
    plan = structs.replace(_with_pulled(plan, workspace), version=service.endpoint.version)
    return Planned(plan, reading, recovery, portal, addresses, sides.weighed, sides.wanted)


def _with_pulled(plan: Plan, workspace: Workspace) -> Plan:
    """The plan with hints that know what this clone has pulled."""
    records = load_records(workspace) if plan.held else None
    return structs.replace(plan, held=with_pulled_hints(plan.held, records)) if records else plan


def with_way_out(plan: Plan, session: Session, options: PlanOptions) -> Plan:
    """A plan that, where it is refused, names the command that carries it out all the same."""
    if plan.refused is None:
        return plan
    allowing = structs.replace(options, allow_removals=plan.refused.removals)
    command = push_command(session, allowing)
    hint = f"Check that no files are missing. To remove them all, run `{command}`."
    return structs.replace(plan, refused=structs.replace(plan.refused, hint=hint))


def check_removals(plan: Plan) -> None:
    """Refuse to carry out a plan that would empty the help center.

    Raises:
        TooManyRemovals: it would.
    """
    if plan.refused is not None:
        raise TooManyRemovals(plan, plan.refused.message, hint=plan.refused.hint)


def judged(plan: Plan, settings: LintSettings, reading: Reading) -> Plan:
    """The plan with those of its warnings that count here.

    Raises:
        PlanRefused: kbsync.toml calls one of them an error.
    """
    if not plan.warnings:
        return plan
    judge = Severities(settings)
    warnings = tuple(judge.judge(plan.warnings, reading.compiler.tree.sources))
    refused = [f"{finding.path}: {finding.message}" for finding in warnings if finding.level == "error"]
    if refused:
        more = f" And {len(refused) - 1:,} more." if len(refused) > 1 else ""
        code = next(finding.code for finding in warnings if finding.level == "error")
        raise PlanRefused(
            f"{code} is set to `error` in this project. {refused[0]}{more}",
            hint=f"Fix it, add `lint_ignore: [{code}]` to the file, or change [lint] levels.",
        )
    return structs.replace(plan, warnings=warnings)


def check_first_push(profile: Profile, key: str, ledger: Ledger, *, allowed: bool) -> None:
    """Without a list and without a ledger nothing says what is on the portal already.

    Raises:
        PlanRefused: the ledger is empty, and `--first-push` was not given.
    """
    if not profile.can_list and ledger.is_empty(key) and not allowed:
        raise PlanRefused(
            f"The profile `{profile.name}` cannot list the portal, and there is no ledger yet. "
            "Articles that are there already would be created a second time.",
            hint="If this is the first push to the portal, run `kbsync push --first-push`. If not, restore the ledger.",
        )
