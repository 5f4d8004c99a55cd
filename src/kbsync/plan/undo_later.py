"""What of a run cannot be put back because a later run of ours changed it: nobody edited that in the panel. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.ledger.values import Entry
from kbsync.model import Held, Observed, Reason


def by_later_runs(item: Held, now: Observed, later: Sequence[tuple[int, Entry]]) -> Iterator[Held]:
    """One thing that is held, apart by whether a run left these fields as they are now.

    Args:
        item: what an undo holds.
        now: as the portal has it.
        later: what later runs did to it, with their numbers, the newest first.
    """
    changed: dict[str, tuple[int, object]] = {}
    for run, entry in reversed(later):
        if entry.state == "done":
            changed |= {name: (run, value) for name, value in entry.change.after.items()}
    shown = now.shown
    ours = {name: changed[name][0] for name in item.fields if name in changed and changed[name][1] == shown.get(name)}
    theirs = tuple(name for name in item.fields if name not in ours)
    if item.reason is not Reason.DRIFT or not ours:
        yield item
        return
    run = max(ours.values())
    hint = f"Run `{command_line('undo', run)}` first, then undo this run again."
    yield replace(item, fields=tuple(ours), hint=hint, by_run=run)
    if theirs:
        yield replace(item, fields=theirs)
