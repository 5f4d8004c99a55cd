"""Looking at the portal on behalf of one change, and not believing an answer that is about something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kbsync.errors import ContentError, Misbehaved
from kbsync.markdown.own_pages import with_paths
from kbsync.model import Base, Change, Fields, Kind, Observed, RemoteId
from kbsync.plan.result import OUTSIDE, Current, missing, with_empties

if TYPE_CHECKING:
    from kbsync.service.client import Service


@dataclass(slots=True)
class Lookup:
    """Looks items up by id and by slug. `bases` are what is managed, by kind and id."""

    service: Service
    bases: Mapping[tuple[Kind, RemoteId], Base]

    def look(self, change: Change, remote_id: RemoteId) -> Observed:
        """The item as it is now."""
        return self.look_whole(change, remote_id).current

    def look_whole(self, change: Change, remote_id: RemoteId) -> Current:
        """The item as it is now, and an article's texts.

        Raises:
            Misbehaved: the answer is about another one.
        """
        body = draft_body = None
        if change.kind == "portal":
            seen = with_empties(self.service.show_portal(), change.after)
        elif change.kind == "category":
            seen = self.service.reader.show_category(remote_id, locale=change.locale)
        else:
            seen, body, draft_body = self.service.read_article(remote_id, locale=change.locale)
            if seen.by_path and seen.by_path in (change.before.get("content"), change.after.get("content")):
                # Compared by path, and kept so for an undo: the name is that of the text.
                seen, body = seen.called_by_path, with_paths(body or "", self.service.endpoint.own)
        if seen.remote_id != remote_id:
            raise Misbehaved(f"kbsync asked for {change.kind} {remote_id}. The service answered with {seen.remote_id}.")
        return Current(seen, body, draft_body)

    def look_after(self, change: Change, remote_id: RemoteId) -> Observed:
        """The item as it is after a write whose own answer says nothing.

        Raises:
            Misbehaved: the answer is about another one, or says nothing of what was sent.
        """
        return self._whole(change, self.look(change, remote_id))

    def own(self, change: Change, seen: Observed, remote_id: RemoteId | None) -> Observed:
        """Refuse the answer to another request: taken for ours, it would put one row in the place of another."""
        known = self.bases.get((change.kind, seen.remote_id))
        if seen.remote_id == remote_id or (remote_id is None and known is None):
            short = missing(change.after, seen) and self.service.profile.can(f"show_{change.kind}")
            return self.look_after(change, seen.remote_id) if short else seen
        raise Misbehaved(
            f"The answer to {change.action} {change.kind} `{change.slug}` is about another one, {seen.remote_id}.",
            hint="Check whether a proxy or a cache between you and the service answers for it.",
        )

    def _whole(self, change: Change, seen: Observed) -> Observed:
        """Refuse an answer, asked for a second time, that says nothing at all of what was sent."""
        lacking = missing(change.after, seen)
        if lacking and len(lacking) == len(change.after.keys() - OUTSIDE):
            raise Misbehaved(
                f"The answers to {change.action} {change.kind} `{change.slug}` do not contain what was sent.",
                hint="Run the command again. It first checks what was stored.",
            )
        return seen

    def category_id(self, change: Change, fields: Fields) -> RemoteId | None:
        """The id behind the field `category`; None where there is no such field.

        Raises:
            ContentError: the portal has no such category.
        """
        slug = fields.get("category")
        if slug is None:
            return None
        found = self.service.reader.category_id(slug, locale=change.locale)
        if found is None and self.service.profile.can("list_categories"):
            # Another runner of this push may have made it.
            seen = self.service.reader.find_category(str(slug), locale=change.locale)
            found = seen.remote_id if seen else None
        if found is None:
            raise ContentError(
                f"The category `{slug}` ({change.locale}) is not on the portal.",
                hint="Creating it failed. Fix that first, then push again.",
            )
        return found

    def can_find(self, change: Change) -> bool:
        """Whether an item can be looked up by its slug."""
        if change.kind == "category":
            return self.service.profile.can("list_categories")
        return self.service.can_find(change.slug)

    def is_elsewhere(self, change: Change) -> bool:
        """Whether another portal of the installation has the slug of an article that was refused with a 500."""
        return change.kind == "article" and self.service.is_elsewhere(change.slug)

    def find(self, change: Change, *, thorough: bool = False) -> Observed | None:
        """The item of the change's slug; None where it does not exist, or cannot be looked up.

        `thorough`: where one look finds nothing, look in the list as well.
        """
        if not self.can_find(change):
            return None
        if change.kind == "article":
            found = self.service.find_article(change.slug, locale=change.locale, thorough=thorough)
        else:
            found = self.service.reader.find_category(change.slug, locale=change.locale)
        if found is not None and found.slug not in ("", change.slug):
            raise Misbehaved(f"kbsync asked for `{change.slug}`. The service answered with `{found.slug}`.")
        return found
