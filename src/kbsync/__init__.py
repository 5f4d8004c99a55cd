"""kbsync publishes a help center from Markdown in git. A Python program calls `Project` (`kbsync.app.project`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kbsync.app.options import PlanOptions as PlanOptions
    from kbsync.app.project import Project as Project
    from kbsync.app.session import Session as Session

__version__ = "0.1.0"

OFFERED = {"PlanOptions": "options", "Project": "project", "Session": "session"}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: every command imports this module, and start-up is part of speed.
    if name not in OFFERED:
        raise AttributeError(f"module 'kbsync' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"kbsync.app.{OFFERED[name]}"), name)
