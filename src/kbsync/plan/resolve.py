"""What a person decides about what is held, as a base for the next plan. Pure: nothing is sent here.

decision | drift or conflict of a field
---------+----------------------------------------------------------------------------------------
ours     | the base stays, and the portal's value of now is noted beside it as overruled: ours goes out with
         | the next push, but not over a value that is another one by then. Where the file had moved, or got
         | the answer, its value is noted, too: another text, as another branch may have it, is not what was
         | decided for
theirs   | the base becomes ours, and the portal's value is kept beside it: the two may differ, and nothing
         | is reported until one of them moves, or somebody decides again

Of an edit that is pending in the panel, what is decided is about the edit itself: theirs leaves it alone until it is
another one. Either takes the other back. A decision ends where both sides come to hold the same, and with the push
that sends.

Also: verdicts under the decisions of people (`kbsync resolve`), each about the values of its time. Pure.

decided | the portal's value              | what becomes of the field
--------+---------------------------------+----------------------------------------------
theirs  | as it was, and ours did not move | left as it is, and not held
ours    | as it was                       | sent
ours    | as it was, and the file is not  | held: the decision was for another text, which may have
        | the one that it was made for    | the portal's edit in it, as after `kbsync pull`
either  | another one                     | held, as if nothing had been decided
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal

from msgspec.structs import replace

from kbsync.model import DRAFTS, Base, Desired, Fields, Observed, Reason, Value
from kbsync.plan.agreed import base_at
from kbsync.plan.decide import ABSENT, HELD, Verdict
from kbsync.plan.draft import Draft, Place, hold


def as_decided(
    draft: Draft,
    desired: Desired,
    base: Base,
    verdicts: Mapping[str, Verdict],
    there: Fields,
    place: Place | None = None,
) -> dict[str, Verdict]:
    """The verdicts as people decided them; the plan names what a decision is about, so that it can be taken back.

    `place` is the verdict about its place in an order: its number alone says nothing.
    """
    is_still = place is not None and place.is_still
    seen = {**there, "position": base.kept.get("position")} if is_still else there
    kept = tuple(name for name in _of(verdicts, (Verdict.DRIFT,)) if _is_about(base.kept, name, seen))
    overruled = tuple(name for name in _of(verdicts, HELD) if _is_overruled(base, desired, name, there))
    for names, decided in ((kept, draft.kept), (overruled, draft.overruled)):
        if names:
            held = hold(desired, Reason.DRIFT, base.remote_id, names, "", there)
            decided.append(place.of(held) if place else held)
    return {**verdicts, **dict.fromkeys(kept, Verdict.NOTHING), **dict.fromkeys(overruled, Verdict.SEND)}


def _of(verdicts: Mapping[str, Verdict], some: Container[Verdict]) -> list[str]:
    return [name for name, verdict in verdicts.items() if verdict in some]


def _is_overruled(base: Base, desired: Desired, name: str, there: Fields) -> bool:
    return _is_about(base.overruled, name, there) and not is_for_another(base, name, desired.fields.get(name))


def _is_about(decided: Fields, name: str, there: Fields) -> bool:
    return decided.get(name, ABSENT) == there.get(name)


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
    written: Fields = {},  # noqa: B006
) -> Base:
    """The base after a decision about some fields; there is none yet where nothing was agreed on.

    `agreed` is what is ours of a field in the base, where that is not the value of the file: the number of a place.
    `written` is what the file has by now of fields into which the answer went.
    """
    names = tuple(names)
    # Of a locale that differs there is no agreement either, and only a decision about the locale makes one.
    known = base or replace(base_at(desired, observed, {}), locale=desired.locale)
    seen = {name: value_of(observed, name) for name in names}
    left = undecided(known, seen)
    if side == "ours":
        wanted = {name: written.get(name, _wanted(desired, name)) for name in names}
        meant = {name: wanted[name] for name in names if name in written or _has_moved(known, desired, name)}
        overruled, decided_for = {**left.overruled, **seen}, {**left.decided_for, **meant}
        return replace(left, overruled=overruled, decided_for=decided_for, path=desired.path)
    base = _agree_to(left, desired, names, agreed)
    return replace(base, kept={**left.kept, **seen}, path=desired.path)


def resolve_gone(base: Base, observed: Observed, side: Side) -> Base:
    """The base after a decision about the edit that is pending of an article whose file is gone: does it go along?"""
    left = undecided(base, DRAFTS.values())
    if side == "ours":
        return replace(left, overruled={**left.overruled, **observed.drafts})
    return replace(left, kept={**left.kept, **observed.drafts})


def undecided(base: Base, names: Container[str]) -> Base:
    """The base without the decisions about some fields."""

    def without(decided: Fields) -> Fields:
        return {name: value for name, value in decided.items() if name not in names}

    kept, overruled, decided_for = map(without, (base.kept, base.overruled, base.decided_for))
    return replace(base, kept=kept, overruled=overruled, decided_for=decided_for)


def is_for_another(base: Base, name: str, ours: Value) -> bool:
    """Whether somebody decided for a file that had moved, or that got the answer, and this is another text.

    The file of the decision may have had an edit from the panel in it that this one lacks.
    """
    return base.decided_for.get(name, ours) != ours


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
    names = base.kept.keys() | base.overruled.keys()
    return undecided(base, {name for name in names if _wanted(desired, name) == value_of(observed, name)})


def value_of(observed: Observed, name: str) -> Value:
    """The portal's value of a field, a locale, a status or a pending edit."""
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
