"""The bases that a plan settles. That of an adoption is made when it is asked for: a hundred thousand take as much
memory as all that they are made from, and a plan that is only shown needs none. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

import msgspec

from kbsync.fields import LINK_FIELD
from kbsync.model import Base, Desired, Observed, Value
from kbsync.plan.agreed import base_of
from kbsync.plan.decide import ABSENT, Absent
from kbsync.plan.known import Node

Default = TypeVar("Default")


class Adopted(msgspec.Struct, frozen=True, gc=False):
    """An item that both sides hold alike, and the original that both link it to."""

    desired: Desired
    observed: Observed
    original: Value | Absent = ABSENT

    def base(self) -> Base:
        """What both sides agree on."""
        found = base_of(self.desired, self.observed)
        if isinstance(self.original, Absent):
            return found
        return msgspec.structs.replace(found, fields={**found.fields, LINK_FIELD: self.original})


class Bases(Sequence[Base]):
    """Some bases, each made when it is asked for."""

    def __init__(self, found: Sequence[Base | Adopted]) -> None:
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Base]:
        return map(_base, self._found)

    @overload
    def __getitem__(self, place: int) -> Base: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Base, ...]: ...
    def __getitem__(self, place: int | slice) -> Base | tuple[Base, ...]:
        if isinstance(place, slice):
            return tuple(map(_base, self._found[place]))
        return _base(self._found[place])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | Bases) else NotImplemented

    def __repr__(self) -> str:
        return repr(tuple(self))

    __hash__ = None  # type: ignore[assignment]  # Fields are no values that can be hashed.


class Settled:
    """Bases by article or category, in the order in which they were settled."""

    def __init__(self) -> None:
        self._found: dict[Node, Base | Adopted] = {}

    @overload
    def get(self, node: Node) -> Base | None: ...
    @overload
    def get(self, node: Node, default: Default) -> Base | Default: ...
    def get(self, node: Node, default: Base | Default | None = None) -> Base | Default | None:
        """The base of an item; the default where nothing of it is settled."""
        found = self._found.get(node)
        return default if found is None else _base(found)

    def __setitem__(self, node: Node, base: Base) -> None:
        self._found[node] = base

    def adopt(self, desired: Desired, observed: Observed) -> None:
        """Settle what both sides hold alike."""
        self._found[observed.kind, observed.remote_id] = Adopted(desired, observed)

    def link(self, node: Node, original: Value, base: Base | None) -> None:
        """Settle that both sides link an item to this original; `base` is its own where nothing else is settled."""
        known = self._found.get(node, base)
        if isinstance(known, Adopted):
            self._found[node] = msgspec.structs.replace(known, original=original)
        elif known is not None:
            self._found[node] = msgspec.structs.replace(known, fields={**known.fields, LINK_FIELD: original})

    def bases(self) -> Sequence[Base]:
        """All of them."""
        return Bases(tuple(self._found.values())) if self._found else ()


def _base(found: Base | Adopted) -> Base:
    return found.base() if isinstance(found, Adopted) else found
