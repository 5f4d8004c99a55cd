"""The category endpoints. Source: docs/service.md, section 3."""

from starlette.responses import Response

from . import categories
from .api_json import Json, category_json
from .auth import Call, check_administrator
from .casts import leading_integer, taken
from .http import Params, answer, done
from .listing import Window, read_page
from .params import required
from .records import Category, Portal
from .refusals import crashed, not_found
from .store import STAMPS


def find_portal(call: Call) -> Portal:
    """The portal in the path; an unknown one is 404, before 4.16 it is 500 (S132)."""
    return call.portal(not_found if call.world.behaviour.is_4_16 else crashed)


def find_category(call: Call, portal: Portal) -> Category:
    """The category in the path, by number.

    Raises:
        Halt: 404.
    """
    category = categories.by_id(call.store, leading_integer(call.names["category"]))
    if category is None or category.portal_id != portal.id:
        raise not_found()
    return category


def list_categories(call: Call) -> Response:
    """One page; `categories_count` counts the page, not the portal."""
    portal = find_portal(call)
    per_page = call.world.behaviour.categories_per_page
    window = Window(read_page(call.query, per_page), per_page, call.world.behaviour.ties)
    locale = call.query.get("locale")
    page = categories.page_of_categories(call.store, portal.id, locale if isinstance(locale, str) else "", window)
    counts = categories.article_counts(call.store, portal.id)
    payload = [_told(call, category, counts) for category in page]
    return answer(
        {
            "payload": payload,
            "meta": {"current_page": call.query.get("page", 1), "categories_count": len(page)},
        }
    )


def show_category(call: Call) -> Response:
    """One category."""
    check_administrator(call)
    return _shown(call, find_category(call, find_portal(call)))


def create_category(call: Call) -> Response:
    """A new category, answered with 200."""
    check_administrator(call)
    portal = find_portal(call)
    sent = _sent(call)
    fields, related = taken(sent, categories.CASTS), categories.sent_related(sent)
    return _shown(call, categories.create(call.world, portal, fields, related))


def update_category(call: Call) -> Response:
    """PATCH and PUT are both partial; unlike an article, an empty body is refused."""
    check_administrator(call)
    portal = find_portal(call)
    category = find_category(call, portal)
    sent = _sent(call)
    category = categories.update(call.world, portal, category, taken(sent, categories.CASTS))
    categories.relate(call.store, portal.id, category.id, categories.sent_related(sent))
    return _shown(call, category)


def delete_category(call: Call) -> Response:
    """Its articles stay and lose their category."""
    check_administrator(call)
    categories.delete(call.store, find_category(call, find_portal(call)))
    return done()


def _shown(call: Call, category: Category) -> Response:
    counts = categories.article_counts(call.store, category.portal_id)
    return answer({"payload": _told(call, category, counts)})


def _told(call: Call, category: Category, counts: dict[int, int]) -> Json:
    is_4_16 = call.world.behaviour.is_4_16
    return category_json(call.store, category, counts.get(category.id, 0), is_4_16=is_4_16)


def _sent(call: Call) -> Params:
    # The colour is from 4.16 (S102).
    columns = {*categories.COLUMNS, *STAMPS} - set(() if call.world.behaviour.is_4_16 else ("icon_color",))
    return required(call, "category", columns)
