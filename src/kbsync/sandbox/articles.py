"""Articles in the database: create, change, stage, delete. Source: docs/service.md, sections 4 and 14.

Also: what the service refuses to store as an article. Source: docs/service.md, S4, S111, S112, S117, S118.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .auth import World
from .casts import (
    STATUSES,
    generated_slug,
    is_blank,
    is_scalar,
    taken,
    to_integer,
    to_large_integer,
    to_status,
    to_text,
    too_long,
)
from .http import Halt, Params
from .records import Article, Author, CategoryRef, Portal, columns_of
from .refusals import Problem, crashed, invalid, invalid_draft
from .store import Row, Store

TEXT_LIMITS = {"title": 255, "description": 20_000, "content": 20_000, "slug": 255, "locale": 255}
"""Characters, in the order in which the service complains. Source: docs/service.md, S4."""

DRAFT_LIMITS = {"draft_title": 255, "draft_content": 20_000}
"""Characters of staged changes. Source: docs/service.md, S111."""

RESERVED_SLUGS = frozenset({"search", "articles", "categories"})
"""Addresses of the public site from 4.16 on. Source: docs/service.md, S118."""

State = dict[str, Any]


def problems(world: World, state: State) -> list[Problem]:
    """What is wrong with an article, in the service's order."""
    return [
        *too_long(state, TEXT_LIMITS | (DRAFT_LIMITS if world.behaviour.is_4_16 else {})),
        *_author(world, state["author_id"]),
        *([("title", "Title can't be blank")] if is_blank(state["title"]) else []),
        *([("content", "Content can't be blank")] if _lacks_content(world, state) else []),
        *([("slug", "Slug is reserved")] if world.behaviour.is_4_16 and state["slug"] in RESERVED_SLUGS else []),
    ]


def check_bytes(state: State) -> None:
    """Refuse what the database cannot hold.

    Raises:
        Halt: 500 where a text holds a NUL.
    """
    meta = state["meta"]
    texts = [state[name] for name in (*TEXT_LIMITS, *DRAFT_LIMITS)]
    texts += [meta.get("title"), meta.get("description"), *meta.get("tags", [])]
    if any("\0" in text for text in texts if isinstance(text, str)):
        raise crashed()


def _author(world: World, author_id: int | None) -> list[Problem]:
    found: list[Problem] = []
    if author_id is None or not world.store.row("SELECT 1 FROM users WHERE id = ?", (author_id,)):
        found.append(("author", "Author must exist"))
    if author_id is None:
        found.append(("author_id", "Author can't be blank"))
    return found


def _lacks_content(world: World, state: State) -> bool:
    is_needed = not world.behaviour.is_4_16 or state["status"] == STATUSES["published"]
    return is_needed and is_blank(state["content"])


POSITION_STEP = 10
"""A new article comes this far after the last one. Source: tests/fixtures/observed, `article create …`."""

COLUMNS = columns_of(Article)[:-2]
"""The table's own; what an article has behind them, SELECT joins."""

SELECT = (
    f"SELECT {', '.join('a.' + name for name in COLUMNS)}, "
    "c.name, c.slug, c.locale, c.icon, c.icon_color, u.name, u.email, u.confirmed, m.role "
    "FROM articles a LEFT JOIN categories c ON c.id = a.category_id LEFT JOIN users u ON u.id = a.author_id "
    "LEFT JOIN memberships m ON m.user_id = a.author_id AND m.account_id = a.account_id "
)
JSONB_ORDER = ("tags", "title", "description")
"""The database hands the keys of `meta` back in this order: by length, then by letter."""

DRAFTS = ("draft_title", "draft_content")
"""What a person stages: changes of an article that readers do not see yet."""

Fields = dict[str, Any]
Refuse = Callable[[list[Problem]], Halt]


def as_article(row: Row) -> Article:
    """A row of SELECT as a value."""
    plain, joined = row[: len(COLUMNS)], row[len(COLUMNS) :]
    fields = dict(zip(COLUMNS, plain, strict=True))
    fields["meta"] = json.loads(fields["meta"])
    category = CategoryRef(fields["category_id"], *joined[:5])
    name, email, confirmed, role = joined[5:]
    author = None if name is None else Author(fields["author_id"], name, email, bool(confirmed), role)
    return Article(**fields, category=category, author=author)


def find(store: Store, portal_id: int, article_id: int) -> Article | None:
    """An article of a portal by its id."""
    if not 0 < article_id < 2**63:
        return None
    found = store.row(SELECT + "WHERE a.id = ? AND a.portal_id = ?", (article_id, portal_id))
    return as_article(found) if found else None


def find_anywhere(store: Store, article_id: int) -> Article | None:
    """An article of any portal by its id."""
    found = store.row(SELECT + "WHERE a.id = ?", (article_id,))
    return as_article(found) if found else None


def find_by_slug(store: Store, slug: str) -> Article | None:
    """An article by its slug, which is unique over the whole installation."""
    found = store.row(SELECT + "WHERE a.slug = ?", (slug,))
    return as_article(found) if found else None


CASTS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("title", "slug", "content", "description", "locale", *DRAFTS), to_text),
    **dict.fromkeys(("position", "category_id"), to_integer),
    **dict.fromkeys(("author_id", "associated_article_id"), to_large_integer),
    "status": to_status,
}
"""What a request may set, besides `meta`, and the type of its column."""


def sent_fields(params: Params, *, is_4_16: bool) -> Fields:
    """What of the parameters may be stored, in the types of the columns."""
    fields = taken({name: value for name, value in params.items() if is_4_16 or name not in DRAFTS}, CASTS)
    if isinstance(params.get("meta"), dict):
        fields["meta"] = _sent_meta(params["meta"])
    return fields


def _sent_meta(meta: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {
        name: meta[name] for name in ("title", "description") if name in meta and is_scalar(meta[name])
    }
    tags = meta.get("tags")
    if isinstance(tags, list) and all(is_scalar(tag) for tag in tags):
        kept["tags"] = tags
    return kept


def create(world: World, portal: Portal, fields: Fields) -> Article:
    """Store a new article.

    Raises:
        Halt: 422 where a check fails, 500 where the slug is taken or a text holds a NUL.
    """
    state: Fields = dict.fromkeys(COLUMNS) | {"locale": "en", "meta": {}} | fields
    state |= {"account_id": portal.account_id, "portal_id": portal.id}
    store = world.store
    _settle(world, portal, state, invalid)
    if state["position"] is None:
        state["position"] = _last_position(store, portal.account_id, state["category_id"]) + POSITION_STEP
    state["created_at"] = state["updated_at"] = store.stamp_us()
    state["id"] = store.take_id("articles")
    store.insert("articles", _stored(state))
    return _again(store, state["id"], fields)


def update(world: World, portal: Portal, article: Article, fields: Fields, *, refuse: Refuse = invalid) -> Article:
    """Change the fields of an article that differ; where none does, nothing happens, `updated_at` included.

    Raises:
        Halt: as for `create`; `refuse` makes the answer where a check fails.
    """
    store = world.store
    before = {name: getattr(article, name) for name in COLUMNS}
    state = before | fields
    _settle(world, portal, state, refuse)
    moved = [name for name in COLUMNS if state[name] != before[name]]
    if moved:
        values = {name: state[name] for name in moved} | {"updated_at": store.stamp_us()}
        store.change("articles", article.id, _stored(values))
    if "category_id" in moved:
        position = _last_position(store, article.account_id, state["category_id"]) + POSITION_STEP
        store.change("articles", article.id, {"position": position})
    return _again(store, article.id, fields)


def stage(world: World, article: Article, drafts: Fields) -> Article:
    """Write staged changes alone: the rest stays as it is, `updated_at` and a locale that is wrong too (S105, S112).

    Raises:
        Halt: 422 where a check of the whole article fails, 500 where a text holds a NUL.
    """
    state = {name: getattr(article, name) for name in COLUMNS} | drafts
    found = problems(world, state)
    if found:
        raise invalid_draft(found)
    check_bytes(state)
    world.store.change("articles", article.id, {name: state[name] for name in DRAFTS})
    return replace(article, **drafts)


def link_root(store: Store, article: Article, other: Article) -> Article:
    """Make `article` a translation of what `other` belongs to: of its root, never of a translation."""
    root = other.associated_article_id or other.id
    store.change("articles", article.id, {"associated_article_id": root, "updated_at": store.stamp_us()})
    return replace(article, associated_article_id=root)


def delete(store: Store, article: Article) -> None:
    """Delete an article; its translations lose their root."""
    with store.transaction():
        store.run("UPDATE articles SET associated_article_id = NULL WHERE associated_article_id = ?", (article.id,))
        store.run("DELETE FROM articles WHERE id = ?", (article.id,))


def count_view(store: Store, article: Article) -> None:
    """Count one visit, which does not change the article."""
    store.run("UPDATE articles SET views = coalesce(views, 0) + 1 WHERE id = ?", (article.id,))


def translations(store: Store, article_ids: list[int]) -> dict[int, list[Article]]:
    """The articles that name one of these as their root, by root."""
    marks = ", ".join("?" * len(article_ids))
    found: dict[int, list[Article]] = {}
    sql = f"{SELECT} WHERE a.associated_article_id IN ({marks}) ORDER BY a.id"
    for row in store.rows(sql, tuple(article_ids)):
        article = as_article(row)
        found.setdefault(article.associated_article_id or 0, []).append(article)
    return found


def _settle(world: World, portal: Portal, state: Fields, refuse: Refuse) -> None:
    """Let the category decide the locale, check everything, and make a missing slug."""
    found = problems(world, state)
    state["locale"] = _category_locale(world.store, state["category_id"]) or state["locale"] or portal.default_locale
    if found:
        raise refuse(found)
    if state["slug"] is None:
        state["slug"] = generated_slug(state["title"], world.store.clock())
    check_bytes(state)


def _category_locale(store: Store, category_id: int | None) -> str | None:
    if category_id is None:
        return None
    found = store.row("SELECT locale FROM categories WHERE id = ?", (category_id,))
    return found[0] if found else None


def _last_position(store: Store, account_id: int, category_id: int | None) -> int:
    found = store.row(
        "SELECT max(position) FROM articles WHERE category_id IS ? AND account_id = ?",
        (category_id, account_id),
    )
    return int(found[0]) if found and found[0] is not None else 0


def _stored(values: Fields) -> Fields:
    if "meta" not in values:
        return values
    return values | {"meta": json.dumps({key: values["meta"][key] for key in JSONB_ORDER if key in values["meta"]})}


def _again(store: Store, article_id: int, fields: Fields) -> Article:
    """The stored article; just after a write, `meta` still has the order in which it was sent."""
    found = store.row(SELECT + "WHERE a.id = ?", (article_id,))
    if found is None:
        raise crashed()
    article = as_article(found)
    return replace(article, meta=fields["meta"]) if "meta" in fields else article


def touch_oldest(store: Store) -> None:
    """What an edit of the oldest article does to a list: it jumps to the front."""
    found = store.row("SELECT id FROM articles ORDER BY updated_at LIMIT 1")
    if found:
        store.change("articles", found[0], {"updated_at": store.stamp_us()})
