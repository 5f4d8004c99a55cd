"""The steps that plan and push share: read, look, recover, decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kbsync.cli.select import select
from kbsync.cli.workspace import Glance, Portal, Reading, Workspace
from kbsync.errors import PlanRefused
from kbsync.ledger.contract import Ledger
from kbsync.model import Base, Desired, Pending, Plan
from kbsync.sync.draft import Policy
from kbsync.sync.plan import build_plan
from kbsync.sync.recover import Recovery, settle_pending

if TYPE_CHECKING:
    from kbsync.service.client import Service


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks for beyond kbsync.toml. Selectors are as the user typed them."""

    selectors: tuple[str, ...] = ()
    overwrite: tuple[str, ...] = ()
    recreate: bool = False
    publish: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, what a push needs beside it, and what was seen of the portal."""

    plan: Plan
    recovery: Recovery
    portal: Portal


def make_plan(
    workspace: Workspace,
    reading: Reading,
    service: Service,
    record: tuple[list[Base], list[Pending]],
    wishes: Wishes,
    glance: Glance | None = None,
) -> Planned:
    """Look at the portal and decide.

    Args:
        workspace: settings and profile.
        reading: a tree without errors.
        service: the portal.
        record: bases and pending requests of the ledger.
        wishes: of the command line.
        glance: what was asked of the portal just now.
    """
    desired = chosen(workspace, reading.desired, wishes.selectors) if wishes.selectors else reading.desired
    bases, pending = record
    portal = workspace.observe(service, reading.desired, bases, full=wishes.full, glance=glance)
    recovery = settle_pending(pending, bases, portal.items, complete=portal.complete)
    overwrite = chosen(workspace, reading.desired, wishes.overwrite) if wishes.overwrite else []
    policy = policy_of(workspace, wishes, overwrite)
    plan = build_plan(workspace.target, desired, portal.items, recovery.bases, policy=policy, pending=recovery.unknown)
    return Planned(plan, recovery, portal)


def chosen(workspace: Workspace, desired: list[Desired], selectors: Iterable[str]) -> list[Desired]:
    """What some selectors mean, as seen from here."""
    return select(desired, selectors, root=workspace.settings.content_root.resolve(), here=Path.cwd())


def policy_of(workspace: Workspace, wishes: Wishes, overwrite: list[Desired]) -> Policy:
    """How far this plan may go."""
    push, profile = workspace.settings.push, workspace.profile
    return Policy(
        can=frozenset(profile.operations),
        keeps={
            "article": frozenset(profile.fields["article"]),
            "category": frozenset(profile.fields["category"]),
        },
        publish=push.publish or wishes.publish,
        live=push.live,
        removed=push.removed,
        max_fraction=push.max_fraction,
        recreate=wishes.recreate,
        overwrite=frozenset(item.path for item in overwrite),
        whole=not wishes.selectors,
        default_locale=workspace.settings.content.default_locale,
        requests_per_minute=workspace.requests_per_minute,
        concurrency=workspace.settings.pace.concurrency,
    )


def check_first_push(workspace: Workspace, ledger: Ledger, *, allowed: bool) -> None:
    """Without a list and without a ledger nothing says what is on the portal already.

    Raises:
        PlanRefused: and the user has not said that this is the first push.
    """
    if not workspace.profile.can_list and ledger.is_empty(workspace.target.key) and not allowed:
        raise PlanRefused(
            f"the profile `{workspace.profile.name}` cannot look at the portal, and there is no ledger yet: "
            "whatever is there already would be made a second time",
            hint="if nothing was ever pushed to this portal, `kbsync push --first-push`; else bring the ledger back",
        )
