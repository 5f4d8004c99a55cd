"""What the service last said of its version, and when: a plan from memory does not ask, for at most ten minutes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync import __version__
from kbsync.app.workspace import Workspace
from kbsync.digests import blake2b
from kbsync.files import load_sealed, store_sealed

if TYPE_CHECKING:
    from kbsync.service.contract import Service

HEAD = f"kbsync.version/1 {__version__}\n".encode()

FRESH_S = 600
"""As for a listing (`service/snapshot.py`), which is not loaded for this."""


class _Said(msgspec.Struct, frozen=True, array_like=True):
    version: str
    at_s: float


def keep_said(workspace: Workspace, version: str) -> None:
    """Keep what the service said just now."""
    store_sealed(_path(workspace), HEAD, msgspec.msgpack.encode(_Said(version, time.time())))


def is_still(workspace: Workspace, service: Service, version: str) -> bool:
    """Whether the service has this version, as far as it said so a few minutes ago; else it is asked."""
    if service.version:
        return service.version == version  # kbsync.toml says it.
    said, now_s = _said(workspace), time.time()
    if said is None or not 0 <= now_s - said.at_s <= FRESH_S:
        said = _Said(service.fetch_version(), now_s)
        keep_said(workspace, said.version)
    if said.version == version:
        return True
    service.use_version(said.version)
    return False


def said_recently(workspace: Workspace) -> str:
    """What the service said of its version a few minutes ago; "" where it has to be asked."""
    said = _said(workspace)
    return said.version if said is not None and 0 <= time.time() - said.at_s <= FRESH_S else ""


def _said(workspace: Workspace) -> _Said | None:
    body = load_sealed(_path(workspace), HEAD)
    try:
        return msgspec.msgpack.decode(body, type=_Said) if body is not None else None
    except msgspec.DecodeError:
        return None


def _path(workspace: Workspace) -> Path:
    name = blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()
    return workspace.cache_folder / f"version-{name}.cache"
