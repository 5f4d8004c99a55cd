"""Staged edits that wait for somebody to publish them, for people."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.model import StagedEdit, visible
from kbsync.report.style import SHOWN, Style

PUBLISH_ALL = "Publish them in the panel, or push with `--publish-staged`."


def staged_edit_lines(items: Sequence[StagedEdit], style: Style) -> list[str]:
    """Staged edits that readers do not see yet, and how to publish them."""
    if not items:
        return []
    shown = items if style.verbose else items[:SHOWN]
    left = len(items) - len(shown)
    hint = items[0].hint if len(items) == 1 else PUBLISH_ALL
    return [
        *style.wrapped(f"Staged, waiting for publication: {len(items):,}", colour="bold"),
        *(f"  {visible(item.path)}" for item in shown),
        *([style.paint(f"  … and {left:,} more (-v lists them all)", "dim")] if left else []),
        *style.wrapped(f"      {visible(hint)}", colour="dim"),
        "",
    ]
