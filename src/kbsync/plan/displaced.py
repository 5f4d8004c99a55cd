"""What the service changes along with what is sent: kept with the change, so that undo can put it back. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Action, FieldChange
from kbsync.plan.draft import Draft
from kbsync.plan.match import Matches


def note_positions(draft: Draft, matches: Matches) -> None:
    """An article that gets another category also gets another position there (docs/service.md, section 4)."""
    there = {match.observed.remote_id: match.observed for match in matches.matched if match.observed}
    for number, change in enumerate(draft.changes):
        if change.kind != "article" or change.action is not Action.UPDATE or change.remote_id not in there:
            continue
        before = there[change.remote_id].fields
        if "category" in change.after and "position" not in change.after and "position" in before:
            displaced = (FieldChange("position", before["position"], None),)
            draft.changes[number] = replace(change, displaced=displaced)
