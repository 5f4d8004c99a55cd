"""The public pages below `/hc/`: which address shows what. Source: docs/service.md, section 9.

Also: the sandbox's own page: every article of every portal, drafts included.
"""

import hashlib
from dataclasses import replace
from typing import NoReturn
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from kbsync.hosts import LOOPBACK
from kbsync.site import pages
from kbsync.site.languages import language_name
from kbsync.site.pages import Frame, Link, OverviewPage, Section

from . import articles, public_json
from .api_json import status_name
from .api_upload import PIXEL
from .articles import RESERVED_SLUGS, SELECT, as_article
from .auth import World
from .http import HTML_TYPE, NO_CACHE, REVALIDATE, Halt, Params, parts_of, redirect, respond, wants_json
from .public_pages import (
    PRACTICE,
    article_page,
    article_url,
    category_page,
    category_url,
    home_page,
    home_url,
    list_page,
    missing_page,
    search_page,
)
from .public_rows import PUBLISHED, SEARCH_PER_PAGE, PublicList, categories_of, category_at
from .records import Article, Category, Portal
from .refusals import RESCUED_JSON, error_page, unregistered_domain

OVERVIEW_ROWS = 1000
"""The overview shows this many of each portal."""


def overview_page(world: World) -> OverviewPage:
    """The articles of every portal, drafts included: by language and category, in the order of the panel."""
    sections: list[Section] = []
    for (portal_id,) in world.store.rows("SELECT id FROM portals ORDER BY id"):
        portal = world.store.portal_by_id(portal_id)
        if portal is not None:
            sections += _overview(world, portal)
    frame = Frame("kbsync sandbox", "/-/sandbox", "en", "kbsync sandbox", practice_url=PRACTICE)
    return OverviewPage(frame, "All articles in this sandbox", tuple(sections))


def _overview(world: World, portal: Portal) -> list[Section]:
    """The categories of a portal with all their articles, then the articles without one, language by language."""
    order = "ORDER BY a.position IS NULL, a.position, a.id LIMIT ?"
    rows = world.store.rows(f"{SELECT} WHERE a.portal_id = ? {order}", (portal.id, OVERVIEW_ROWS))
    groups: dict[tuple[str, int | None], list[Link]] = {}
    for article in map(as_article, rows):
        place = article.category_id if article.category.slug is not None else None
        groups.setdefault((article.locale, place), []).append(_link(portal, article))
    categories = categories_of(world.store, portal)
    sections = []
    for locale in dict.fromkeys([*(portal.allowed_locales or []), *sorted(locale for locale, _ in groups)]):
        heading = f"{portal.name}, {language_name(locale)}"
        for found in (category for category in categories if (locale, category.id) in groups):
            links = tuple(groups.pop((locale, found.id)))
            url = category_url(portal, found.locale, found.slug)
            sections.append(Section(f"{heading}: {found.name}", url, articles=links))
        if links := tuple(groups.pop((locale, None), ())):
            sections.append(Section(f"{heading}: no category", home_url(portal, locale), articles=links))
    return sections


def _link(portal: Portal, article: Article) -> Link:
    note = f"{article.locale} · {article.slug}"
    return Link(article.title or "", article_url(portal, article), note, status_name(article) or "no status")


MARKDOWN_TYPE = "text/markdown; charset=utf-8"
PAGE = REVALIDATE | {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src *; frame-src *; media-src *"
}
"""Articles may hold links of type `javascript:`, which the real portal passes on too; here they do nothing."""


ITS_FORMATS_4_10 = {"png": "image/png"}
ITS_FORMATS = ITS_FORMATS_4_10 | {"md": "text/html"}
"""What an article is besides a page, and the type of the answer where the article is of another portal."""


def show_public(world: World, request: Request) -> Response:
    """Answer a public page.

    Raises:
        Halt: 404 and 500 pages; 401 under an unknown host name.
    """
    path = parts_of(request.path_params["path"])
    portal = world.store.public_portal(path[0])
    if portal is None:
        raise error_page(request, 404)
    if not _may_read(world, request):
        return _password_page(request, portal, "This help center asks for a password.", 401)
    if len(path) == 3 and path[1] == "articles" and not _is_reserved(world, path[2]):
        return _article_address(world, request, portal, path[2])
    _check_host(world, request)
    if len(path) == 1:
        return redirect(f"http://{request.headers['host']}/hc/{portal.slug}/{portal.default_locale}")
    names = (*path[1:-1], path[-1].removesuffix(".json"))
    if names == ("sitemap.xml",):
        return public_json.show_sitemap(world, request, portal)
    if world.behaviour.is_4_16 and (found := _new_address(world, request, portal, names)):
        return found
    return _listing_address(world, request, portal, names)


LOCKED = {"x-robots-tag": "noindex, nofollow", "cache-control": "no-store"}
ACCESS = "portal_access"


def _may_read(world: World, request: Request) -> bool:
    """Whether a reader needs no password, or has typed it (S158)."""
    password = world.behaviour.reader_password
    return not password or request.cookies.get(ACCESS) == _digest(password)


def _digest(password: str) -> str:
    return hashlib.blake2b(password.encode(), digest_size=16).hexdigest()


PASSWORD_PAGE = """\
<!DOCTYPE html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>Password</title>
<form method="post" action="/hc/{portal}/unlock" style="font: 1rem sans-serif; margin: 20vh auto; width: 18rem">
<label>{words}<br><input name="password" type="password" autofocus required></label> <button>Open</button>
</form></html>
"""


def _password_page(request: Request, portal: Portal, words: str, status: int) -> Response:
    """The page that asks for it; a program gets no word."""
    is_page = not wants_json(request) and "." not in request.path_params.get("path", "").rpartition("/")[2]
    text = PASSWORD_PAGE.format(portal=quote(portal.slug, safe=""), words=words)
    return respond(status, text if is_page else b"", HTML_TYPE, LOCKED)


def unlock(world: World, request: Request, sent: Params) -> Response:
    """Take a reader's password: the cookie of the answer opens all pages (S158)."""
    portal = world.store.public_portal(request.path_params["portal"])
    if portal is None:
        raise error_page(request, 404)
    password = world.behaviour.reader_password
    if password and sent.get("password") != password:
        return _password_page(request, portal, "This is not the password.", 422)
    response = redirect(f"http://{request.headers['host']}/hc/{portal.slug}")
    if password:
        response.set_cookie(ACCESS, _digest(password), httponly=True, samesite="lax")
    return response


def _is_reserved(world: World, name: str) -> bool:
    """Whether an address is no article's but that of a list in a locale called `articles` (S119)."""
    return world.behaviour.is_4_16 and name.removesuffix(".json") in RESERVED_SLUGS


def _new_address(world: World, request: Request, portal: Portal, names: tuple[str, ...]) -> Response | None:
    """What 4.16 has beside the older addresses, or answers in another way (S145)."""
    match names:
        case (locale, "categories") if not wants_json(request):
            return redirect(f"http://{request.headers['host']}/hc/{portal.slug}/{locale}", status=301)
        case (locale, "categories", slug) if wants_json(request):
            return public_json.show_category(world, portal, _category(world, portal, locale, slug))
        case (_, "search") if wants_json(request):
            return respond(406, b'{"status":406,"error":"Not Acceptable"}', RESCUED_JSON)
        case (locale, "search"):
            wanted = PublicList.read(locale, request.state.query, is_4_16=True)
            return _html(search_page(world, portal, replace(wanted, per_page=SEARCH_PER_PAGE)))
    return None


def _category(world: World, portal: Portal, locale: str, slug: str) -> Category:
    category = category_at(world.store, portal, locale, slug)
    if category is None:
        missing(world, portal)
    return category


def _listing_address(world: World, request: Request, portal: Portal, names: tuple[str, ...]) -> Response:
    is_json = wants_json(request)
    match names:
        case (locale,):
            return public_json.show_portal(world, portal) if is_json else _html(home_page(world, portal, locale))
        case (locale, "articles"):
            wanted = PublicList.read(locale, request.state.query, is_4_16=world.behaviour.is_4_16)
            if is_json:
                return public_json.show_articles(world, portal, wanted)
            return _html(list_page(world, portal, wanted))
        case (locale, "categories"):
            return public_json.show_categories(world, portal) if is_json else _html(home_page(world, portal, locale))
        case (locale, "categories", slug):
            return _html(category_page(world, portal, _category(world, portal, locale, slug)))
        case (locale, "categories", slug, "articles"):
            return _html(list_page(world, portal, PublicList(locale, category_slug=slug)))
    raise error_page(request, 404)


def _article_address(world: World, request: Request, portal: Portal, name: str) -> Response:
    """`<slug>`, `<slug>.html`, `.json`, `.png`, from 4.16 `.md`: what follows a dot is a format, not of the slug."""
    slug, *formats = name.split(".")
    kind = (ITS_FORMATS if world.behaviour.is_4_16 else ITS_FORMATS_4_10).get(formats[0], "") if formats else ""
    if len(formats) > (2 if kind else 1):
        raise error_page(request, 404)
    article = _article_at(world, request, portal, slug, kind)
    _check_host(world, request)
    if kind == "text/html":
        return _markdown(article)
    if kind:
        return _count_visit(world, article)
    if wants_json(request):
        return public_json.show_article(world, portal, article)
    return _html(article_page(world, portal, article))


def _article_at(world: World, request: Request, portal: Portal, slug: str, kind: str) -> Article:
    article = articles.find_by_slug(world.store, slug)
    if article is None:
        if urlsplit(f"//{request.headers['host']}").hostname not in _hosts(world):
            raise error_page(request, 500)
        missing(world, portal)
    if article.portal_id != portal.id:
        raise _foreign(world, request, kind)
    return article


def _foreign(world: World, request: Request, kind: str) -> Halt:
    """The answer for the slug of another portal; `kind` is "" for a page."""
    if not kind or not world.behaviour.is_4_16:
        return error_page(request, 500)
    return Halt(respond(404, kind=kind, headers=NO_CACHE))


def _markdown(article: Article) -> Response:
    """The stored bytes of a published article (S144)."""
    if article.status != PUBLISHED:
        return respond(404, kind="text/html", headers=NO_CACHE)
    return respond(200, article.content or "", MARKDOWN_TYPE, REVALIDATE)


def _count_visit(world: World, article: Article) -> Response:
    if article.status == 1:
        articles.count_view(world.store, article)
    return respond(200, PIXEL, "image/png", {"cache-control": "max-age=86400, private"})


def missing(world: World, portal: Portal) -> NoReturn:
    """404 inside of a portal.

    Raises:
        Halt: always.
    """
    raise Halt(respond(404, pages.render(missing_page(world, portal)), HTML_TYPE, NO_CACHE))


def show_index(world: World) -> Response:
    """The sandbox's own page: every article of every portal."""
    return _html(overview_page(world))


def _html(page: pages.Page) -> Response:
    return respond(200, pages.render(page), HTML_TYPE, PAGE)


def _hosts(world: World) -> set[str]:
    rows = world.store.rows("SELECT custom_domain FROM portals WHERE custom_domain IS NOT NULL")
    return {*LOOPBACK, *(domain for (domain,) in rows)}


def _check_host(world: World, request: Request) -> None:
    host = urlsplit(f"//{request.headers['host']}").hostname or ""
    if host not in _hosts(world):
        raise unregistered_domain(host)
