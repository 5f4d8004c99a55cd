"""One change, carried out: looked at once more, sent, its answer read. Runs in a worker thread; no ledger here.

Nothing here repeats a write blindly. A write whose answer was lost is looked up; a create that is not there is sent
once more, which is safe because the slug is unique: if the first one arrives late, the second is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from kbsync.errors import (
    AnswerLost,
    ContentError,
    Denied,
    NotFound,
    Rejected,
    ServerFailed,
    ServiceError,
    Throttled,
    Unreachable,
)
from kbsync.model import Action, Base, Change, Fields, Kind, Observed, RemoteId, Status, Value
from kbsync.service.client import Service

LOOK_AGAIN = 2
"""How often a create whose answer was lost is sent in one run."""


@dataclass(frozen=True, slots=True)
class Step:
    """How one change went, for the ledger and for the report.

    `journal` closes the journal's entry: `done`, `failed` (nothing was written), or `pending` (nobody knows: the next
    run looks). `base` is what both sides agree on from now, None where nothing was written. `hopeless` means that no
    other change would fare better (no connection, no permission).
    """

    outcome: Literal["done", "failed", "skipped"]
    journal: Literal["done", "failed", "pending"]
    base: Base | None = None
    removed: bool = False
    remote_id: RemoteId | None = None
    error: str = ""
    hint: str = ""
    hopeless: bool = False


@dataclass(slots=True)
class Performer:
    """Carries out changes against one service.

    Args:
        service: the portal.
        content_of: the body of an article by its source path, as it is sent.
        bases: what was agreed on before, by kind and id; an update moves only what it sends.
        default_author: the author of an article that names none; None where nobody knows whose the token is.
    """

    service: Service
    content_of: Callable[[str], str]
    bases: Mapping[tuple[Kind, RemoteId], Base]
    default_author: RemoteId | None

    def perform(self, change: Change, remote_id: RemoteId | None) -> Step:
        """Carry out one change. A deliberate error of the service or the content becomes part of the step."""
        try:
            if change.action is Action.CREATE:
                return self._create(change)
            if remote_id is None:
                return Step("skipped", "failed", error="the item that this belongs to was not made")
            if change.action is Action.DELETE:
                return self._delete(change, remote_id)
            return self._update(change, remote_id)
        except (ServiceError, ContentError) as exc:
            state: Literal["failed", "pending"] = "pending" if isinstance(exc, AnswerLost) else "failed"
            hopeless = isinstance(exc, (Unreachable, Denied, Throttled))
            return Step("failed", state, remote_id=remote_id, error=exc.message, hint=exc.hint, hopeless=hopeless)

    # --- create ----------------------------------------------------------------------------------------------------

    def _create(self, change: Change) -> Step:
        fields = dict(change.after)
        if change.kind == "article" and self.default_author is not None:
            fields.setdefault("author", self.default_author)
        content = self._content(change)
        for attempt in range(1, LOOK_AGAIN + 1):
            try:
                return self._made(change, fields, self._send_create(change, fields, content))
            except (AnswerLost, Rejected, NotFound) as exc:
                # A refusal may hide a success as well (observed.md, surprise 5), so each of them is looked up.
                seen = self._find(change)
                if seen is not None:
                    return self._found(change, fields, seen, exc)
                if not isinstance(exc, AnswerLost) or attempt == LOOK_AGAIN or not self._can_find(change):
                    raise self._explained(change, exc) from exc
        raise AssertionError("a loop that ends by returning or raising")

    def _send_create(self, change: Change, fields: Fields, content: str | None) -> Observed:
        if change.kind == "category":
            return self.service.create_category(fields, locale=change.locale)
        assert content is not None
        category_id = self._category_id(change, fields)
        return self.service.create_article(fields, content=content, locale=change.locale, category_id=category_id)

    def _content(self, change: Change) -> str | None:
        """The text behind the field `content`, where the change sends it."""
        if "content" not in change.after:
            return None
        return self.content_of(change.path)

    def _category_id(self, change: Change, fields: Fields) -> RemoteId | None:
        slug = fields.get("category")
        if slug is None:
            return None
        found = self.service.category_id(slug, locale=change.locale)
        if found is None:
            raise ContentError(
                f"the category `{slug}` ({change.locale}) is not on the portal",
                hint="the change that makes it failed; mend that one and push again",
            )
        return found

    def _can_find(self, change: Change) -> bool:
        if change.kind == "category":
            return self.service.can("list_categories")
        return self.service.can_find(change.slug)

    def _find(self, change: Change) -> Observed | None:
        if not self._can_find(change):
            return None
        if change.kind == "category":
            return self.service.find_category(change.slug, locale=change.locale)
        return self.service.find_article(change.slug, locale=change.locale)

    def _found(self, change: Change, sent: Fields, seen: Observed, exc: ServiceError) -> Step:
        """The slug is there although the create did not succeed: ours if it holds what was sent, else a stranger's."""
        if not isinstance(exc, Rejected) and not _differences(sent, seen):
            return self._made(change, sent, seen)
        taken = f'slug `{change.slug}` is taken by {change.kind} {seen.remote_id} "{seen.title}"'
        state = f" ({seen.status})" if seen.status else ""
        return Step(
            "failed",
            "failed",
            error=f"{taken}{state}; nothing was overwritten [{exc.message}]",
            hint="run `kbsync plan` to compare the two, or give the source another slug",
        )

    def _explained(self, change: Change, exc: ServiceError) -> ServiceError:
        if isinstance(exc, ServerFailed) and exc.status == 500 and change.kind == "article" and self._can_find(change):
            # Looked up and not there, twice: the slug is taken where this portal cannot see it (surprise 1).
            hint = f"is `{change.slug}` taken in another portal or account of this installation? Try another slug"
            return ServerFailed(f"{exc.message}; this portal has no article of this slug", hint=hint, status=500)
        return exc

    def _made(self, change: Change, sent: Fields, seen: Observed) -> Step:
        """Read the answer: it must hold what was sent, and be a draft."""
        seen = self._mend_position(change, sent, seen)
        base = Base(
            change.kind,
            seen.remote_id,
            seen.locale or change.locale,
            change.slug,
            change.path,
            {**sent, **seen.fields},
            seen.status or change.status,
        )
        wrong = _differences(sent, seen)
        if seen.status not in (None, Status.DRAFT) and change.kind == "article":
            wrong.append("status")
        if wrong:
            return Step("failed", "done", base, remote_id=seen.remote_id, error=_not_taken(wrong))
        return Step("done", "done", base, remote_id=seen.remote_id)

    # --- update ----------------------------------------------------------------------------------------------------

    def _update(self, change: Change, remote_id: RemoteId) -> Step:
        current = self._look(change, remote_id)
        if not _differences(change.after, current):
            return self._updated(change, current)
        moved = [name for name, value in change.before.items() if _value(current, name) != value]
        if moved and change.before != change.after:
            return Step(
                "skipped",
                "failed",
                remote_id=remote_id,
                error=f"somebody changed {', '.join(moved)} since the plan was made; nothing was sent",
                hint="run `kbsync plan` again",
            )
        try:
            return self._updated(change, self._send_update(change, current))
        except AnswerLost:
            # It may have arrived. What the portal holds now says so; a third value would be a person's.
            after = self._look(change, remote_id)
            if not _differences(change.after, after):
                return self._updated(change, after)
            if any(_value(after, name) != value for name, value in change.before.items()):
                raise
            return self._updated(change, self._send_update(change, after))

    def _look(self, change: Change, remote_id: RemoteId) -> Observed:
        if change.kind == "category":
            return self.service.show_category(remote_id, locale=change.locale)
        return self.service.show_article(remote_id, locale=change.locale)

    def _send_update(self, change: Change, current: Observed) -> Observed:
        fields = {name: value for name, value in change.after.items() if name != "status"}
        if change.kind == "category":
            return self.service.update_category(current.remote_id, fields, locale=change.locale)
        return self.service.update_article(
            current.remote_id,
            fields,
            before=current,
            content=self._content(change),
            category_id=self._category_id(change, fields),
            status=change.status,
        )

    def _updated(self, change: Change, seen: Observed) -> Step:
        seen = self._mend_position(change, change.after, seen)
        known = self.bases.get((change.kind, seen.remote_id))
        wrong = _differences(change.after, seen)
        arrived = {name: value for name, value in change.after.items() if name not in wrong and name != "status"}
        status = seen.status if "status" in change.after and "status" not in wrong else None
        if known is None:
            base = Base(change.kind, seen.remote_id, seen.locale, seen.slug, change.path, seen.fields, seen.status)
        else:
            base = replace(
                known,
                slug=seen.slug or known.slug,
                path=change.path or known.path,
                fields={**known.fields, **arrived},
                status=status or known.status,
            )
        if wrong:
            return Step("failed", "done", base, remote_id=seen.remote_id, error=_not_taken(wrong))
        return Step("done", "done", base, remote_id=seen.remote_id)

    def _mend_position(self, change: Change, sent: Fields, seen: Observed) -> Observed:
        """A change of category gives the article a new position; ours is said again, alone."""
        if (
            change.kind != "article"
            or _differences(sent, seen) != ["position"]
            or not self.service.can("update_article")
        ):
            return seen
        position = {"position": sent["position"]}
        return self.service.update_article(seen.remote_id, position, before=seen, content=None, category_id=None)

    # --- delete ----------------------------------------------------------------------------------------------------

    def _delete(self, change: Change, remote_id: RemoteId) -> Step:
        try:
            current = self._look(change, remote_id)
        except NotFound:
            return Step("done", "done", removed=True, remote_id=remote_id)
        moved = [name for name, value in change.before.items() if _value(current, name) != value]
        if moved:
            return Step(
                "skipped",
                "failed",
                remote_id=remote_id,
                error=f"somebody changed {', '.join(moved)} since the plan was made; nothing was deleted",
            )
        self.service.delete(change.kind, remote_id)
        return Step("done", "done", removed=True, remote_id=remote_id)


def _value(seen: Observed, name: str) -> Value | Status:
    return seen.status if name == "status" else seen.fields.get(name)


def _differences(sent: Fields, seen: Observed) -> list[str]:
    """The fields that an answer shows otherwise than they were sent; a field it leaves out says nothing."""
    status = sent.get("status")
    wrong = ["status"] if status is not None and seen.status != status else []
    return wrong + [
        name for name, value in sent.items() if name != "status" and name in seen.fields and seen.fields[name] != value
    ]


def _not_taken(names: list[str]) -> str:
    return f"the service answered 200 and did not take {', '.join(names)} as sent"
