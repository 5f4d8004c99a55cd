"""The bases that a plan settles. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD
from kbsync.model import Base, Desired, Observed, Value
from kbsync.plan.agreed import base_of
from kbsync.plan.known import Node


class Settled(dict[Node, Base]):
    """Bases by article or category, in the order in which they were settled."""

    def adopt(self, desired: Desired, observed: Observed) -> None:
        """Settle what both sides hold alike."""
        self[observed.kind, observed.remote_id] = base_of(desired, observed)

    def link(self, node: Node, original: Value, base: Base | None) -> None:
        """Settle that both sides link an item to this original; `base` is its own where nothing else is settled."""
        known = self.get(node, base)
        if known is not None:
            self[node] = replace(known, fields={**known.fields, LINK_FIELD: original})
