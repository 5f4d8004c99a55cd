"""What a person decides about what is held, as a base for the next plan. Pure: nothing is sent here.

decision | drift or conflict of a field
---------+----------------------------------------------------------------------------------------
ours     | the base stays, and the portal's value of now is noted beside it as overruled: ours goes out with
         | the next push, but not over a value that is another one by then. Where the file had moved, its
         | value is noted, too: the file as it was before, on another branch, is not what was decided for
theirs   | the base becomes ours, and the portal's value is kept beside it: the two may differ, and nothing
         | is reported until one of them moves, or somebody decides again

Of an edit that is pending in the panel, what is decided is about the edit itself: theirs leaves it alone until it is
another one. Either takes the other back. A decision ends where both sides come to hold the same, and with the push
that sends.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Literal

from msgspec.structs import replace

from kbsync.model import DRAFTS, FOR, Base, Desired, Fields, Observed, Value, decided_for
from kbsync.plan.decide import ABSENT

Side = Literal["ours", "theirs"]
"""Whose value counts."""

LIVE_NAMES = {draft: name for name, draft in DRAFTS.items()}


def resolve_fields(
    desired: Desired,
    base: Base | None,
    observed: Observed,
    names: Iterable[str],
    side: Side,
    agreed: Fields = {},  # noqa: B006
) -> Base:
    """The base after a decision.

    Args:
        desired, base, observed: the three sides; `base` None where nothing was agreed on yet.
        names: the fields that are decided.
        side: whose value counts.
        agreed: what is ours of a field in the base, where that is not the value of the file: the number of a place.
    """
    names = tuple(names)
    # Of a locale that differs there is no agreement either, and only a decision about the locale makes one.
    known = base or Base(
        kind=observed.kind,
        remote_id=observed.remote_id,
        locale=desired.locale,
        slug=observed.slug,
        path=desired.path,
        fields={},
    )
    seen = {name: _value(observed, name) for name in names}
    kept = {name: value for name, value in known.kept.items() if name not in seen}
    overruled = undecided(known.overruled, seen)
    if side == "ours":
        moved = {decided_for(name): _wanted(desired, name) for name in names if _has_moved(known, desired, name)}
        return replace(known, kept=kept, overruled={**overruled, **seen, **moved}, path=desired.path)
    base = _agree_to(known, desired, names, agreed)
    return replace(base, kept={**kept, **seen}, overruled=overruled, path=desired.path)


def undecided(decided: Fields, names: Container[str]) -> Fields:
    """The decisions without those about some fields."""
    return {name: value for name, value in decided.items() if name.removeprefix(FOR) not in names}


def is_for_another(base: Base, name: str, ours: Value) -> bool:
    """Whether somebody decided for a file that had moved, and this is that file as it was before."""
    meant = base.overruled.get(decided_for(name), ours)
    return meant != ours and base.fields.get(name, ABSENT) == ours


def _has_moved(base: Base, desired: Desired, name: str) -> bool:
    """Whether the file had another value than what both sides last agreed on; a place has only a number."""
    return (
        name in base.fields
        and name != "position"
        and desired.fields.get(name, ABSENT) not in (ABSENT, base.fields[name])
    )


def _agree_to(base: Base, desired: Desired, names: Iterable[str], agreed: Fields) -> Base:
    """The base with what the source wants of some fields."""
    # What is pending in the panel is nobody's agreement.
    wanted = {name: agreed.get(name, _wanted(desired, name)) for name in names if name not in DRAFTS.values()}
    fields = {**base.fields, **{name: value for name, value in wanted.items() if name not in {"locale", "status"}}}
    status = desired.status if "status" in wanted else base.status
    return replace(base, fields=fields, locale=str(wanted.get("locale", base.locale)), status=status)


def without_alike(base: Base, desired: Desired, observed: Observed) -> Base:
    """A base without the decisions about fields that are alike by now: nothing is left to decide there."""

    def differing(decided: Fields) -> Fields:
        names = {name.removeprefix(FOR) for name in decided}
        return undecided(decided, {name for name in names if _wanted(desired, name) == _value(observed, name)})

    return replace(base, kept=differing(base.kept), overruled=differing(base.overruled))


def _value(observed: Observed, name: str) -> Value:
    if name == "locale":
        return observed.locale
    if name in DRAFTS.values():
        return observed.drafts[name]
    return observed.status if name == "status" else observed.fields.get(name)


def _wanted(desired: Desired, name: str) -> Value:
    if name == "locale":
        return desired.locale
    if name in LIVE_NAMES:
        return desired.fields.get(LIVE_NAMES[name])
    return desired.status if name == "status" else desired.fields.get(name)
