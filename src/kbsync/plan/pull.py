"""What of the portal goes into files: each field decides for itself. Pure.

    your file vs base | portal vs base            | what `pull` does
    ------------------+---------------------------+------------------------------------------------------------
    same              | same                      | nothing
    moved             | same                      | nothing: the next push sends it
    same              | moved                     | TAKE    the file gets the portal's value
    moved             | moved, to the same value  | nothing
    moved             | moved, elsewhere          | MERGE   bodies by line; else conflict markers
    moved or no base  | an older revision *       | nothing: the next push sends it
    no base           | differs                   | MERGE   without a base: whatever differs is a conflict
    left out, and     | has a value now           | TAKE    somebody filled in what both sides had left empty
      empty in base   |                           |

    *  and the portal says that the article was not touched after the next revision was committed

A status is taken where both sides agreed on one before. What a person decided (`kbsync resolve`) stays decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from kbsync.fields import AS_GIVEN
from kbsync.model import Base, Fields, Manage, Observed, Value
from kbsync.plan.decide import ABSENT, EMPTY, Absent
from kbsync.plan.draft import Draft, follow_rename
from kbsync.plan.match import Match, Matches
from kbsync.plan.proofs import proof_of
from kbsync.plan.renamed import renamed_categories


class Step(Enum):
    """What becomes of one field of a file."""

    TAKE = "take"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Moved:
    """A field that moved on the portal: our value, the portal's, and what both had agreed on, if anything."""

    name: str
    step: Step
    ours: Value
    theirs: Value
    agreed: Value | Absent = ABSENT


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file, and what moved in its article since."""

    match: Match
    observed: Observed
    fields: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What moved, in files and without them.

    `gone` are the paths of what was deleted on the portal; `waiting` of what needs a decision first, as it is not clear
    which article it is; `staged` have an edit pending in the panel.
    """

    incoming: tuple[Incoming, ...]
    new: tuple[Observed, ...]
    gone: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    staged: tuple[Observed, ...] = ()


def find_moved(draft: Draft, matches: Matches, pending: Iterable[tuple[str, str, str]] = ()) -> Found:
    """Compare all sides.

    Args:
        draft: what git knows, and whether statuses are pushed.
        matches: everything, matched.
        pending: kind, locale and slug of creates whose answer was lost.
    """
    renamed = renamed_categories(matches)
    incoming, gone = [], []
    for match in matches.matched:
        if match.desired.manage is not Manage.TRUE:
            continue
        if match.observed is None:
            gone += [match.desired.path] if match.base is not None else []
        elif fields := tuple(_moved(draft, match, match.observed, renamed)):
            incoming.append(Incoming(match, match.observed, fields))
    unclear = {reading.article.some.remote_id for item in matches.unclear for reading in item.readings}
    new = tuple(
        item
        for item in matches.unmanaged
        if item.remote_id not in unclear and (item.kind, item.locale, item.slug) not in set(pending)
    )
    seen = [match.observed for match in matches.matched if match.observed is not None]
    staged = tuple(item for item in (*seen, *new) if item.staged)
    waiting = tuple(item.desired.path for item in matches.unclear)
    return Found(tuple(incoming), new, tuple(gone), waiting, staged)


def _moved(draft: Draft, match: Match, observed: Observed, renamed: Mapping[tuple[str, str], str]) -> Iterable[Moved]:
    desired, base = match.desired, match.base
    there = follow_rename(observed.fields, observed.locale, renamed)
    agreed = follow_rename(base.fields, base.locale, renamed) if base else {}
    keeps = draft.policy.keeps[desired.kind]
    ours: dict[str, Value] = {name: value for name, value in desired.fields.items() if name in keeps}
    if base is not None and ours.items() <= agreed.items() and ours.items() <= there.items():
        ours = {}
    proof = proof_of(draft, match, observed) if ours else {}
    for name, value in ours.items():
        if name in there and not _is_decided(base, name, there):
            known = agreed.get(name, ABSENT)
            if (step := step_of(value, known, there[name], proof.get(name))) is not None:
                yield Moved(name, step, value, there[name], known)
    if base is not None:
        yield from _filled(match, base, there)
        yield from _status(draft, match, base, observed)


def step_of(ours: Value, agreed: Value | Absent, theirs: Value, proof: bool | None) -> Step | None:
    """What becomes of a field, by the table at the head of this file."""
    if ours == theirs or (agreed is not ABSENT and theirs == agreed and proof is not False):
        return None
    if agreed is not ABSENT and ours == agreed:
        return Step.TAKE
    return None if proof else Step.MERGE


def _filled(match: Match, base: Base, there: Fields) -> Iterable[Moved]:
    """Fields that the file leaves out, that were empty, and are no longer."""
    desired = match.desired
    for name in AS_GIVEN["article" if desired.kind == "article" else "category"]:
        if name in desired.fields or name == "position" or base.fields.get(name, ABSENT) not in EMPTY:
            continue
        if there.get(name) not in EMPTY:
            yield Moved(name, Step.TAKE, None, there[name], base.fields[name])


def _status(draft: Draft, match: Match, base: Base, observed: Observed) -> Iterable[Moved]:
    ours, theirs = match.desired.status, observed.status
    if ours is None or theirs is None or base.status in (None, theirs) or ours is theirs:
        return
    if _is_decided(base, "status", {"status": theirs}):
        return
    if ours is base.status:
        yield Moved("status", Step.TAKE, ours, theirs, base.status)
    elif draft.policy.publish:
        yield Moved("status", Step.MERGE, ours, theirs, base.status)


def _is_decided(base: Base | None, name: str, there: Fields) -> bool:
    """Whether a person decided about this very value of the portal."""
    if base is None or not base.is_decided:
        return False
    return any(decided.get(name, ABSENT) == there.get(name) for decided in (base.kept, base.overruled))
