"""Actions on several articles at once, as 4.16 has them. Source: docs/service.md, section 17."""

from starlette.responses import Response

from . import articles, categories
from .auth import Call, World, check_administrator
from .casts import STATUSES, leading_integer
from .http import NO_CACHE, Halt, done, refusal, respond
from .records import Article, Portal
from .refusals import invalid_bulk, not_found


def update_status(call: Call) -> Response:
    """Give articles a status by name, all of them or none."""
    portal, chosen = _enter(call)
    status = call.params.get("status")
    if not isinstance(status, str) or status not in STATUSES:
        raise Halt(refusal(422, {"error": "Invalid status value"}))
    change_all(call.world, portal, chosen, {"status": STATUSES[status]})
    return done()


def update_category(call: Call) -> Response:
    """Move articles to another category of the portal, all of them or none."""
    portal, chosen = _enter(call)
    category = categories.by_id(call.store, _number(call.params.get("category_id")))
    if category is None or category.portal_id != portal.id:
        raise Halt(refusal(422, {"error": "Category not found in this portal"}))
    change_all(call.world, portal, chosen, {"category_id": category.id})
    return done()


def delete_articles(call: Call) -> Response:
    """Delete articles, one after the other."""
    _, chosen = _enter(call)
    for article in chosen:
        articles.delete(call.store, article)
    return done()


def translate(call: Call) -> Response:
    """The enterprise code would answer this."""
    call.portal(not_found)
    check_administrator(call)
    return respond(501, kind="application/json", headers=NO_CACHE)


def change_all(world: World, portal: Portal, chosen: list[Article], fields: articles.Fields) -> None:
    """Change articles in one transaction; those that have the values already stay as they are.

    Raises:
        Halt: 422 where one of them fails a check.
    """
    with world.store.transaction():
        for article in chosen:
            articles.update(world, portal, article, fields, refuse=invalid_bulk)


def _enter(call: Call) -> tuple[Portal, list[Article]]:
    """The portal, and those of the articles that are in it: unknown ids are left out silently (S129)."""
    portal = call.portal(not_found)
    check_administrator(call)
    ids = call.params.get("ids", call.query.get("ids"))
    numbers = dict.fromkeys(_number(value) for value in (ids if isinstance(ids, list) else [ids]))
    chosen = [article for number in numbers if (article := articles.find(call.store, portal.id, number))]
    if not chosen:
        raise Halt(refusal(422, {"error": "No articles found to process"}))
    return portal, chosen


def _number(value: object) -> int:
    """An id, 0 for what is none."""
    if isinstance(value, str):
        return leading_integer(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
