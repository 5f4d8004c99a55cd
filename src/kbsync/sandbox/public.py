"""The public pages below `/hc/`: which address shows what. Source: docs/service.md, section 9."""

from dataclasses import replace
from typing import NoReturn
from urllib.parse import urlsplit

from kbsync.hosts import LOOPBACK
from kbsync.site import pages

from . import articles, public_json
from .api_upload import PIXEL
from .article_checks import RESERVED_SLUGS
from .auth import World
from .http import NO_CACHE, REVALIDATE, Halt, Request, Response, redirect
from .public_pages import article_page, category_page, home_page, list_page, missing_page, search_page
from .public_rows import PUBLISHED, SEARCH_PER_PAGE, PublicList, category_at
from .records import Article, Category, Portal
from .refusals import RESCUED_JSON, error_page, unregistered_domain
from .sandbox_overview import overview_page

HTML_TYPE = "text/html; charset=utf-8"
MARKDOWN_TYPE = "text/markdown; charset=utf-8"
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
    if len(path) == 3 and path[1] == "articles" and not _is_reserved(world, path[2]):
        return _article_address(world, request, portal, path[2])
    _check_host(world, request)
    if len(path) == 1:
        return redirect(f"http://{request.host}/hc/{portal.slug}/{portal.default_locale}")
    names = (*path[1:-1], path[-1].removesuffix(".json"))
    if names == ("sitemap.xml",):
        return public_json.show_sitemap(world, request, portal)
    if world.behaviour.is_4_16 and (found := _new_address(world, request, portal, names)):
        return found
    return _listing_address(world, request, portal, names)


def _is_reserved(world: World, name: str) -> bool:
    """Whether an address is no article's but that of a list in a locale called `articles` (S119)."""
    return world.behaviour.is_4_16 and name.removesuffix(".json") in RESERVED_SLUGS


def _new_address(world: World, request: Request, portal: Portal, names: tuple[str, ...]) -> Response | None:
    """What 4.16 has beside the older addresses, or answers in another way (S145)."""
    match names:
        case (locale, "categories") if not request.wants_json:
            return redirect(f"http://{request.host}/hc/{portal.slug}/{locale}", status=301)
        case (locale, "categories", slug) if request.wants_json:
            return public_json.show_category(world, portal, _category(world, portal, locale, slug))
        case (_, "search") if request.wants_json:
            return Response(406, b'{"status":406,"error":"Not Acceptable"}', RESCUED_JSON)
        case (locale, "search"):
            wanted = PublicList.read(locale, request.query, is_4_16=True)
            return _html(search_page(world, portal, replace(wanted, per_page=SEARCH_PER_PAGE)))
    return None


def _category(world: World, portal: Portal, locale: str, slug: str) -> Category:
    category = category_at(world.store, portal, locale, slug)
    if category is None:
        missing(world, portal)
    return category


def _listing_address(world: World, request: Request, portal: Portal, names: tuple[str, ...]) -> Response:
    wants_json = request.wants_json
    match names:
        case (locale,):
            return public_json.show_portal(world, portal) if wants_json else _html(home_page(world, portal, locale))
        case (locale, "articles"):
            wanted = PublicList.read(locale, request.query, is_4_16=world.behaviour.is_4_16)
            if wants_json:
                return public_json.show_articles(world, portal, wanted)
            return _html(list_page(world, portal, wanted))
        case (locale, "categories"):
            return public_json.show_categories(world, portal) if wants_json else _html(home_page(world, portal, locale))
        case (locale, "categories", slug):
            return _html(category_page(world, portal, _category(world, portal, locale, slug)))
        case (locale, "categories", slug, "articles"):
            return _html(list_page(world, portal, PublicList(locale, category_slug=slug)))
    raise error_page(request, 404)


def _article_address(world: World, request: Request, portal: Portal, name: str) -> Response:
    """`<slug>`, `<slug>.html`, `.json`, `.png`, from 4.16 `.md`: what follows a dot is a format, not of the slug."""
    slug, *formats = name.split(".")
    counts_a_visit = formats[:1] == ["png"]
    is_markdown = world.behaviour.is_4_16 and formats[:1] == ["md"]
    if len(formats) > 1 and not ((counts_a_visit or is_markdown) and len(formats) == 2):
        raise error_page(request, 404)
    article = articles.find_by_slug(world.store, slug)
    if article is None and urlsplit(f"//{request.host}").hostname not in _hosts(world):
        raise error_page(request, 500)
    if article is not None and article.portal_id != portal.id:
        raise _foreign(world, request, is_a_page=not (is_markdown or counts_a_visit))
    if article is None:
        missing(world, portal)
    _check_host(world, request)
    if is_markdown:
        return _markdown(article)
    if counts_a_visit:
        return _count_visit(world, article)
    if request.wants_json:
        return public_json.show_article(world, portal, article)
    return _html(article_page(world, portal, article))


def _foreign(world: World, request: Request, *, is_a_page: bool) -> Halt:
    """The answer for the slug of another portal."""
    if is_a_page or not world.behaviour.is_4_16:
        return error_page(request, 500)
    kind = "image/png" if request.segments[-1].partition(".")[2].startswith("png") else "text/html"
    return Halt(Response(404, b"", kind, (NO_CACHE,)))


def _markdown(article: Article) -> Response:
    """The stored bytes of a published article (S144)."""
    if article.status != PUBLISHED:
        return Response(404, b"", "text/html", (NO_CACHE,))
    return Response(200, (article.content or "").encode(), MARKDOWN_TYPE, (REVALIDATE,))


def _count_visit(world: World, article: Article) -> Response:
    if article.status == 1:
        articles.count_view(world.store, article)
    return Response(200, PIXEL, "image/png", (("cache-control", "max-age=86400, private"),))


def missing(world: World, portal: Portal) -> NoReturn:
    """404 inside of a portal.

    Raises:
        Halt: always.
    """
    body = pages.render(missing_page(world, portal)).encode()
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
