"""The article endpoints. Source: docs/service.md, section 4."""

from starlette.responses import Response

from . import articles, listing
from .api_json import Json, article_json, linked_json, list_meta
from .api_portals import portal_outline
from .articles import TEXT_LIMITS
from .auth import Call, check_administrator
from .casts import leading_integer
from .http import Params, answer, done, refusal
from .params import required, wrapped
from .records import Article, Portal
from .refusals import not_found


def find_article(call: Call, portal: Portal) -> Article:
    """The article in the path: by number, letters after it do not matter.

    Raises:
        Halt: 404.
    """
    article = articles.find(call.store, portal.id, leading_integer(call.names["article"]))
    if article is None:
        raise not_found()
    return article


def list_articles(call: Call) -> Response:
    """One page, contents included."""
    portal = call.portal(not_found)
    offset = listing.read_page(call.query, listing.PER_PAGE)
    filters = listing.read_filters(call.query)
    window = listing.Window(offset, ties=call.world.behaviour.ties)
    page = listing.page_of_articles(call.store, portal.id, filters, window)
    counters = listing.count(call.store, portal.id, filters, call.user.id)
    return answer({"payload": _payload(call, page), "meta": list_meta(counters, call.query.get("page", 1))})


def show_article(call: Call) -> Response:
    """One article; also what `/edit` answers."""
    portal = call.portal(not_found)
    check_administrator(call)
    return _shown(call, find_article(call, portal))


def create_article(call: Call) -> Response:
    """A new article, and the errors after which it exists all the same (docs/service.md, S5)."""
    portal = call.portal(not_found)
    check_administrator(call)
    sent = required(call, "article", _columns(call))
    fields = _sent_fields(call, sent)
    if _draft_asked(call, sent):
        fields["status"] = 0
    article = _linked_to_root(call, portal, articles.create(call.world, portal, fields))
    if len(article.slug) > TEXT_LIMITS["slug"]:
        return refusal(422, {"error": {"slug": ["is too long (maximum is 255 characters)"]}})
    return _shown(call, article)


def _linked_to_root(call: Call, portal: Portal, article: Article) -> Article:
    if article.associated_article_id is None:
        return article
    root = articles.find(call.store, portal.id, article.associated_article_id)
    if root is None:
        raise not_found()
    return articles.link_root(call.store, article, root)


def _draft_asked(call: Call, sent: Params) -> bool:
    """No status or null is a draft; an empty text is not, it leaves the article without any status."""
    return sent.get("status") is None or call.world.behaviour.create_status == "draft"


def update_article(call: Call) -> Response:
    """PATCH and PUT are both partial; a body that says nothing changes nothing and is 200.

    Staged changes alone are written past everything else (docs/service.md, S105).
    """
    portal = call.portal(not_found)
    check_administrator(call)
    article = find_article(call, portal)
    sent = wrapped(call, "article", _columns(call))
    fields = _sent_fields(call, sent or {})
    if fields and set(fields) <= set(articles.DRAFTS):
        article = articles.stage(call.world, article, fields)
    elif fields or (sent and call.world.behaviour.is_4_16):
        article = articles.update(call.world, portal, article, fields)
    return _shown(call, article)


def _columns(call: Call) -> set[str]:
    """Those of staged changes are from 4.16 (S101)."""
    return {*articles.COLUMNS, "folder_id"} - set(() if call.world.behaviour.is_4_16 else articles.DRAFTS)


def _sent_fields(call: Call, sent: Params) -> articles.Fields:
    return articles.sent_fields(sent, is_4_16=call.world.behaviour.is_4_16)


def delete_article(call: Call) -> Response:
    """Gone at once, slug included."""
    portal = call.portal(not_found)
    check_administrator(call)
    articles.delete(call.store, find_article(call, portal))
    return done()


def _shown(call: Call, article: Article) -> Response:
    return answer({"payload": _payload(call, [article])[0]})


def _payload(call: Call, page: list[Article]) -> list[Json]:
    roots = articles.translations(call.store, [article.id for article in page]) if page else {}
    payload = []
    for article in page:
        linked = [_linked(call, other) for other in roots.get(article.id, [])]
        payload.append(article_json(article, call, linked))
    return payload


def _linked(call: Call, article: Article) -> Json:
    portal = call.store.portal_by_id(article.portal_id)
    outline = portal_outline(call.world, portal) if portal else {}
    return linked_json(article, call, outline)
