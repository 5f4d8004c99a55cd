"""The public pages below `/hc/`: which address shows what. Source: docs/service.md, section 9."""

from typing import NoReturn
from urllib.parse import urlsplit

from kbsync.hosts import LOOPBACK
from kbsync.site import pages

from . import articles, public_json
from .api_upload import PIXEL
from .auth import World
from .http import REVALIDATE, Halt, Request, Response, redirect
from .public_pages import article_page, category_page, home_page, list_page, missing_page, overview_page
from .public_rows import PublicList, category_at
from .records import Article, Portal
from .refusals import error_page, unregistered_domain

HTML_TYPE = "text/html; charset=utf-8"
CONTENT_POLICY = (
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src *; frame-src *; media-src *",
)
"""Articles may hold links of type `javascript:`, which the real portal passes on too; here they do nothing."""


def show_public(world: World, request: Request) -> Response:
    """Answer a public page.

    Raises:
        Halt: 404 and 500 pages; 401 under an unknown host name.
    """
    path = request.segments[1:]
    portal = world.store.public_portal(path[0]) if path else None
    if portal is None:
        raise error_page(request, 404)
    if len(path) == 3 and path[1] == "articles":
        return _article_address(world, request, portal, path[2])
    _check_host(world, request)
    if len(path) == 1:
        return redirect(f"http://{request.host}/hc/{portal.slug}/{portal.default_locale}")
    names = (*path[1:-1], path[-1].removesuffix(".json"))
    if names == ("sitemap.xml",):
        return public_json.show_sitemap(world, request, portal)
    return _listing_address(world, request, portal, names)


def _listing_address(world: World, request: Request, portal: Portal, names: tuple[str, ...]) -> Response:
    wants_json = request.wants_json
    match names:
        case (locale,):
            return public_json.show_portal(world, portal) if wants_json else _html(home_page(world, portal, locale))
        case (locale, "articles"):
            wanted = PublicList.read(locale, request.query)
            if wants_json:
                return public_json.show_articles(world, portal, wanted)
            return _html(list_page(world, portal, wanted))
        case (locale, "categories"):
            return public_json.show_categories(world, portal) if wants_json else _html(home_page(world, portal, locale))
        case (locale, "categories", slug):
            category = category_at(world.store, portal, locale, slug)
            if category is None:
                missing(portal)
            return _html(category_page(world, portal, category))
        case (locale, "categories", slug, "articles"):
            return _html(list_page(world, portal, PublicList(locale, category_slug=slug)))
    raise error_page(request, 404)


def _article_address(world: World, request: Request, portal: Portal, name: str) -> Response:
    """`<slug>`, `<slug>.html`, `<slug>.json` or `<slug>.png`: what follows a dot is a format, not of the slug."""
    slug, *formats = name.split(".")
    counts_a_visit = formats[:1] == ["png"]
    if len(formats) > 1 and not (counts_a_visit and len(formats) == 2):
        raise error_page(request, 404)
    article = articles.find_by_slug(world.store, slug)
    if article is None and urlsplit(f"//{request.host}").hostname not in _hosts(world):
        raise error_page(request, 500)
    if article is not None and article.portal_id != portal.id:
        raise error_page(request, 500)
    if article is None:
        missing(portal)
    _check_host(world, request)
    if counts_a_visit:
        return _count_visit(world, article)
    if request.wants_json:
        return public_json.show_article(world, portal, article)
    return _html(article_page(world, portal, article))


def _count_visit(world: World, article: Article) -> Response:
    if article.status == 1:
        articles.count_view(world.store, article)
    return Response(200, PIXEL, "image/png", (("cache-control", "max-age=86400, private"),))


def missing(portal: Portal) -> NoReturn:
    """404 inside of a portal.

    Raises:
        Halt: always.
    """
    body = pages.render(missing_page(portal)).encode()
    raise Halt(Response(404, body, HTML_TYPE, (("cache-control", "no-cache"),)))


def show_index(world: World) -> Response:
    """The sandbox's own page: every article of every portal."""
    return _html(overview_page(world))


def _html(page: pages.Page) -> Response:
    return Response(200, pages.render(page).encode(), HTML_TYPE, (REVALIDATE, CONTENT_POLICY))


def _hosts(world: World) -> set[str]:
    rows = world.store.rows("SELECT custom_domain FROM portals WHERE custom_domain IS NOT NULL")
    return {*LOOPBACK, *(domain for (domain,) in rows)}


def _check_host(world: World, request: Request) -> None:
    host = urlsplit(f"//{request.host}").hostname or ""
    if host not in _hosts(world):
        raise unregistered_domain(host)
