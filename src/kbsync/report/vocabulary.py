"""The words that reports use for kinds, actions and reasons. JSON keeps the names of `model`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kbsync.model import Action, Kind, Observed, Reason
from kbsync.words import are, count

NOUNS: Mapping[Kind, str] = {"asset": "image", "category": "category", "article": "article"}

PAST = {
    Action.CREATE: "created",
    Action.ADOPT: "already matched",
    Action.UPDATE: "updated",
    Action.PUBLISH: "published",
    Action.UNPUBLISH: "unpublished",
    Action.ARCHIVE: "archived",
    Action.DELETE: "deleted",
    Action.UPLOAD: "uploaded",
}

REASONS: Mapping[Reason, str] = {
    Reason.DRIFT: "edited in the panel",
    Reason.CONFLICT: "edited in both places",
    Reason.GONE: "deleted on the portal",
    Reason.UNKNOWN: "not clear",
    Reason.UNSUPPORTED: "not possible with this profile",
    Reason.LIVE: "readers see it now",
    Reason.STAGED: "edit pending in the panel",
}
"""Why something needs a decision."""


def action_word(action: Action) -> str:
    """What a plan calls an action."""
    return "already match" if action is Action.ADOPT else action.value


def live_sentence(number: int) -> str:
    """`1 is live: readers see the change immediately.`"""
    return f"{number:,} {are(number)} live: readers see the change immediately."


def need(number: int) -> str:
    """`1 needs your decision`, `2 need your decision`."""
    return f"{number:,} {'needs' if number == 1 else 'need'} your decision"


def others_sentence(items: Sequence[Observed]) -> str:
    """What the portal has beside these files."""
    numbers = ((noun, sum(1 for item in items if item.kind == kind)) for kind, noun in NOUNS.items())
    parts = " and ".join(count(number, f"other {noun}") for noun, number in numbers if number)
    return f"{parts} on the portal {are(len(items))} not in this repository."
