"""The public pages as JSON, and the sitemap. Source: tests/fixtures/observed, `public …`."""

from datetime import UTC, datetime
from html import escape

from starlette.requests import Request
from starlette.responses import Response

from .api_json import Json, status_name
from .auth import World
from .categories import article_counts
from .http import REVALIDATE, answer, respond
from .public_rows import PUBLISHED, PublicList, categories_of, count_published, listed, published
from .records import Article, Category, Portal, some_of
from .rendering import body_text

SITEMAP_NAMES = "http://www.sitemaps.org/schemas/sitemap/0.9"


def show_article(world: World, portal: Portal, article: Article) -> Response:
    """One article, whatever its status: the only look-up by slug there is."""
    return answer(_article(article, _portal(world, portal), portal))


def show_articles(world: World, portal: Portal, wanted: PublicList) -> Response:
    """The published articles of a locale; the count is that of the locale, not of the search."""
    found, everything = listed(world.store, portal, wanted)
    if wanted.query and world.behaviour.is_4_16:
        payload = [_found(world, article, portal) for article in found]
        return answer({"payload": payload, "meta": {"articles_count": everything}})
    outline = _portal(world, portal)
    payload = [_article(article, outline, portal) for article in found]
    return answer({"payload": payload, "meta": {"articles_count": everything}})


def _found(world: World, article: Article, portal: Portal) -> Json:
    """What a search of 4.16 tells of an article (S146)."""
    found: Json = some_of(article, "id category_id title")
    link = f"/hc/{portal.slug}/articles/{article.slug}"
    return found | {"content": body_text(world, article.content), "link": link}


def show_category(world: World, portal: Portal, category: Category) -> Response:
    """One category."""
    counts = article_counts(world.store, portal.id, PUBLISHED)
    return answer(_category(category, counts))


def show_categories(world: World, portal: Portal) -> Response:
    """All categories, of all locales."""
    return answer({"payload": _categories(world, portal)})


def show_portal(world: World, portal: Portal) -> Response:
    """The portal itself."""
    return answer(_portal(world, portal))


def show_sitemap(world: World, request: Request, portal: Portal) -> Response:
    """The published articles' addresses; the elements have their right names only from 4.16."""
    root, entry = ("urlset", "url") if world.behaviour.is_4_16 else ("sitemapindex", "sitemap")
    attribute = f' xmlns="{SITEMAP_NAMES}"' if world.behaviour.is_4_16 else ""
    entries = []
    for article in sorted(published(world.store, portal), key=lambda found: found.id):
        location = escape(f"http://{request.headers['host']}/hc/{portal.slug}/articles/{article.slug}", quote=False)
        entries.append(
            f"    <{entry}>\n      <loc>{location}</loc>\n"
            f"      <lastmod>{_moment(article):%Y-%m-%d}</lastmod>\n    </{entry}>\n"
        )
    end = "\n" if world.behaviour.is_4_16 else ""
    page = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}{attribute}>\n{"".join(entries)}</{root}>{end}'
    return respond(200, page, "application/xml; charset=utf-8", REVALIDATE)


def _moment(article: Article) -> datetime:
    return datetime.fromtimestamp(article.updated_at / 1_000_000, UTC)


def _article(article: Article, outline: Json, portal: Portal) -> Json:
    found: Json = some_of(article, "id category_id title content description") | {"status": status_name(article)}
    found |= some_of(article, "position account_id")
    found["last_updated_at"] = _moment(article).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    found |= {"slug": article.slug, "portal": outline}
    category = article.category
    if category.slug is not None:
        found["category"] = some_of(category, "id slug locale")
    found["views"] = article.views
    if article.author is not None:
        name = article.author.name
        found["author"] = {"available_name": name, "name": name, "thumbnail": ""}
    return found | {"link": f"hc/{portal.slug}/articles/{article.slug}"}


def _portal(world: World, portal: Portal) -> Json:
    categories = _categories(world, portal)
    found: Json = some_of(portal, "custom_domain header_text homepage_link name page_title slug")
    found["custom_domain"] = portal.custom_domain or None
    if categories:
        found["categories"] = categories
    meta = {"articles_count": count_published(world.store, portal), "categories_count": len(categories)}
    return found | {"meta": meta | {"default_locale": portal.default_locale}}


def _categories(world: World, portal: Portal) -> list[Json]:
    counts = article_counts(world.store, portal.id, PUBLISHED)
    return [_category(category, counts) for category in categories_of(world.store, portal)]


def _category(category: Category, counts: dict[int, int]) -> Json:
    return some_of(category, "name slug locale description position") | {
        "meta": {"articles_count": counts.get(category.id, 0)}
    }
