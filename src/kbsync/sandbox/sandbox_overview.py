"""The sandbox's own page: every article of every portal, drafts included."""

from kbsync.site.languages import language_name
from kbsync.site.pages import Frame, Link, OverviewPage, Section

from .api_json import status_name
from .articles import SELECT, as_article
from .auth import World
from .public_pages import PRACTICE, article_url, category_url, home_url
from .public_rows import categories_of
from .records import Article, Portal

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
