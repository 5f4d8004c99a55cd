"""What the portal had when this clone last pulled: two pulls without a push between them must not look like a conflict.

The ledger has what both sides agreed on, and only a push writes it: another clone may not have these files. This record
is about this clone alone. Without it, a pull shows two versions where it could have taken one; nothing else is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from kbsync.app.workspace import Workspace
from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS
from kbsync.files import load_sealed, store_sealed
from kbsync.model import Observed
from kbsync.plan.known import Last, Node, Records

if TYPE_CHECKING:
    from kbsync.plan.pull import Incoming

HEAD = b"kbsync.pulled/1\n"

Rows = list[tuple[Literal["article", "category"], int | str, dict[str, Last]]]
"""What the file has: kind and number of an item, and its fields."""


def _path(workspace: Workspace) -> Path:
    return workspace.state_folder / f"pulled-{blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()}"


def load_records(workspace: Workspace) -> Records:
    """What this clone pulled; empty where that is not known."""
    path = _path(workspace)
    body = load_sealed(path, HEAD, workspace.seal_key) if path.exists() else None
    try:
        rows = msgspec.msgpack.decode(body, type=Rows) if body is not None else []
    except msgspec.DecodeError:
        rows = []
    return {(kind, remote_id): fields for kind, remote_id, fields in rows}


def store_records(workspace: Workspace, new: Mapping[Node, Mapping[str, Last]]) -> None:
    """Keep what a pull wrote, on top of what is known by now: another pull may have kept something meanwhile."""
    known = load_records(workspace)
    merged = {**known, **{node: {**known.get(node, {}), **fields} for node, fields in new.items()}}
    if merged != known:
        rows = [(*node, fields) for node, fields in merged.items()]
        store_sealed(_path(workspace), HEAD, msgspec.msgpack.encode(rows), workspace.seal_key)


def all_of(items: Iterable[Observed]) -> dict[Node, dict[str, Last]]:
    """What is to be kept of new files: everything."""
    found: dict[Node, dict[str, Last]] = {}
    for item in items:
        names = CATEGORY_FIELDS if item.kind == "category" else ARTICLE_FIELDS
        fields = {name: Last(item.fields[name]) for name in names if name in item.fields}
        found[item.kind, item.remote_id] = fields | {"status": Last(item.status.value if item.status else None)}
    return found


def moved_of(item: Incoming, names: Iterable[str]) -> dict[str, Last]:
    """What is to be kept of a file: the fields that the pull put into it."""
    return {moved.name: Last(moved.theirs, (moved.ours,)) for moved in item.fields if moved.name in names}
