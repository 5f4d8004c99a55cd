"""What is held although a pull of this clone put the portal's value into the file. Another changes nothing. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.model import Held, Reason
from kbsync.plan.pull import NO_RECORD, Records
from kbsync.words import field_names


def with_pulled_hints(held: tuple[Held, ...], records: Records) -> tuple[Held, ...]:
    """The same, with a hint that works where the file was made from the portal's value of now, and changed since.

    Nothing is decided: on another branch the file may not have that value.
    """
    return tuple(replace(item, hint=_hint(item)) if _is_in_file(item, records) else item for item in held)


def _is_in_file(item: Held, records: Records) -> bool:
    if item.reason is not Reason.CONFLICT or item.remote_id is None or not item.values:
        return False
    known = records.get((item.kind, item.remote_id), NO_RECORD)
    pulled = ((known.get(value.name), value) for value in item.values)
    return all(
        last is not None and last.theirs == value.before and last.before != (value.after,) for last, value in pulled
    )


def _hint(item: Held) -> str:
    named = [("--field", field_names([name])) for name in item.fields]
    ours = command_line("resolve", item.path, options=[("--ours", True), *named])
    return (
        "The last `kbsync pull` put the portal's value into your file, and the file changed since. If it still has "
        f"what you want of it, run `{ours}`, then push. `{command_line('resolve', item.path)}` shows both and asks."
    )
