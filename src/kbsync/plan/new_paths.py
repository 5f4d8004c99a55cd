"""Which files the portal's articles and categories get that have none. Pure.

    category   <locale>/<name>/_category.md                 the name is made of its slug
    article    <locale>/<folder of its category>/<name>.md  <locale>/<name>.md without a category
    translation  beside that: the name of its original, where that lies in a folder of the same name

Names are made of slugs, and slugs are whatever somebody typed. A name has only letters, digits, hyphens and
underscores, does not begin with the latter, is not one that Windows keeps for itself, and does not differ from another
one in letter case alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kbsync.content.body import CATEGORY_FILE
from kbsync.fields import LINK_FIELD
from kbsync.markdown.anchors import made_slug
from kbsync.model import Observed, RemoteId, Value

LOCALE = re.compile(r"[A-Za-z]{2,8}(?:[_-][A-Za-z0-9]{1,8}){0,3}")
NAME_BYTES = 80
"""With endings and a number behind it, a name stays below the 255 bytes of file systems."""

RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
"""Source: Microsoft, Naming Files, Paths, and Namespaces."""

_FORBIDDEN = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be made: its path, what it is on the portal, and the path of what it translates, "" for nothing."""

    path: str
    observed: Observed
    original: str = ""


@dataclass(slots=True)
class Names:
    """Gives out paths, none of them twice, also where letter case does not count.

    Args:
        taken: the paths that exist.
        folders: the folder of each category, by locale and slug.
        paths: the file of each article, by id.
        default_locale: whose articles are translated by those at the same place elsewhere.
        shelves: the file of each category, by id.
        roots: by place in the default locale: what the files at that place elsewhere translate on the portal.
    """

    taken: set[str]
    folders: dict[tuple[str, str], str]
    paths: dict[RemoteId, str]
    default_locale: str
    shelves: dict[RemoteId, str] = field(default_factory=dict)
    roots: dict[str, list[Value]] = field(default_factory=dict)
    made: list[NewFile] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        taken: Iterable[str],
        folders: Mapping[tuple[str, str], str],
        paths: Mapping[RemoteId, str],
        default_locale: str,
    ) -> Names:
        """The names of a tree; its folders are taken too."""
        found: set[str] = set()
        for path in taken:
            parts = path.split("/")
            found |= {_key("/".join(parts[:number])) for number in range(1, len(parts) + 1)}
        return cls(found, dict(folders), dict(paths), default_locale)

    def add_category(self, item: Observed) -> None:
        """A folder and the file in it."""
        name = safe_name(item.slug, item.remote_id)
        folder = self._free(item.locale, name, "")
        if self._is_original(f"{folder}/{CATEGORY_FILE}", item):
            # At this place it would be the original of a category that is not linked to it.
            folder = self._free(item.locale, f"{name}-{item.locale.lower()}", "")
        if self._is_original(f"{folder}/{CATEGORY_FILE}", item):
            folder = self._free(item.locale, f"{name}-{item.remote_id}", "")
        self.folders[item.locale, item.slug] = folder
        self._take(f"{folder}/{CATEGORY_FILE}", item)

    def add_article(self, item: Observed) -> None:
        """A file in the folder of its category."""
        folder = self.folders.get((item.locale, str(item.fields.get("category") or "")), item.locale)
        original = self._original(item)
        place = folder.partition("/")[2]
        _, _, of_original = original.partition("/")
        slug = item.slug.removesuffix(f"-{item.locale.lower().replace('_', '-')}") or item.slug
        name = safe_name(slug, item.remote_id)
        if original and item.locale != self.default_locale and of_original.rpartition("/")[0] == place:
            name = of_original.rpartition("/")[2].removesuffix(".md")
        path = self._free(folder, name, ".md")
        if self._pairs(path, original, item):
            # At this place it would be a translation of an article that it is none of.
            path = self._free(folder, f"{name}-{item.locale.lower()}", ".md")
        if self._pairs(path, original, item):
            path = self._free(folder, f"{name}-{item.remote_id}", ".md")
        self._take(path, item, original)

    def give(self, folder: str, name: str, ending: str) -> str:
        """A path that nothing has; nothing else gets it."""
        path = self._free(folder, name, ending)
        self._reserve(path)
        return path

    def linked(self, file: NewFile) -> NewFile:
        """A category with the one that it is linked to."""
        root = file.observed.fields.get(LINK_FIELD)
        return replace(file, original=self.shelves.get(root, "") if isinstance(root, int | str) else "")

    def original_by_path(self, path: str) -> str:
        """The file that one translates where it does not say what; "" for none."""
        locale, _, rest = path.partition("/")
        other = f"{self.default_locale}/{rest}"
        return other if locale != self.default_locale and _key(other) in self.taken else ""

    def _original(self, item: Observed) -> str:
        root = item.fields.get(LINK_FIELD)
        found = self.paths.get(root, "") if isinstance(root, int | str) else ""
        return "" if found.partition("/")[0] == item.locale else found

    def add_translation(self, path: str, item: Observed) -> None:
        """An article or a category whose path alone says what it translates."""
        locale, _, rest = path.partition("/")
        if locale != self.default_locale:
            self.roots.setdefault(_key(f"{self.default_locale}/{rest}"), []).append(item.fields.get(LINK_FIELD))

    def _pairs(self, path: str, original: str, item: Observed) -> bool:
        """Whether a path would make it the translation of another article, or another one its translation."""
        return self._is_original(path, item) or self.original_by_path(path) not in ("", original)

    def _is_original(self, path: str, item: Observed) -> bool:
        """Whether a path would make something its translation that the portal does not link to it."""
        return any(root != item.remote_id for root in self.roots.get(_key(path), ()))

    def _free(self, folder: str, name: str, ending: str) -> str:
        first = path = f"{folder}/{name}{ending}"
        while _key(path) in self.taken:
            # Thousands of slugs may become one name: the search goes on where it ended.
            number = self.numbers[_key(first)] = self.numbers.get(_key(first), 1) + 1
            path = f"{folder}/{name}-{number}{ending}"
        return path

    def _take(self, path: str, item: Observed, original: str = "") -> None:
        self._reserve(path)
        (self.paths if item.kind == "article" else self.shelves)[item.remote_id] = path
        self.made.append(NewFile(path, item, original))

    def _reserve(self, path: str) -> None:
        parts = path.split("/")
        self.taken |= {_key("/".join(parts[:number])) for number in range(1, len(parts) + 1)}


def new_files(names: Names, items: Iterable[Observed]) -> Sequence[NewFile]:
    """The files of what has none. Whatever order the portal lists it in, each gets the same name."""
    items = sorted(items, key=lambda item: (item.locale != names.default_locale, item.locale, item.slug))
    for item in items:
        if item.kind == "category":
            names.add_category(item)
    names.made[:] = [names.linked(file) for file in names.made]
    articles = [item for item in items if item.kind == "article"]
    # A translation is named after its original.
    for item in sorted(articles, key=lambda item: item.fields.get(LINK_FIELD) is not None):
        names.add_article(item)
    return names.made


def is_locale(locale: str, allowed: Collection[str]) -> bool:
    """Whether a locale of the portal can be a folder: one of kbsync.toml, or any that looks like one."""
    return bool(LOCALE.fullmatch(locale)) and (not allowed or locale in allowed)


def safe_name(slug: str, remote_id: RemoteId, spare: str = "article") -> str:
    """The name of a file or folder, made of a slug that may be anything."""
    name = _FORBIDDEN.sub("-", unicodedata.normalize("NFC", made_slug(slug))).strip("-_")
    name = name.encode()[:NAME_BYTES].decode(errors="ignore").strip("-_")
    if not name:
        ending = _FORBIDDEN.sub("-", str(remote_id))[:20].strip("-_")
        return f"{spare}-{ending}".rstrip("-")
    return f"{name}-{spare}" if RESERVED.fullmatch(name) else name


def _key(path: str) -> str:
    """Two paths with one key are one file on some systems."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
