"""An article in a list, and in a snapshot: the service's JSON to a row, and a row to what is observed."""

from __future__ import annotations

from collections.abc import Mapping

from kbsync.fields import FIELDS
from kbsync.markdown.own_pages import NO_PAGES, OwnPages
from kbsync.model import NO_FIELDS, STATUSES, Observed, RemoteId, Value
from kbsync.service import wire
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Row

LISTED = tuple(
    (field.name, field.type.value)
    for field in FIELDS
    if "article" in field.of and field.name not in {"slug", "category"}
)
"""The fields whose values a row holds, in this order, and what each is where the service leaves it out."""

NAMES = tuple(name for name, _ in LISTED)


def row_of(article: wire.WireArticle, profile: Profile, own: OwnPages = NO_PAGES) -> Row:
    """The row of an article in a list."""
    seen = wire.observed_article(article, profile, locale="", categories={}, own=own)
    return Row(
        seen.remote_id,
        seen.updated_at,
        seen.slug,
        wire.category_id_of(article),
        seen.status.value if seen.status else None,
        tuple(seen.fields.get(name, empty) for name, empty in LISTED),
        wire.translations_of(article),
        seen.images,
        seen.outline,
        tuple(seen.staged.items()),
        seen.stages,
        seen.by_path,
    )


def observed_row(
    row: Row,
    locale: str,
    categories: Mapping[RemoteId, Observed],
    originals: Mapping[RemoteId, RemoteId],
) -> Observed:
    """The article of a row. Its category is the one of now: it may have another slug since, or be gone.

    `originals` has the id of the article that this one is a translation of; without one, it is unknown.
    """
    category = categories.get(row.category_id) if row.category_id is not None else None
    fields: dict[str, Value] = dict(zip(NAMES, row.values, strict=True))
    fields |= {"slug": row.slug, "category": category.slug if category else None}
    if originals and row.id in originals:
        fields["translation_of"] = originals[row.id]
    return Observed(
        kind="article",
        remote_id=row.id,
        locale=locale,
        slug=str(fields["slug"]),
        fields=fields,
        status=STATUSES.get(row.status),
        updated_at=row.updated_at,
        images=row.images,
        outline=row.outline,
        staged=dict(row.staged) if row.staged else NO_FIELDS,
        stages=row.stages,
        by_path=row.by_path,
    )
