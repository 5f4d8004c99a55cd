"""The steps that plan and push share: read, look, recover, decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from kbsync.cli.policy import Wishes, chosen, named, policy_of
from kbsync.cli.workspace import Glance, Portal, Reading, Recorded, Workspace
from kbsync.errors import PlanRefused
from kbsync.ledger.contract import Ledger
from kbsync.model import Action, Base, Desired, Observed, Plan, Reason
from kbsync.plan.build import NOTHING_RENAMED, build_plan
from kbsync.plan.former import renamed_bodies
from kbsync.plan.match import match_items
from kbsync.plan.recover import Recovery, settle_pending
from kbsync.plan.renames import Renames, find_renames, movers_of, strays_of
from kbsync.push.uploads import plan_uploads

if TYPE_CHECKING:
    from kbsync.service.client import Service

MOST_READ = 100
"""Articles without a source whose texts are read, to find out whether they were renamed; a locale's move is read whole,
however large it is, for what is not recognised is made a second time."""


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
    record: Recorded,
    wishes: Wishes,
    glance: Glance | None = None,
) -> Planned:
    """Look at the portal and decide.

    Args:
        workspace: settings and profile.
        reading: a tree without errors.
        service: the portal.
        record: of the ledger.
        wishes: of the command line.
        glance: what was asked of the portal just now.
    """
    bases = record.bases
    portal = workspace.observe(service, reading.desired, bases, full=wishes.full, glance=glance)
    workspace.settle_pictures(reading, service, record, portal.items or ())
    if portal.items is None:
        bases = renamed_bodies(bases, reading.desired, reading.compiler.content_of)
    desired = chosen(workspace, reading.desired, wishes.selectors) if wishes.selectors else reading.desired
    recovery = settle_pending(record.pending, bases, portal.items, complete=portal.complete)
    overwrite = named(workspace, reading.desired, wishes.overwrite)
    policy = replace(policy_of(workspace, wishes, overwrite), latency_s=service.transport.latency_s)
    renames = renamed(reading, service, portal, recovery.bases)

    def build(desired: Sequence[Desired], **more: Any) -> Plan:
        return build_plan(
            workspace.target,
            desired,
            portal.items,
            recovery.bases,
            policy=policy,
            pending=recovery.unknown,
            renames=renames,
            tree=reading.desired,
            complete=portal.complete,
            **more,
        )

    if not any(base.kind == "article" for base in recovery.bases):
        desired = with_former_slugs(build(desired), desired, reading)
    plan = ask_older_revisions(build, (desired, portal.items, recovery.bases), reading)
    plan = plan_uploads(plan, reading.compiler, policy, per_hour=workspace.uploads_per_hour)
    plan = judged(plan, workspace, reading)
    return Planned(plan, recovery, portal)


def judged(plan: Plan, workspace: Workspace, reading: Reading) -> Plan:
    """The plan with those of its warnings that count here.

    Raises:
        PlanRefused: kbsync.toml calls one of them an error.
    """
    if not plan.warnings:
        return plan
    from kbsync.lint.ignore import Judge

    judge = Judge(workspace.settings.lint)
    warnings = tuple(judge.judge(plan.warnings, reading.compiler.tree.sources))
    refused = [f"{finding.path}: {finding.message}" for finding in warnings if finding.level == "error"]
    if refused:
        more = f", and {len(refused) - 1:,} more" if len(refused) > 1 else ""
        code = next(finding.code for finding in warnings if finding.level == "error")
        raise PlanRefused(
            f"{code} is an error in this project: {refused[0]}{more}",
            hint=f"mend it, write `lint_ignore: [{code}]` into the file if it is meant, or change [lint] levels",
        )
    return replace(plan, warnings=warnings)


def renamed(reading: Reading, service: Service, portal: Portal, bases: Collection[Base]) -> Renames:
    """Sources that are an article under another name. Only where an article lost its source are any texts read."""
    there = {item.path for item in reading.desired}
    if portal.items is None or all(base.path in there for base in bases if base.kind == "article"):
        return NOTHING_RENAMED
    strays = strays_of(match_items(reading.desired, portal.items, bases))
    texts = {item.path: reading.compiler.content_of(item.path) for item in strays.new}
    by_digest = {item.fields.get("content"): texts[item.path] for item in strays.new}
    former = {base.remote_id: by_digest.get(base.fields.get("content")) for base in strays.old}
    movers = movers_of(strays)
    unread = [base for base in strays.old if former[base.remote_id] is None and base.remote_id not in movers]
    moved = [base for base in strays.old if former[base.remote_id] is None and base.remote_id in movers]
    for base in (*moved, *unread[:MOST_READ]):
        former[base.remote_id] = service.read_article(base.remote_id, locale=base.locale)[1]
    return find_renames(strays, texts, {key: text for key, text in former.items() if text is not None})


def with_former_slugs(plan: Plan, desired: list[Desired], reading: Reading) -> list[Desired]:
    """What would be made and was on the portal under another slug, by the word of git, has that one as an alias.

    A ledger knows such articles by their path; a fresh clone has none.
    """
    new = [change.path for change in plan.changes if change.action is Action.CREATE and change.kind == "article"]
    strangers = {item.slug for item in plan.unmanaged if item.kind == "article"}
    if not new or not strangers:
        return desired
    from kbsync.history.base import former_slugs

    known = {path: slugs & strangers for path, slugs in former_slugs(reading.compiler, new).items()}
    claims = Counter(slug for slugs in known.values() for slug in slugs)
    aliases = {path: tuple(slugs) for path, slugs in known.items() if len(slugs) == 1 and claims[min(slugs)] == 1}
    return [
        msgspec.structs.replace(item, aliases=(*item.aliases, *aliases[item.path])) if item.path in aliases else item
        for item in desired
    ]


def ask_older_revisions(
    build: Callable[..., Plan], sides: tuple[list[Desired], list[Observed] | None, Sequence[Base]], reading: Reading
) -> Plan:
    """The plan; git is asked where it has conflicts that no ledger can settle, and most plans have none.

    Args:
        build: makes the plan, from what is desired and `history`.
        sides: what it is made of.
        reading: the tree as it is now.
    """
    plan = build(sides[0])
    if all(held.reason is not Reason.CONFLICT for held in plan.held):
        return plan
    from kbsync.history.base import ask_history, open_questions, tell_why

    questions = open_questions(plan, *sides)
    if not questions:
        return plan
    past = ask_history(reading.compiler, questions)
    return tell_why(build(sides[0], history=past.history) if past.history else plan, questions, past.word)


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
