"""Categories that have one slug in the tree and another on the portal. Pure.

An article names its category by slug. So one rename would look like a move of everything in it, in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from kbsync.model import Base, Change
from kbsync.plan.draft import Draft, follow_rename
from kbsync.plan.match import Match, Matches


def renamed_categories(matches: Matches) -> dict[tuple[str, str], str]:
    """The portal's slug to the tree's, by locale: an article whose category gets another slug does not move."""
    return {
        (match.observed.locale, match.observed.slug): match.desired.slug
        for match in _differing(matches)
        if match.observed is not None
    }


def name_as_on_the_portal(draft: Draft, matches: Matches) -> None:
    """Where a category keeps the portal's slug for now, articles are made in it and moved into it under that slug."""
    sent = {change.remote_id for change in draft.changes if change.kind == "category" and "slug" in change.after}
    staying = {
        (match.desired.locale, match.desired.slug): match.observed.slug
        for match in _differing(matches)
        if match.observed is not None and match.observed.remote_id not in sent
    }
    if staying:
        draft.changes = [_named(change, staying) for change in draft.changes]


def settle_renamed(draft: Draft, bases: Iterable[Base], renamed: Mapping[tuple[str, str], str]) -> None:
    """What is on record of articles takes the new slugs of their categories, also of those that are not planned now.

    Else a later plan would take the portal's new slug for a person's move. Should the rename fail, nothing is lost: as
    long as the portal has the old slug, both sides are read under the new one.
    """
    for base in bases if renamed else ():
        known = draft.settled.get((base.kind, base.remote_id), base)
        fields = follow_rename(known.fields, known.locale, renamed)
        if base.kind == "article" and fields is not known.fields:
            draft.settled[base.kind, base.remote_id] = replace(known, fields=fields)


def _differing(matches: Matches) -> list[Match]:
    return [
        match
        for match in matches.matched
        if match.desired.kind == "category" and match.observed and match.observed.slug != match.desired.slug
    ]


def _named(change: Change, staying: dict[tuple[str, str], str]) -> Change:
    slug = staying.get((change.locale, str(change.after.get("category"))))
    if change.kind != "article" or slug is None:
        return change
    fields = (replace(field, after=slug) if field.name == "category" else field for field in change.fields)
    return replace(change, fields=tuple(fields))
