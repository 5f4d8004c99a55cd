"""What a ledger has beside a few articles, by a name: whether anything else moved there is known without a hundred
thousand rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

import msgspec

from kbsync.app.sides import late_since
from kbsync.app.workspace import Workspace
from kbsync.model import Desired, LastRun, RemoteId


class Beside(msgspec.Struct, frozen=True):
    """A ledger but for some articles.

    Args:
        ids: theirs.
        others: names all other rows of the portal.
        is_pending: whether a request has no recorded answer.
        last_run: the last run on record.
        late_since: as `app.sides.late_since` gives it.
    """

    ids: frozenset[RemoteId]
    others: bytes
    is_pending: bool
    last_run: LastRun | None
    late_since: str


def read_beside(workspace: Workspace, items: Iterable[Desired]) -> Beside | None:
    """What the ledger has beside some articles; None where there is no ledger."""
    if not workspace.has_ledger():
        return None
    key = workspace.target.key
    with closing(workspace.open_ledger(looking=True)) as ledger:
        ids = frozenset(base.remote_id for base in ledger.bases_of_slugs(key, "article", [item.slug for item in items]))
        others = ledger.name_without(key, {("article", remote_id) for remote_id in ids})
        pending, last_run = bool(ledger.pending(key)), ledger.last_run(key)
        return Beside(ids, others, pending, last_run, late_since(ledger, key))
