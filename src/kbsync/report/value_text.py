"""Values of fields for people: both sides of one, cut so that what differs is seen. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set
from datetime import UTC, datetime
from posixpath import commonprefix

from kbsync.model import DRAFTS, AsOf, Change, FieldChange, Value, visible
from kbsync.plan.order import ASIDE

LONGEST = 400
"""Characters that differ, of one value, before the middle of them is left out."""

CONTEXT = 8
"""Characters on each side of what differs that are shown, however little room there is."""

NOTHING = "(nothing)"


def moving(fields: Iterable[FieldChange]) -> list[FieldChange]:
    """The fields that a reader of the plan cares about. A move sends its position along, whether it changes or not."""
    found = [field for field in fields if field.shown[0] != field.shown[1]]
    others = [field for field in found if not _is_cleared(field)]
    return others or found


def _is_cleared(field: FieldChange) -> bool:
    """A staged edit of ours that readers see now, or that something newer replaces: nothing is lost with it."""
    return field.name in DRAFTS.values() and field.after is None and field.agreed is None


def is_body(name: str) -> bool:
    """Whether the values of a field are fingerprints of a text, which nobody can read."""
    return name in {"content", DRAFTS["content"]}


def items_of(changes: Iterable[Change]) -> int:
    """How many articles, categories or images these changes are about: one that swaps its slug has two changes."""
    return len({(change.kind, change.path or (change.locale, change.slug)) for change in changes})


def fate_of_address(field: FieldChange, taken: Set[str], *, live: bool) -> str:
    """What becomes of the address that a slug gives up; "" of any other field, and where readers never found it."""
    if field.name != "slug" or str(field.before).endswith(ASIDE):
        return ""
    if str(field.after).endswith(ASIDE):
        return "for a moment, to free the address"
    if field.before in taken:
        return "the old address will show another article"
    return "the old address will be 404" if live else ""


def value_text(value: Value) -> str:
    """A value on one line, without control characters."""
    if value is None or value in ("", ()):
        return NOTHING
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return visible(" ".join(text.split()))


def both_texts(values: tuple[Value, Value], room: int) -> tuple[str, str]:
    """Two values, each in about so many characters: what is the same may be cut, what differs is left.

    Only of very long texts the middle of what differs is left out, too.
    """
    one, other = map(value_text, values)
    if max(len(one), len(other)) <= room:
        return one, other
    head = len(commonprefix([one, other]))
    tail = len(commonprefix([one[head:][::-1], other[head:][::-1]]))
    middle = max(len(one), len(other)) - head - tail
    context = max(CONTEXT, (room - min(middle, LONGEST) - 2) // 2)
    shown, another = (text if len(text) <= room else _cut(text, head, tail, context) for text in (one, other))
    return shown, another


def _cut(text: str, head: int, tail: int, context: int) -> str:
    """A text whose first `head` and last `tail` characters are also those of the other one."""
    start = head - context if head > context + 1 else 0
    end = len(text) - tail + context if tail > context + 1 else len(text)
    shown = text[head : len(text) - tail]
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST // 2]} … {shown[-LONGEST // 2 :]}"
    before, after = text[start:head], text[len(text) - tail : end]
    return ("…" if start else "") + before + shown + after + ("…" if end < len(text) else "")


def iso_moment(seconds: float) -> str:
    """`2026-11-21T07:20:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def as_of_sentence(as_of: AsOf | None) -> str:
    """What a plan was compared with; "" where that is the portal."""
    if as_of is None:
        return ""
    run = f"run {as_of.run} of {moment(as_of.at_s)} UTC"
    return f"Compared with {run} in the ledger. Later edits in the panel are not shown."


def moment(seconds: float) -> str:
    """`2026-11-21 07:20`, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
