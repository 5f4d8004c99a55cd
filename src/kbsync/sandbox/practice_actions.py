"""What the forms of the practice panel do, as the real panel does it. Source: docs/service.md, sections 14 and 16."""

import msgspec
from starlette.responses import Response

from .http import Halt
from .panel import is_staged, portal_of
from .practice_views import (
    article_at,
    article_url,
    category_at,
    editor,
    list_url,
    missing,
    new_editor,
    portal_at,
    shown_texts,
    version_of,
)
from .practice_visit import Visit, go, note, page
from .public_rows import PUBLISHED
from .records import Article, Category, Portal

CHANGED = (
    "Somebody changed this article since you opened it, and nothing was done. What you wrote is still in the form. "
    "Press the button again to do it anyway."
)
STATUSES = frozenset({"published", "draft", "archived"})


class Refused(msgspec.Struct):
    """What the service says where it refuses a request."""

    message: str = ""


def act(visit: Visit) -> Response:
    """Answer a POST: do what the button says, then show a page that can be reloaded."""
    match visit.segments:
        case ("portals", slug, locale, "new", number) if portal := portal_at(visit, slug):
            return _create(visit, portal, locale, category_at(visit, portal, locale, number))
        case ("articles", number) if article := article_at(visit, number):
            return _change(visit, article)
    return missing()


def _change(visit: Visit, article: Article) -> Response:
    todo, portal = visit.form.get("do", ""), portal_of(visit.world, article)
    back = list_url(portal, article.locale)
    if todo in {"up", "down", "place"}:
        _move(visit, article, todo)
        return go(visit, f"{back}?done=moved#a{article.id}")
    typed = _typed(visit) if todo == "save" else None
    if visit.form.get("version") != version_of(article):
        return page(editor(visit, article, typed, CHANGED), 409)
    try:
        done = _carry_out(visit, article, todo)
    except Halt as halt:
        return page(editor(visit, article, typed, _reason(halt)), 422)
    if not done:
        return note(400, "Nothing was changed", "The practice panel has no such button.")
    if todo == "delete":
        return go(visit, f"{back}?done=delete")
    return go(visit, f"{article_url(article)}?done={done}")


def _carry_out(visit: Visit, article: Article, todo: str) -> str:
    """Do what a button of the editor says; what was done, "" for an unknown button.

    Raises:
        Halt: the service refuses it.
    """
    panel = visit.panel
    match todo:
        case "save":
            return _save(visit, article)
        case "publish_staged":
            panel.publish_staged(article.slug)
        case "discard":
            panel.discard_staged(article.slug)
        case "delete":
            panel.delete(article.slug)
        case status if status in STATUSES:
            panel.edit(article.slug, status=status)
        case _:
            return ""
    return todo


def _save(visit: Visit, article: Article) -> str:
    """Send what was typed; a text that was not touched is not sent."""
    shown_title, shown_content = shown_texts(article)
    title, content = _typed(visit)
    # A line of a form has no line breaks, and its longer text has only those of one kind.
    title_moved = title != "".join(shown_title.splitlines())
    content_moved = content != _unix(shown_content)
    if not title_moved and not content_moved:
        return "same"
    after = visit.panel.write(
        article.slug, title=title if title_moved else None, content=content if content_moved else None
    )
    if article.status != PUBLISHED:
        return "saved"
    if not visit.world.behaviour.is_4_16:
        return "live"
    return "staged" if is_staged(after) else "discard"


def _typed(visit: Visit) -> tuple[str, str]:
    return visit.form.get("title", ""), _unix(visit.form.get("content", ""))


def _unix(text: str) -> str:
    """A text as it was before the form: forms send every line break as CRLF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _move(visit: Visit, article: Article, todo: str) -> None:
    if article.category_id is None:
        return
    place = visit.panel.place(article.slug)
    match todo:
        case "up":
            visit.panel.put(article.slug, place - 1)
        case "down":
            visit.panel.put(article.slug, place + 1)
        case _ if visit.form.get("place", "").isdecimal():
            visit.panel.put(article.slug, int(visit.form["place"][:9]))


def _create(visit: Visit, portal: Portal, locale: str, category: Category | None) -> Response:
    title, content = _typed(visit)
    beside = {"category_id": category.id} if category else {"locale": locale}
    try:
        made = visit.panel.create(portal.slug, title, content, **beside)
    except Halt as halt:
        return page(new_editor(visit, portal, locale, category, (title, content), _reason(halt)), 422)
    return go(visit, f"{article_url(made)}?done=create")


def _reason(halt: Halt) -> str:
    """What the service said, as a sentence."""
    try:
        message = msgspec.json.decode(halt.response.body, type=Refused).message
    except msgspec.DecodeError:
        message = ""
    return f"The service refused this: {message or f'error {halt.response.status_code}'}. Nothing was saved."
