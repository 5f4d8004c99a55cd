"""What a plan costs, counted as a push reports it: the requests of its changes, and not those that only read. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kbsync.model import Action, Change

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
