"""What a push would do: three sides in, a plan out. Pure: no file, no request, no clock.

Each field of an item decides for itself; this is the whole table, row by row (`decide`):

    desired vs base | observed vs base               | verdict
    ----------------+--------------------------------+-----------------------------------------------
    same            | same                           | NOTHING
    moved           | same                           | SEND
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

What the portal has as it was agreed on is nobody's edit, however often somebody was there since.

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

from collections.abc import Iterable

from msgspec.structs import replace

from kbsync.fields import SideEffects
from kbsync.model import Action, Change, Desired, FieldChange, Observed, Plan, Reason, Refusal, Target, name_body
from kbsync.plan.assembled import assemble
from kbsync.plan.decide_item import decide_item
from kbsync.plan.draft import Draft, Policy
from kbsync.plan.hints import needs_version_hint, unfinished_hint
from kbsync.plan.known import Known
from kbsync.plan.match import (
    Match,
    Matches,
    Weighed,
    match_items,
    name_as_on_the_portal,
    renamed_categories,
    settle_renamed,
    weigh,
)
from kbsync.plan.newer import hold_newer
from kbsync.plan.orphans import (
    decide_orphans,
    locales_of_strangers,
    warn_of_dying_addresses,
    warn_of_look_alikes,
    without_those_that_wait,
)
from kbsync.plan.portal_settings import PortalSides, decide_portal
from kbsync.plan.renumber import number_changes, place_new
from kbsync.plan.reorder import compare_orders
from kbsync.plan.staged import after_publication
from kbsync.plan.staging import decide_staged
from kbsync.plan.statuses import wait_for_decisions
from kbsync.plan.taken import hold_slugs_elsewhere, hold_taken_slugs, leave_out
from kbsync.plan.translation_links import decide_links, name_originals
from kbsync.plan.unclear import hold_unclear
from kbsync.words import count

ALWAYS_ALLOWED = 3
"""Removals that every share allows but 0%: of fewer than ten items, 10% would be not even one."""

ROUNDING = 1e-9
"""A share of a number may come out a hair below the whole number that it is: 0.07 of 100 is 7.000000000000001."""


def build_plan(
    target: Target,
    desired: Iterable[Desired],
    known: Known,
    *,
    policy: Policy,
    weighed: Weighed | None = None,
    portal: PortalSides | None = None,
) -> Plan:
    """Decide everything; a plan that would remove more than the policy allows is refused.

    `weighed` is the evidence of the whole content tree, where that is more than `desired` or was weighed already, and
    `portal` the portal itself, where it has a file.
    """
    desired = list(desired)
    weighed = weighed or weigh(desired, known)
    matches = after_publication(match_items(desired, weighed))
    renamed, unknown = renamed_categories(matches), known.unanswered
    draft = Draft(
        policy,
        git=known.git,
        complete=known.complete or known.observed is None,
        has_record=bool(known.bases),
        strangers=locales_of_strangers(matches),
        is_seen=known.observed is not None,
    )
    # The stages, in their order, each once: what comes later sees what was decided before.
    # 1. A source that could be one of several articles is held.
    hold_unclear(draft, matches.unclear)
    # 2. The orders of categories are compared; of a whole category, also where a part of it is planned.
    everything = matches if len(desired) == len(weighed.items) else match_items(weighed.items.values(), weighed)
    groups = compare_orders(draft, everything.matched, renamed)
    # 3. Each article and category decides for itself, field by field.
    new = (Match(desired, None, None) for desired in (matches.left_over if policy.recreate else ()))
    for match in (*matches.matched, *new):
        decide_item(draft, match, renamed, unknown)
    # 4. What has no file any more is removed, or reported.
    if policy.whole:
        matches = without_those_that_wait(matches, recreate=policy.recreate)
        decide_orphans(draft, matches, renamed, complete=known.complete)
    # 5. Translations are linked; a link waits for an original that is still to be made.
    decide_links(draft, matches)
    name_originals(draft, matches)
    # 6. Categories with another slug: their articles follow, on the portal and on record.
    name_as_on_the_portal(draft, matches)
    settle_renamed(draft, known.bases, renamed)
    # 7. What the service would refuse, or readers must not get yet, is held.
    hold_slugs_elsewhere(draft, known.elsewhere)
    hold_blank(draft)
    hold_unfinished(draft)
    # 8. What moves in an order gets its number.
    number_changes(draft, groups, known.seen, renamed)
    # 9. The portal itself is decided, setting by setting.
    if portal is not None:
        decide_portal(draft, portal)
    # 10. What a newer commit published is held, all of it.
    hold_newer(draft, known, matches.matched)
    # 11. A slug that another article keeps, also for that reason, is held; new articles get a place.
    if known.observed is not None:
        hold_taken_slugs(draft, known.observed, matches)
        place_new(draft, matches, known.observed, renamed)
    # 12. Every edit that is staged, or shall be, is decided; what goes out together waits for all of it.
    decide_staged(draft, matches.matched, matches.orphans)
    wait_for_decisions(draft, matches.matched)
    # 13. What a person should know, and what an undo will need.
    warn_of_look_alikes(draft, matches)
    note_displaced(draft, matches)
    warn_of_dying_addresses(draft, matches)
    plan = assemble(target, draft, matches.unmanaged, managed=matches.managed)
    return replace(plan, refused=judge_removals(plan, policy))


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


def note_displaced(draft: Draft, matches: Matches) -> None:
    """Keep with each update of an article the fields that it does not send and the service changes."""
    updates = [n for n, c in enumerate(draft.changes) if c.kind == "article" and c.action is Action.UPDATE]
    there = {match.remote_id: match.observed for match in matches.matched if updates}
    for number in updates:
        change = draft.changes[number]
        if (seen := there.get(change.remote_id)) is not None:
            draft.changes[number] = replace(change, displaced=_displaced(change, seen, draft.policy.side_effects))


def _displaced(change: Change, seen: Observed, effects: SideEffects) -> tuple[FieldChange, ...]:
    names = [name for name in effects.overwrites(change.after) if name in seen.fields and name not in change.after]
    return tuple(FieldChange(name, seen.fields[name], None) for name in names)


NO_BODY = "Write something below the front matter, or upgrade the service."
LIVE_NO_BODY = (
    "Readers see this article, and the service takes no published article without a body. Write something below the "
    "front matter, or unpublish the article first."
)
EMPTY = name_body("")


def hold_blank(draft: Draft) -> None:
    """Hold articles without a body where the service takes none (docs/service.md, S117): it would refuse each."""
    policy = draft.policy
    hint = needs_version_hint(policy, "takes no articles without a body", NO_BODY)
    for change in [change for change in draft.changes if "content" in change.after]:
        if change.kind != "article" or change.action not in {Action.CREATE, Action.UPDATE}:
            continue
        if change.path in policy.blank:
            leave_out(draft, change, ("content",), Reason.UNSUPPORTED, hint)
            draft.held[-1] = replace(draft.held[-1], needs=policy.lacks.get("empty_drafts", ""))
        elif change.live and change.after["content"] == EMPTY:
            leave_out(draft, change, ("content",), Reason.UNSUPPORTED, LIVE_NO_BODY)


def hold_unfinished(draft: Draft) -> None:
    """Hold what is not written or translated yet of articles that readers see, whatever status their files ask for."""
    unfinished = draft.policy.unfinished
    for change in [change for change in draft.changes if change.live and change.path in unfinished]:
        names = tuple(name for name in unfinished[change.path] if name in change.after)
        if names and change.kind == "article" and change.action is Action.UPDATE:
            leave_out(draft, change, names, Reason.UNFINISHED, unfinished_hint(change.path))
