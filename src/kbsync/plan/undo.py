"""The plan that reverses a run, except where it was edited later. Pure.

    the run                 | the item now                | undo
    ------------------------+-----------------------------+------------------------------------------------
    made it                 | as it was made              | delete
    made it                 | changed since               | held
    changed fields          | a field as the run left it  | send what it held before
    changed fields          | a field changed since       | held
    changed its status      | that status                 | the status before
    moved it to a category  | there                       | its category and locale before, and its position there
    moved it to a category  | moved on since              | held
    deleted it              | not there                   | make it again, as a draft; then its status before; that an
                            |   edit was pending is told  |   edit of it does not come back
    deleted it              | not there, but made again   | held: by a later run, under the same file, or with its
                            |   since, whatever its name  |   title and body
    overwrote an edit       | as the run left it          | send the edit, and let it be held again: the base of then
    staged, or published    | as the run left it          | what was pending before, and what readers saw before
      what was staged       |                             |
    any of these            | somebody has an edit        | held, where title, body or the page would change under it
                            |   pending since             |
    moved it in its order   | between the same neighbors  | between its neighbors before (`undo_order.py`)

What a run did to one item in several steps is put back in one: first value before, last value after.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD, SideEffects, in_order
from kbsync.ledger.values import Entry
from kbsync.model import (
    DRAFTS,
    Action,
    Agreed,
    Base,
    Change,
    FieldChange,
    Finding,
    Held,
    Kind,
    Neighbors,
    Observed,
    Plan,
    Reason,
    RemoteId,
    Status,
    Target,
    Value,
)
from kbsync.plan.assembled import requests_of
from kbsync.plan.draft import STATUS_ACTIONS, agreed_before, held_of, names_of, position_of, removed_fields
from kbsync.plan.known import Node, by_node
from kbsync.plan.nodes import key_of
from kbsync.plan.order import take_turns
from kbsync.plan.orphans import is_in
from kbsync.plan.portal_settings import with_made
from kbsync.plan.undo_order import is_apart, place_back

MadeSince = Mapping[tuple[Kind, RemoteId | None], Collection[RemoteId]]
"""The ids that later runs gave to what a run deleted, by what it was."""

EDIT_IS_LOST = "The article comes back without the edit that was pending in the panel."
PENDING = "An edit of it is pending in the panel. Publish or discard the edit there, then undo again."


@dataclass(slots=True)
class _Done:
    """What a run did to one item, all steps together."""

    last: Change
    before: dict[str, Value] = field(default_factory=dict)
    after: dict[str, Value] = field(default_factory=dict)
    displaced: dict[str, Value] = field(default_factory=dict)
    agreed: dict[str, Agreed | None] = field(default_factory=dict)
    unclaimed: set[str] = field(default_factory=set)
    beside: tuple[Neighbors, Neighbors] | None = None
    made: bool = False
    deleted: bool = False

    def add(self, change: Change) -> None:
        """One more step."""
        self.last = change
        self.made |= change.action is Action.CREATE
        self.deleted |= change.action is Action.DELETE
        for name, value in _without_link(change.before).items():
            self.before.setdefault(name, value)
        for lost in change.displaced:
            self.displaced.setdefault(lost.name, lost.before)
        for step in change.fields:
            self.agreed.setdefault(step.name, step.agreed)
            if change.action is Action.CREATE and step.leaves == ():
                self.unclaimed.add(step.name)
            if step.beside:
                self.beside = (self.beside[0] if self.beside else step.beside[0], step.beside[1])
        self.after |= _without_link(change.after)

    def moved_since_made(self, now: Observed) -> tuple[str, ...]:
        """The fields that are not as the create left them."""
        wanted = {"status": str(Status.DRAFT), **self.after} if now.kind == "article" else self.after
        shown = now.shown
        # A place that no file gave is the panel's: dragging other articles moves it as well.
        claimed = [name for name in wanted if name not in self.unclaimed]
        return tuple(name for name in claimed if name in shown and shown[name] != wanted[name])

    def moves(self, now: Observed, effects: SideEffects) -> tuple[set[str], set[str]]:
        """The fields that are not as before this run, and those of them that somebody changed since."""
        shown, drafts = now.shown, set(DRAFTS.values())
        moves = {name for name, before in self.before.items() if shown.get(name) != before}
        touched = {name for name in moves if shown.get(name) != self.after.get(name)}
        if touched & drafts:
            # The panel stages title and body together, so both are a person's.
            touched |= moves & drafts
        place = effects.settles_place() & self.before.keys()
        if moves & place:
            moves |= place
            touched |= place if self._is_elsewhere(now, place) else set()
        elif self.is_reordered:
            # Its number says nothing; its neighbors do.
            return moves - {"position"}, touched - {"position"}
        return moves, touched

    def _is_elsewhere(self, now: Observed, place: Collection[str]) -> bool:
        """Whether somebody moved it on from where the run put it."""
        shown = now.shown
        if now.locale not in ("", self.after.get("locale", self.last.locale)):
            return True
        return any(shown.get(name) != self.after.get(name) for name in place)

    @property
    def is_reordered(self) -> bool:
        """Whether its place in an order was changed, and not what it is ordered in."""
        return self.beside is not None and not {"category", "locale"} & self.before.keys()


def _without_link(values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name != LINK_FIELD}


def build_undo(
    target: Target,
    entries: Sequence[Entry],
    observed: Sequence[Observed],
    bodies: Collection[str],
    bases: Iterable[Base] = (),
    *,
    effects: SideEffects,
    made_since: MadeSince = {},  # noqa: B006
) -> Plan:
    """The plan that puts a run back.

    `bodies` are digests of the texts that the ledger has kept, `bases` is what is managed now, and `made_since` what
    later runs made again of what this one deleted.
    """
    there, managed = by_node(observed), by_node(bases)
    draft = _Draft(there, bodies, managed, effects, made_since)
    # Articles first: a category goes only when everything in it goes.
    for key, done in sorted(_by_item(entries).items(), key=lambda pair: pair[0][0] == "category"):
        draft.undo(done, there.get(key))
    draft.report_unanswered(entries, [item for item in observed if (item.kind, item.remote_id) not in managed])
    changes = sorted(
        take_turns(draft.changes),
        key=lambda change: (change.is_removal, change.is_removal == (change.kind == "category")),
    )
    requests = requests_of(changes)
    return Plan(target, tuple(changes), tuple(draft.held), requests=requests, warnings=tuple(draft.warnings))


def _by_item(entries: Iterable[Entry]) -> Mapping[Node, _Done]:
    found: dict[Node, _Done] = {}
    entries = list(entries)
    made = {(e.change.kind, e.change.path): e.change.remote_id for e in entries if e.change.remote_id is not None}
    for entry in entries:
        change = with_made(entry.change, made)
        # What failed may have been written in part; what the portal holds now says so.
        if entry.state != "skipped" and change.remote_id is not None:
            found.setdefault((change.kind, change.remote_id), _Done(change)).add(change)
    return found


@dataclass(slots=True)
class _Draft:
    there: Mapping[Node, Observed]
    bodies: Collection[str]
    bases: Mapping[Node, Base]
    effects: SideEffects
    made_since: MadeSince
    changes: list[Change] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)

    def undo(self, done: _Done, now: Observed | None) -> None:
        if done.made and done.deleted:
            return
        if done.made:
            self._unmake(done, now)
        elif done.deleted:
            self._make_again(done, now)
        elif now is None:
            self._hold(done, Reason.GONE, (), "It was deleted after this run. There is nothing to undo.")
        else:
            self._put_back(done, now)

    def report_unanswered(self, entries: Iterable[Entry], strangers: Iterable[Observed]) -> None:
        """A create without an answer, and an unknown item with its slug: it may be the one."""
        found = {key_of(item.kind, item.locale, item.slug): item for item in strangers}
        for change in (entry.change for entry in entries if entry.state == "settled"):
            item = found.get(key_of(change.kind, change.locale, change.slug))
            if change.action is Action.CREATE and change.remote_id is None and item is not None:
                hint = "This run may have created it, but got no answer. If it did, delete it in the panel."
                self._hold(_Done(replace(change, remote_id=item.remote_id)), Reason.UNKNOWN, (), hint)

    def _unmake(self, done: _Done, now: Observed | None) -> None:
        if now is None:
            return
        going = {change.remote_id for change in self.changes if change.action is Action.DELETE}
        if moved := done.moved_since_made(now):
            hint = "It changed after this run created it. Undo the later run first, or delete it in the panel."
            self._hold(done, Reason.DRIFT, moved, hint)
        elif now.staged:
            self._hold(done, Reason.STAGED, tuple(now.staged), PENDING)
        elif any(is_in(item, now) and item.remote_id not in going for item in self.there.values()):
            hint = "It has articles that this run did not create. Undo the run that created them, or move them first."
            self._hold(done, Reason.FILLED, (), hint)
        else:
            self.changes.append(_change(Action.DELETE, done.last, now.remote_id, removed_fields(now), now))

    def _put_back(self, done: _Done, now: Observed) -> None:
        moves, touched = done.moves(now, self.effects)
        if done.is_reordered and done.beside and is_apart(now, self.there.values(), done.beside):
            touched |= {"position"}
        if touched:
            hint = "It changed after this run. Undo the later run first, or change it back in the panel."
            self._hold(done, Reason.DRIFT, _in_order(now.kind, touched), hint)
        touched |= self._hold_lost_bodies(done, moves)
        names = self._without_pending(done, now, moves - touched)
        before = {**done.displaced, **done.before}
        # The way back overwrites these as well, so the former values are sent along even where they are the same.
        names |= (before.keys() & self.effects.overwrites(names)) - touched
        last = replace(done.last, locale=str(done.before["locale"])) if "locale" in names else done.last
        fields = self._fields_back(done, now, names - {"status"}, before)
        if "position" not in touched:
            fields += self._place_back(done, now)
        if fields:
            self.changes.append(_change(Action.UPDATE, last, now.remote_id, fields, now))
        if "status" in names and before["status"] is not None:
            field = self._back(done, now, "status", Status(str(before["status"])))
            self._set_status(last, now.remote_id, now, field)

    def _hold_lost_bodies(self, done: _Done, names: set[str]) -> set[str]:
        """The bodies that the ledger does not have, so that they cannot be put back."""
        lost = {name for name in {"content", DRAFTS["content"]} & names if done.before[name] is not None}
        lost = {name for name in lost if done.before[name] not in self.bodies}
        for name in lost:
            hint = "The ledger does not have the earlier body. Restore it in the panel."
            self._hold(done, Reason.UNKNOWN, (name,), hint)
        return lost

    def _without_pending(self, done: _Done, now: Observed, names: set[str]) -> set[str]:
        """The fields that can be put back without loss of an edit that is pending, which this run did not leave."""
        drafts = set(DRAFTS.values())
        if names & drafts:
            return names | (drafts & done.before.keys())  # Both halves go together.
        hides = done.before.get("status") in {Status.DRAFT, Status.ARCHIVED} and now.status is Status.PUBLISHED
        touching = names & {*DRAFTS, *({"status"} if hides else ())}
        if not now.staged or not touching:
            return names
        self._hold(done, Reason.STAGED, _in_order(now.kind, touching), PENDING)
        return names - touching

    def _place_back(self, done: _Done, now: Observed) -> list[FieldChange]:
        """Its place in an order, where the run changed that; what only made room for others stays where it is."""
        if not done.is_reordered or done.beside is None or done.beside[0] == done.beside[1]:
            return []
        back = place_back(now, self.there.values(), done.beside, position_of(done.before))
        if back is None:
            return []
        agreed = done.agreed.get("position")
        # In a category that was numbered anew, the number that was agreed on names another place.
        same = now.fields.get("position") == done.after.get("position")
        return [back if agreed is None else replace(back, leaves=agreed if same else ())]

    def _make_again(self, done: _Done, now: Observed | None) -> None:
        if now is not None:
            return
        if (again := self._made_again(done)) is not None:
            hint = f"{again.kind.capitalize()} {again.remote_id} `{again.slug}` took its place since."
            self._hold(done, Reason.UNKNOWN, (), f"{hint} There is nothing to undo.")
            return
        content = done.before.get("content")
        if done.last.kind == "article" and content not in self.bodies:
            self._hold(done, Reason.UNKNOWN, ("content",), "The ledger does not have its body. Create it in the panel.")
            return
        names = (name for name in names_of(done.last.kind) if done.before.get(name) not in (None, "", ()))
        fields = [FieldChange(name, None, done.before[name]) for name in names]
        self.changes.append(_change(Action.CREATE, done.last, None, fields, None))
        status = done.before.get("status")
        if status not in (None, Status.DRAFT):
            self._set_status(done.last, None, None, FieldChange("status", Status.DRAFT, Status(str(status))))
        if lost := tuple(name for name in DRAFTS.values() if done.before.get(name) is not None):
            self._hold(done, Reason.UNSUPPORTED, lost, EDIT_IS_LOST)

    def _made_again(self, done: _Done) -> Observed | None:
        """What is there in the place of something that the run deleted: its id is another one, its name may be."""
        kind, ids = done.last.kind, self._ids_since(done)
        texts = {name: done.before.get(name) for name in DRAFTS}
        for item in self.there.values():
            is_alike = kind == "article" and all(item.fields.get(name) == text for name, text in texts.items())
            if item.kind == kind and (item.remote_id in ids or is_alike):
                return item
        return None

    def _ids_since(self, done: _Done) -> set[RemoteId]:
        kind, path = done.last.kind, done.last.path
        ids = {base.remote_id for base in self.bases.values() if path and (base.kind, base.path) == (kind, path)}
        return ids.union(self.made_since.get((kind, done.last.remote_id), ()))

    def _set_status(self, last: Change, remote_id: RemoteId | None, now: Observed | None, field: FieldChange) -> None:
        status = Status(str(field.after))
        self.changes.append(_change(STATUS_ACTIONS[status], last, remote_id, [field], now, status))

    def _fields_back(
        self, done: _Done, now: Observed, names: Collection[str], before: Mapping[str, Value]
    ) -> list[FieldChange]:
        fields = [self._back(done, now, name, before[name]) for name in _in_order(now.kind, names)]
        if "locale" not in names:
            return fields
        # One slug in two locales would read as no change at all.
        here, there = now.fields.get("category"), before.get("category")
        said = {"category": (f"{here} ({now.locale})", f"{there} ({before['locale']})")}
        return [replace(change, said=said.get(change.name)) for change in fields]

    def _back(self, done: _Done, now: Observed, name: str, value: Value) -> FieldChange:
        """A field put back. What the run had overwritten was not agreed on, and is not afterwards."""
        there, base = now.shown.get(name), self.bases.get((now.kind, now.remote_id))
        agreed = agreed_before(base, name, there) if base is not None else None
        return FieldChange(name, there, value, agreed=agreed, leaves=done.agreed.get(name))

    def _hold(self, done: _Done, reason: Reason, fields: tuple[str, ...], hint: str) -> None:
        last = done.last
        self.held.append(held_of(last, reason, last.remote_id, fields, hint, last.title))


def _in_order(kind: Kind, names: Collection[str]) -> tuple[str, ...]:
    return (*in_order(kind, names), *(name for name in (*DRAFTS.values(), "locale", "status") if name in names))


def _change(
    action: Action,
    last: Change,
    remote_id: RemoteId | None,
    fields: Sequence[FieldChange],
    now: Observed | None,
    status: Status | None = None,
) -> Change:
    is_seen = any(field.name not in DRAFTS.values() for field in fields)
    live = now is not None and now.status is Status.PUBLISHED and is_seen
    together = action in STATUS_ACTIONS.values() and last.together
    slug = now.slug if now else last.slug
    if action is Action.CREATE and last.kind == "article":
        status = Status.DRAFT
    path = last.path or last.was or f"{last.locale}/{last.slug}"
    return Change(
        action=action,
        kind=last.kind,
        locale=last.locale,
        slug=slug,
        path=path,
        remote_id=remote_id,
        title=last.title,
        fields=tuple(fields),
        live=live,
        status=status,
        together=together,
    )
