"""Files of the tree get other paths or slugs: what becomes of every file, with all links to them and in them. Pure but
for reading the files that change.

    the files that move --> the images that only they show --> who each file is then --> keys of front matter --> links
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from msgspec import structs

from kbsync.config import ContentSettings
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.front_changes import Edit, FrontChanges, in_order, with_edits
from kbsync.content.identity import Site, identify, locales_of
from kbsync.content.relink import folder_of, relink
from kbsync.content.tree import Tree
from kbsync.errors import UsageError
from kbsync.words import count


@dataclass(frozen=True, slots=True)
class Moves:
    """What somebody asked for. Paths are those of the tree.

    Args:
        files: new paths by old ones.
        folders: the same for whole folders, for links to them.
        slugs: new slugs by old paths.
        categories: new values of the key `category` by old paths.
        keep_slug: slugs stay; where they came from the file's name, they are written down.
    """

    files: Mapping[str, str]
    folders: Mapping[str, str] = field(default_factory=dict)
    slugs: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    keep_slug: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after. `after` is None where the bytes stay as they are.

    `links` is how many links in it change, `edits` are those of its front matter.
    """

    old: str
    new: str
    before: bytes | None = None
    after: bytes | None = None
    links: int = 0
    edits: tuple[Edit, ...] = ()

    @property
    def is_move(self) -> bool:
        """Whether the file gets another path."""
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class Relocation:
    """Every file that changes, and sentences about what a person may want to look at."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()


def relocate(
    tree: Tree, site: Site, content: ContentSettings, wanted: Moves, known: Callable[[str], Collection[str]]
) -> Relocation:
    """Find what changes.

    Args:
        tree: the sources and all other files.
        site: who they are.
        content: the settings of the tree.
        wanted: what shall move.
        known: slugs that an article had before and that somebody may know, by its old path.

    Raises:
        UsageError: two articles would have one slug.
        ContentError: a file cannot be changed, or is not the one that was read.
    """
    return _Relocating(tree, site, content, wanted, known).run()


@dataclass
class _Relocating:
    tree: Tree
    site: Site
    content: ContentSettings
    wanted: Moves
    known: Callable[[str], Collection[str]]

    def run(self) -> Relocation:
        edits = self._edits()
        self._check_slugs(edits)
        changes = [change for path in self.tree.sources if (change := self._change(path, edits.get(path, [])))]
        changes += [FileChange(old, new) for old, new in self.files.items() if old not in self.tree.sources]
        return Relocation(tuple(sorted(changes, key=lambda c: (not c.is_move, c.old))), tuple(self._notes(edits)))

    # --- paths -----------------------------------------------------------------------------------------------------

    @cached_property
    def files(self) -> dict[str, str]:
        """New paths by old ones, with the images that go along."""
        return {**self.wanted.files, **self._own_images()}

    def _own_images(self) -> dict[str, str]:
        """Images below an article's folder that no other article shows: each keeps its place beside its article."""
        moving = self.wanted.files
        folders = {folder_of(old): folder_of(new) for old, new in moving.items() if old in self.tree.sources}
        found: dict[str, str] = {}
        for image, by in self._users(folders).items():
            around = [folder for folder in map(folder_of, by & moving.keys()) if image.startswith(folder + "/")]
            home = max(around, key=len, default="")
            new = folders.get(home, home) + image.removeprefix(home)
            is_own = home and new != image and image not in moving and by <= moving.keys()
            if is_own and not (self.tree.root / new).exists():
                found[image] = new
        return found

    def _users(self, folders: Mapping[str, str]) -> dict[str, set[str]]:
        """What shows each file of the tree that is no source; nothing where no folder changes."""
        users: dict[str, set[str]] = {}
        if all(old == new or not old for old, new in folders.items()):
            return users
        for path, source in self.tree.sources.items():
            for link in source.links:
                if link.target in self.tree.others:
                    users.setdefault(link.target, set()).add(path)
        return users

    def new(self, path: str) -> str:
        """The path of a file from now on."""
        return self.files.get(path, path)

    def where(self, target: str) -> str:
        """What a link has to mean from now on: a file, or a folder."""
        if target in self.files:
            return self.files[target]
        for old, new in self.wanted.folders.items():
            if target == old or target.startswith(old + "/"):
                return new + target[len(old) :]
        return target

    # --- who each is -----------------------------------------------------------------------------------------------

    def _identified(self, edits: Mapping[str, Collection[Edit]]) -> Site:
        """The tree as a help center from now on."""
        sources = {
            self.new(path): structs.replace(with_edits(source, edits.get(path, ())), path=self.new(path))
            for path, source in self.tree.sources.items()
        }
        locales = self.content.locales or sorted({*self.site.locales, *locales_of(sources)})
        content = structs.replace(self.content, locales=list(locales))
        return identify(Tree(self.tree.root, dict(sorted(sources.items())), {}), content, self.site.kept)

    @cached_property
    def after(self) -> Site:
        """The same where only paths change."""
        return self._identified({})

    def _edits(self) -> dict[str, list[Edit]]:
        """The keys that change, by old path."""
        changes = FrontChanges(self.tree, self.site, self.after, self.new, self.known)
        edits: dict[str, list[Edit]] = {}
        for path in {**self.wanted.files, **self.wanted.slugs}:
            if path in self.tree.sources:
                wanted = self.wanted.slugs.get(path)
                edits[path] = changes.slug_edits(path, wanted, keep=self.wanted.keep_slug)
        with_slugs = self._identified(edits)
        changes = replace(changes, after=with_slugs)
        renamed = {
            (identity.locale, identity.slug): with_slugs.categories[self.new(path)].slug
            for path, identity in self.site.categories.items()
            if with_slugs.categories[self.new(path)].slug != identity.slug
        }
        for path in (*self.site.articles, *self.site.categories):
            found = edits.setdefault(path, [])
            if path in self.wanted.categories:
                found.append(Edit("category", self.tree.sources[path].category or "", self.wanted.categories[path]))
            else:
                found += changes.place_edits(path, renamed)
            found += changes.translation_edits(path)
        return {path: in_order(found) for path, found in edits.items() if found}

    def _check_slugs(self, edits: Mapping[str, Collection[Edit]]) -> None:
        """Two articles of one slug: neither this command nor a push could say which is which."""
        final = self._identified(edits)
        old = {self.new(path): path for path in self.tree.sources}
        for kind, before in ((final.articles, self.site.articles), (final.categories, self.site.categories)):
            taken: dict[tuple[str, str], str] = {}
            for path, identity in kind.items():
                key = ("" if kind is final.articles else identity.locale, identity.slug)
                other = taken.setdefault(key, path)
                changed = any(before[old[p]].slug != kind[p].slug for p in (path, other))
                if other != path and (changed or before[old[path]].locale != identity.locale):
                    raise UsageError(
                        f"`{old[path]}` and `{old[other]}` would both have the slug `{identity.slug}`. "
                        "Nothing was moved.",
                        hint="Choose another name, or add `--slug` or `--keep-slug`.",
                    )
        self.final = final

    # --- files -----------------------------------------------------------------------------------------------------

    def _change(self, path: str, edits: list[Edit]) -> FileChange | None:
        source, new = self.tree.sources[path], self.new(path)
        if new == path and not edits and all(self.where(link.target) == link.target for link in source.links):
            return None
        data = self.tree.read_again(path, note=" Nothing was moved.")
        text, links = data.decode("utf-8"), 0
        if source.kind == "article":
            text, links = relink(source, data, new, self.where, self._exists)
        for edit in edits:
            text = edit.apply(text)
        after = text.encode()
        if after == data and new == path:
            return None
        return FileChange(path, new, data, after, links, tuple(edits))

    def _exists(self, target: str) -> bool:
        return target in self.tree.sources or target in self.tree.others or (self.tree.root / target).exists()

    # --- what to look at -------------------------------------------------------------------------------------------

    def _notes(self, edits: Mapping[str, Collection[Edit]]) -> Iterator[str]:
        final = self.final
        yield from self._undeclared(final)
        for path in self.site.articles:
            named = self.tree.sources[path].translation_of
            original = final.translated(self.new(path), named and self.new(named))
            if original and not self.site.translated(path, named):
                yield f"{self.new(path)} is now the translation of {original}, because their paths are the same."
        for path in filter(self.site.articles.__contains__, self.wanted.files):
            category = self.tree.sources[path].category
            changed = {edit.key for edit in edits.get(path, ())}
            if category and folder_of(self.new(path)) != folder_of(path) and "category" not in changed:
                yield f"{self.new(path)} stays in the category `{category}`: its front matter says so."

    def _undeclared(self, final: Site) -> Iterator[str]:
        """Categories that articles would now be in, and that no file describes."""
        missing: dict[str, list[str]] = {}
        for path in self.wanted.files:
            if (identity := final.articles.get(self.new(path))) is None or not identity.category:
                continue
            before = self.site.articles[path]
            was_declared = (before.locale, before.category) in self.site.declared
            if (identity.locale, identity.category) not in final.declared and was_declared:
                missing.setdefault(folder_of(self.new(path)), []).append(path)
        for folder, paths in missing.items():
            yield (
                f"{folder} has no {CATEGORY_FILE} yet, and {count(len(paths), 'article')} would be in it. "
                f"Run `kbsync new category {folder}`."
            )
