"""Categories in the database. What is stored follows docs/service.md, section 3."""

import json
from typing import Any

from .auth import World
from .casts import is_blank, is_scalar, to_integer, to_text, too_long
from .http import Params
from .listing import Window, lose_ties
from .portal_config import locales_of
from .records import Category, Portal, columns_of
from .refusals import crashed, invalid
from .store import CATEGORY_COLUMNS, Row, Store

TEXT_LIMITS = {"name": 255, "description": 20_000, "locale": 255, "slug": 255, "icon": 255, "icon_color": 255}
"""Characters. Source: docs/service.md, S4."""

COLUMNS = columns_of(Category)
Fields = dict[str, Any]


CASTS = dict.fromkeys(("name", "slug", "locale", "description", "icon", "icon_color"), to_text) | dict.fromkeys(
    ("position", "parent_category_id", "associated_category_id"), to_integer
)
"""What a request may set, and the type of its column."""


def sent_related(params: Params) -> list[int]:
    """The ids in `related_category_ids`, which only counts inside `{"category": …}`."""
    related = params.get("related_category_ids")
    return [to_integer(value) or 0 for value in related if is_scalar(value)] if isinstance(related, list) else []


def create(world: World, portal: Portal, fields: Fields, related: list[int]) -> Category:
    """Store a new category.

    Raises:
        Halt: 422 where a check fails, 500 where a text holds a NUL.
    """
    store = world.store
    state: Fields = dict.fromkeys(COLUMNS) | {"locale": "en", "icon": "", "icon_color": ""} | fields
    state |= {"account_id": portal.account_id, "portal_id": portal.id}
    _check(world, portal, state)
    state["id"] = store.take_id("categories")
    with store.transaction():
        store.insert("categories", state)
        relate(store, portal.id, state["id"], related)
    return Category(**state)


def update(world: World, portal: Portal, category: Category, fields: Fields) -> Category:
    """Change the sent fields of a category. Its articles keep their locale until they are saved.

    Raises:
        Halt: as for `create`.
    """
    state = {name: getattr(category, name) for name in COLUMNS} | fields
    _check(world, portal, state)
    world.store.change("categories", category.id, state)
    return Category(**state)


def relate(store: Store, portal_id: int, category_id: int, related: list[int]) -> None:
    """Name other categories of the portal as related; unknown ones are left out."""
    for other in related:
        if store.category(portal_id, other):
            store.run("INSERT OR IGNORE INTO related_categories VALUES (?, ?)", (category_id, other))


def delete(store: Store, category: Category) -> None:
    """Delete a category; its articles and children stay, as they were otherwise."""
    with store.transaction():
        store.run("UPDATE articles SET category_id = NULL WHERE category_id = ?", (category.id,))
        store.run("UPDATE categories SET parent_category_id = NULL WHERE parent_category_id = ?", (category.id,))
        store.run(
            "UPDATE categories SET associated_category_id = NULL WHERE associated_category_id = ?",
            (category.id,),
        )
        store.run("DELETE FROM related_categories WHERE ? IN (category_id, related_id)", (category.id,))
        store.run("DELETE FROM categories WHERE id = ?", (category.id,))


def page_of_categories(store: Store, portal_id: int, locale: str, window: Window) -> list[Category]:
    """One page, by position with nulls last."""
    source = "FROM categories WHERE portal_id = ? AND (? = '' OR locale = ?)"
    values = (portal_id, locale, locale)
    sql = f"SELECT id, position, {CATEGORY_COLUMNS} {source} ORDER BY position IS NULL, position, id LIMIT ? OFFSET ?"
    rows = store.rows(sql, (*values, window.limit + 1, window.offset))
    page = rows[: window.limit]
    if window.ties == "lose" and len(rows) > window.limit and rows[-1][1] == page[-1][1]:
        total = store.row(f"SELECT count(*) {source}", values) or (0,)
        first = _first_tied(store, source, values, rows[-1][1])
        page = lose_ties(rows, window, total[0], first)
    return [Category(*row[2:]) for row in page]


def _first_tied(store: Store, source: str, values: tuple[object, ...], key: int | None) -> Row:
    sql = f"SELECT id, position, {CATEGORY_COLUMNS} {source} AND position IS ? ORDER BY id LIMIT 1"
    return store.row(sql, (*values, key)) or ()


def related_to(store: Store, category_id: int) -> list[Category]:
    """The categories that one names as related."""
    columns = ", ".join("c." + name for name in COLUMNS)
    sql = f"SELECT {columns} FROM related_categories r JOIN categories c ON c.id = r.related_id WHERE r.category_id = ?"
    return [Category(*row) for row in store.rows(sql, (category_id,))]


def by_id(store: Store, category_id: int | None) -> Category | None:
    """A category of any portal."""
    if category_id is None or not 0 < category_id < 2**63:
        return None
    found = store.row(f"SELECT {CATEGORY_COLUMNS} FROM categories WHERE id = ?", (category_id,))
    return Category(*found) if found else None


def article_counts(store: Store, portal_id: int, status: int | None = None) -> dict[int, int]:
    """How many articles each category has, of any status unless one is asked for."""
    condition = "" if status is None else f"AND status = {status:d}"
    sql = f"SELECT category_id, sum(rows) FROM tally WHERE portal_id = ? {condition} GROUP BY 1"
    return dict(store.rows(sql, (portal_id,)))


def counts_by_locale(store: Store, portal_id: int) -> dict[str, int]:
    """How many categories each locale has."""
    return dict(store.rows("SELECT locale, count(*) FROM categories WHERE portal_id = ? GROUP BY 1", (portal_id,)))


def _check(world: World, portal: Portal, state: Fields) -> None:
    problems = too_long(state, TEXT_LIMITS)
    problems += [(name, f"{name.capitalize()} can't be blank") for name in ("slug", "name") if is_blank(state[name])]
    locale, allowed = state["locale"] or "", locales_of(portal, is_4_16=world.behaviour.is_4_16)
    if any("\0" in (state[name] or "") for name in TEXT_LIMITS):
        raise crashed()
    if locale not in allowed:
        listed = json.dumps(allowed, ensure_ascii=False)
        problems.append(("locale", f"Locale {locale} of category is not part of portal's {listed}."))
    sql = "SELECT id FROM categories WHERE portal_id = ? AND slug = ? AND locale = ? AND id IS NOT ?"
    if world.store.row(sql, (portal.id, state["slug"], locale, state["id"])):
        problems.append(("locale", "Locale should be unique in the category and portal"))
    if problems:
        raise invalid(problems)
