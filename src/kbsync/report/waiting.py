"""What is published later, in words: at which date, with which release; and edits that wait for somebody. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from kbsync.command import command_line
from kbsync.config.moments import seconds_of
from kbsync.model import Held, StagedEdit, Waiting, visible
from kbsync.plan.hints import PLAIN_PUSH
from kbsync.plan.statuses import must_be_decided
from kbsync.report.style import Style, listed

REASONS = 4
"""Dates and releases that a headline names."""

DECISION = "needs your decision first"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
"""By name, whatever the language of the machine is."""


def date_text(moment: str) -> str:
    """`1 December 2026 09:00 UTC`, or with the offset: `1 December 2026 09:00 (+01:00)`."""
    found = datetime.fromisoformat(moment)
    zone = "UTC" if found.utcoffset() == timedelta(0) else f"({moment[-6:]})"
    return f"{found.day} {MONTHS[found.month - 1]} {found.year} {found:%H:%M} {zone}"


def in_order(items: Iterable[Waiting]) -> list[Waiting]:
    """The next date first, then the releases."""
    return sorted(items, key=lambda item: (not item.until, seconds_of(item.until) if item.until else 0, item.release))


def reason_text(until: str, release: str) -> str:
    """`until 1 December 2026 09:00 UTC`, `for release 5.2`, or both."""
    date = f"until {date_text(until)}" if until else ""
    name = f"for release {visible(release)}" if release else ""
    return " and ".join(filter(None, (date, name))) or "for your decision"


def waiting_headline(items: Iterable[Waiting]) -> str:
    """`3 for release 5.2, 1 until 1 December 2026 09:00 UTC`."""
    numbers = Counter(reason_text(item.until, item.release) for item in in_order(items))
    parts = [f"{number:,} {reason}" for reason, number in list(numbers.items())[:REASONS]]
    left = sum(list(numbers.values())[REASONS:])
    return ", ".join([*parts, *([f"{left:,} for others"] if left else [])])


def notes_of(item: Waiting, held: Collection[Held]) -> str:
    reason = reason_text(item.until, item.release)
    is_held = any(other.path == item.path and must_be_decided(other) for other in held)
    if not is_held:
        return reason
    return f"{reason}; {DECISION}" if item.until or item.release else DECISION


def release_commands(items: Iterable[Waiting]) -> list[str]:
    """What publishes the releases, of those that wait for nothing else."""
    names = dict.fromkeys(item.release for item in in_order(items) if item.release and not item.until)
    return [command_line("push", options=[("--release", name)]) for name in names]


def waiting_lines(items: Sequence[Waiting], held: Collection[Held], style: Style) -> list[str]:
    """What is published later, and how."""
    if not items:
        return []
    lines = style.wrapped(f"Waiting: {waiting_headline(items)}", hang=2, colour="yellow")

    def lines_of(item: Waiting) -> list[str]:
        return style.wrapped(f"  {visible(item.path)}  {notes_of(item, held)}", hang=4)

    lines += listed(in_order(items), style, lines_of)
    for command in release_commands(items):
        lines += style.wrapped(f"      To publish this release, run `{command}`.", colour="dim")
    return [*lines, ""]


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
