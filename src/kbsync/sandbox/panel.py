"""Acting as a person in the service's panel: what tests need when somebody edits beside kbsync."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from . import articles, listing
from .auth import World
from .records import Article, Portal

T = TypeVar("T")


class Runner(Protocol):
    """Runs a function in the server's thread, which alone may use the database."""

    def __call__(self, work: Callable[[World], T]) -> T:
        """What the function returned."""
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """A person who creates, edits, publishes and deletes articles. Articles are named by their slug."""

    run: Runner
    author_id: int

    def create(self, portal: str, title: str, content: str, **fields: Any) -> Article:
        """Write a new article; without a slug it gets a machine-made one."""
        sent = {"title": title, "content": content, "author_id": self.author_id, "status": 0} | fields
        return self.run(lambda world: articles.create(world.store, _portal(world, portal), articles.sent_fields(sent)))

    def edit(self, slug: str, **fields: Any) -> Article:
        """Change fields of an article."""

        def work(world: World) -> Article:
            article = _article(world, slug)
            return articles.update(world.store, _portal_of(world, article), article, articles.sent_fields(fields))

        return self.run(work)

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


def _portal(world: World, slug: str) -> Portal:
    found = world.store.row("SELECT id FROM portals WHERE slug = ?", (slug,))
    portal = world.store.portal_by_id(found[0]) if found else None
    if portal is None:
        raise LookupError(f"The sandbox has no portal `{slug}`.")
    return portal


def _portal_of(world: World, article: Article) -> Portal:
    portal = world.store.portal_by_id(article.portal_id)
    if portal is None:
        raise LookupError(f"The sandbox has no portal {article.portal_id}.")
    return portal


def _article(world: World, slug: str) -> Article:
    article = articles.find_by_slug(world.store, slug)
    if article is None:
        raise LookupError(f"The sandbox has no article `{slug}`.")
    return article
