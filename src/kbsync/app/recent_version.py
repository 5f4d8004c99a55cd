"""What the service last said of its version, and when: a plan from memory does not ask, for at most ten minutes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from kbsync.app.workspace import Workspace
from kbsync.memory import Kind

if TYPE_CHECKING:
    from kbsync.service.client import Service

FRESH_S = 600
"""As for a listing (`service/snapshot.py`), which is not loaded for this."""


class _Said(msgspec.Struct, frozen=True, array_like=True):
    version: str
    at_s: float


SAID: Kind[_Said] = Kind("version", _Said)
"""By the key of the portal."""


def keep_said(workspace: Workspace, version: str) -> None:
    """Keep what the service said just now."""
    workspace.memory.put(SAID, {workspace.target.key: _Said(version, time.time())})


def is_still(workspace: Workspace, service: Service, version: str) -> bool:
    """Whether the service has this version, as far as it said so a few minutes ago; else it is asked."""
    if service.endpoint.version:
        return service.endpoint.version == version  # kbsync.toml says it.
    said, now_s = workspace.memory.get(SAID, workspace.target.key), time.time()
    if said is None or not 0 <= now_s - said.at_s <= FRESH_S:
        said = _Said(service.endpoint.fetch_version(), now_s)
        keep_said(workspace, said.version)
    if said.version == version:
        return True
    service.endpoint.use_version(said.version)
    return False


def said_recently(workspace: Workspace) -> str:
    """What the service said of its version a few minutes ago; "" where it has to be asked."""
    said = workspace.memory.get(SAID, workspace.target.key)
    return said.version if said is not None and 0 <= time.time() - said.at_s <= FRESH_S else ""
