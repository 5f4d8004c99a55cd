"""Fields of categories that are new to one of the sides: to an older service, or to what was recorded before. Pure."""

from __future__ import annotations

from collections.abc import Collection

from kbsync.fields import LINK_FIELD
from kbsync.model import Fields, Reason
from kbsync.plan.decide import EMPTY
from kbsync.plan.draft import Draft, hold
from kbsync.plan.match import Match

LATE = frozenset({"icon_color", LINK_FIELD})
"""Fields of categories that older versions of the service, and what kbsync recorded before, do not have."""


def late_fields(
    draft: Draft, match: Match, late: Collection[str], ours: Fields, sides: tuple[Fields, Fields]
) -> tuple[Fields, Fields, Fields]:
    """What we want, what was agreed on and what is there, where some fields are new to one of the sides.

    Over what is empty and was never recorded, nothing of a person's is written.
    """
    desired, (agreed, there) = match.desired, sides
    unknown = tuple(name for name in late if draft.is_seen and name not in there and name != LINK_FIELD)
    if unknown:
        remote_id = match.observed.remote_id if match.observed else None
        needs = max(draft.policy.lacks.get(name, "") for name in unknown)
        hint = "This version of the service does not have it. Delete it from the file."
        draft.held.append(hold(desired, Reason.UNSUPPORTED, remote_id, unknown, hint, needs=needs))
        ours = {name: value for name, value in ours.items() if name not in unknown}
    free = {name: there.get(name) for name in late if name not in agreed and there.get(name) in EMPTY}
    return ours, {**free, **agreed}, {**free, **there}
