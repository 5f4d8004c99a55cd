"""Selectors: paths as seen from the current folder, slugs, `locale:fr`, `category:billing`, `status:published`.

Also: what somebody meant who named a file that is not there; which article a path, a slug or `locale/slug` names.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from kbsync.app.workspace import Workspace
from kbsync.command import quote
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.identity import Site
from kbsync.content.source import Source
from kbsync.errors import UsageError
from kbsync.files import real_path, working_folder
from kbsync.model import PORTAL_FILE, Desired, Kind, Status, visible
from kbsync.words import similar, suggestion

LIKENESS = 0.75
"""How much the last parts must look alike. Short names are soon half the same."""


def near_path(given: str, known: Iterable[str]) -> str:
    """The hint with the path or slug that somebody mistyped; "" where none looks like it.

    Only last parts are compared: the paths of one folder look alike, however much their files differ.

    Args:
        given: what was typed.
        known: paths of the tree, and slugs where these can be typed too. A category is its folder.
    """
    named: dict[str, list[str]] = {}
    for path in known:
        place = path.removesuffix(f"/{CATEGORY_FILE}")
        named.setdefault(_name(place), []).append(place)
    near = similar(_name(given), named, cutoff=LIKENESS)
    return suggestion(quote(similar(given, named[near[0]], cutoff=0.0)[0])) if near else ""


def _name(path: str) -> str:
    return posixpath.basename(path.rstrip("/")).removesuffix(".md")


WORDS = ("locale", "category", "status")
HINT = "Use a path, a slug, or one of locale:CODE, category:SLUG, status:draft|published|archived."

FEW = 8
"""So many locales or categories fit into one hint."""


class Item(NamedTuple):
    """What a selector looks at: of a category its own slug is the category."""

    path: str
    kind: Kind
    locale: str = ""
    category: str = ""
    status: str = ""
    slug: str = ""


def select(desired: Sequence[Desired], selectors: Iterable[str], *, root: Path, here: Path) -> list[Desired]:
    """The items that any of the selectors means, and the categories that these articles need.

    Raises:
        UsageError: a selector that means nothing.
    """
    return with_categories(desired, named(desired, selectors, root=root, here=here))


def with_categories(desired: Sequence[Desired], paths: set[str]) -> list[Desired]:
    """The items with these paths, and the categories that these articles need."""
    chosen = [item for item in desired if item.path in paths]
    needed = {(item.locale, item.fields.get("category")) for item in chosen if item.kind == "article"}
    paths = paths | {item.path for item in desired if item.kind == "category" and (item.locale, item.slug) in needed}
    return [item for item in desired if item.path in paths]


def named(desired: Iterable[Desired], selectors: Iterable[str], *, root: Path, here: Path) -> set[str]:
    """The paths of the items that any of the selectors means, and of nothing else: for what is decided about them.

    Raises:
        UsageError: a selector that means nothing.
    """
    return meant([_item_of(item) for item in desired], selectors, root=root, here=here)


def from_root(desired: Iterable[Desired], selectors: Iterable[str], *, root: Path, here: Path) -> tuple[str, ...]:
    """The same selectors as seen from the content root, without a path of this machine."""
    items = [_item_of(item) for item in desired]
    return tuple(_from_root(items, selector, root, here) for selector in selectors)


def _from_root(items: Collection[Item], selector: str, root: Path, here: Path) -> str:
    place = here / selector
    if is_word(selector) or not os.path.lexists(place):
        return selector
    paths = list(paths_of(place, root))
    path = next((path for path in paths if any(_holds(path, item.path) for item in items)), paths[0])
    if set(path.split("/")) <= {".", ".."}:
        return ".." if ".." in path and any(item.kind == "portal" for item in items) else "."
    return f"./{path}" if is_word(path) else path


def is_word(selector: str) -> bool:
    """Whether a selector is one of `locale:fr`, `category:billing`, `status:published`, and no path."""
    word, colon, _ = selector.partition(":")
    return bool(colon) and word in WORDS


def select_paths(
    site: Site, sources: Collection[Source], others: Iterable[str], selectors: Iterable[str], *, root: Path, here: Path
) -> set[str]:
    """The paths of the tree that any of the selectors means; the tree may be full of errors.

    Args:
        site: who the sources are.
        sources: the files that could be read.
        others: paths of which no more is known: images, and what could not be read.
        selectors: as the user typed them.
        root: the content root.
        here: the current folder.

    Raises:
        UsageError: a selector that means nothing.
    """
    items = [_source_item(site, source) for source in sources]
    # To a word they are nothing; a path may mean them.
    items += [Item(path, "category") for path in others]
    return meant(items, selectors, root=root, here=here)


def meant(items: Collection[Item], selectors: Iterable[str], *, root: Path, here: Path) -> set[str]:
    """The paths of the items that any of the selectors means. What is no path may be an article's slug.

    Raises:
        UsageError: a selector that is empty or means nothing, or the slug of several items.
    """
    paths: set[str] = set()
    for selector in selectors:
        if not selector.strip():
            # As a path it is the current folder: a variable that is not set would mean all articles.
            raise UsageError("A selector is empty.", hint="Name a path or a slug. For this folder, write `.`.")
        means = _meaning(selector, root, here)
        found = {item.path for item in items if means(item)} or _with_slug(items, selector)
        if not found:
            near = _near(items, selector, root, here)
            hint = near or _values(items, selector) or _why_not(selector, root, here) or HINT
            raise UsageError(f"No file, category or locale matches `{selector}`.", hint=hint)
        paths |= found
    return paths


def _with_slug(items: Collection[Item], selector: str) -> set[str]:
    """The path of the article with a slug; nothing where none has it. A category is a folder or `category:SLUG`."""
    item = find_item((item for item in items if item.kind == "article" and item.slug), selector, frozenset())
    return set() if item is None else {item.path}


def _near(items: Collection[Item], selector: str, root: Path, here: Path) -> str:
    """The hint for a path without its `.md`, or with a name that is mistyped; "" where no file is called so."""
    if is_word(selector):
        return ""
    name = f"{selector.rstrip('/.')}.md"
    if any(map(_meaning(name, root, here), items)):
        return suggestion(quote(name))
    if os.path.lexists(here / selector):
        return ""
    return near_path(selector, [name for item in items for name in (item.path, item.slug) if name])


def _values(items: Collection[Item], selector: str) -> str:
    """The hint for a word with a value that nothing has; "" for a path, no status, and where there are many values."""
    word, _, value = selector.partition(":")
    if not is_word(selector) or (word == "status" and value not in [*Status]):
        return ""
    values = sorted({getattr(item, word) for item in items} - {""})
    return f"Your files have only {', '.join(f'{word}:{value}' for value in values)}." if 0 < len(values) <= FEW else ""


def _why_not(selector: str, root: Path, here: Path) -> str:
    """The hint for a file of the content folder that is never an article; "" for anything else."""
    place = here / selector
    if place.suffix == ".md" or not place.is_file() or ".." in next(paths_of(place, root)).split("/"):
        return ""
    return "kbsync publishes only files that end in `.md`."


def _item_of(item: Desired) -> Item:
    if item.kind == "portal":
        return Item(item.path, "portal")
    if item.kind == "category":
        return Item(item.path, "category", item.locale, item.slug)
    category, status = str(item.fields.get("category") or ""), item.status or "draft"
    return Item(item.path, "article", item.locale, category, status, item.slug)


def _source_item(site: Site, source: Source) -> Item:
    if (found := site.categories.get(source.path)) is not None:
        return Item(source.path, "category", found.locale, found.slug)
    identity = site.articles[source.path]
    status = source.status or "draft"
    return Item(source.path, "article", identity.locale, identity.category, status, identity.slug)


def _meaning(selector: str, root: Path, here: Path) -> Callable[[Item], bool]:
    """What a selector asks of an item. The disk is looked at once for each selector, however many items there are."""
    word, _, value = selector.partition(":")
    if is_word(selector):
        return lambda item: bool(value) and getattr(item, word) == value
    place = here / selector
    paths = _paths_meant(place, selector, root)
    around = any(".." in path.split("/") for path in paths) or os.path.lexists(place / PORTAL_FILE)

    def means(item: Item) -> bool:
        # The content folder does not hold the portal's own file; the project's folder does.
        found = any(_holds(path, item.path) for path in paths)
        return found and (item.kind != "portal" or around or PORTAL_FILE in paths)

    return means


def _paths_meant(place: Path, selector: str, root: Path) -> set[str]:
    if place.name == PORTAL_FILE:
        # There is one such file, and it lies beside kbsync.toml, not below the root.
        return {PORTAL_FILE}
    # What is not there is taken as a plan prints it: from the content root.
    return set(paths_of(place, root)) if os.path.lexists(place) else {posixpath.normpath(selector)}


def places_of(selector: str, *, root: Path, here: Path) -> set[str]:
    """The paths of the tree that a selector may be for a file that is not there any more; none where it is a word."""
    return set() if is_word(selector) else {*paths_of(here / selector, root), posixpath.normpath(selector)}


def paths_of(place: Path, root: Path) -> Iterator[str]:
    """A place as the tree may know it: as it is written, and where symbolic links on the way there lead."""
    yield Path(os.path.relpath(place, root)).as_posix()
    yield Path(os.path.relpath(real_path(place), real_path(root))).as_posix()


def _holds(path: str, item: str) -> bool:
    """Whether a path of the tree is an item or a folder around it; `..` and above hold all of the tree."""
    return set(path.split("/")) <= {".", ".."} or item == path or item.startswith(path + "/")


MOST_NAMED = 3
HOW = "Use the path of its file, its slug, or LOCALE/SLUG."


class Named(Protocol):
    """What has a slug in a locale, on any of the three sides."""

    @property
    def kind(self) -> Kind: ...
    @property
    def locale(self) -> str: ...
    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)


def paths_named(workspace: Workspace, name: str) -> frozenset[str]:
    """The paths below the content root that a name may be, as seen from the current folder and from the root."""
    place = working_folder() / name
    if place.name == PORTAL_FILE:
        return frozenset({PORTAL_FILE})
    return frozenset({*paths_of(place, real_path(workspace.content_root)), posixpath.normpath(name)})


def find_item(items: Iterable[N], name: str, paths: frozenset[str]) -> N | None:
    """The one of these that a name is about; a path counts more than a slug, an article more than a category.

    Raises:
        UsageError: the name is about several.
    """
    items = list(items)
    ways: tuple[Callable[[N], bool], ...] = (
        lambda item: _path_of(item) in paths,
        lambda item: f"{item.locale}/{item.slug}" == name,
        lambda item: item.slug == name and item.kind != "portal",
    )
    named_so = (list(filter(way, items)) for way in ways)
    found = next(filter(None, named_so), [])
    found = [item for item in found if item.kind == "article"] or found
    if len(found) > 1:
        names = ", ".join(f"`{item.locale}/{item.slug}`" for item in found[:MOST_NAMED])
        message = f"`{visible(name)}` is the slug of several items."
        raise UsageError(message, hint=visible(f"Name one of them: {names}."))
    return found[0] if found else None


def _path_of(item: Named) -> str:
    """Of its file; what was only observed has none."""
    return str(getattr(item, "path", ""))


def item_named(workspace: Workspace, name: str, *sides: Iterable[N]) -> N:
    """What a name is about among what has a file or had one; of two items of one path that of the first side.

    Raises:
        UsageError: nothing has this name, or several things have.
    """
    known: dict[str, N] = {}
    for item in (item for side in sides for item in side if item.kind != "portal"):
        known.setdefault(_path_of(item), item)
    items = list(known.values())
    found = find_item(items, name, paths_named(workspace, name))
    if found is None:
        raise not_found(name, items, "your files or in the ledger")
    return found


def not_found(name: str, items: Sequence[Named], where: str) -> UsageError:
    """The error for a name that is about nothing.

    Args:
        name: what somebody wrote.
        items: all that there is.
        where: in what it was looked for.
    """
    known = {word: None for item in items for word in (_path_of(item), item.slug) if word}
    hint = near_path(name, known) or HOW
    return UsageError(f"No article `{visible(name)}` in {where}.", hint=visible(hint))
