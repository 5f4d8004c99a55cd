"""A saved plan held against the plan that is made now. Pure.

    change of the file | plan made now  | portal          | what becomes of it
    -------------------+----------------+-----------------+-------------------------------------------------------
    any                | has the same   | any             | carried out, as the plan made now has it
    any                | does not       | shows it        | left out: it is done
    any                | does not       | does not        | refused, with the reason
    not in the file    | has a change   | any             | left for another plan

Nothing of the file is ever carried out. The same is what does the same: an id that was not known when the file was
written, a turn, and the part of a change that the portal shows already make no difference. What is on record of a
portal that can be listed says nothing of what it shows: a person may have edited since.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from kbsync.fields import LINK_FIELD, is_popular
from kbsync.model import (
    Action,
    Base,
    Change,
    FieldChange,
    Held,
    Kind,
    Observed,
    Outcome,
    Pending,
    Plan,
    Reason,
    RemoteId,
    Value,
)
from kbsync.plan.decide import EMPTY
from kbsync.plan.known import Node, by_node
from kbsync.plan.nodes import Key, key_of
from kbsync.plan.portal_settings import KIND_OF
from kbsync.plan.result import PLAN_AGAIN
from kbsync.words import field_names

LOST = "Another push sent `{}` after the plan was made, and its result is unknown. Nothing was sent."


class Now(msgspec.Struct, frozen=True):
    """How things are: the plan made now, and what ledger and portal say.

    `lost` are creates with an unknown result that came after the file was written.
    """

    plan: Plan
    bases: Sequence[Base]
    observed: Sequence[Observed] | None = None
    lost: Sequence[Pending] = ()


class Replanned(msgspec.Struct, frozen=True):
    """What may be carried out, what may not and why, how many changes are done already, how many are in no file."""

    plan: Plan
    refused: tuple[Outcome, ...]
    done: int
    added: int


def replan(saved: Plan, now: Now) -> Replanned:
    """Hold a saved plan against the one that is made now."""
    record = _Record.of(saved, now)
    left = _grouped(now.plan.changes, record.name)
    instead: Mapping[object, list[Change | Held]] = _grouped([*now.plan.changes, *now.plan.held], _item)
    going: list[Change] = []
    refused: list[Outcome] = []
    done = 0
    for change in saved.changes:
        others, there = left.get(record.name(change), []), instead.get(_item(change), [])
        same = next((other for other in others if record.is_same(change, other, there)), None)
        if same is not None and not record.is_lost(change):
            others.remove(same)
            going.append(same)
        elif same is None and record.has(change, there):
            done += change.action is not Action.ADOPT
        else:
            reason = LOST.format(change.slug) if same is not None else _why(change, there)
            refused.append(Outcome(change, "skipped", change.remote_id, reason, PLAN_AGAIN))
    return _replanned(saved, now.plan, going, refused, done)


T = TypeVar("T")


def _grouped(items: Iterable[T], name: Callable[[T], object]) -> dict[object, list[T]]:
    found: dict[object, list[T]] = {}
    for item in items:
        found.setdefault(name(item), []).append(item)
    return found


def _replanned(saved: Plan, now: Plan, going: Iterable[Change], refused: Sequence[Outcome], done: int) -> Replanned:
    sent = {id(change) for change in going}
    gone = {_item(outcome.change) for outcome in refused}
    added = [change for change in now.sent if id(change) not in sent and _item(change) not in gone]
    changes = tuple(change for change in now.changes if id(change) in sent)
    return Replanned(_narrowed(saved, now, changes, gone), tuple(refused), done, len(added))


def _narrowed(saved: Plan, now: Plan, changes: tuple[Change, ...], refused: Collection[object]) -> Plan:
    """The plan made now, with nothing that the saved one does not have."""
    known = {(item.kind, item.path, item.remote_id) for item in saved.held}
    held = (item for item in now.held if (item.kind, item.path, item.remote_id) in known)
    warnings = set(saved.warnings)
    return replace(
        now,
        changes=changes,
        held=tuple(item for item in held if _item(item) not in refused),
        settled=_in_both(now.settled, saved.settled),
        forgotten=_in_both(now.forgotten, saved.forgotten),
        warnings=tuple(finding for finding in now.warnings if finding in warnings),
    )


def _in_both(bases: Iterable[Base], others: Iterable[Base]) -> tuple[Base, ...]:
    known = by_node(others)
    return tuple(base for base in bases if known.get((base.kind, base.remote_id)) == base)


def _item(item: Change | Held) -> tuple[Kind, str, object]:
    """What it is about: a source, also one that is gone, or what never had one that we know."""
    path = item.path or (item.was if isinstance(item, Change) else "")
    return (item.kind, path, None) if path else (item.kind, "", item.remote_id)


def _key(item: Change | Pending | Base | Observed) -> Key:
    return key_of(item.kind, item.locale, item.slug)


# --- why not ---------------------------------------------------------------------------------------------------------


def _why(change: Change, instead: Sequence[Change | Held]) -> str:
    """Why a change of the file is refused; `instead` is what a new plan has for its item."""
    others = [other for other in instead if isinstance(other, Change)]
    alike = [other for other in others if other.action is change.action]
    if edited := _edited(change, alike):
        return f"Changed on the portal after the plan was made: {field_names(edited)}. Nothing was sent."
    for item in instead:
        if isinstance(item, Held):
            return _why_held(item)
    if alike:
        return _why_differently(change, alike)
    if others:
        return f"A new plan would do something else with it: {others[0].action}. Nothing was sent."
    return "A new plan would not have this change. Nothing was sent."


def _why_differently(change: Change, alike: Sequence[Change]) -> str:
    if any(other.live is not change.live for other in alike):
        return f"It was {'published' if alike[0].live else 'unpublished'} after the plan was made. Nothing was sent."
    names = field_names(_disagreed(change, alike[0]))
    return f"A new plan would change it differently{f' ({names})' if names else ''}. Nothing was sent."


def _why_held(item: Held) -> str:
    if item.reason in {Reason.DRIFT, Reason.CONFLICT} and item.fields:
        names = field_names(item.fields)
        return f"Changed on the portal after the plan was made: {names}. Nothing was sent."
    if item.reason is Reason.GONE:
        return "It was deleted on the portal after the plan was made. Nothing was sent."
    return "It now needs your decision. Nothing was sent."


def _edited(saved: Change, alike: Iterable[Change]) -> list[str]:
    """The fields that both plans change alike, and that the portal has another value of by now."""
    before, after = saved.before, saved.after
    return [
        field.name
        for now in alike
        for field in now.fields
        if field.name in before and after[field.name] == field.after and before[field.name] != field.before
    ]


def _disagreed(saved: Change, now: Change) -> list[str]:
    ours, theirs = ({field.name: field for field in change.fields} for change in (saved, now))
    return [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]


def _is_place(field: FieldChange) -> bool:
    """Whether a field is a place in an order, which its number does not say."""
    return field.name == "position" and field.beside is not None


def _has_place(item: Change | Held) -> bool:
    return "position" in (item.fields if isinstance(item, Held) else item.after)


# --- the same, and done ----------------------------------------------------------------------------------------------


class _Record(msgspec.Struct, frozen=True):
    """What ledger and portal say, to be asked whether a change is done, or the same as another.

    `there` is what the portal shows; where it cannot be listed, that is what is on record. `slugs` are those that
    articles and categories end with: one that swaps its slug has a temporary one on the way. `lost` are creates with an
    unknown result.
    """

    by_id: Mapping[Node, Base]
    by_path: Mapping[tuple[Kind, str], Base]
    there: Mapping[Node, Base | Observed]
    named: Mapping[Key, Base | Observed]
    slugs: Mapping[tuple[Kind, RemoteId | None], Value]
    lost: Collection[Key]

    @classmethod
    def of(cls, saved: Plan, now: Now) -> _Record:
        there: Sequence[Base | Observed] = now.bases if now.observed is None else now.observed
        renames = (change for change in saved.changes if "slug" in change.after)
        return cls(
            by_node(now.bases),
            {(base.kind, base.path): base for base in now.bases if base.path},
            by_node(there),
            {_key(item): item for item in there},
            {(change.kind, change.remote_id): change.after["slug"] for change in renames},
            {_key(entry) for entry in now.lost if entry.action == Action.CREATE},
        )

    def is_lost(self, change: Change) -> bool:
        """Whether another push may have made the same already."""
        return change.action is Action.CREATE and _key(change) in self.lost

    def name(self, change: Change) -> object:
        """What a change does to which item; a plan with a temporary slug has two such changes."""
        return (change.action, change.kind, change.locale, change.slug, change.path, self._id(change))

    def _id(self, change: Change) -> RemoteId | None:
        if change.remote_id is not None or change.action is Action.CREATE:
            return change.remote_id
        base = self.by_path.get((change.kind, change.path))
        return base.remote_id if base else None

    def is_same(self, saved: Change, now: Change, instead: Sequence[Change | Held] = ()) -> bool:
        """Whether two changes of one name do the same, but for what the portal shows already of the saved one."""
        if replace(saved, fields=now.fields, turn=now.turn, remote_id=now.remote_id) != now:
            return False
        fields = {field.name: field for field in saved.fields}
        if len(fields) != len(saved.fields):
            return False
        for field in now.fields:
            other = fields.pop(field.name, None)
            if other is None or self._plain(other, saved) != self._plain(field, now):
                return False
        return not fields or self._is_shown(replace(saved, fields=tuple(fields.values())), instead)

    def _plain(self, field: FieldChange, change: Change) -> FieldChange:
        """A field without what says the same in other words."""
        if field.name == "position" and change.action is Action.CREATE:
            return replace(field, after=None)  # The files are the same: only its neighbours can differ.
        if field.name == LINK_FIELD or is_popular(field.name):
            return replace(field, after=self._with_ids(field.name, field.after), said=None)
        if _is_place(field):
            # The portal may have numbered the category anew; the neighbors say which place it is.
            return replace(field, before=None, after=None, agreed=None, leaves=None, beside=None)
        return field

    def _with_ids(self, name: str, value: Value) -> Value:
        """A value with ids in the place of paths: of what was still to be made when the plan was."""
        if name == LINK_FIELD:
            return self._original(value)
        if not is_popular(name) or not isinstance(value, tuple):
            return value
        bases = [self.by_path.get((KIND_OF[name.partition(".")[0]], item)) for item in value]
        return tuple(str(base.remote_id) if base else item for base, item in zip(bases, value, strict=True))

    def _original(self, value: Value) -> Value:
        path = str(value)
        base = self.by_path.get(("article", path)) or self.by_path.get(("category", path))
        return base.remote_id if base else value

    def has(self, change: Change, instead: Sequence[Change | Held] = ()) -> bool:
        """Whether nothing is left of a change; `instead` is what a new plan has for its item."""
        if change.action is Action.UPLOAD:
            return True  # It is not sent unless the plan made now asks for it.
        item = (change.kind, change.remote_id)
        if change.action is Action.ADOPT:
            return item in self.by_id
        if change.action is Action.DELETE:
            return item not in self.by_id and item not in self.there
        return self._is_shown(change, instead)

    def _is_shown(self, change: Change, instead: Sequence[Change | Held]) -> bool:
        """Whether the portal shows what a change was to make of its item."""
        if change.action is Action.CREATE:
            seen = self.named.get(_key(change))
        else:
            remote_id = self._id(change)
            seen = self.there.get((change.kind, remote_id)) if remote_id is not None else None
        if seen is None:
            return False
        return bool(change.fields) and all(self._shows(seen, change, field, instead) for field in change.fields)

    def _shows(
        self, seen: Base | Observed, change: Change, field: FieldChange, instead: Sequence[Change | Held]
    ) -> bool:
        if field.name == "position" and change.action is Action.CREATE:
            return True  # It is where it belongs, by whatever number.
        if _is_place(field):
            return not any(_has_place(item) for item in instead)
        if field.name == "slug":
            return seen.slug in (field.after, self.slugs.get((change.kind, change.remote_id)))
        shown, wanted = _value(seen, field.name), self._with_ids(field.name, field.after)
        return shown == wanted or (shown in EMPTY and wanted in EMPTY)


def _value(item: Base | Observed, name: str) -> Value:
    known = item.shown if isinstance(item, Observed) else {**item.fields, "locale": item.locale, "status": item.status}
    return known.get(name)
