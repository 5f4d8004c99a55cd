"""Staged edits that wait for somebody to publish them, and those of other people, for people."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.model import Held, StagedEdit, visible
from kbsync.plan.hints import PLAIN_PUSH
from kbsync.report.style import Style, listed

PUBLISH_ALL = "Publish them in the panel, or push with `--publish-staged`."
RESOLVE_EACH = "`kbsync resolve` with the path of a file shows its edit and asks what to do with it."


def staged_edit_lines(items: Sequence[StagedEdit], style: Style) -> list[str]:
    """Staged edits that readers do not see yet, and how to publish them."""
    more = f" {PLAIN_PUSH}" if items and items[0].hint.endswith(PLAIN_PUSH) else ""
    return _all("Staged, waiting for publication", items, f"{PUBLISH_ALL}{more}", style)


def panel_edit_lines(items: Sequence[Held], style: Style) -> list[str]:
    """Edits of other people that readers do not see yet, and that a push would leave alone."""
    return _all("Pending in the panel, and not touched by a push", items, RESOLVE_EACH, style)


def _all(heading: str, items: Sequence[StagedEdit] | Sequence[Held], hint_of_all: str, style: Style) -> list[str]:
    if not items:
        return []
    hint = items[0].hint if len(items) == 1 else hint_of_all
    return [
        *style.wrapped(f"{heading}: {len(items):,}", colour="bold"),
        *listed([item.path for item in items], style, lambda path: [f"  {visible(path)}"]),
        *style.wrapped(f"      {visible(hint)}", colour="dim"),
        "",
    ]
