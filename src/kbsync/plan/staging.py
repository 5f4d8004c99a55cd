"""What becomes of title and body of a live article where an edit is staged, or shall be. Pure.

    pending in the panel       | our file vs what readers see | what becomes of it
    ---------------------------+------------------------------+------------------------------------------------------
    nothing                    | differs                      | staged, or sent where [push] live is not "stage"
    ours, as the file wants it | differs                      | waits for publication, or is sent and discarded
    ours, of an older file     | differs                      | staged anew, or sent and discarded
    ours                       | the same                     | discarded: the file is back at what readers see
    a person's                 | any                          | held where it would be lost, else noted
    ours, edited by a person   | any                          | a person's
    ours, discarded            | differs, as when staged      | held: to discard it was a decision
    ours, published            | the same                     | nothing: `staged.after_publication` moved the base

Without a record, what is pending is ours where it is what the file wants: nothing can be lost by that. `--overwrite`
and decisions of people let out what is held. With `publish_staged` readers get what is ours, and nothing else happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from kbsync.command import Option
from kbsync.model import (
    DRAFTS,
    Agreed,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Held,
    Manage,
    Observed,
    Reason,
    RemoteId,
    StagedEdit,
    Status,
    Value,
)
from kbsync.plan.agreed import base_of
from kbsync.plan.decide import ABSENT
from kbsync.plan.draft import Draft, hold
from kbsync.plan.hints import (
    live_and_pending_hint,
    live_hint,
    no_staging_hint,
    publish_staged_hint,
    status_options,
    three_texts_hint,
)
from kbsync.plan.match import Match
from kbsync.plan.orphans import report_orphan
from kbsync.plan.resolve import is_for_another
from kbsync.plan.staged import (
    agreed_of,
    discarding,
    draft_fields,
    editor_of,
    has_staged,
    hold_alone,
    hold_discarded,
    hold_edited,
    hold_removed,
    hold_staged,
    is_about_the_page,
    note_edit,
    publication,
    sends_text,
    texts_of,
    touches_staged,
    with_staged_edit,
    without_staged_edit,
    without_texts,
)

OPEN = frozenset({Reason.DRIFT, Reason.CONFLICT, Reason.UNSUPPORTED, Reason.BEHIND})
"""Reasons for which title and body of an article stay as readers see them."""


def decide_staged(draft: Draft, matched: Iterable[Match], orphans: Iterable[tuple[Base, Observed | None]] = ()) -> None:
    """Decide about every edit that is staged, or shall be."""
    found = _concerned(draft, matched)
    pending = [(base, seen) for base, seen in orphans if seen is not None and seen.staged]
    if not found and not pending and not draft.policy.publish_staged:
        return
    staging = _Staging.of(draft)
    for match, seen in found:
        staging.decide(match, seen)
    for base, seen in pending:
        staging.remove(seen, base)
    staging.finish()


def _going_live(draft: Draft) -> set[RemoteId | None]:
    """What a push with `--stage` changes although readers see it."""
    return {change.remote_id for change in draft.changes if change.live} if draft.policy.stage else set()


def _concerned(draft: Draft, matched: Iterable[Match]) -> list[tuple[Match, Observed]]:
    """The articles that have a staged edit, had one, or shall have one."""
    live = _going_live(draft)
    found = ((match, match.observed) for match in matched if match.observed and match.desired.manage is Manage.TRUE)
    return [
        (match, seen)
        for match, seen in found
        if (seen.staged or has_staged(match.base) or seen.remote_id in live) and match.desired.kind == "article"
    ]


class _Staging(msgspec.Struct):
    """The changes of a plan by article, and what takes their place."""

    draft: Draft
    updates: dict[RemoteId | None, Change]
    hiding: dict[RemoteId | None, Change]
    removals: dict[RemoteId | None, Change]
    open: dict[str, Held]
    instead: dict[int, Change | None] = msgspec.field(default_factory=dict)
    added: list[Change] = msgspec.field(default_factory=list)
    going_live: list[Change] = msgspec.field(default_factory=list)
    concerned: set[str] = msgspec.field(default_factory=set)

    @classmethod
    def of(cls, draft: Draft) -> _Staging:
        updates = {change.remote_id: change for change in draft.changes if sends_text(change)}
        hiding = {change.remote_id: change for change in draft.statuses if is_about_the_page(change)}
        removals = {change.remote_id: change for change in draft.removals if change.kind == "article"}
        held = [item for item in draft.held if not DRAFTS.keys().isdisjoint(item.fields)]
        by_path = {item.path: item for item in sorted(held, key=lambda item: item.reason in OPEN)}
        return cls(draft, updates, hiding, removals, by_path)

    def decide(self, match: Match, observed: Observed) -> None:
        """One article that is wanted."""
        if has_staged(match.base) or (observed.staged and editor_of(observed) == texts_of(match.desired.fields)):
            self.concerned.add(match.desired.path)
        may_replace = self._may_replace(match, observed)
        if may_replace is False:
            return
        if may_replace is None and self.draft.policy.publish_staged:
            self._publish(match, observed)
        else:
            self._send(match, observed, agreed_of(match.base) if may_replace else {})

    def _may_replace(self, match: Match, observed: Observed) -> bool | None:
        """Whether ours may go out over what a person did to a staged edit; None where nobody did anything."""
        if observed.staged and not self._is_ours(match, observed):
            return self._may_lose(match, observed)
        if self._was_discarded(match, observed):
            return self._may_stage_again(match, observed)
        return None

    def _send(self, match: Match, observed: Observed, agreed: dict[str, Agreed]) -> None:
        update = self.updates.get(observed.remote_id)
        if update is None:
            self._clear(match, observed, agreed)
            return
        if has_staged(match.base):
            self._settle(match, observed, {} if agreed else observed.staged)
        if self._is_live(match, observed):
            self._stage(match, observed, update, agreed)
        elif observed.staged or agreed:
            self.instead[id(update)] = _with(update, draft_fields(observed, {}, agreed))

    def _is_live(self, match: Match, observed: Observed) -> bool:
        """Whether readers see it now, and shall not see our edit before somebody publishes it."""
        policy = self.draft.policy
        is_live = observed.status is Status.PUBLISHED
        return is_live and policy.stage and match.desired.path not in policy.consent

    def _is_ours(self, match: Match, observed: Observed) -> bool:
        """Whether what is pending is what we staged, or, without a record of that, what the file wants."""
        if match.base is not None and match.base.staged == observed.staged:
            return True
        held, update = self.open.get(match.desired.path), self.updates.get(observed.remote_id)
        if update is None and (held is None or held.reason is not Reason.LIVE):
            return False
        wanted = _wanted(update, observed) if update else texts_of(match.desired.fields)
        return editor_of(observed) == wanted != texts_of(observed.fields)

    # --- what people did -------------------------------------------------------------------------------------------

    def _may_lose(self, match: Match, observed: Observed) -> bool:
        """Whether the edit of a person may be discarded; where not, what would do so is held."""
        update, hiding = self.updates.get(observed.remote_id), self.hiding.get(observed.remote_id)
        touching = update or hiding
        policy, desired = self.draft.policy, match.desired
        staging = self._is_live(match, observed)
        if policy.publish_staged:
            if has_staged(match.base):
                self.draft.held.append(hold_edited(desired, observed, staging=True))
            return False
        if touching is None:
            # Nothing of ours would touch it.
            self._hold_beside(match, observed, other) if (other := self.open.get(desired.path)) else self._note(
                match, observed
            )
            return False
        if desired.path in policy.overwrite:
            return True
        options = status_options(policy) if update is None else []
        if policy.live == "hold" and desired.path in policy.consent:
            options = [*options, ("--live", desired.path)]
        held = hold_staged(touching, observed, desired.fields, staging=staging, options=options)
        return self._is_let_out(match, observed, self._among_three(held, observed, options), update, hiding)

    def _is_let_out(self, match: Match, observed: Observed, held: Held, *touching: Change | None) -> bool:
        """Whether a person decided that ours goes out; where not, it is held."""
        draft = self.draft
        if not draft.policy.publish_staged and _is_decided(match, "overruled", observed):
            draft.overruled.append(held)
            return True
        (draft.kept if _is_decided(match, "kept", observed) else draft.held).append(held)
        self._leave(match, observed, *touching)
        return False

    def _note(self, match: Match, observed: Observed) -> None:
        """It is noted, and stays unless somebody decided."""
        draft, desired = self.draft, match.desired
        if has_staged(match.base):
            self._settle(match, observed, {})
        edit = note_edit(desired, observed)
        if _is_decided(match, "overruled", observed) and "update_article" in draft.policy.can:
            draft.overruled.append(edit)
            self.added.append(discarding(desired, observed, agreed_of(match.base)))
        elif desired.path in draft.policy.overwrite:
            draft.held.append(hold_alone(desired, observed))
        else:
            draft.panel_edits.append(edit)

    def _hold_beside(self, match: Match, observed: Observed, other: Held) -> None:
        """Title or body differ in what readers see, too: overwriting that would discard the edit that is pending."""
        decided = any(_is_decided(match, how, observed) for how in ("kept", "overruled"))
        is_lost = editor_of(observed) != texts_of(match.desired.fields)
        if other.reason is Reason.LIVE and is_lost and not decided:
            place = self.draft.held.index(other)
            self.draft.held[place] = replace(other, hint=live_and_pending_hint(other.path))
        if other.reason in {Reason.DRIFT, Reason.CONFLICT} and is_lost and not decided:
            staging = self._is_live(match, observed)
            held = hold_edited(match.desired, observed, staging=staging)
            self.draft.held.append(self._among_three(held, observed))

    def _among_three(self, held: Held, observed: Observed, options: Sequence[Option] = ()) -> Held:
        """A pending edit whose hint decides about what readers see as well, where that needs a decision, too."""
        other = self.open.get(held.path)
        is_third = other is not None and other.reason in {Reason.DRIFT, Reason.CONFLICT}
        if not is_third or editor_of(observed) == texts_of(observed.fields):
            return held
        return replace(held, hint=three_texts_hint(held.path, options))

    def _was_discarded(self, match: Match, observed: Observed) -> bool:
        """Whether somebody discarded what we staged, and the file still wants exactly that."""
        base, update = match.base, self.updates.get(observed.remote_id)
        if base is None or update is None or observed.staged or not has_staged(base):
            return False
        return {**texts_of(observed.fields), **base.staged} == _wanted(update, observed)

    def _may_stage_again(self, match: Match, observed: Observed) -> bool:
        """Whether it may go out again; where not, it is held."""
        held = hold_discarded(match.desired, observed.remote_id)
        policy, update = self.draft.policy, self.updates[observed.remote_id]
        if not policy.publish_staged and (match.desired.path in policy.overwrite or policy.stages_again):
            return True
        return self._is_let_out(match, observed, held, update)

    def _leave(self, match: Match, observed: Observed, *touching: Change | None) -> None:
        """Send only what does not touch the pending edit; a file that moved is known by its new path all the same."""
        for change in touching:
            if change is not None:
                self.instead[id(change)] = without_texts(change)
        base = match.base
        if base is not None and base.path != match.desired.path:
            self._settle(match, observed, base.staged)

    # --- what goes out ---------------------------------------------------------------------------------------------

    def _stage(self, match: Match, observed: Observed, update: Change, agreed: dict[str, Agreed]) -> None:
        """Stage title and body, and let everything else of the article go out as it is."""
        draft, desired = self.draft, match.desired
        wanted, rest = _wanted(update, observed), without_texts(update)
        self.instead[id(update)] = rest
        if rest is not None and draft.policy.live == "hold":
            names = tuple(rest.after)
            hint = live_hint(desired.path)
            draft.held.append(hold(desired, Reason.LIVE, observed.remote_id, names, hint, observed.fields))
            self.instead[id(update)] = None
        if not observed.stages:
            draft.held.append(self._held_unstaged(desired, observed, update))
        elif (hiding := self.hiding.get(observed.remote_id)) is not None:
            # Staged it would go missing with the page, and sent before it readers would see it for a moment.
            gone = draft_fields(observed, {}, agreed) if observed.staged else ()
            self.instead[id(hiding)] = _with(hiding, (*_texts(update), *gone))
        elif observed.staged and editor_of(observed) == wanted:
            self._wait(match, observed)
        else:
            # Shown beside what readers see.
            live, fields = texts_of(observed.fields), draft_fields(observed, wanted, agreed)
            pairs = zip(DRAFTS, fields, strict=True)
            edit = tuple(replace(item, said=(str(live[name]), str(wanted[name]))) for name, item in pairs)
            was = "" if rest else update.was
            self.added.append(replace(update, fields=edit, live=False, turn=0, was=was, displaced=()))

    def _held_unstaged(self, desired: Desired, observed: Observed, update: Change) -> Held:
        """What this service cannot stage."""
        policy, remote_id = self.draft.policy, observed.remote_id
        names = tuple(name for name in DRAFTS if name in update.after)
        needs, hint = policy.lacks.get("stages_edits", ""), no_staging_hint(policy, desired.path)
        return hold(desired, Reason.UNSUPPORTED, remote_id, names, hint, observed.fields, needs=needs)

    def _wait(self, match: Match, observed: Observed) -> None:
        """Everything is staged, and waits for somebody to publish it."""
        desired, base = match.desired, match.base
        self.draft.staged_edits.append(
            StagedEdit(
                kind="article",
                locale=desired.locale,
                slug=desired.slug,
                path=desired.path,
                title=desired.title,
                remote_id=observed.remote_id,
                hint=publish_staged_hint([desired.path], self.draft.policy.live),
            )
        )
        if base is None or base.staged != observed.staged or base.path != desired.path:
            self._settle(match, observed, observed.staged)

    def _clear(self, match: Match, observed: Observed, agreed: dict[str, Agreed]) -> None:
        """Nothing of title and body goes out: a staged edit of ours waits, or has become pointless."""
        held, can_update = self.open.get(match.desired.path), "update_article" in self.draft.policy.can
        hiding = self.hiding.get(observed.remote_id)
        if not observed.staged:
            if has_staged(match.base):
                self._settle(match, observed, {})
        elif held is not None and held.reason is Reason.LIVE and editor_of(observed) == texts_of(match.desired.fields):
            self.draft.held.remove(held)
            self.draft.held += _without_texts(held)
            self._wait(match, observed)
        elif hiding is not None:
            self.instead[id(hiding)] = _with(hiding, draft_fields(observed, {}, agreed))
        elif held is None and can_update and texts_of(match.desired.fields) == texts_of(observed.fields):
            # The file is back at what readers see: nobody shall publish the edit later.
            self.added.append(discarding(match.desired, observed))

    def _publish(self, match: Match, observed: Observed) -> None:
        """Show readers what we staged, if nobody changed what they see since."""
        held = self.open.get(match.desired.path)
        is_open = held is not None and held.reason in OPEN
        if not is_open and (change := publication(match.desired, match.base, observed)) is not None:
            self.going_live.append(change)

    def remove(self, seen: Observed, base: Base) -> None:
        """An article whose file is gone, with an edit pending: ours goes with it, a person's is held."""
        change = self.removals.get(seen.remote_id)
        if change is None or not touches_staged(change):
            return
        held = hold_removed(change, seen)
        is_overruled = _says(base, "overruled", seen)
        if base.staged == seen.staged or is_overruled or base.path in self.draft.policy.overwrite:
            self.draft.overruled += [held] if is_overruled else []
            agreed = {} if base.staged == seen.staged else agreed_of(base)
            self.instead[id(change)] = _with(change, draft_fields(seen, {}, agreed))
        else:
            (self.draft.kept if _says(base, "kept", seen) else self.draft.held).append(held)
            self.instead[id(change)] = None
            self._keep_category(seen)

    def _keep_category(self, article: Observed) -> None:
        """A category stays with an article that stays in it."""
        for change in self.draft.removals:
            if (change.kind, change.locale, change.slug) == (
                "category",
                article.locale,
                article.fields.get("category"),
            ):
                self.instead[id(change)] = None
                report_orphan(
                    self.draft, change, change.was, "because it still has articles", "Remove its articles first."
                )

    # --- the record, and the end -----------------------------------------------------------------------------------

    def _settle(self, match: Match, observed: Observed, staged: Fields) -> None:
        """Record what is staged."""
        key = (observed.kind, observed.remote_id)
        known = self.draft.settled.get(key) or match.base or base_of(match.desired, observed)
        known = replace(known, path=match.desired.path)
        self.draft.settled[key] = with_staged_edit(known, staged) if staged else without_staged_edit(known)

    def finish(self) -> None:
        """Put everything in its place."""
        draft = self.draft
        if draft.policy.publish_staged:
            draft.changes, draft.statuses, draft.removals = self.going_live, [], []
            draft.held = [item for item in draft.held if item.path in self.concerned]
            draft.staged_edits, draft.unpublished, draft.forgotten = [], [], []
            return
        draft.changes = [*self._left(draft.changes), *self.added]
        draft.statuses, draft.removals = self._left(draft.statuses), self._left(draft.removals)

    def _left(self, changes: Iterable[Change]) -> list[Change]:
        found = (self.instead.get(id(change), change) for change in changes)
        return [change for change in found if change is not None]


def _wanted(update: Change, observed: Observed) -> dict[str, Value]:
    """Title and body as a change leaves them. The panel stages both; what is held stays as readers see it."""
    return {**texts_of(observed.fields), **{field.name: field.after for field in _texts(update)}}


def _texts(update: Change) -> tuple[FieldChange, ...]:
    return tuple(field for field in update.fields if field.name in DRAFTS)


def _without_texts(held: Held) -> list[Held]:
    """What is left of something held besides title and body."""
    names = tuple(name for name in held.fields if name not in DRAFTS)
    values = tuple(value for value in held.values if value.name in names)
    return [replace(held, fields=names, values=values)] if names else []


def _with(change: Change, fields: Iterable[FieldChange]) -> Change:
    return replace(change, fields=(*change.fields, *fields))


def _is_decided(match: Match, how: str, observed: Observed) -> bool:
    """Whether a person decided about exactly what is pending now; not for another text, into which it was merged."""
    base, ours = match.base, match.desired.fields
    if base is None or any(is_for_another(base, draft, ours.get(name)) for name, draft in DRAFTS.items()):
        return False
    return _says(base, how, observed)


def _says(base: Base, how: str, observed: Observed) -> bool:
    """Whether exactly what is pending now was decided about."""
    decided: Fields = getattr(base, how)
    return all(decided.get(draft, ABSENT) == value for draft, value in observed.drafts.items())
