"""What a person decides about what is held, as a base for the next plan. Pure: nothing is sent here.

decision | drift or conflict of a field
---------+----------------------------------------------------------------------------------------
ours     | the base becomes the portal's value of now: ours has moved, and goes out with the next push,
         | but not over a value that is another one by then
theirs   | the base becomes ours, and the portal's value is kept beside it: the two may differ, and nothing
         | is said about it until one of them moves, or somebody decides anew

A decision ends where both sides come to hold the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from kbsync.model import Base, Desired, Observed, Status, Value

Side = Literal["ours", "theirs"]


def resolve_fields(desired: Desired, base: Base | None, observed: Observed, names: Iterable[str], side: Side) -> Base:
    """The base after a decision.

    Args:
        desired, base, observed: the three sides; `base` None where nothing was agreed on yet.
        names: the fields that are decided.
        side: whose value shall stand.
    """
    known = base or Base(observed.kind, observed.remote_id, observed.locale, observed.slug, desired.path, {})
    fields, kept = dict(known.fields), dict(known.kept)
    locale, status = known.locale, known.status
    for name in names:
        theirs = _value(observed, name)
        agreed = theirs if side == "ours" else _wanted(desired, name)
        kept.pop(name, None)
        if side == "theirs":
            kept[name] = theirs
        if name == "locale":
            locale = str(agreed)
        elif name == "status":
            status = Status(str(agreed)) if agreed is not None else None
        else:
            fields[name] = agreed
    slug = str(fields.get("slug", known.slug)) if "slug" in names and side == "ours" else known.slug
    return replace(known, fields=fields, kept=kept, locale=locale, status=status, slug=slug, path=desired.path)


def decided_alike(desired: Desired, base: Base, observed: Observed) -> frozenset[str]:
    """The fields that were left to differ and are alike by now: nothing is left to differ there any more."""
    return frozenset(name for name in base.kept if _wanted(desired, name) == _value(observed, name))


def _value(observed: Observed, name: str) -> Value:
    if name == "locale":
        return observed.locale
    return observed.status if name == "status" else observed.fields.get(name)


def _wanted(desired: Desired, name: str) -> Value:
    if name == "locale":
        return desired.locale
    return desired.status if name == "status" else desired.fields.get(name)
