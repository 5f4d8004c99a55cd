"""New positions of articles and categories. Source: docs/service.md, section 4 and S123 to S128."""

from collections.abc import Mapping

from starlette.responses import Response

from . import api_categories, articles, categories
from .auth import Call, World, check_administrator
from .casts import is_scalar, leading_integer, to_integer
from .http import answer, done
from .records import Article, Portal
from .refusals import crashed, not_found

POSITION_STEP = 10
"""A category whose articles were reordered has positions this far apart. Source: docs/service.md, S123."""


def reorder_articles(call: Call) -> Response:
    """New positions by id; from 4.16 the touched categories are numbered anew, and all of it or nothing happens."""
    portal = call.portal(not_found)
    check_administrator(call)
    positions = call.params.get("positions_hash")
    if not call.world.behaviour.is_4_16:
        return _reorder_one_by_one(call, portal, positions)
    if not positions:
        return answer({"positions": {}})
    if not isinstance(positions, dict):
        raise crashed()
    return answer({"positions": reorder(call.world, portal, positions)})


def _reorder_one_by_one(call: Call, portal: Portal, positions: object) -> Response:
    """As before 4.16: what comes before an unknown id is applied, whatever portal the articles are of."""
    if not isinstance(positions, dict):
        raise crashed()
    for key, position in positions.items():
        article = articles.find_anywhere(call.store, leading_integer(key))
        if article is None:
            raise not_found()
        articles.update(call.world, portal, article, _position(position))
    return done()


def reorder(world: World, portal: Portal, positions: Mapping[str, object]) -> dict[str, int]:
    """Move articles of a portal and number their categories anew; the positions of all that were numbered, by id.

    Raises:
        Halt: 404 for an unknown id, 422 where an article to move fails a check; nothing is moved then.
    """
    moved: list[Article] = []
    with world.store.transaction():
        for key, position in positions.items():
            article = articles.find(world.store, portal.id, leading_integer(key))
            if article is None:
                raise not_found()
            moved.append(articles.update(world, portal, article, _position(position)))
        ids = frozenset(article.id for article in moved)
        numbered: dict[str, int] = {}
        for category_id in dict.fromkeys(article.category_id for article in moved):
            numbered |= _number(world, category_id, ids)
    return numbered


def _position(value: object) -> articles.Fields:
    return {"position": to_integer(value)} if is_scalar(value) else {}  # type: ignore[arg-type]


def _number(world: World, category_id: int | None, moved: frozenset[int]) -> dict[str, int]:
    """Number a category's articles in steps. `updated_at` of those that were not named stays as it is (S124)."""
    rows = world.store.rows("SELECT id, position FROM articles WHERE category_id = ?", (category_id,))
    if len(rows) < 2:
        return {}
    rows.sort(key=lambda row: (row[1] or 0, row[0] in moved, row[0]))
    numbered = {article_id: place * POSITION_STEP for place, (article_id, _) in enumerate(rows, start=1)}
    for article_id, position in numbered.items():
        world.store.run("UPDATE articles SET position = ? WHERE id = ?", (position, article_id))
    return {str(article_id): position for article_id, position in numbered.items()}


def reorder_categories(call: Call) -> Response:
    """New positions by id, stored as sent; all of them or none (S128)."""
    check_administrator(call)
    portal = api_categories.find_portal(call)
    positions = call.params.get("positions_hash")
    with call.store.transaction():
        for key, position in positions.items() if isinstance(positions, dict) else ():
            category = categories.by_id(call.store, leading_integer(key))
            if category is None or category.portal_id != portal.id:
                raise not_found()
            number = to_integer(position) if is_scalar(position) else None
            call.store.run("UPDATE categories SET position = ? WHERE id = ?", (number, category.id))
    return done()
