"""Acting as a person in the service's panel: what tests need when somebody edits beside kbsync.

What the panel of 4.16 sends is in the table of docs/service.md, section 14.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from . import api_bulk, api_order, articles, listing
from .auth import World
from .casts import STATUSES
from .records import Article, Portal
from .rendering import body_html

T = TypeVar("T")


class Runner(Protocol):
    """Runs a function in the server's thread, which alone may use the database."""

    def __call__(self, work: Callable[[World], T]) -> T:
        """What the function returned."""
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """A person who creates, edits, publishes and deletes articles. Articles are named by their slug.

    `edit` changes an article at once, as any client may; `write` is what the editor of 4.16 does.
    """

    run: Runner
    author_id: int

    def create(self, portal: str, title: str, content: str, **fields: Any) -> Article:
        """Write a new article; without a slug it gets a machine-made one."""
        sent = {"title": title, "content": content, "author_id": self.author_id, "status": 0} | fields
        return self.run(lambda world: articles.create(world, _portal(world, portal), _sent(world, sent)))

    def edit(self, slug: str, **fields: Any) -> Article:
        """Change fields of an article."""

        def work(world: World) -> Article:
            article = _article(world, slug)
            return articles.update(world, portal_of(world, article), article, _sent(world, fields))

        return self.run(work)

    def write(self, slug: str, *, title: str | None = None, content: str | None = None) -> Article:
        """Type into the editor: staged where the article is published, else saved together with what was staged.

        Before 4.16 nothing is staged.
        """

        def work(world: World) -> Article:
            article = _article(world, slug)
            written = _written(article, title, content)
            if article.status != STATUSES["published"] or not world.behaviour.is_4_16:
                return _patch(world, article, written | NO_DRAFTS)
            if _is_live(world, article, written):
                return _patch(world, article, NO_DRAFTS)
            return _patch(world, article, {f"draft_{name}": text for name, text in written.items()})

        return self.run(work)

    def publish_staged(self, slug: str, **fields: Any) -> Article:
        """Press *Publish changes*; `fields` may change the status at once."""
        return self.run(lambda world: _publish_staged(world, _article(world, slug), fields))

    def discard_staged(self, slug: str, **fields: Any) -> Article:
        """Throw the staged changes away; `fields` may change the status at once."""
        return self.run(lambda world: _patch(world, _article(world, slug), NO_DRAFTS | fields))

    def drag(self, slug: str, position: int) -> dict[str, int]:
        """Drop an article elsewhere in its category; the new positions of its category by id, {} before 4.16."""

        def work(world: World) -> dict[str, int]:
            article = _article(world, slug)
            if not world.behaviour.is_4_16:
                _patch(world, article, {"position": position})
                return {}
            return api_order.reorder(world, portal_of(world, article), {str(article.id): position})

        return self.run(work)

    def put(self, slug: str, place: int) -> None:
        """Drop an article at a place of its category, counted from 0, as the panel of each version does.

        From 4.16 one article is sent, and the service numbers its neighbours anew; before, each that moved is sent.
        """
        self.run(lambda world: _put(world, _article(world, slug), place))

    def place(self, slug: str) -> int:
        """Where an article is in its category, counted from 0."""
        return self.run(lambda world: _place(_row(world, found := _article(world, slug)), found))

    def change_status(self, slugs: Sequence[str], status: str) -> None:
        """Choose several articles and give them a status.

        Publishing takes staged changes along; otherwise live articles that have some are left out.
        """

        def work(world: World) -> None:
            chosen = [_article(world, slug) for slug in slugs]
            staged = [article for article in chosen if is_staged(article)]
            live = [article for article in staged if article.status == STATUSES["published"]]
            published, left_out = (staged, staged) if status == "published" else ([], live)
            others = [article for article in chosen if article not in left_out]
            _change_all(world, others, _sent(world, {"status": status}))
            for article in published:
                _publish_staged(world, article, {"status": status})

        self.run(work)

    def move(self, slugs: Sequence[str], category_id: int) -> None:
        """Choose several articles and put them into another category."""
        self.run(
            lambda world: _change_all(world, [_article(world, slug) for slug in slugs], {"category_id": category_id})
        )

    def publish(self, slug: str) -> Article:
        """Show an article to readers."""
        return self.edit(slug, status="published")

    def delete(self, slug: str) -> None:
        """Delete an article."""
        self.run(lambda world: articles.delete(world.store, _article(world, slug)))

    def article(self, slug: str) -> Article | None:
        """An article as it is in the database."""
        return self.run(lambda world: articles.find_by_slug(world.store, slug))

    def articles(self, portal: str) -> list[Article]:
        """All articles of a portal, newest first."""
        window = listing.Window(limit=1_000_000)
        return self.run(
            lambda world: listing.page_of_articles(world.store, _portal(world, portal).id, listing.Filters(), window)
        )

    def sql(self, statement: str, *values: object) -> int:
        """Change rows behind the service's back, as only its operator could; how many."""
        return self.run(lambda world: world.store.run(statement, values))


NO_DRAFTS: dict[str, None] = dict.fromkeys(articles.DRAFTS)
"""What clears staged changes."""


def _sent(world: World, fields: Mapping[str, Any]) -> articles.Fields:
    return articles.sent_fields(dict(fields), is_4_16=world.behaviour.is_4_16)


def _patch(world: World, article: Article, fields: Mapping[str, Any]) -> Article:
    sent = _sent(world, fields)
    if sent and set(sent) <= set(articles.DRAFTS):
        return articles.stage(world, article, sent)
    return articles.update(world, portal_of(world, article), article, sent)


def _publish_staged(world: World, article: Article, fields: Mapping[str, Any]) -> Article:
    staged = {"title": article.draft_title, "content": article.draft_content}
    sent = {name: text for name, text in staged.items() if text is not None}
    return _patch(world, article, {**sent, **NO_DRAFTS, **fields})


def _written(article: Article, title: str | None, content: str | None) -> dict[str, str | None]:
    """What the editor holds after a change: the staged text, else the live one, where a field was not touched."""
    shown = {
        "title": article.title if article.draft_title is None else article.draft_title,
        "content": article.content if article.draft_content is None else article.draft_content,
    }
    return shown | {name: text for name, text in (("title", title), ("content", content)) if text is not None}


def _is_live(world: World, article: Article, written: Mapping[str, str | None]) -> bool:
    """Whether readers see this already; bodies that look the same count as equal."""
    same_body = body_html(world, written["content"]) == body_html(world, article.content)
    return written["title"] == article.title and same_body


def is_staged(article: Article) -> bool:
    """Whether the article has changes that readers do not see."""
    return article.draft_title is not None or article.draft_content is not None


def _put(world: World, article: Article, place: int) -> None:
    row = _row(world, article)
    others = [found for found in row if found[0] != article.id]
    place = min(max(place, 0), len(others))
    if article.category_id is None or _place(row, article) == place:
        return
    if not world.behaviour.is_4_16:
        _number_each(world, [*others[:place], (article.id, article.position), *others[place:]])
        return
    if not _is_strict(row):  # Between equal numbers there is no place: the service numbers them first.
        _reorder(world, article, article.position)
        others = [found for found in _row(world, article) if found[0] != article.id]
    # At an equal position the article that moves comes second (S123).
    _reorder(world, article, others[place - 1][1] if place else (others[0][1] or 0) - 1)


def _reorder(world: World, article: Article, position: int | None) -> None:
    api_order.reorder(world, portal_of(world, article), {str(article.id): position or 0})


def _row(world: World, article: Article) -> list[tuple[int, int | None]]:
    """The articles of its category in order: id and position."""
    sql = "SELECT id, position FROM articles WHERE category_id = ? ORDER BY position IS NULL, position, id"
    return [(article_id, position) for article_id, position in world.store.rows(sql, (article.category_id,))]


def _place(row: Sequence[tuple[int, int | None]], article: Article) -> int:
    return [article_id for article_id, _ in row].index(article.id)


def _is_strict(row: Sequence[tuple[int, int | None]]) -> bool:
    positions = [position for _, position in row if position is not None]
    return len(positions) == len(row) and all(a < b for a, b in itertools.pairwise(positions))


def _number_each(world: World, row: Sequence[tuple[int, int | None]]) -> None:
    """Give the numbers that the articles have to them in their new order, or new ones where two are equal."""
    positions = sorted(position or 0 for _, position in row)
    if len(set(positions)) < len(positions):
        positions = [number * api_order.POSITION_STEP for number in range(1, len(row) + 1)]
    for (article_id, before), position in zip(row, positions, strict=True):
        article = articles.find_anywhere(world.store, article_id)
        if article is not None and before != position:
            _patch(world, article, {"position": position})


def _change_all(world: World, chosen: list[Article], fields: articles.Fields) -> None:
    if chosen:
        api_bulk.change_all(world, portal_of(world, chosen[0]), chosen, fields)


def _portal(world: World, slug: str) -> Portal:
    found = world.store.row("SELECT id FROM portals WHERE slug = ?", (slug,))
    portal = world.store.portal_by_id(found[0]) if found else None
    if portal is None:
        raise LookupError(f"The sandbox has no portal `{slug}`.")
    return portal


def portal_of(world: World, article: Article) -> Portal:
    """The portal of an article that was found.

    Raises:
        LookupError: the article is an orphan, which the database does not allow.
    """
    portal = world.store.portal_by_id(article.portal_id)
    if portal is None:
        raise LookupError(f"The sandbox has no portal {article.portal_id}.")
    return portal


def _article(world: World, slug: str) -> Article:
    article = articles.find_by_slug(world.store, slug)
    if article is None:
        raise LookupError(f"The sandbox has no article `{slug}`.")
    return article
