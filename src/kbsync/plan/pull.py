"""What of the portal goes into files: each field decides for itself. Pure.

    your file vs base | portal vs base            | what `pull` does
    ------------------+---------------------------+------------------------------------------------------------
    same              | same                      | nothing
    moved             | same                      | nothing: the next push sends it
    same              | moved                     | TAKE    the file gets the portal's value
    moved             | moved, to the same value  | nothing
    moved             | moved, elsewhere          | MERGE   bodies by line; else conflict markers
    moved             | an older revision *       | nothing: the next push sends it
    no base           | an older revision         | nothing: the next push sends it, or asks about it
    no base           | differs                   | MERGE   without a base: whatever differs is a conflict
    left out, and     | has a value now           | TAKE    somebody filled in what both sides had left empty
      empty in base   |                           |

    *  and the portal says that the article was not touched after the next revision was committed

Where the ledger does not settle it, the last pull of this clone does: what it put into the file is what both sides had,
and what the portal had then is in the file already. A body that it took and that is no revision of the file is merged
by line all the same: on another branch the file may not have it.

A `position` that is one of an order has rules of its own (`plan/pull_order.py`).
A status is taken where both sides agreed on one before. What a person decided (`kbsync resolve`) stays decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum

import msgspec

from kbsync.fields import AS_GIVEN, LINK_FIELD
from kbsync.model import Fields, Manage, Observed, Value
from kbsync.plan.decide import ABSENT, EMPTY, HELD, Absent
from kbsync.plan.draft import Draft, Renamed, agreed_status, follow_rename
from kbsync.plan.known import NO_RECORD, Last, Node, Records
from kbsync.plan.match import Match, Matches, renamed_categories
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import is_for_another


class Step(Enum):
    """What becomes of one field of a file."""

    TAKE = "take"
    MERGE = "merge"


class Moved(msgspec.Struct, frozen=True):
    """A field that moved on the portal: our value, the portal's, and what both had agreed on, if anything."""

    name: str
    step: Step
    ours: Value
    theirs: Value
    agreed: Value | Absent = ABSENT


class Incoming(msgspec.Struct, frozen=True):
    """A file, and what moved in its article since."""

    match: Match
    observed: Observed
    fields: tuple[Moved, ...]


class PortalChanges(msgspec.Struct, frozen=True):
    """What moved, in files and without them.

    `gone` are the paths of what was deleted on the portal; `waiting` of what needs a decision first, as it is not clear
    which article it is; `staged` have an edit pending in the panel. `dropped` are on the portal, and their files were
    deleted: they do not come back.
    """

    incoming: tuple[Incoming, ...]
    new: tuple[Observed, ...]
    gone: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    staged: tuple[Observed, ...] = ()
    dropped: tuple[Observed, ...] = ()


def find_moved(
    draft: Draft, matches: Matches, records: Records, pending: Iterable[tuple[str, str, str]] = ()
) -> PortalChanges:
    """Compare all sides; `pending` are kind, locale and slug of creates whose answer was lost.

    The draft knows git, whether statuses are pushed, and the verdicts about places.
    """
    unclear = matches.maybe
    waits = set(pending)
    new = tuple(
        item for item in _others(matches.unmanaged, unclear) if (item.kind, item.locale, item.slug) not in waits
    )
    there = (*(match.observed for match in matches.matched), *new)
    return PortalChanges(
        tuple(_incoming(draft, matches, records)),
        new,
        gone=_gone(matches),
        waiting=tuple(item.desired.path for item in matches.unclear),
        staged=tuple(item for item in there if item and item.staged),
        dropped=tuple(_others((item for _, item in matches.orphans), unclear)),
    )


def _others(items: Iterable[Observed | None], unclear: Collection[Node]) -> list[Observed]:
    """What no source that is unclear may be."""
    return [item for item in items if item is not None and (item.kind, item.remote_id) not in unclear]


def _incoming(draft: Draft, matches: Matches, records: Records) -> Iterable[Incoming]:
    renamed = renamed_categories(matches)
    for match in matches.matched:
        if match.observed is not None and match.desired.manage is Manage.TRUE:
            last = records.get((match.observed.kind, match.observed.remote_id), NO_RECORD)
            if fields := tuple(_Sides(draft, match, match.observed, renamed, last).moved()):
                yield Incoming(match, match.observed, fields)


def _gone(matches: Matches) -> tuple[str, ...]:
    gone = (match for match in matches.matched if match.observed is None and match.base is not None)
    return tuple(match.desired.path for match in gone if match.desired.manage is Manage.TRUE)


def named_fields(matches: Matches, wanted: Mapping[str, Sequence[str]]) -> PortalChanges:
    """What a person wants in some files: the portal's value of these fields, by path, whoever moved."""
    incoming = []
    for match in matches.matched:
        if match.observed is None or match.desired.path not in wanted:
            continue
        ours = {**match.desired.fields, "status": match.desired.status, "locale": match.desired.locale}
        theirs = {**match.observed.fields, "status": match.observed.status, "locale": match.observed.locale}
        names = wanted[match.desired.path]
        fields = tuple(Moved(name, Step.TAKE, ours.get(name), theirs.get(name)) for name in names)
        incoming.append(Incoming(match, match.observed, fields))
    return PortalChanges(tuple(incoming), ())


class _Sides(msgspec.Struct, frozen=True):
    """One item, as everybody has it."""

    draft: Draft
    match: Match
    observed: Observed
    renamed: Renamed
    last: Mapping[str, Last]

    def moved(self) -> Iterable[Moved]:
        """The fields that moved on the portal."""
        desired, base = self.match.desired, self.match.base
        there = follow_rename(self.observed.fields, self.observed.locale, self.renamed)
        agreed = follow_rename(base.fields, base.locale, self.renamed) if base else {}
        wanted = self.draft.policy.fields_of(desired)
        ours = {name: value for name, value in wanted.items() if value != there.get(name)}
        if self._is_ordered():
            ours.pop("position", None)
        proof = proof_of(self.draft, self.match, self.observed) if ours else {}
        for name, value in ours.items():
            if name in there and not self._is_decided(name, there[name]):
                found = self._judge(name, value, agreed.get(name, ABSENT), there[name], proof.get(name))
                yield from (found,) if found else ()
        yield from self._filled(there, agreed)
        yield from self._status()
        yield from self._locale()

    def _is_ordered(self) -> bool:
        """Whether its place is compared, and not its number: there is another one in its order."""
        place = self.draft.places.get(self.match.desired.path)
        return place is not None and (place.said is not None or place.verdict not in HELD)

    def _judge(self, name: str, ours: Value, agreed: Value | Absent, theirs: Value, proof: bool | None) -> Moved | None:
        step = step_of(ours, agreed, theirs, proof)
        # Of a place the record has the rank (`plan/pull_places.py`).
        last = self.last.get(name) if name != "position" else None
        is_pulled = last is not None and last.before != (ours,) and not self._may_lack(name, last, agreed)
        if step is Step.MERGE and last is not None and is_pulled:
            agreed = last.theirs
            step = step_of(ours, agreed, theirs, None)
        if name == LINK_FIELD and step is Step.MERGE:
            return None  # A path has no lines to merge: the plan asks, or links what nobody has linked yet.
        return Moved(name, step, ours, theirs, agreed) if step is not None else None

    def _may_lack(self, name: str, last: Last, agreed: Value | Absent) -> bool:
        """Whether the file may lack a body that was taken once: no revision of this branch is that text.

        Somebody may have gone to another branch since. Merged by line, what the file has already changes nothing.
        """
        is_known = bool(self.draft.git.former.get(self.match.desired.path))
        return name == "content" and is_known and last.before == (agreed,)

    def _filled(self, there: Fields, agreed: Fields) -> Iterable[Moved]:
        """Fields that the file leaves out, that were empty, and are no longer."""
        desired = self.match.desired
        for name in AS_GIVEN["article" if desired.kind == "article" else "category"]:
            if name in desired.fields or name == "position" or there.get(name) in EMPTY:
                continue
            known = agreed.get(name, self.last[name].theirs if name in self.last else ABSENT)
            if known in EMPTY and not self._is_decided(name, there[name]):
                yield Moved(name, Step.TAKE, None, there[name], known)

    def _status(self) -> Iterable[Moved]:
        ours, theirs, base = self.match.desired.status, self.observed.status, self.match.base
        if ours is None or theirs is None or ours is theirs or self._is_decided("status", theirs):
            return
        agreed = agreed_status(base)
        if agreed is ABSENT and "status" not in self.last:
            return
        found = self._judge("status", ours, agreed, theirs, None)
        if found is not None and (found.step is Step.TAKE or self.draft.policy.publish):
            yield found

    def _locale(self) -> Iterable[Moved]:
        """An article that the panel moved to another locale: its file is in a folder of the old one."""
        ours, theirs, base = self.match.desired.locale, self.observed.locale, self.match.base
        is_drift = base is not None and base.locale == ours != theirs
        if self.match.desired.kind == "article" and is_drift and not self._is_decided("locale", theirs):
            yield Moved("locale", Step.TAKE, ours, theirs, ours)

    def _is_decided(self, name: str, theirs: Value) -> bool:
        """Whether a person decided about this very value of the portal."""
        base = self.match.base
        if base is None or not base.is_decided:
            return False
        if is_for_another(base, name, self.match.desired.fields.get(name)):
            return False
        return any(decided.get(name, ABSENT) == theirs for decided in (base.kept, base.overruled))


def step_of(ours: Value, agreed: Value | Absent, theirs: Value, proof: bool | None) -> Step | None:
    """What becomes of a field, by the table at the head of this file."""
    if ours == theirs or (agreed is not ABSENT and theirs == agreed):
        return None
    if agreed is not ABSENT and ours == agreed:
        return Step.TAKE
    return None if proof or (proof is not None and agreed is ABSENT) else Step.MERGE
