"""The tree seen by addresses: which source is on which page, and which pages show something of a source.

An index is built again with every change (2,000 articles take some 8 ms).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field

from kbsync.content.identity import Identity, Site
from kbsync.content.source import Source
from kbsync.preview.urls import article_url, category_url, home_url

CategoryKey = tuple[str, str]
"""A locale and the slug of a category in it; the slug is "" for articles without one."""

BESIDE = 60
"""Articles of its category that are listed beside an article: the nearest of a large one."""


@dataclass(slots=True)
class Index:
    """Who is where.

    Args:
        site: who each source is.
        sources: what was read, by path; the one dict that its owner keeps up to date.
    """

    site: Site
    sources: Mapping[str, Source]
    url_of: dict[str, str] = field(default_factory=dict)
    path_at: dict[str, str] = field(default_factory=dict)
    locales: tuple[str, ...] = ()
    by_slug: dict[str, list[str]] = field(default_factory=dict)
    _shelves: dict[CategoryKey, list[str]] = field(default_factory=dict)
    _place: dict[str, int] = field(default_factory=dict)
    _roots: dict[str, str] = field(default_factory=dict)
    _families: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path, identity in self.site.categories.items():
            self._give(category_url(identity.locale, identity.slug), path)
        for path, identity in self.site.articles.items():
            self._give(article_url(identity.locale, identity.slug), path)
            self.by_slug.setdefault(identity.slug, []).append(path)
            self._shelves.setdefault((identity.locale, identity.category), []).append(path)
            if (root := self._root_of(path)) != path:
                self._roots[path] = root
                self._families.setdefault(root, [root]).append(path)
        for paths in self._shelves.values():
            paths.sort(key=self._order)
            self._place |= {path: at for at, path in enumerate(paths)}
        seen = {identity.locale for identity in self.identities() if identity.locale}
        declared = self.site.locales or (self.site.default_locale,)
        self.locales = tuple(dict.fromkeys((*declared, *sorted(seen))))

    def identities(self) -> Iterable[Identity]:
        """Every category and article."""
        yield from self.site.categories.values()
        yield from self.site.articles.values()

    def with_source(self, source: Source) -> Index:
        """The same, with another text of a source that stays who it is."""
        other = copy(self)
        other.sources = {**self.sources, source.path: source}
        return other

    def _give(self, url: str, path: str) -> None:
        """Two sources with one slug are a finding, and the writer must see both to fix it."""
        place, number = url, 1
        while place in self.path_at:
            number += 1
            place = f"{url}~{number}"
        self.url_of[path], self.path_at[place] = place, path

    # --- lists -----------------------------------------------------------------------------------------------------

    def articles_of(self, category_key: CategoryKey) -> list[str]:
        """The articles of a category, in the order in which readers see them."""
        return self._shelves.get(category_key, [])

    def shelves_of(self, locale: str) -> list[tuple[CategoryKey, str]]:
        """The categories of a locale in order, each with its source, or "" where it is used and not declared."""
        declared = {
            (locale, identity.slug): path
            for path, identity in sorted(self.site.categories.items(), key=lambda item: self._order(item[0]))
            if identity.locale == locale and self.site.declared.get((locale, identity.slug)) == path
        }
        used = sorted(category_key for category_key in self._shelves if category_key[0] == locale and category_key[1])
        return [*declared.items(), *((category_key, "") for category_key in used if category_key not in declared)]

    def shelf_source(self, category_key: CategoryKey) -> str:
        """The path of the `_category.md` that declares it, or ""."""
        return self.site.declared.get(category_key, "")

    def shelf_of(self, path: str) -> CategoryKey:
        """Where an article or a category belongs."""
        identity = self.identity_of(path)
        return identity.locale, identity.category if path in self.site.articles else identity.slug

    def identity_of(self, path: str) -> Identity:
        """Who an article or a category is."""
        return self.site.articles.get(path) or self.site.categories[path]

    def has_shelf(self, category_key: CategoryKey) -> bool:
        """Whether there is such a category, declared or only used."""
        return category_key in self.site.declared or (bool(category_key[1]) and category_key in self._shelves)

    def neighbours(self, path: str) -> tuple[str, str]:
        """The articles before and after one in its category; "" at either end."""
        paths = self.articles_of(self.shelf_of(path))
        at = self._place[path]
        return (paths[at - 1] if at else ""), (paths[at + 1] if at + 1 < len(paths) else "")

    def beside(self, path: str) -> list[str]:
        """An article and the nearest of its category, in order."""
        paths = self.articles_of(self.shelf_of(path))
        first = max(0, min(self._place[path] - BESIDE // 2, len(paths) - BESIDE))
        return paths[first : first + BESIDE]

    def _order(self, path: str) -> tuple[bool, int, str]:
        position = self.sources[path].position
        return position is None, position or 0, path

    # --- translations ----------------------------------------------------------------------------------------------

    def family_of(self, path: str) -> dict[str, str]:
        """An article and its translations by locale, the first of each locale."""
        found: dict[str, str] = {}
        for member in self.all_of_family(path):
            found.setdefault(self.site.articles[member].locale, member)
        found[self.site.articles[path].locale] = path
        return found

    def all_of_family(self, path: str) -> list[str]:
        """The same, all of them: two may say that they are for one locale."""
        return self._families.get(self._roots.get(path, path), [path])

    def original_of(self, path: str) -> str:
        """The article that the others of its family are translations of; itself, where it is no translation."""
        return self._roots.get(path, path)

    def _root_of(self, path: str) -> str:
        root, seen = path, [path]
        while (above := self._translated(root)) and above not in seen:
            seen.append(above)
            root = above
        # Where two name each other, each would be the root of the other; those below them are no part of the ring.
        return root if not above else min(seen[seen.index(above) :])

    def _translated(self, path: str) -> str:
        return self.site.translated(path, self.sources[path].translation_of)

    # --- what shows what -------------------------------------------------------------------------------------------

    def around(self, path: str) -> set[str]:
        """The pages that show something of a source: its own, those that list it, and those that link to its title."""
        locale, slug = category_key = self.shelf_of(path)
        urls = {self.url_of[path], home_url(locale)}
        if slug:
            urls.add(category_url(locale, slug))
        if path in self.site.articles:
            urls |= {self.url_of[other] for other in self.beside(path)}
            urls |= {self.url_of[other] for other in self.family_of(path).values()}
        else:
            urls |= {self.url_of[article] for article in self.articles_of(category_key)}
            urls |= {category_url(other, slug) for other in self.locales}
            urls |= {category_url(*other) for other, _ in self.shelves_of(locale)}
        return urls
