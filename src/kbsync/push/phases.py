"""The phases of a push: what must be over before the next changes begin. Pure."""

from __future__ import annotations

from kbsync.model import Action, Change
from kbsync.plan.translation_links import is_link

BATCHES = 6
"""The phase of statuses that change together."""

TURNS = 1000
"""Turns that one phase may have: changes of the same phase that depend on each other, one after the other."""


def phase_of(change: Change) -> int:
    """What must be over before the next begins; within a phase, turns.

    Categories, articles, links between translations, staged edits, statuses, those that change together, the portal
    itself, removals of articles, of categories.
    """
    return _phase(change) * TURNS + change.turn


def is_batched(phase: int) -> bool:
    """Whether the changes of a phase go out together."""
    return phase // TURNS == BATCHES


def _phase(change: Change) -> int:
    if change.is_removal:
        return 8 if change.kind == "article" else 9
    if change.kind == "portal":
        return 7
    if change.action in {Action.CREATE, Action.UPDATE}:
        if change.stages or change.discards_staged:
            return 4  # Another update of the same article is in phase 2, and each result builds on the last one's base.
        return 1 if change.kind == "category" else 3 if is_link(change) else 2
    return BATCHES if change.together else 5
