"""A content tree as the oracle knows it: files that carry the identity of what they say, whatever they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

DEFAULT, LOCALES = "en", ("en", "fr")


@dataclass(frozen=True, slots=True)
class Category:
    """A category; `cid` stays when its folder or slug becomes another."""

    cid: int
    locale: str
    folder: str
    name: str
    slug: str = ""

    @property
    def path(self) -> str:
        return f"{self.locale}/{self.folder}/_category.md"

    @property
    def portal_slug(self) -> str:
        return self.slug or self.folder


@dataclass(frozen=True, slots=True)
class Article:
    """An article; `uid` is who it is. `slug` is "" where the file's name says it."""

    uid: int
    locale: str
    folder: str
    stem: str
    title: str
    lines: tuple[str, ...]
    rev: int = 1
    slug: str = ""
    status: str = ""
    description: str = ""
    links: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.locale}/{self.folder}/{self.stem}.md"

    @property
    def portal_slug(self) -> str:
        return self.slug or (self.stem if self.locale == DEFAULT else f"{self.stem}-{self.locale}")

    @property
    def place(self) -> tuple[str, str]:
        """What it is found by."""
        return self.path, self.portal_slug

    @property
    def words(self) -> str:
        """Its text without links."""
        return "\n".join((*self.lines, f"This is U{self.uid}R{self.rev}."))


@dataclass(frozen=True, slots=True)
class Tree:
    """All of it, by identity."""

    articles: Mapping[int, Article]
    categories: Mapping[int, Category]

    def put(self, *items: Article | Category) -> Tree:
        """The tree with these in place of those of the same identity."""
        articles = {item.uid: item for item in items if isinstance(item, Article)}
        categories = {item.cid: item for item in items if isinstance(item, Category)}
        return Tree({**self.articles, **articles}, {**self.categories, **categories})

    def without(self, uid: int) -> Tree:
        """The tree where this file was deleted, and the links to it with it."""
        rest = {
            key: replace(item, links=tuple(link for link in item.links if link != uid))
            for key, item in self.articles.items()
            if key != uid
        }
        return Tree(rest, self.categories)

    def category_of(self, article: Article) -> Category | None:
        found = (c for c in self.categories.values() if (c.locale, c.folder) == (article.locale, article.folder))
        return next(found, None)

    def at(self, path: str) -> Article | None:
        return next((item for item in self.articles.values() if item.path == path), None)

    @property
    def is_sound(self) -> bool:
        """Whether lint would let it pass: no name twice, a category for each article."""
        names = Counter(self._names())
        return max(names.values(), default=1) == 1 and all(map(self.category_of, self.articles.values()))

    def _names(self) -> Iterator[tuple[str, ...]]:
        for item in self.articles.values():
            yield from (("path", item.path), ("slug", item.portal_slug))
        for category in self.categories.values():
            yield from (("path", category.path), ("slug", category.locale, category.portal_slug, "category"))

    def files(self) -> dict[str, str]:
        """What it is on the disk, by path below the content root."""
        found = {item.path: self.file(item) for item in self.articles.values()}
        return found | {item.path: _category_file(item) for item in self.categories.values()}

    def file(self, item: Article) -> str:
        """One article's file."""
        keys = {"title": item.title, "slug": item.slug, "status": item.status, "description": item.description}
        front = "".join(f"{name}: {value}\n" for name, value in keys.items() if value)
        # An article lies two folders below the content root.
        links = "".join(f"See [that](../../{self.articles[uid].path}).\n" for uid in item.links if uid in self.articles)
        return f"---\n{front}---\n{item.words}\n{links}"

    def linked_slugs(self, item: Article) -> list[str]:
        """The slugs that its links lead to on the portal."""
        return [self.articles[uid].portal_slug for uid in item.links if uid in self.articles]


def _category_file(item: Category) -> str:
    slug = f"slug: {item.slug}\n" if item.slug else ""
    return f"---\nname: {item.name}\n{slug}---\n"
