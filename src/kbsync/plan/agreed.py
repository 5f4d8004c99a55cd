"""What both sides agree on without a request: an article that is adopted, a field that moved to one value. Pure.

Also: the bases that a plan settles. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD
from kbsync.model import Base, Desired, Fields, ItemRef, Observed, Status, Value
from kbsync.plan.decide import ABSENT, EMPTY
from kbsync.plan.known import Node


class Settled(dict[Node, Base]):
    """Bases by article or category, in the order in which they were settled."""

    def link(self, node: Node, original: Value, base: Base | None) -> None:
        """Settle that both sides link an item to this original; `base` is its own where nothing else is settled."""
        known = self.get(node, base)
        if known is not None:
            self[node] = replace(known, fields={**known.fields, LINK_FIELD: original})


def base_of(desired: Desired, observed: Observed) -> Base:
    """The base of an adopted item: what both sides hold alike, and what is empty there.

    A text that only the panel gave is not agreed on: a source that begins to give that field later meets a
    conflict and does not overwrite it. So it is with a status that the two do not share.
    """
    fields = {
        name: value
        for name, value in observed.fields.items()
        if desired.fields.get(name, ABSENT) == value or value in EMPTY
    }
    status = observed.status if observed.status == desired.status else None
    if desired.status is not None and status is None:
        fields["status"] = None
    return base_at(desired, observed, fields, status, observed.updated_at)


def base_at(item: ItemRef, seen: Observed, fields: Fields, status: Status | None = None, touched_s: int = 0) -> Base:
    """The base of an item that the portal has."""
    return Base(
        kind=item.kind,
        remote_id=seen.remote_id,
        locale=seen.locale or item.locale,
        slug=seen.slug,
        path=item.path,
        fields=fields,
        status=status,
        touched_s=touched_s,
    )


def settled_base(base: Base, desired: Desired, names: Iterable[str]) -> Base:
    """The base once some of its fields are as the source has them, on both sides."""
    names = tuple(names)
    fields = {**base.fields, **{name: desired.fields[name] for name in names if name != "locale"}}
    locale = desired.locale if "locale" in names else base.locale
    slug = desired.slug if "slug" in names else base.slug
    return replace(base, fields=fields, path=desired.path, locale=locale, slug=slug)
