"""Who each source is: kind, locale, slug and category, from its front matter and else from its path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from unicodedata import normalize

import msgspec

from kbsync.config import ContentSettings
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.source import Source
from kbsync.content.tree import Tree


class Identity(msgspec.Struct, frozen=True, gc=False):
    """What a source is on the portal. `locale` or `category` are "" where nothing says them."""

    path: str
    locale: str
    slug: str
    category: str = ""


@dataclass(slots=True)
class Site:
    """The tree seen as a help center: articles and categories by path, categories by locale and slug.

    `by_path` has everything that a link may mean, a category also by its folder.
    """

    articles: dict[str, Identity] = field(default_factory=dict)
    categories: dict[str, Identity] = field(default_factory=dict)
    declared: dict[tuple[str, str], str] = field(default_factory=dict)
    by_path: dict[str, Identity] = field(default_factory=dict)
    locales: tuple[str, ...] = ()
    default_locale: str = "en"

    def translated(self, path: str, named: str | None) -> str:
        """The path of what a source translates, "" where there is no such article.

        It is what the source itself names; by default the same path under the default locale.
        """
        if named is None:
            first, _, rest = path.partition("/")
            named = f"{self.default_locale}/{rest}" if first != self.default_locale and first in self.locales else ""
        return named if named in self.articles else ""


def identify(tree: Tree, settings: ContentSettings) -> Site:
    """Give every readable source its identity. Contradictions are for lint to find; explicit keys win here."""
    locales = tuple(settings.locales) or locales_of(tree.sources)
    site = Site(locales=locales, default_locale=settings.default_locale)
    for path, source in tree.sources.items():
        if source.kind == "category":
            site.categories[path] = identity = identify_category(path, source, site)
            site.declared.setdefault((identity.locale, identity.slug), path)

    def slug_at(path: str) -> str | None:
        identity = site.categories.get(path)
        return identity.slug if identity else None

    for path, source in tree.sources.items():
        if source.kind == "article":
            site.articles[path] = identify_article(path, source, site, slug_at)
    folders = {path.rpartition("/")[0]: identity for path, identity in site.categories.items()}
    site.by_path = folders | site.categories | site.articles
    return site


def locales_of(sources: Iterable[str]) -> tuple[str, ...]:
    """The locales of a tree whose settings name none: its folders."""
    return tuple(sorted({path.partition("/")[0] for path in sources if "/" in path}))


def locale_of(path: str, locales: tuple[str, ...]) -> str:
    """The locale that a path says: its first folder, where that is one; else ""."""
    first, slash, _ = path.partition("/")
    return first if slash and first in locales else ""


def identify_category(path: str, source: Source, site: Site) -> Identity:
    """Who a `_category.md` is; of the site only the locales count."""
    locale = source.locale or locale_of(path, site.locales)
    return Identity(path, locale, source.slug or one_form(path.rpartition("/")[0].rpartition("/")[2]))


def identify_article(path: str, source: Source, site: Site, slug_at: Callable[[str], str | None]) -> Identity:
    """Who an article is; of the site only the locales count.

    Args:
        path, source, site: as they say.
        slug_at: the slug of the category that a path of a `_category.md` declares, None where there is no such file.
    """
    locale = source.locale or locale_of(path, site.locales)
    return Identity(
        path,
        locale,
        source.slug or default_slug(path, locale, site.default_locale),
        source.category or folder_category(path, site.locales, slug_at),
    )


def default_slug(path: str, locale: str, default_locale: str) -> str:
    """The file's stem; in other locales than the default with the locale behind it: slugs are unique over all."""
    stem = one_form(path.rpartition("/")[2].removesuffix(".md"))
    return stem if locale in {default_locale, ""} else f"{stem}-{locale.lower().replace('_', '-')}"


def one_form(name: str) -> str:
    """A name of a file as a slug: composed, for file systems give the same name in either of two forms."""
    return name if name.isascii() else normalize("NFC", name)


def folder_category(path: str, locales: tuple[str, ...], slug_at: Callable[[str], str | None]) -> str:
    """The slug of the nearest folder's category; the folder below the locale where none is declared; else ""."""
    folder = path.rpartition("/")[0]
    while folder:
        if (slug := slug_at(f"{folder}/{CATEGORY_FILE}")) is not None:
            return slug
        parent = folder.rpartition("/")[0]
        if parent in locales or not parent:
            return "" if folder in locales else one_form(folder.rpartition("/")[2])
        folder = parent
    return ""
