"""Bodies that a ledger names as kbsync did before line breaks at their ends stopped counting. Pure.

Such a name covers these line breaks too, so it equals no name of today, and it cannot be made one without the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from kbsync.model import DIGEST_PREFIX, Base, Desired, digest


def without_former_bodies(bases: Iterable[Base]) -> list[Base]:
    """Bases that say nothing of such a body: where both sides hold the same now, that is agreed on again."""
    return [_without(base) if _is_former(base) else base for base in bases]


def renamed_bodies(bases: Iterable[Base], desired: Iterable[Desired], content_of: Callable[[str], str]) -> list[Base]:
    """The same where the ledger alone says what the portal holds: the body of a file that is still what it names.

    Args:
        bases: of the ledger.
        desired: what the tree wants.
        content_of: the body of a source as it is sent.
    """
    wanted = {item.path: item for item in desired if item.kind == "article"}
    return [_renamed(base, wanted.get(base.path), content_of) if _is_former(base) else base for base in bases]


def _is_former(base: Base) -> bool:
    return str(base.fields.get("content", "")).startswith(DIGEST_PREFIX)


def _without(base: Base) -> Base:
    return replace(base, fields={name: value for name, value in base.fields.items() if name != "content"})


def _renamed(base: Base, item: Desired | None, content_of: Callable[[str], str]) -> Base:
    if item is None or base.fields["content"] != digest(content_of(item.path)):
        return base
    return replace(base, fields={**base.fields, "content": item.fields["content"]})
