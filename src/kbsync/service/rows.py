"""An article in a list, and in a snapshot: the service's JSON to a row, and a row to what is observed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbsync.model import STATUSES, Observed, RemoteId, Value
from kbsync.service import wire
from kbsync.service.profile import Profile
from kbsync.service.snapshot import Row

EMPTY_FIELDS: dict[str, Any] = {
    "title": "",
    "content": "",
    "description": "",
    "position": None,
    "author": None,
    "tags": (),
    "meta_title": "",
    "meta_description": "",
}
"""What a row of a list holds where the service leaves a field out."""


def row_of(article: wire.WireArticle, profile: Profile) -> Row:
    """The row of an article in a list."""
    seen = wire.observed_article(article, profile, locale="", categories={})
    fields: dict[str, Any] = EMPTY_FIELDS | dict(seen.fields)
    return Row(
        seen.remote_id,
        seen.updated_at,
        seen.slug,
        fields["title"],
        fields["content"],
        fields["description"],
        wire.category_id_of(article),
        fields["position"],
        fields["author"],
        fields["tags"],
        fields["meta_title"],
        fields["meta_description"],
        seen.status.value if seen.status else None,
        wire.translations_of(article),
        seen.pictures,
        seen.outline,
    )


def observed_row(
    row: Row, locale: str, categories: Mapping[RemoteId, Observed], originals: Mapping[RemoteId, RemoteId]
) -> Observed:
    """The article of a row. Its category is the one of now: it may have another slug since, or be gone.

    `originals` has the id of the article that this one is a translation of; without one, it is unknown.
    """
    category = categories.get(row.category_id) if row.category_id is not None else None
    fields: dict[str, Value] = {
        "slug": row.slug,
        "title": row.title,
        "content": row.content,
        "description": row.description,
        "category": category.slug if category else None,
        "position": row.position,
        "author": row.author,
        "tags": row.tags,
        "meta_title": row.meta_title,
        "meta_description": row.meta_description,
    }
    if originals and row.id in originals:
        fields["translation_of"] = originals[row.id]
    status = STATUSES.get(row.status)
    return Observed("article", row.id, locale, row.slug, fields, status, row.updated_at, row.pictures, row.outline)
