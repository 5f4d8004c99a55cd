"""What the service changes along with what is sent: kept with the change, so that undo can put it back. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Action, FieldChange
from kbsync.plan.draft import Draft
from kbsync.plan.match import Matches


def note_displaced(draft: Draft, matches: Matches) -> None:
    """Keep with each update of an article the fields that it does not send and the service changes."""
    if not any(change.action is Action.UPDATE for change in draft.changes):
        return
    there = {match.observed.remote_id: match.observed for match in matches.matched if match.observed}
    for number, change in enumerate(draft.changes):
        if change.kind != "article" or change.action is not Action.UPDATE or change.remote_id not in there:
            continue
        before, after = there[change.remote_id].fields, change.after
        names = draft.policy.side_effects.overwrites(after)
        lost = tuple(FieldChange(name, before[name], None) for name in names if name in before and name not in after)
        if lost:
            draft.changes[number] = replace(change, displaced=lost)
