"""What a move changes in front matter: slugs and their aliases, categories, locales, originals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import msgspec

from kbsync.content import front_edit
from kbsync.content.identity import (
    Identity,
    Site,
    default_slug,
    folder_category,
    former_slugs,
    has_two_defaults,
    locale_of,
    one_form,
)
from kbsync.content.source import Source
from kbsync.content.tree import Tree


class Edit(NamedTuple):
    """One key of one file before and after; of `aliases` the one that comes or goes ("" for the other side).

    A key that goes although it is not the last line gets the value `otherwise` instead.
    """

    key: str
    before: str
    after: str
    otherwise: str = ""

    def apply(self, text: str) -> str:
        """The text with this change."""
        if self.key == "aliases":
            if self.before:
                return front_edit.remove_last_item(text, self.key, self.before)
            return front_edit.add_item(text, self.key, self.after)
        if not self.after:
            without = front_edit.remove_value(text, self.key)
            return without if without != text else front_edit.set_value(text, self.key, self.otherwise)
        return front_edit.set_value(text, self.key, self.after)


REMOVED, ADDED = ("translation_of", "slug", "aliases"), ("category", "locale", "aliases", "slug", "translation_of")


def in_order(edits: Collection[Edit]) -> list[Edit]:
    """Keys are taken out in the opposite order in which they are added, so that a move back finds the last line."""
    out = [edit for edit in edits if not edit.after]
    return sorted(out, key=lambda edit: REMOVED.index(edit.key)) + sorted(
        (edit for edit in edits if edit.after), key=lambda edit: ADDED.index(edit.key)
    )


@dataclass(frozen=True, slots=True)
class FrontChanges:
    """Finds them for a tree of which some files get another path.

    Args:
        tree: the sources, under their old paths.
        site: who they are.
        after: who each is from now on, by its new path, before any of these edits.
        new: the new path of an old one.
        known: slugs that an article had before and that somebody may know, by its old path.
    """

    tree: Tree
    site: Site
    after: Site
    new: Callable[[str], str]
    known: Callable[[str], Collection[str]]

    def slug_edits(self, path: str, wanted: str | None, *, keep: bool) -> list[Edit]:
        """The edits with which an article or a category gets another slug, and stays the same one.

        Args:
            path: its old path.
            wanted: the slug that somebody asked for.
            keep: the old slug is written down instead.
        """
        source, old = self.tree.sources[path], _identity(self.site, path).slug
        default = _identity(self.after, self.new(path)).slug if not source.slug else old
        slug = wanted or default
        if slug == old:
            return []
        if keep and wanted is None:
            return [Edit("slug", "", old)]
        edits = self._written(path, slug, default)
        if slug not in source.aliases:
            return edits + [Edit("aliases", "", name) for name in self._old_slugs(path, source, old, slug)]
        gone = [Edit("aliases", name, "") for name in self._added_aliases(path, source, slug)]
        # On the way back, a slug in between that was never published is forgotten.
        return edits + gone + ([Edit("aliases", "", old)] if old in self.known(path) else [])

    def _written(self, path: str, slug: str, default: str) -> list[Edit]:
        """The key `slug`; it goes again where an earlier move added it, and the file's name says the same."""
        source = self.tree.sources[path]
        if not source.slug:
            return [Edit("slug", "", slug)] if slug != default else []
        was_added = source.keys.rpartition("\n")[2] == "slug" and slug in source.aliases
        if was_added and self._by_name(path) == slug:
            return [Edit("slug", source.slug, "", slug)]
        return [Edit("slug", source.slug, slug)]

    def _added_aliases(self, path: str, source: Source, slug: str) -> list[str]:
        """The aliases at the end, the last one first, that an earlier move added and that are the slug again."""
        new = self.new(path)
        names = {slug, *former_slugs(new, _identity(self.after, new).locale, self.after)}
        return list(takewhile(names.__contains__, reversed(source.aliases)))

    def _by_name(self, path: str) -> str:
        """The slug that follows from the name of a file or folder."""
        new = self.new(path)
        if self.tree.sources[path].kind == "category":
            return one_form(new.split("/")[-2]) if "/" in new else ""
        return default_slug(new, _identity(self.after, new).locale, self.after)

    def _old_slugs(self, path: str, source: Source, old: str, slug: str) -> list[str]:
        """The old slug; all, where it depends on the portal which one it is."""
        two = has_two_defaults(source, self.site) and not self.site.kept
        former = former_slugs(path, _identity(self.site, path).locale, self.site) if two else ()
        return [name for name in dict.fromkeys((old, *former)) if name not in (slug, *source.aliases)]

    def place_edits(self, path: str, renamed: dict[tuple[str, str], str]) -> Iterator[Edit]:
        """The keys that repeat the old place: the category and the locale.

        Args:
            path: an article.
            renamed: categories that get another slug, by locale and old slug.
        """
        source, new = self.tree.sources[path], self.new(path)
        old_locale, locale = locale_of(path, self.site.locales), locale_of(new, self.after.locales)
        if source.locale and source.locale == old_locale != locale:
            yield Edit("locale", source.locale, locale)
        if source.kind == "category" or not source.category:
            return
        before = folder_category_of(self.tree, self.site, path)
        after = folder_category_of(self.tree, self.site, path, self.after, new)
        identity = self.site.articles[path]
        category = renamed.get((identity.locale, source.category))
        if new != path and source.category == before != after and after:
            yield Edit("category", source.category, after)
        elif category is not None and locale == old_locale:
            yield Edit("category", source.category, category)

    def translation_edits(self, path: str) -> Iterator[Edit]:
        """What a translation has to name, so that its original stays the same."""
        source, new = self.tree.sources[path], self.new(path)
        named = source.translation_of
        if named is None:
            original = self.site.translated(path, None)
            if original and self.after.translated(new, None) != self.new(original):
                yield Edit("translation_of", "", self.new(original))
        elif named and (self.new(named) != named or new != path):
            was_needed = self.site.translated(path, None) != named
            if was_needed and self.after.translated(new, None) == self.new(named):
                yield Edit("translation_of", named, "", self.new(named))
            elif self.new(named) != named:
                yield Edit("translation_of", named, self.new(named))


def _identity(site: Site, path: str) -> Identity:
    return site.categories.get(path) or site.articles[path]


def folder_category_of(tree: Tree, site: Site, path: str, after: Site | None = None, new: str = "") -> str:
    """The category that an article has by its folder, whatever its front matter says; from now on with `after`."""
    there, place = (after, new) if after is not None else (site, path)

    def slug_at(category: str) -> str | None:
        identity = there.categories.get(category)
        return identity.slug if identity else None

    return folder_category(place, there.locales, slug_at)


def with_edits(source: Source, edits: Collection[Edit]) -> Source:
    """What a source says once it is edited, as far as its identity depends on it."""
    values: dict[str, object] = {edit.key: edit.after or None for edit in edits if edit.key != "aliases"}
    return msgspec.structs.replace(source, **values) if values else source
