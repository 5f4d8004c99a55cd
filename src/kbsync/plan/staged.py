"""Edits that a person has pending in the panel, and that readers do not see yet. Pure.

From 4.16 on the panel keeps edits of a live article beside its text (docs/service.md, S107). Publishing them later
replaces the text: ours, if it was sent meanwhile, would be gone. So what would touch title or body, hide the article or
remove it is held while such an edit is pending. `--overwrite` sends ours and discards the pending edit in one request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.model import Action, Change, FieldChange, Held, Observed, Reason, RemoteId, Status
from kbsync.plan.draft import Draft
from kbsync.plan.match import Match

STAGED_FIELDS = ("title", "content")
"""What the panel keeps beside the live text."""


def hold_staged(draft: Draft, matched: Iterable[Match], orphans: Iterable[Observed | None] = ()) -> None:
    """Hold what would lose a pending edit, or let it go out with the consent that was given."""
    seen = [match.observed for match in matched] + list(orphans)
    pending = {item.remote_id: item for item in seen if item is not None and item.staged}
    if not pending:
        return
    draft.changes = [left for change in draft.changes if (left := _left(draft, change, pending)) is not None]
    draft.statuses = [left for change in draft.statuses if (left := _left(draft, change, pending)) is not None]
    draft.removals = [left for change in draft.removals if (left := _left(draft, change, pending)) is not None]


def touches_staged(change: Change) -> bool:
    """Whether a change touches what a pending edit is about, or takes away the page that it is for.

    What is published together is what the files say: an edit that is pending may be what it still needs.
    """
    hides = change.status in {Status.DRAFT, Status.ARCHIVED} and change.action is not Action.CREATE
    return change.is_removal or hides or change.together or not change.after.keys().isdisjoint(STAGED_FIELDS)


def _left(draft: Draft, change: Change, pending: Mapping[RemoteId, Observed]) -> Change | None:
    """What of a change may go out."""
    item = pending.get(change.remote_id) if change.remote_id is not None and change.kind == "article" else None
    if item is None or change.action is Action.ADOPT or not touches_staged(change):
        return change
    if change.path in draft.policy.overwrite:
        return replace(change, staged=item.staged)
    draft.held.append(_held(change, item))
    if change.is_removal or change.status is not None:
        return None
    rest = tuple(field for field in change.fields if field.name not in STAGED_FIELDS)
    return replace(change, fields=rest) if rest else None


def _held(change: Change, item: Observed) -> Held:
    after = change.after
    values = tuple(
        FieldChange(name, item.staged[name], after.get(name, item.fields.get(name)))
        for name in STAGED_FIELDS
        if name in item.staged
    )
    path = change.path or change.was
    overwrite = f"To discard it and send your file, run `{command_line('push', options=[('--overwrite', path)])}`."
    return Held(
        reason=Reason.STAGED,
        kind=change.kind,
        locale=change.locale,
        slug=change.slug,
        path=path,
        remote_id=change.remote_id,
        fields=tuple(value.name for value in values),
        hint="Publish or discard the edit in the panel." + (f" {overwrite}" if change.path else ""),
        title=change.title,
        values=values,
    )
