"""The category endpoints. Source: docs/service.md, section 3."""

from . import categories
from .api_json import category_json
from .auth import Call, check_administrator
from .casts import leading_integer
from .http import Response, answer, done
from .listing import Window, read_page
from .params import CATEGORY_COLUMNS, required
from .records import Category, Portal
from .refusals import crashed, not_found


def find_portal(call: Call) -> Portal:
    """The portal in the path.

    Raises:
        Halt: 500; that is what an unknown portal is here.
    """
    portal = call.store.portal(call.account_id, call.names["portal"])
    if portal is None:
        raise crashed()
    return portal


def find_category(call: Call, portal: Portal) -> Category:
    """The category in the path, by number.

    Raises:
        Halt: 404.
    """
    category_id = leading_integer(call.names["category"])
    category = categories.by_id(call.store, category_id) if 0 < category_id < 2**63 else None
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
    payload = [category_json(call.store, category, counts.get(category.id, 0)) for category in page]
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
    sent = required(call.request, call.params, "category", CATEGORY_COLUMNS)
    fields, related = categories.sent_fields(sent), categories.sent_related(sent)
    return _shown(call, categories.create(call.store, portal, fields, related))


def update_category(call: Call) -> Response:
    """PATCH and PUT are both partial; unlike an article, an empty body is refused."""
    check_administrator(call)
    portal = find_portal(call)
    category = find_category(call, portal)
    sent = required(call.request, call.params, "category", CATEGORY_COLUMNS)
    category = categories.update(call.store, portal, category, categories.sent_fields(sent))
    categories.relate(call.store, portal.id, category.id, categories.sent_related(sent))
    return _shown(call, category)


def delete_category(call: Call) -> Response:
    """Its articles stay and lose their category."""
    check_administrator(call)
    categories.delete(call.store, find_category(call, find_portal(call)))
    return done()


def _shown(call: Call, category: Category) -> Response:
    counts = categories.article_counts(call.store, category.portal_id)
    return answer({"payload": category_json(call.store, category, counts.get(category.id, 0))})
