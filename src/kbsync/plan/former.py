"""Bodies that a ledger names as kbsync did before. Pure.

before                                                              | now
--------------------------------------------------------------------+---------------------------------------------------
`blake2b:`, and line breaks at both ends counted                    | `body:`, and they do not
`body:` of the text with the addresses of uploaded images           | `body:` of the text with these images named by key

A name of before equals none of today, and it cannot be made one without the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from kbsync.model import DIGEST_PREFIX, Base, Desired, Observed, Value


def without_former_bodies(bases: Iterable[Base]) -> list[Base]:
    """Bases that say nothing of a body with the first of these names: what both sides hold now is agreed on again."""
    return [_without(base) if has_first_name(base.fields.get("content")) else base for base in bases]


def renamed_where_observed(bases: Iterable[Base], observed: Iterable[Observed]) -> list[Base]:
    """Bases whose bodies have today's names where the portal still holds them, which says both names."""
    there = {(item.kind, item.remote_id): item for item in observed if item.as_written}
    return [_renamed(base, there.get((base.kind, base.remote_id))) if there else base for base in bases]


def renamed_where_desired(
    bases: Iterable[Base], desired: Iterable[Desired], was_named: Callable[[str, Value], bool]
) -> list[Base]:
    """The same where the ledger alone says what the portal holds: the body of a file that is still what it names.

    Args:
        bases: of the ledger.
        desired: what the tree wants.
        was_named: whether the body of a source, as it is sent, had a name before.
    """
    wanted = {item.path: item for item in desired if item.kind == "article"}

    def renamed(base: Base) -> Base:
        item, name = wanted.get(base.path), base.fields.get("content")
        if item is None or name == item.fields["content"] or not was_named(item.path, name):
            return base
        return _with_body(base, item.fields["content"])

    return [renamed(base) for base in bases]


def has_first_name(content: Value) -> bool:
    """Whether a name is of the first kind."""
    return str(content or "").startswith(DIGEST_PREFIX)


def called_by_path(seen: Observed) -> Observed:
    """An article with the name that its body has with paths, and with that of now in the place of it (`by_path`)."""
    return replace(seen, fields={**seen.fields, "content": seen.by_path}, by_path=str(seen.fields["content"]))


def _without(base: Base) -> Base:
    return replace(base, fields={name: value for name, value in base.fields.items() if name != "content"})


def _renamed(base: Base, observed: Observed | None) -> Base:
    if observed is None or base.fields.get("content") != observed.as_written:
        return base
    return _with_body(base, observed.fields["content"])


def _with_body(base: Base, name: Value) -> Base:
    return replace(base, fields={**base.fields, "content": name})
