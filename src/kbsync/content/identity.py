"""Who each source is: kind, locale, slug and category, from its front matter and else from its path."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from sys import intern
from unicodedata import normalize

import msgspec

from kbsync.config import ContentSettings
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.markdown.anchors import made_slug


class Identity(msgspec.Struct, frozen=True, gc=False):
    """What a source is on the portal. `locale` or `category` are "" where nothing says them."""

    path: str
    locale: str
    slug: str
    category: str = ""


class Site(msgspec.Struct):
    """The tree seen as a help center: articles and categories by path, categories by locale and slug.

    `by_path` has everything that a link may mean, a category also by its folder. `slug_prefix` is before every slug
    that is made of a file's name. `kept` are slugs that files without one have by a rule of before, and keep.
    """

    articles: Mapping[str, Identity] = msgspec.field(default_factory=dict)
    categories: Mapping[str, Identity] = msgspec.field(default_factory=dict)
    declared: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    by_path: dict[str, Identity] = msgspec.field(default_factory=dict)
    locales: tuple[str, ...] = ()
    default_locale: str = "en"
    slug_prefix: str = ""
    kept: frozenset[str] = frozenset()

    def translated(self, path: str, named: str | None) -> str:
        """The path of what a source translates, "" where there is no such article; of a category, no such category.

        It is what the source itself names; by default the same path under the default locale.
        """
        if named is None:
            first, _, rest = path.partition("/")
            named = f"{self.default_locale}/{rest}" if first != self.default_locale and first in self.locales else ""
        return named if named in (self.categories if path in self.categories else self.articles) else ""


def identify(tree: Tree, settings: ContentSettings, kept: frozenset[str] = frozenset()) -> Site:
    """Give every readable source its identity. Contradictions are for lint to find; explicit keys win here.

    Args:
        tree: the sources.
        settings: locales, and what is before default slugs.
        kept: see `kept_slugs`.
    """
    locales = tuple(settings.locales) or locales_of(tree.sources)
    site = Site(locales=locales, default_locale=settings.default_locale, slug_prefix=settings.slug_prefix, kept=kept)
    site.categories = categories = {
        path: identify_category(path, source, site)
        for path, source in tree.sources.items()
        if source.kind == "category"
    }
    for path, identity in categories.items():
        site.declared.setdefault((identity.locale, identity.slug), path)

    def slug_at(path: str) -> str | None:
        identity = categories.get(path)
        return identity.slug if identity else None

    site.articles = articles = {
        path: identify_article(path, source, site, slug_at)
        for path, source in tree.sources.items()
        if source.kind == "article"
    }
    folders = {path.rpartition("/")[0]: identity for path, identity in categories.items()}
    site.by_path = folders | categories | articles
    return site


def locales_of(sources: Iterable[str]) -> tuple[str, ...]:
    """The locales of a tree whose settings name none: its folders."""
    found: set[str] = set()
    last = "/"  # No path starts with a slash.
    for path in sources:
        # In path order, nearly each is in the folder of the one before.
        if not path.startswith(last) and "/" in path:
            last = path[: path.index("/") + 1]
            found.add(last[:-1])
    return tuple(sorted(found))


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
    category = folder_category(path, site.locales, slug_at) if source.category is None else source.category
    # Thousands of articles share these two words, and each source has its own copy.
    return Identity(path, intern(locale), source.slug or default_slug(path, locale, site), intern(category))


def default_slug(path: str, locale: str, site: Site) -> str:
    """The prefix and the file's stem made a slug; in other locales than the default with the locale behind it: slugs
    are unique over all. What is on the portal under a default of before keeps it."""
    for former in former_slugs(path, locale, site) if site.kept else ():
        if former in site.kept:
            return former
    return site.slug_prefix + made_slug(_stem(path)) + _behind(locale, site)


def former_slugs(path: str, locale: str, site: Site) -> tuple[str, ...]:
    """The default of before there was a prefix."""
    return (made_slug(_stem(path)) + _behind(locale, site),) if site.slug_prefix else ()


def has_two_defaults(source: Source, site: Site) -> bool:
    """Whether it depends on the portal which slug an article has."""
    return source.kind == "article" and not source.slug and bool(site.slug_prefix)


def _stem(path: str) -> str:
    return one_form(path.rpartition("/")[2].removesuffix(".md"))


def title_of(path: str) -> str:
    """`Refund a charge` for `refund-a-charge.md`."""
    words = _stem(path).replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _behind(locale: str, site: Site) -> str:
    return "" if locale in {site.default_locale, ""} else f"-{locale.lower().replace('_', '-')}"


def kept_slugs(recorded: Collection[str], tree: Tree, prefix: str = "") -> frozenset[str]:
    """The slugs of before there was a prefix that articles have, on record or on the portal: their files keep them.

    Not one that a file names, nor one whose article has today's slug: then the other article is somebody else's.

    Args:
        recorded: the slugs of all articles on the portal and in the ledger.
        tree: the sources.
        prefix: what is before today's default slugs.
    """
    if not prefix:
        return frozenset()
    named = {source.slug for source in tree.sources.values() if source.kind == "article"}
    return frozenset(slug for slug in recorded if slug not in named and prefix + slug not in recorded)


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
