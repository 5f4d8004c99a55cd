"""What the pages of the practice panel show: rows of the sandbox put into the values that `kbsync.site` renders."""

import hashlib
from collections.abc import Iterable
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from kbsync.site.languages import language_name
from kbsync.site.pages import Link
from kbsync.site.practice_pages import (
    PracticeEditor,
    PracticeFrame,
    PracticeList,
    PracticeQuestion,
    PracticeRow,
    PracticeSection,
)

from . import articles
from .casts import STATUS_NAMES, leading_integer
from .panel import is_staged, portal_of
from .practice_visit import PREFIX, Visit, go, note, page
from .public_rows import categories_of
from .records import Article, Category, Portal

MOST_ROWS = 1000
"""A list shows this many articles of a locale."""

DONE = {
    "saved": "Saved.",
    "live": "Saved. Readers see it now.",
    "staged": "Saved as unpublished changes. Readers still see the old text.",
    "same": "Nothing has changed.",
    "publish_staged": "The changes are published. Readers see them now.",
    "discard": "The changes are discarded.",
    "published": "Published. Readers see the article now.",
    "draft": "The article is a draft now. Readers do not find it.",
    "archived": "Archived. Readers do not find the article.",
    "moved": "Moved.",
    "create": "Created as a draft.",
    "delete": "Deleted.",
}
"""What was done, by the word in the address after it."""


def show(visit: Visit) -> Response:
    """Answer a GET."""
    match visit.segments:
        case ():
            return _to_first_list(visit)
        case ("portals", slug, locale) if portal := portal_at(visit, slug):
            return page(_list(visit, portal, locale))
        case ("portals", slug, locale, "new", number) if portal := portal_at(visit, slug):
            return page(new_editor(visit, portal, locale, category_at(visit, portal, locale, number)))
        case ("articles", number) if article := article_at(visit, number):
            return page(editor(visit, article))
        case ("articles", number, "delete") if article := article_at(visit, number):
            return page(question(visit, article))
    return missing()


def missing() -> Response:
    """Nothing is at this address."""
    return note(404, "Not found", "The sandbox does not have this. Maybe it was deleted.")


def portal_at(visit: Visit, slug: str) -> Portal | None:
    """A portal that the person may edit."""
    found = visit.world.store.row("SELECT id FROM portals WHERE slug = ?", (slug,))
    portal = visit.world.store.portal_by_id(found[0]) if found else None
    return portal if portal is not None and visit.may_edit(portal.account_id) else None


def article_at(visit: Visit, number: str) -> Article | None:
    """An article that the person may edit."""
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        return None
    article = articles.find_anywhere(visit.world.store, int(number))
    return article if article is not None and visit.may_edit(article.account_id) else None


def category_at(visit: Visit, portal: Portal, locale: str, number: str) -> Category | None:
    """A category of a locale by its id."""
    wanted = leading_integer(number)
    return next((found for found in categories_of(visit.world.store, portal, locale) if found.id == wanted), None)


def list_url(portal: Portal, locale: str) -> str:
    """The list of a locale."""
    return f"{PREFIX}/portals/{quote(portal.slug, safe='')}/{quote(locale, safe='')}"


def article_url(article: Article) -> str:
    """The editor of an article."""
    return f"{PREFIX}/articles/{article.id}"


def version_of(article: Article) -> str:
    """What a form of this article began with; another one means that somebody changed it since."""
    texts = (article.title, article.content, article.draft_title, article.draft_content, article.status)
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()


def shown_texts(article: Article) -> tuple[str, str]:
    """Title and body as the editor shows them: the staged ones before the live ones."""
    title = article.title if article.draft_title is None else article.draft_title
    content = article.content if article.draft_content is None else article.draft_content
    return title or "", content or ""


def editor(visit: Visit, article: Article, typed: tuple[str, str] | None = None, problem: str = "") -> PracticeEditor:
    """The form of an article; `typed` is what somebody wrote that was not saved."""
    portal, status = portal_of(visit.world, article), STATUS_NAMES.get(article.status or 0, "draft")
    stages = status == "published" and visit.world.behaviour.is_4_16
    title, content = typed or shown_texts(article)
    public = f"/hc/{portal.slug}/articles/{quote(article.slug, safe='')}"
    return PracticeEditor(
        _frame(visit, portal, article.locale, article.title or "", problem=problem, reader_url=public),
        article_url(article),
        title,
        content,
        article.category.name or "No category",
        _hint(status, stages=stages),
        version_of(article),
        article.slug,
        status,
        is_staged(article),
        stages,
    )


def _hint(status: str, *, stages: bool) -> str:
    if stages:
        return "Readers keep seeing the published text until you publish the changes."
    return "Readers see this as soon as you save." if status == "published" else "Readers do not see this article."


def new_editor(
    visit: Visit,
    portal: Portal,
    locale: str,
    category: Category | None,
    typed: tuple[str, str] = ("", ""),
    problem: str = "",
) -> PracticeEditor:
    """The form of a new article."""
    return PracticeEditor(
        _frame(visit, portal, locale, "New article", problem=problem),
        f"{list_url(portal, locale)}/new/{category.id if category else 0}",
        *typed,
        category.name if category else "No category",
        "It becomes a draft on the portal. Your files do not have it.",
    )


def question(visit: Visit, article: Article) -> PracticeQuestion:
    """Whether the article is to be deleted."""
    frame = _frame(visit, portal_of(visit.world, article), article.locale, "Delete this article?")
    return PracticeQuestion(frame, article_url(article), article.title or "", version_of(article))


def _to_first_list(visit: Visit) -> Response:
    portals = _portals(visit)
    if not portals:
        return note(404, "No portal", "The sandbox has no portal yet. Run `kbsync push` first.")
    return go(visit, list_url(portals[0], portals[0].default_locale))


def _portals(visit: Visit) -> list[Portal]:
    rows = visit.world.store.rows("SELECT slug FROM portals ORDER BY id")
    return [portal for (slug,) in rows if (portal := portal_at(visit, slug)) is not None]


def _frame(
    visit: Visit, portal: Portal, locale: str, title: str, *, problem: str = "", reader_url: str = ""
) -> PracticeFrame:
    locales = portal.allowed_locales or [portal.default_locale]
    return PracticeFrame(
        title,
        list_url(portal, locale),
        visit.next_step,
        reader_url or f"/hc/{portal.slug}/{quote(locale, safe='')}",
        tuple(
            Link(found.name, list_url(found, found.default_locale), mark="current" if found.id == portal.id else "")
            for found in _portals(visit)
        ),
        tuple(
            Link(language_name(code), list_url(portal, code), mark="current" if code == locale else "")
            for code in locales
        ),
        "" if problem else DONE.get(visit.form.get("done", ""), ""),
        problem,
        visit.token,
    )


def _list(visit: Visit, portal: Portal, locale: str) -> PracticeList:
    """The articles of a locale. Their bodies are not read."""
    store = visit.world.store
    sql = (
        "SELECT id, coalesce(draft_title, title), slug, status, category_id, "
        "draft_title IS NOT NULL OR draft_content IS NOT NULL FROM articles WHERE portal_id = ? AND locale = ? "
        "ORDER BY position IS NULL, position, id"
    )
    rows = store.rows(sql, (portal.id, locale))
    by_category: dict[int | None, list[PracticeRow]] = {}
    for article_id, title, slug, status, category_id, staged in rows[:MOST_ROWS]:
        state = STATUS_NAMES.get(status, "draft")
        found = PracticeRow(article_id, title or slug, slug, f"{PREFIX}/articles/{article_id}", state, bool(staged))
        by_category.setdefault(category_id, []).append(found)
    url = list_url(portal, locale)
    sections = [
        PracticeSection(
            category.name, f"{url}/new/{category.id}", tuple(by_category.pop(category.id, ())), icon=category.icon or ""
        )
        for category in categories_of(store, portal, locale)
    ]
    others = _flat(by_category.values())
    if others or sections:
        sections.append(PracticeSection("No category", f"{url}/new/0", others, is_ordered=False))
    frame = _frame(visit, portal, locale, f"{portal.name}: {language_name(locale)}")
    return PracticeList(frame, tuple(sections), max(0, len(rows) - MOST_ROWS))


def _flat(groups: Iterable[list[PracticeRow]]) -> tuple[PracticeRow, ...]:
    return tuple(row for group in groups for row in group)
