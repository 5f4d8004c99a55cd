"""Slugs that something else has, on the portal or in another one: the service would answer 500 (docs/service.md, S1).

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from kbsync.model import Action, Change, FieldChange, Observed, Reason
from kbsync.plan.draft import Draft, held_of
from kbsync.plan.known import Node
from kbsync.plan.match import Matches
from kbsync.plan.nodes import Key, key_of

TAKING = frozenset({Action.CREATE, Action.UPDATE})
"""What gives an item a slug."""


def hold_taken_slugs(draft: Draft, observed: Iterable[Observed], matches: Matches) -> None:
    """Hold the slugs that an article or category keeps which this plan does not rename, until none is left."""
    if not any(change.action in TAKING for change in draft.changes):
        return  # Of a plan that only adopts, a hundred thousand slugs are not put side by side.
    of_source = {_node(match.observed) for match in matches.matched if match.observed is not None}
    owners = {key_of(item.kind, item.locale, item.slug): item for item in observed}
    while taken := [(change, owner) for change in draft.changes if (owner := _owner(change, owners, draft.changes))]:
        for change, owner in taken:
            _hold(draft, change, owner, has_source=_node(owner) in of_source)


def _owner(change: Change, owners: Mapping[Key, Observed], changes: Iterable[Change]) -> Observed | None:
    """Who keeps the slug that a change is to take."""
    slug = change.after.get("slug") if change.action in TAKING else None
    owner = owners.get(key_of(change.kind, change.locale, str(slug))) if slug else None
    if owner is None or owner.remote_id == change.remote_id:
        return None
    gives = any(
        (other.kind, other.remote_id) == (owner.kind, owner.remote_id)
        and _key_after(other, owner) != key_of(owner.kind, owner.locale, owner.slug)
        for other in changes
        if other.action is Action.UPDATE
    )
    return None if gives else owner


def _key_after(change: Change, owner: Observed) -> Key:
    """What an article or category is known by once a change of it is made."""
    after = change.after
    return key_of(owner.kind, str(after.get("locale", owner.locale)), str(after.get("slug", owner.slug)))


def _node(item: Observed) -> Node:
    return (item.kind, item.remote_id)


def _hold(draft: Draft, change: Change, owner: Observed, *, has_source: bool) -> None:
    what = f'The slug `{owner.slug}` belongs to {owner.kind} {owner.remote_id} "{owner.title}"'
    if any((held.kind, held.remote_id) == _node(owner) and "slug" in held.fields for held in draft.held):
        how = ", whose new slug needs your decision first."
    elif has_source:
        how = ", which keeps it in this plan. Give this file another slug, or rename the other one too."
    else:
        how = ", which is not one of your files. Give this file another slug, or delete the other one in the panel."
    leave_out(draft, change, ("slug",), Reason.CONFLICT, what + how)


def hold_slugs_elsewhere(draft: Draft, elsewhere: Mapping[str, str]) -> None:
    """Hold the slugs of articles that another portal of the service has, which no list of this portal shows."""
    for change in [change for change in draft.changes if new_slug(change) in elsewhere]:
        slug = new_slug(change)
        what = f"The slug `{slug}` belongs to another portal of this service. {elsewhere[slug]}"
        leave_out(draft, change, ("slug",), Reason.UNSUPPORTED, what, elsewhere[slug])


def new_slug(change: Change) -> str:
    """The slug that a change gives to an article; "" for none."""
    if change.kind != "article" or change.action not in {Action.CREATE, Action.UPDATE}:
        return ""
    return str(change.after.get("slug") or "")


def leave_out(
    draft: Draft, change: Change, names: tuple[str, ...], reason: Reason, hint: str, elsewhere: str = ""
) -> None:
    """Hold some fields of a change, such as a new slug, and of a create all of it."""
    fields = tuple(field for field in change.fields if field.name not in names)
    place, path = draft.changes.index(change), change.path
    values = tuple(FieldChange(name, change.before.get(name), change.after[name]) for name in names)
    if change.action is Action.CREATE:
        # Nothing can be published of what is not made.
        draft.statuses = [other for other in draft.statuses if other.path != path]
        draft.unpublished = [other for other in draft.unpublished if other.path != path]
        fields = values = ()
    draft.changes[place : place + 1] = [replace(change, fields=fields)] if fields else []
    held = held_of(change, reason, change.remote_id, names, hint, change.title, values)
    draft.held.append(replace(held, elsewhere=elsewhere))
