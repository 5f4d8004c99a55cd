"""One change, carried out: looked at once more, sent, its answer read. Runs in a worker thread; no ledger here.

Looking and sending are two steps, because what the portal held is recorded in between.

Nothing here repeats a write blindly. A write whose answer was lost is looked up; a create that is not there is sent
once more, which is safe because the slug is unique: if the first one arrives late, the second is refused.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kbsync.errors import AnswerLost, ContentError, NotFound, Rejected, ServerFailed, ServiceError
from kbsync.model import DRAFTS, Action, Base, Change, Fields, Kind, Observed, RemoteId, Status
from kbsync.plan.result import (
    UNSEEN,
    Current,
    Result,
    deleted_meanwhile,
    differences,
    failed,
    lost_by,
    made,
    missing,
    moved_on,
    must_be_sent,
    no_longer_staged,
    no_staging,
    pending_edit,
    taken,
    taken_elsewhere,
    updated,
    with_empties,
)
from kbsync.plan.staged import hold_begun, touches_staged
from kbsync.push.lookup import Lookup
from kbsync.words import field_names

if TYPE_CHECKING:
    from kbsync.service.client import Service

LOOK_AGAIN = 2
"""How often a create whose answer was lost is sent in one run."""

FORMER = AnswerLost("A runner that crashed may have sent it.")

UNIQUE = "should be unique"
"""The refusal of a category whose slug is taken in its locale. Source: docs/service.md, section 3."""

DELETE_TRIES = 2
"""How often a delete is sent; an id is never given again, so the second one is harmless."""


@dataclass(slots=True)
class Sender:
    """Carries out changes against one service.

    Args:
        service: the portal.
        content_of: the text that a change sends, of the live or of the staged body, by the name of the field.
        bases: what was agreed on before, by kind and id; an update moves only what it sends. who records a result
            puts its base here, for the next change of the same item.
        default_author: the author of an article that names none; None where the owner of the token is unknown.
    """

    service: Service
    content_of: Callable[[Change, str], str]
    bases: MutableMapping[tuple[Kind, RemoteId], Base]
    default_author: RemoteId | None
    lookup: Lookup = field(init=False)

    def __post_init__(self) -> None:
        self.lookup = Lookup(self.service, self.bases)

    def look(self, change: Change) -> Result | Current:
        """Look at what a change is about, once more before it is sent; a result where that ends it already."""
        try:
            if change.remote_id is None:
                return Result("skipped", "failed", error="The item that this belongs to was not created.")
            if change.action is Action.DELETE:
                return self._look_at_removal(change, change.remote_id)
            return self._look_at_update(change, change.remote_id)
        except NotFound as exc:
            return self._not_found(change, change.remote_id, exc)
        except (ServiceError, ContentError) as exc:
            return failed(exc, change.remote_id)

    def _not_found(self, change: Change, remote_id: RemoteId | None, exc: NotFound) -> Result:
        """The plan saw it. Of the portal itself, a 404 says that it is another address."""
        if change.kind == "portal" or remote_id is None:
            return failed(exc, remote_id)
        return deleted_meanwhile(change, remote_id)

    def send(self, change: Change, looked: Current) -> Result:
        """Send a change of what was looked at."""
        try:
            if change.action is Action.DELETE:
                return self._delete(change, looked.current.remote_id)
            return self._update(change, looked)
        except (ServiceError, ContentError) as exc:
            return failed(exc, change.remote_id)

    def create(self, change: Change, *, again: bool = False) -> Result:
        """Make an item. `again`: a runner that died may have sent it, so it is looked up first."""
        try:
            if again and (step := self._look_up(change, self._sent(change), FORMER, attempt=0)) is not None:
                return step
            return self._create(change)
        except (ServiceError, ContentError) as exc:
            return failed(exc, lost=again)

    # --- create ----------------------------------------------------------------------------------------------------

    def _sent(self, change: Change) -> Fields:
        fields = dict(change.after)
        if change.kind == "article" and self.default_author is not None:
            fields.setdefault("author", self.default_author)
        return fields

    def _create(self, change: Change) -> Result:
        fields = self._sent(change)
        content = self._content(change)
        for attempt in range(1, LOOK_AGAIN + 1):
            try:
                seen = self._send_create(change, fields, content)
            except (AnswerLost, Rejected, NotFound) as exc:
                # A refusal may hide a success as well (docs/service.md, S5), so each of them is looked up.
                if (step := self._look_up(change, fields, exc, attempt=attempt)) is not None:
                    return step
            except ServiceError as exc:
                return failed(exc, lost=attempt > 1)
            else:
                return made(change, fields, self._mend_position(change, fields, seen))
        raise AssertionError("a loop that ends by returning")

    def _look_up(self, change: Change, sent: Fields, exc: ServiceError, *, attempt: int) -> Result | None:
        """What became of a create that did not succeed; None: it is not there and may be sent once more."""
        if _may_be_taken(exc) and self.lookup.is_elsewhere(change):
            return failed(taken_elsewhere(change, exc), lost=True)
        try:
            # A refusal that hides a success is believed only when the list does not have the article either.
            seen = self.lookup.find(change, thorough=not isinstance(exc, AnswerLost))
        except ServiceError as blind:
            return failed(blind, lost=True, after=exc)
        if seen is not None:
            return self._found(change, sent, seen, exc)
        if isinstance(exc, AnswerLost) and attempt < LOOK_AGAIN and self.lookup.can_find(change):
            return None
        # An earlier try whose answer was lost may still arrive; and whatever says 404 to a create may say so to a
        # look-up as well (docs/service.md, S5). The next run looks once more.
        lost = attempt > 1 or (isinstance(exc, NotFound) and self.lookup.can_find(change))
        return failed(self._explained(change, exc), lost=lost)

    def _send_create(self, change: Change, fields: Fields, content: str | None) -> Observed:
        if change.kind == "category":
            return self.lookup.own(change, self.service.create_category(fields, locale=change.locale), None)
        assert content is not None
        category_id = self.lookup.category_id(change, fields)
        made = self.service.create_article(fields, content=content, locale=change.locale, category_id=category_id)
        return self.lookup.own(change, made, None)

    def _content(self, change: Change) -> str | None:
        """The text behind the field `content`, where the change sends it."""
        if "content" not in change.after:
            return None
        return self.content_of(change, "content")

    def _texts(self, change: Change, looked: Current) -> tuple[str | None, str | None]:
        """The texts behind `content` and `draft_content`. What was staged is published as it was staged."""
        before, after = change.before, change.after
        draft = DRAFTS["content"]
        is_staged = before.get(draft) is not None and after.get("content") == before[draft]
        content = looked.draft_body if is_staged else self._content(change)
        return content, self.content_of(change, draft) if after.get(draft) is not None else None

    def _found(self, change: Change, sent: Fields, seen: Observed, exc: ServiceError) -> Result:
        """The slug is there although the create did not succeed: ours if it holds what was sent, else a stranger's."""
        if not differences(sent, seen):
            return made(change, sent, self._mend_position(change, sent, seen))
        return taken(change, seen, exc)

    def _explained(self, change: Change, exc: ServiceError) -> ServiceError:
        if (
            isinstance(exc, ServerFailed)
            and exc.status == 500
            and change.kind == "article"
            and self.lookup.can_find(change)
        ):
            # Current up and not there, twice: the slug is taken where this portal cannot see it (docs/service.md, S1).
            hint = f"`{change.slug}` may be taken in another portal or account of this service. Try another slug."
            return ServerFailed(f"{exc.message} This portal has no article with this slug.", hint=hint, status=500)
        if change.kind == "category" and isinstance(exc, Rejected) and UNIQUE in exc.message:
            hint = f"In the panel, put any article into `{change.slug}` ({change.locale}), then push again."
            return Rejected(f"{exc.message} The portal has this category but does not list it.", hint=hint, status=422)
        return exc

    # --- update ----------------------------------------------------------------------------------------------------

    def _look_at_update(self, change: Change, remote_id: RemoteId) -> Result | Current:
        looked = self.lookup.look_whole(change, remote_id)
        current = looked.current
        if not must_be_sent(change) and not missing(change.after, current) and not differences(change.after, current):
            return self._updated(change, current, current)
        if change.stages and not current.stages:
            return no_staging(remote_id)
        if change.together and (edited := self._edited(change, current)):
            return moved_on(edited, remote_id, "published")
        discarded = change.together and not current.staged
        if touches_staged(change) and current.staged != change.staged and not discarded:
            return pending_edit(remote_id, "sent") if current.staged else no_longer_staged(remote_id)
        if moved := _moved(change, current):
            return moved_on(moved, remote_id, "sent")
        return lost_by(change, looked)

    def _edited(self, change: Change, current: Observed) -> list[str]:
        """What somebody edited of an article that is about to be published as the files say."""
        base = self.bases.get((change.kind, current.remote_id))
        if base is None or change.status is not Status.PUBLISHED:
            return []
        known = {**base.fields, **base.kept}
        return differences({name: known[name] for name in DRAFTS if name in known}, current)

    def _update(self, change: Change, looked: Current) -> Result:
        try:
            seen = self._send_update(change, looked)
        except (AnswerLost, Rejected, NotFound) as exc:
            return self.update_again(change, looked, exc)
        return self._updated(change, seen, looked.current)

    def look_after(self, change: Change, looked: Current) -> Result:
        """What became of a change whose answer shows nothing."""
        return self._updated(change, self.lookup.look_after(change, looked.current.remote_id), looked.current)

    def update_again(self, change: Change, looked: Current, exc: ServiceError) -> Result:
        """It may have arrived. What the portal holds now says so; a third value would be a person's."""
        remote_id = looked.current.remote_id
        try:
            seen = self.lookup.look_after(change, remote_id)
            wrong = differences(change.after, seen)
            if not set(wrong) <= set(self.service.profile.side_effects.overwrites(change.after)):
                if not isinstance(exc, AnswerLost):
                    return failed(exc, remote_id)
                if moved := _moved(change, seen):
                    third = f"Now neither the old nor the new value is there: {field_names(moved)}."
                    return failed(AnswerLost(f"{exc.message} {third}"))
                if touches_staged(change) and seen.staged != change.staged:
                    return failed(AnswerLost(f"{exc.message} By now somebody has an edit pending in the panel."))
                seen = self._send_update(change, replace(looked, current=seen))
        except ServiceError as again:
            if isinstance(again, NotFound) and change.kind != "portal":
                return deleted_meanwhile(change, remote_id, lost=True)
            return self._owner_of_slug(change, again) or failed(again, remote_id, lost=True, after=exc)
        return self._updated(change, seen, looked.current)

    def _owner_of_slug(self, change: Change, exc: ServiceError) -> Result | None:
        """Who has the slug that an article was to get, where that is why it was refused (docs/service.md, S1)."""
        wanted = replace(change, slug=str(change.after.get("slug", "")))
        if wanted.slug and _may_be_taken(exc) and self.lookup.is_elsewhere(wanted):
            return failed(taken_elsewhere(wanted, exc), change.remote_id, lost=True)
        try:
            other = self.lookup.find(wanted) if wanted.slug and exc.status == 500 else None
        except ServiceError:
            return None
        # Found with the slug that it was to get, it is the item itself: the change arrived after all.
        return taken(wanted, other, exc) if other is not None and other.remote_id != change.remote_id else None

    def _send_update(self, change: Change, looked: Current) -> Observed:
        current = looked.current
        fields = {name: value for name, value in change.after.items() if name != "status"}
        if change.kind == "portal":
            seen = with_empties(self.service.update_portal(fields), fields)
            return self.lookup.own(change, seen, current.remote_id)
        if change.kind == "category":
            seen = self.service.update_category(current.remote_id, fields, locale=change.locale)
            return self.lookup.own(change, seen, current.remote_id)
        content, draft_content = self._texts(change, looked)
        seen = self.service.update_article(
            current.remote_id,
            fields,
            before=current,
            content=content,
            category_id=self.lookup.category_id(change, fields),
            status=change.status,
            draft_content=draft_content,
        )
        return self.lookup.own(change, seen, current.remote_id)

    def _updated(self, change: Change, seen: Observed, looked: Observed) -> Result:
        """What came of an update, and of an edit that somebody began since the last look."""
        seen = self._mend_position(change, change.after, seen)
        known = self.bases.get((change.kind, seen.remote_id))
        result = updated(change, seen, known, self.service.profile.side_effects)
        return replace(result, held=hold_begun(change, looked, seen))

    def _mend_position(self, change: Change, sent: Fields, seen: Observed) -> Observed:
        """A position that the service overwrote (docs/service.md, S122) is sent again, alone."""
        if (
            change.kind != "article"
            or differences(sent, seen) != ["position"]
            or not self.service.profile.can("update_article")
        ):
            return seen
        position = {"position": sent["position"]}
        try:
            corrected = self.service.update_article(
                seen.remote_id, position, before=seen, content=None, category_id=None
            )
            return self.lookup.own(change, corrected, seen.remote_id)
        except ServiceError:
            return seen  # The caller finds that the position was not stored, and reports it.

    # --- delete ----------------------------------------------------------------------------------------------------

    def _look_at_removal(self, change: Change, remote_id: RemoteId) -> Result | Current:
        try:
            looked = self.lookup.look_whole(change, remote_id)
        except NotFound:
            # Whether it is gone says the next plan, which sees the whole list; its row stays until then.
            return Result("done", "done", remote_id=remote_id)
        if looked.current.staged != change.staged:
            return pending_edit(remote_id, "deleted")
        if moved := differences(change.before, looked.current):
            return moved_on(moved, remote_id, "deleted")
        return looked

    def _delete(self, change: Change, remote_id: RemoteId) -> Result:
        for _ in range(DELETE_TRIES):
            with suppress(AnswerLost):
                self.service.delete(change.kind, remote_id)
            try:
                self.lookup.look(change, remote_id)
            except NotFound:
                return Result("done", "done", removed=True, remote_id=remote_id)
        return Result("failed", "failed", remote_id=remote_id, error="It is still there after the delete.")


def _moved(change: Change, current: Observed) -> list[str]:
    """The fields that by now have another value than before the change; a status without a name here is another one."""
    if current.unknown_status:
        return ["status"]
    return differences({name: value for name, value in change.before.items() if name not in UNSEEN}, current)


def _may_be_taken(exc: ServiceError) -> bool:
    """Whether a refusal is the one of a slug that is taken (docs/service.md, S1). Silence is not, nor a gateway's."""
    return isinstance(exc, ServerFailed) and exc.status == 500
