"""The bases that a plan settles. That of an adoption is made when it is asked for (`made.py`). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

import msgspec

from kbsync.fields import LINK_FIELD
from kbsync.model import Base, Desired, Observed, Value
from kbsync.plan.agreed import base_of
from kbsync.plan.decide import ABSENT, Absent
from kbsync.plan.known import Node
from kbsync.plan.made import Made

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
        return Made(tuple(self._found.values()), _base) if self._found else ()


def _base(found: Base | Adopted) -> Base:
    return found.base() if isinstance(found, Adopted) else found
