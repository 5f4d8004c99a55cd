"""What a push is about, looked at once more before anything is sent: a list does not show all that moved.

    what moves unseen              | what looks again, and when
    -------------------------------+---------------------------------------------------------------------------
    a pending edit in the panel    | its category, before readers see a change; the article, before each write
    a reorder with the same number | its category, before an order changes
    a link between translations    | all rows, where the last whole reading is too old for people who read

Where that reading is so old, the category of everything that the plan changes or asks about is read, whatever it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kbsync.app.sides import Portal
from kbsync.app.workspace import Workspace
from kbsync.fields import LINK_FIELD
from kbsync.model import Change, Held, Kind, Observed, Plan, RemoteId
from kbsync.service.snapshot import store_snapshot

if TYPE_CHECKING:
    from kbsync.service.client import Service

Categories = set[tuple[str, str]]
"""By locale and slug."""

There = Mapping[tuple[Kind, RemoteId], Observed]
"""What is on the portal."""


def is_as_seen(workspace: Workspace, service: Service, portal: Portal, plan: Plan) -> bool:
    """Whether what a plan does to readers and to orders still meets what was seen, every row looked at.

    A list shows neither every pending edit nor every reorder (docs/service.md, S105 and S124). Without a portal that
    can be listed there is nothing to look at.
    """
    if portal.items is None or portal.snapshot is None or not (plan.sent or plan.held):
        return True
    there: There = {(item.kind, item.remote_id): item for item in portal.items}
    concerned = _all_concerned(plan, there) if portal.is_overdue else _concerned(plan.sent, there)
    if concerned is None:
        return False
    if not concerned or service.reader.look_again(portal.snapshot, sorted(concerned)):
        return True
    store_snapshot(workspace.memory, portal.snapshot)
    return False


def _concerned(changes: Iterable[Change], there: There) -> Categories:
    """The categories in which changes are seen by readers, or depend on the order."""
    concerned: Categories = set()
    for change in changes:
        item = there.get((change.kind, change.remote_id)) if change.remote_id is not None else None
        if item is not None and item.kind == "article" and (change.live or "position" in change.after):
            concerned |= {(item.locale, str(slug)) for slug in [item.fields.get("category")] if slug}
    return concerned


def _all_concerned(plan: Plan, there: There) -> Categories | None:
    """The categories of all that a plan changes or asks about, where rows may have moved unseen for hours.

    None where a list of them does not show it: an article without a category, and a link between translations.
    """
    concerned: Categories = set()
    refs: Iterable[Change | Held] = (*plan.sent, *plan.held)
    for ref in refs:
        if ref.kind != "article":
            continue
        item = there.get((ref.kind, ref.remote_id)) if ref.remote_id is not None else None
        after = ref.after if isinstance(ref, Change) else {}
        if "category" in after:
            concerned.add((ref.locale, str(after["category"])))
        if item is not None:
            if LINK_FIELD in after or not item.fields.get("category"):
                return None
            concerned.add((item.locale, str(item.fields["category"])))
    return concerned
