"""What was decided becomes a plan: the changes in the order in which they are sent, and what that takes. Pure.

Also: what a plan costs, counted as a push reports it: the requests of its changes, and not those that only read. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kbsync.model import Action, Change, Observed, Plan, Target
from kbsync.plan.draft import Draft, Policy
from kbsync.plan.order import take_turns
from kbsync.plan.statuses import unpublished
from kbsync.plan.translation_links import is_link

REQUESTS = {Action.CREATE: 1, Action.ADOPT: 0, Action.DELETE: 3}
"""Requests of a change. What is updated is looked at once more before, so two; what is deleted also after."""


TOGETHER = 100
"""Articles whose status is changed in one request: some hundreds take longer than the service waits (S131)."""


def requests_of(changes: Iterable[Change]) -> int:
    """How many requests carry out these changes, if nothing goes wrong.

    What is published together is looked at before and after, and there is one request for all.
    """
    changes = tuple(changes)
    together = sum(change.together for change in changes)
    in_common = -(-together // TOGETHER) if together > 1 else 0
    return in_common + sum(_requests_of(change) for change in changes)


def _requests_of(change: Change) -> int:
    if change.kind == "portal" and change.action is Action.UPDATE:
        # What is sent along is read right before (docs/service.md, S133).
        return 3
    return REQUESTS.get(change.action, 2)


OWN_S = 0.0025
"""What kbsync itself needs for a request, from the plan to the ledger, seconds. Measured: bench/RESULTS.md."""


def assemble(target: Target, draft: Draft, unmanaged: tuple[Observed, ...], *, managed: int) -> Plan:
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
        tuple(draft.settled.values()),
        tuple(draft.forgotten),
        tuple(draft.warnings),
        managed,
        requests,
        seconds_for(requests, draft.policy),
        tuple(draft.kept),
        tuple(draft.overruled),
        tuple(map(unpublished, draft.unpublished)),
        staged_edits=tuple(draft.staged_edits),
        waiting=tuple(draft.waiting),
        panel_edits=tuple(draft.panel_edits),
        not_here=draft.not_here,
    )


def seconds_for(requests: int, policy: Policy) -> float:
    """How long so many requests take: the pace, the service or kbsync itself, whichever is slowest."""
    paced = max(0.0, (requests - policy.concurrency) * 60 / policy.requests_per_minute)
    return round(max(paced, requests * policy.latency_s / policy.concurrency, requests * OWN_S), 1)
