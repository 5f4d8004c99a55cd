"""What a push would do: three sides in, a plan out. Pure: no file, no request, no clock.

Each field of an item decides for itself; this is the whole table, row by row (`decide`):

    desired vs base | observed vs base               | verdict
    ----------------+--------------------------------+-----------------------------------------------
    same            | same                           | NOTHING
    moved           | same                           | SEND
    moved           | same, and an older revision    | DRIFT     held: a person went back to it
                    |   than another clone pushed ** |
    same            | moved                          | DRIFT     held: a person edited it in the panel
    moved           | moved, to the same value       | SETTLE    nothing to send; the base moves
    moved           | moved, elsewhere               | CONFLICT  held
    moved           | moved, to an older revision *  | SEND      another clone pushed that revision
    no base         | equal                          | ADOPT
    no base         | differs, an older revision *   | SEND      not touched since that revision
    no base         | differs, an older revision,    | DRIFT     held: a person may have gone back to it
                    |   touched since it was replaced|
    no base         | differs                        | CONFLICT  held

    *  and the portal says that the article was not touched after the next revision was committed
    ** the article was touched since it was recorded, after the next revision was committed, and shows nothing new

and this is the table for an item as a whole:

    desired | base | observed | what becomes of it
    --------+------+----------+------------------------------------------------------------------
    yes     |  -   | no       | create, as a draft (held as unknown where a create may be under way)
    yes     | yes  | no       | held as gone (created again with `recreate`)
    yes     | any  | yes      | adopt, update or nothing, field by field
    no      | yes  | yes      | orphan: report, archive or delete, as `removed` says
    no      | yes  | no       | forgotten
    no      | no   | yes      | unmanaged: counted, never touched; an orphan where git knows its file
    unclear | any  | yes      | held as unknown, every article that it could be named (`match.py`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from kbsync.model import Action, Change, Desired, ItemRef, Observed, Plan, Refusal, Target
from kbsync.plan.cost import requests_of
from kbsync.plan.decide import Verdict
from kbsync.plan.decide_item import decide_item
from kbsync.plan.displaced import note_displaced
from kbsync.plan.draft import Draft, LeftDraft, Place, Policy
from kbsync.plan.known import Known
from kbsync.plan.lacking import hold_blank
from kbsync.plan.made import Made
from kbsync.plan.match import Match, Weighed, match_items, weigh
from kbsync.plan.newer import hold_older
from kbsync.plan.order import take_turns
from kbsync.plan.orphans import (
    decide_orphans,
    locales_of_strangers,
    warn_of_dying_addresses,
    warn_of_look_alikes,
    without_those_that_wait,
)
from kbsync.plan.positions import place_new
from kbsync.plan.renamed import name_as_on_the_portal, renamed_categories, settle_renamed
from kbsync.plan.renumber import number_changes
from kbsync.plan.reorder import compare_orders
from kbsync.plan.staged import after_publication, published
from kbsync.plan.staging import decide_staged
from kbsync.plan.statuses import unpublished
from kbsync.plan.taken import hold_slugs_elsewhere, hold_taken_slugs
from kbsync.plan.timed import wait_for_decisions
from kbsync.plan.translation_links import decide_links, is_link, name_originals
from kbsync.plan.unclear import hold_unclear
from kbsync.words import count

if TYPE_CHECKING:
    from kbsync.plan.portal_settings import PortalSides

Listed = TypeVar("Listed", bound=ItemRef | LeftDraft)

ALWAYS_ALLOWED = 3
"""Removals that every share allows but 0%: of fewer than ten items, 10% would be not even one."""

ROUNDING = 1e-9
"""A share of a number may come out a hair below the whole number that it is: 0.07 of 100 is 7.000000000000001."""

OWN_S = 0.0025
"""What kbsync itself needs for a request, from the plan to the ledger, seconds. Measured: bench/RESULTS.md."""


def build_plan(
    target: Target,
    desired: Iterable[Desired],
    known: Known,
    *,
    policy: Policy,
    weighed: Weighed | None = None,
    portal: PortalSides | None = None,
) -> Plan:
    """Decide everything.

    Args:
        target: whom the plan is for.
        desired: what the content tree wants.
        known: what the portal, the ledger and git say.
        policy: how far the plan may go.
        weighed: the evidence of the whole content tree, where that is more than `desired` or was weighed already.
        portal: the portal itself, where it has a file.

    Returns:
        The plan; refused where it would remove more than the policy allows.
    """
    desired = list(desired)
    weighed = weighed or weigh(desired, known)
    matches = after_publication(match_items(desired, weighed))
    renamed = renamed_categories(matches)
    unknown = {(entry.kind, entry.locale, entry.slug) for entry in known.pending if entry.action == Action.CREATE}
    complete = known.complete or known.observed is None
    draft = Draft(
        policy,
        git=known.git,
        complete=complete,
        has_record=bool(known.bases),
        strangers=locales_of_strangers(matches),
        is_seen=known.observed is not None,
    )
    hold_unclear(draft, matches.unclear)
    # An order is that of the whole category, also where a part of it is planned.
    everything = matches if len(desired) == len(weighed.items) else match_items(weighed.items.values(), weighed)
    groups = compare_orders(draft, everything.matched, renamed, known.pulled)
    new = [Match(item.desired, None, None) for item in matches.unclear if item.is_left and policy.recreate]
    for match in (*matches.matched, *new):
        decide_item(draft, match, renamed, unknown)
    if policy.whole:
        matches = without_those_that_wait(matches, recreate=policy.recreate)
        decide_orphans(draft, matches, renamed, complete=known.complete)
    decide_links(draft, matches)
    name_originals(draft, matches)
    name_as_on_the_portal(draft, matches)
    settle_renamed(draft, known.bases, renamed)
    hold_slugs_elsewhere(draft, known.elsewhere)
    hold_blank(draft)
    number_changes(draft, groups, known.seen, renamed)
    if known.observed is not None:
        hold_taken_slugs(draft, known.observed, matches)
        place_new(draft, matches, known.observed, renamed)
    hold_older(draft, known)
    if known.newer and known.observed is not None:
        # What keeps its slug for that reason keeps it from others.
        hold_taken_slugs(draft, known.observed, matches)
    decide_staged(draft, matches.matched, matches.orphans)
    wait_for_decisions(draft, matches.matched)
    warn_of_look_alikes(draft, matches)
    note_displaced(draft, matches)
    warn_of_dying_addresses(draft, matches)
    if portal is not None:
        from kbsync.plan.portal_settings import decide_portal

        decide_portal(draft, portal)
    hold_older(draft, known)
    unmanaged = matches.unmanaged if known.observed is not None else ()
    plan = _assemble(target, draft, unmanaged, managed=matches.managed)
    return replace(plan, refused=judge_removals(plan, policy))


def amend_plan(plan: Plan, matches: Iterable[Match], *, policy: Policy) -> Plan:
    """What a plan that had nothing to do becomes where the texts of some articles moved.

    Args:
        plan: that one; nothing of it but these articles moved since.
        matches: these, each with its base and what the portal holds.
        policy: how far the plan may go.
    """
    matches = list(map(published, matches))
    moved = {match.desired.path for match in matches}
    draft = Draft(
        policy,
        kept=[item for item in plan.kept if item.path not in moved],
        unpublished=[item for item in plan.unpublished if item.path not in moved],
        waiting=[item for item in plan.waiting if item.path not in moved],
        panel_edits=[item for item in plan.panel_edits if item.path not in moved],
        # Nothing had to move, and only texts did since.
        places={path: Place(Verdict.NOTHING) for path in moved},
    )
    for match in matches:
        decide_item(draft, match, {}, ())
        draft.unchanged -= 1
    hold_blank(draft)
    # Only the texts moved: what the plan warns of is the same.
    draft.warnings = list(plan.warnings)
    decide_staged(draft, matches)
    wait_for_decisions(draft, matches)
    draft.unchanged += plan.unchanged
    draft.kept = _in_order_of(plan.kept, draft.kept)
    draft.unpublished = _in_order_of(plan.unpublished, draft.unpublished)
    draft.waiting = _in_order_of(plan.waiting, draft.waiting)
    draft.panel_edits = _in_order_of(plan.panel_edits, draft.panel_edits)
    return _assemble(plan.target, draft, plan.unmanaged, managed=plan.managed)


def _in_order_of(before: Sequence[ItemRef], now: Iterable[Listed]) -> list[Listed]:
    """What a plan lists now, in the order that it had before: that of the tree. What is new in the list comes last."""
    own, of_path = {id(item): place for place, item in enumerate(before)}, dict[str, int]()
    for place, item in enumerate(before):
        of_path.setdefault(item.path, place)
    return sorted(now, key=lambda item: own.get(id(item), of_path.get(item.path, len(own))))


def judge_removals(plan: Plan, policy: Policy) -> Refusal | None:
    """Why a plan must not be carried out that would empty the help center; None where it may be."""
    removals = sum(1 for change in plan.changes if change.is_removal)
    share = f"{policy.max_fraction * 100:g}%"
    allowed = int(plan.managed * policy.max_fraction + ROUNDING)
    limit = f"[push] max_removals allows {share}"
    if policy.allow_removals is not None:
        allowed, limit = policy.allow_removals, f"--allow-removals allows {policy.allow_removals:,}"
    elif policy.max_fraction and allowed < ALWAYS_ALLOWED:
        allowed, limit = ALWAYS_ALLOWED, f"{limit} (at least {ALWAYS_ALLOWED})"
    if removals <= allowed:
        return None
    items = f"{removals:,} of the {count(plan.managed, 'item')} that kbsync has published"
    return Refusal(removals, allowed, limit, f"This plan removes {items}. {limit}.")


def _assemble(target: Target, draft: Draft, unmanaged: tuple[Observed, ...], *, managed: int) -> Plan:
    first = draft.policy.default_locale
    order = {Action.ADOPT: 0, Action.CREATE: 1, Action.UPDATE: 1}

    keys: tuple[Callable[[Change], int | str], ...] = (
        lambda change: change.kind != "category",
        lambda change: order.get(change.action, 2) + (is_link(change) or change.stages),
        lambda change: change.turn,
        lambda change: change.locale != first,
        lambda change: change.locale,
        lambda change: change.path,
    )

    def in_order(changes: Iterable[Change]) -> list[Change]:
        found = list(changes)
        # The last key first: the same order as by a tuple of all, which for a hundred thousand takes 10 megabytes.
        for key in reversed(keys):
            found.sort(key=key)
        return found

    # Categories go after the articles that were in them.
    removals = sorted(draft.removals, key=lambda change: (change.kind == "category", change.locale, change.slug))
    items = [change for change in draft.changes if change.kind != "portal"]
    portal = [change for change in draft.changes if change.kind == "portal"]
    changes = (*in_order(take_turns(items)), *in_order(draft.statuses), *portal, *removals)
    requests = requests_of(changes)
    return Plan(
        target,
        changes,
        tuple(draft.held),
        draft.unchanged,
        unmanaged,
        draft.settled.bases(),
        tuple(draft.forgotten),
        tuple(draft.warnings),
        managed,
        requests,
        seconds_for(requests, draft.policy),
        tuple(draft.kept),
        tuple(draft.overruled),
        Made(tuple(draft.unpublished), unpublished) if draft.unpublished else (),
        staged_edits=tuple(draft.staged_edits),
        waiting=tuple(draft.waiting),
        panel_edits=tuple(draft.panel_edits),
        not_here=draft.not_here,
    )


def seconds_for(requests: int, policy: Policy) -> float:
    """How long so many requests take: the pace, the service or kbsync itself, whichever is slowest."""
    paced = max(0.0, (requests - policy.concurrency) * 60 / policy.requests_per_minute)
    return round(max(paced, requests * policy.latency_s / policy.concurrency, requests * OWN_S), 1)
