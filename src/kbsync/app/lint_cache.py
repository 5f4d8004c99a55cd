"""The findings of the last lint, kept so that the next one need not decode a tree that did not change.

Findings are a function of the files of the tree and of the settings that rules look at. They are kept under the name
of these settings and the mark of the tree (`content/part.py`), as a plan that had nothing to do is (`plan_cache.py`).
"""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync import __version__
from kbsync.app.dead_anchors import explained
from kbsync.app.reading import Reading, read_part
from kbsync.app.workspace import Workspace
from kbsync.content.part import Mark
from kbsync.files import load_sealed, store_sealed
from kbsync.lint.context import accepts_empty_drafts
from kbsync.model import Finding

if TYPE_CHECKING:
    from kbsync.content.walk import Walk

HEAD = f"kbsync.linted/6 {__version__}\n".encode()
DIGEST_BYTES = 16

MOST_MOVED = 200
"""Sources that moved, until the whole tree is read again."""


class RememberedFindings(msgspec.Struct, frozen=True, array_like=True):
    """What was found in a tree."""

    name: bytes
    tree: Mark
    findings: tuple[Finding, ...]


def findings_of(workspace: Workspace, walk: Walk) -> tuple[Finding, ...] | None:
    """The findings of a tree as it is now, out of those of the last time; None where it must be read whole."""
    known = _load(workspace)
    if walk.findings or known is None or known.name != _name(workspace):
        return None
    now = Mark.of(walk)
    moved = known.tree.moved(now, walk)
    if not moved:
        return None if moved is None else known.findings
    part = read_part(workspace, walk, moved, known.findings) if len(moved) <= MOST_MOVED else None
    if part is None:
        return None
    part = replace(part, findings=explained(part))
    keep(workspace, walk, part)
    return part.findings


def keep(workspace: Workspace, walk: Walk, reading: Reading) -> None:
    """Keep what was found, unless a file may change again unseen, or could not be looked at."""
    if walk.findings or any(row.racy for row in reading.compiler.tree.rows.values()):
        return
    linted = RememberedFindings(_name(workspace), Mark.of(walk), reading.findings)
    store_sealed(_path(workspace), HEAD, msgspec.msgpack.encode(linted))


def _load(workspace: Workspace) -> RememberedFindings | None:
    body = load_sealed(_path(workspace), HEAD)
    try:
        return msgspec.msgpack.decode(body, type=RememberedFindings) if body is not None else None
    except msgspec.DecodeError:
        return None


def _name(workspace: Workspace) -> bytes:
    """Everything but the tree that rules look at."""
    settings, profile = workspace.settings, workspace.profile
    tables = (settings.content, settings.authors, settings.lint, settings.assets, settings.service.portal)
    able = (asdict(profile.limits), profile.can("upload"), accepts_empty_drafts(settings, profile))
    parts = (str(settings.content_root), *tables, *able)
    encoded = msgspec.msgpack.encode([msgspec.msgpack.encode(part, order="deterministic") for part in parts])
    return blake2b(encoded, digest_size=DIGEST_BYTES).digest()


def _path(workspace: Workspace) -> Path:
    return workspace.cache_folder / "lint.cache"
