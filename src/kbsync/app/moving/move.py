"""What `kbsync mv` is to do: a path as the user types it becomes files of the tree with new paths, slugs and links."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kbsync.app.moving.move_paths import Place, check_free, check_name, find_place, new_place
from kbsync.app.reading import Reading, read_content
from kbsync.app.workspace import Workspace
from kbsync.content.body import CATEGORY_FILE
from kbsync.content.front_changes import folder_category_of
from kbsync.content.identity import Site, has_two_defaults, identify, identify_article, identify_category, kept_slugs
from kbsync.content.identity import locale_of as locale_in
from kbsync.content.parse import parse_source
from kbsync.content.relink import folder_of
from kbsync.content.relocation import Moves, Relocation, relocate
from kbsync.content.rules import HIDES_KEYS, NOT_UTF8, UNREADABLE
from kbsync.content.tree import Tree
from kbsync.errors import ContentError, UsageError
from kbsync.files import real_path
from kbsync.history.git_index import GitIndex, open_index
from kbsync.markdown.anchors import made_slug

UNFINISHED_MERGE = "KB212"


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """What the user typed.

    Args:
        source: a file or a folder, as seen from the working folder or from the content folder.
        to: where it goes; "" where only an option says what changes.
        slug, category, locale: the new ones; "" for what stays.
        keep_slug: the slug stays, whatever the file is called.
        only: files of other locales stay where they are.
    """

    source: str
    to: str = ""
    slug: str = ""
    category: str = ""
    locale: str = ""
    keep_slug: bool = False
    only: bool = False


def plan_move(workspace: Workspace, request: MoveRequest, here: Path) -> Relocation:
    """Everything that a move changes. Nothing is written.

    Raises:
        UsageError: what was asked for cannot be.
        ContentError: a file cannot be read or changed.
    """
    return _Moving(workspace, request, here).plan()


@dataclass
class _Moving:
    workspace: Workspace
    request: MoveRequest
    here: Path
    reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        self.reading = read_content(self.workspace, compiled=False)

    @property
    def tree(self) -> Tree:
        return self.reading.compiler.tree

    @cached_property
    def root(self) -> Path:
        return real_path(self.workspace.content_root)

    @cached_property
    def records(self) -> Records:
        return Records(self.workspace, self.root)

    @cached_property
    def site(self) -> Site:
        """The tree, with the slugs that odd file names had before, where the ledger knows of such."""
        tree, found = self.tree, self.reading.compiler.site
        if not any(has_two_defaults(source, found) for source in tree.sources.values()):
            return found
        kept = kept_slugs(self.records.slugs, tree)
        return identify(tree, self.workspace.settings.content, kept) if kept else found

    def plan(self) -> Relocation:
        self._check_readable()
        wanted = self._wanted()
        for path in (*wanted.files, *wanted.slugs, *wanted.categories):
            self._check_source(path)
        content = self.workspace.settings.content

        def known(path: str) -> Collection[str]:
            return self.records.known({path, wanted.files.get(path, path)}, self.site)

        relocation = relocate(self.tree, self.site, content, wanted, known)
        if not relocation.changes:
            raise UsageError("Nothing would change.", hint="Name another place, or another slug.")
        self._check_changes(relocation)
        notes = (
            *relocation.notes,
            *self._left_behind(wanted),
            *self.records.mentions((*wanted.folders, *wanted.files)),
        )
        return Relocation(relocation.changes, notes)

    # --- what is asked for -----------------------------------------------------------------------------------------

    def _wanted(self) -> Moves:
        request, place = self.request, find_place(self.request.source, self.root, self.here, self.tree)
        if sum(map(bool, (request.to, request.category, request.locale))) > 1:
            raise UsageError("Name a place, `--category` or `--locale`, only one of them.")
        if request.slug and request.keep_slug:
            raise UsageError("`--slug` and `--keep-slug` exclude each other.")
        return self._wanted_folder(place) if place.is_folder else self._wanted_file(place)

    def _wanted_file(self, place: Place) -> Moves:
        request, path = self.request, place.path
        slugs = self._slug_of_file(path)
        if path.endswith(CATEGORY_FILE) and (request.to or request.category or request.locale):
            raise UsageError(f"`{path}` describes its folder.", hint=f"Move the folder `{folder_of(path)}`.")
        if request.category and (named := self._named_category(path)):
            return Moves({}, categories=named, slugs=slugs, keep_slug=request.keep_slug)
        files = self._new_paths(place)
        if not files and not slugs:
            raise UsageError("Say where to move it.", hint="Name a place, or `--slug`, `--category` or `--locale`.")
        return Moves(files, slugs=slugs, keep_slug=request.keep_slug)

    def _wanted_folder(self, place: Place) -> Moves:
        request, old = self.request, place.path
        if request.category:
            raise UsageError("`--category` is for an article.", hint="To move a folder, name its new place.")
        slugs = self._slug_of_folder(old)
        if not request.to and not request.locale:
            if not slugs:
                raise UsageError("Say where to move it.", hint="Name a place, or `--slug`.")
            return Moves({}, slugs=slugs)
        new = self._in_locale(old) if request.locale else new_place(place, request.to, self.root)
        check_name(new, old)
        if f"{new}/".startswith(f"{old}/"):
            raise UsageError(f"`{old}` cannot be moved into itself.")
        folders = {old: new} | ({} if request.only else self._mirrored(old, new))
        files = {path: to + path.removeprefix(of) for of, to in folders.items() for path in self._inside(of)}
        return Moves(files, folders, slugs, keep_slug=request.keep_slug)

    def _slug_of_file(self, path: str) -> dict[str, str]:
        """The new slug of an article, by its file."""
        if path not in self.tree.sources and (self.request.slug or self.request.category):
            raise UsageError(f"`{path}` is not an article.", hint="Only articles and categories have slugs.")
        return {path: self._slug()} if self.request.slug else {}

    def _slug_of_folder(self, folder: str) -> dict[str, str]:
        """The new slug of a category, by the file that describes it."""
        path = f"{folder}/{CATEGORY_FILE}"
        if self.request.slug and path not in self.tree.sources:
            raise UsageError(f"`{folder}` has no {CATEGORY_FILE}.", hint=f"Run `kbsync new category {folder}`.")
        return {path: self._slug()} if self.request.slug else {}

    def _slug(self) -> str:
        slug, reserved = self.request.slug, self.workspace.profile.limits.reserved_slugs
        if made_slug(slug) != slug or "/" in slug or "." in slug:
            raise UsageError(f"`{slug}` is not a good slug.", hint=f"Add `--slug {made_slug(slug)}`.")
        if slug in reserved:
            raise UsageError(f"The service has a page of its own at `{slug}`.", hint="Choose another slug.")
        return slug

    def _named_category(self, path: str) -> dict[str, str]:
        """Where the front matter says another category than the folder: the key changes, and the file stays."""
        source, identity = self.tree.sources[path], self.site.articles[path]
        self._category_folder(identity.locale)
        by_folder = folder_category_of(self.tree, self.site, path)
        return {path: self.request.category} if source.category and source.category != by_folder else {}

    def _category_folder(self, locale: str) -> str:
        declared = self.site.declared
        if (locale, self.request.category) not in declared:
            known = ", ".join(slug for of, slug in declared if of == locale) or "none yet"
            message = f"There is no category `{self.request.category}` in {locale or 'this locale'}."
            raise UsageError(message, hint=f"The categories are: {known}.")
        return folder_of(declared[locale, self.request.category])

    def _new_paths(self, place: Place) -> dict[str, str]:
        """Where a file goes, and its translations with it; nothing where it stays."""
        path, new = place.path, self._new_path(place)
        if new == path:
            return {}
        has_others = path in self.tree.sources and not self.request.only
        return {path: new} | (self._translations(path, new) if has_others else {})

    def _new_path(self, place: Place) -> str:
        request, path = self.request, place.path
        if request.category:
            new = f"{self._category_folder(self.site.articles[path].locale)}/{place.name}"
        elif request.locale:
            new = self._in_locale(path)
        else:
            new = new_place(place, request.to, self.root) if request.to else path
        if new != path:
            check_name(new, path)
        if path in self.tree.sources and new != path:
            self._check_locale(path, new)
        return new

    def _in_locale(self, path: str) -> str:
        locale = self.request.locale
        if locale not in self.site.locales:
            known = ", ".join(self.site.locales)
            raise UsageError(f"There is no locale `{locale}`.", hint=f"The locales are: {known}.")
        if not locale_in(path, self.site.locales):
            raise UsageError(f"`{path}` is not in a locale folder.", hint="Name its new place instead of `--locale`.")
        return f"{locale}/{path.partition('/')[2]}"

    def _check_locale(self, old: str, new: str) -> None:
        locales = self.workspace.settings.content.locales or self.site.locales
        if not locale_in(new, tuple(locales)) and not self.tree.sources[old].locale:
            hint = f"Move it into one of these folders: {', '.join(locales)}."
            raise UsageError(f"`{new}` is not in a locale folder.", hint=hint)

    # --- what goes along -------------------------------------------------------------------------------------------

    def _mirrored(self, old: str, new: str) -> dict[str, str]:
        """The same path in the other locales, old and new, where something is there."""
        locale, places = locale_in(old + "/", self.site.locales), {}
        if locale and locale == locale_in(new + "/", self.site.locales):
            for other in self.site.locales:
                there = other + old.removeprefix(locale)
                if other != locale and (self.root / there).exists():
                    places[there] = other + new.removeprefix(locale)
        return places

    def _translations(self, path: str, new: str) -> dict[str, str]:
        """The files at the same path in the other locales that say the same as this one."""
        same = self._mirrored(path, new)
        return {old: to for old, to in same.items() if old in self.tree.sources and self._root(old) == self._root(path)}

    def _root(self, path: str) -> str:
        """The original at the end of every chain of translations."""
        seen = {path}
        while above := self.site.translated(path, self.tree.sources[path].translation_of):
            if above in seen:
                return min(seen)
            seen.add(above)
            path = above
        return path

    def _inside(self, folder: str) -> Iterator[str]:
        """Every file below a folder, those too that kbsync does not read.

        Raises:
            UsageError: something in it cannot be moved.
        """
        for place, folders, names in os.walk(self.root / folder):
            for name in (*folders, *names):
                path = (Path(place) / name).relative_to(self.root).as_posix()
                if name == ".git":
                    raise UsageError(f"`{path}` is a repository of its own.", hint="Move the folder with git.")
                if (self.root / path).is_symlink():
                    raise UsageError(f"`{path}` is a symbolic link.", hint="Remove it, and run the command again.")
            yield from ((Path(place) / name).relative_to(self.root).as_posix() for name in names)

    # --- what is refused -------------------------------------------------------------------------------------------

    def _check_readable(self) -> None:
        """A link in a file that cannot be read could not be fixed."""
        for finding in self.tree.findings:
            if finding.code in {UNREADABLE.code, NOT_UTF8.code}:
                raise ContentError(
                    f"{finding.path}: {finding.message} Its links could not be changed, so nothing was moved.",
                    hint=finding.hint,
                )

    def _check_source(self, path: str) -> None:
        source = self.tree.sources.get(path)
        if source is not None and any(problem.code in HIDES_KEYS for problem in source.problems):
            hint = "Run `kbsync lint` to see what is wrong with it."
            raise ContentError(f"The front matter of {path} cannot be read. Nothing was moved.", hint=hint)

    def _check_changes(self, relocation: Relocation) -> None:
        """No file with an unfinished merge is changed, and none is overwritten."""
        changed = {change.old for change in relocation.changes}
        merging = {finding.path for finding in self.tree.findings if finding.code == UNFINISHED_MERGE}
        merging |= self.records.unmerged()
        if both := sorted(changed & merging):
            hint = "Finish the merge, and run the command again."
            raise ContentError(f"{both[0]} has an unfinished merge. Nothing was moved.", hint=hint)
        for change in relocation.changes:
            place = self.root / change.old
            if real_path(place) != place:
                raise ContentError(
                    f"{change.old} is reached through a symbolic link. Nothing was moved.",
                    hint="Replace the link by what it leads to.",
                )
            if change.is_move:
                check_free(self.root, change.old, change.new)

    # --- what to look at -------------------------------------------------------------------------------------------

    def _left_behind(self, wanted: Moves) -> Iterator[str]:
        """Translations that stay where they are, because of `--only`."""
        if self.request.only:
            for old, new in wanted.files.items():
                if old in self.tree.sources and (others := self._translations(old, new)):
                    yield f"{', '.join(sorted(others))}: not moved, because of `--only`."


@dataclass
class Records:
    """The records of one project. Each is read when it is asked for.

    Args:
        workspace: the project.
        root: its content folder.
    """

    workspace: Workspace
    root: Path

    @cached_property
    def slugs(self) -> frozenset[str]:
        """The slugs in the ledger; a ledger in git as it was fetched last."""
        workspace = self.workspace
        if not workspace.has_ledger():
            return frozenset()
        git = workspace.has_git_ledger
        with closing(workspace.open_git_ledger(fetch=False) if git else workspace.open_ledger(looking=True)) as ledger:
            return frozenset(base.slug for base in ledger.bases(workspace.target.key))

    @cached_property
    def _index(self) -> GitIndex | None:
        return open_index(self.root)

    def unmerged(self) -> set[str]:
        """The files of a merge that is not finished."""
        entries = self._index.entries() if self._index else {}
        return {name for name, found in entries.items() if len(found) > 1}

    def known(self, names: Iterable[str], site: Site) -> set[str]:
        """The slugs in the ledger, and those that files of these names have and had in the last commit."""
        known = set(self.slugs)
        for name, data in self._index.at_head(names).items() if self._index else ():
            source = parse_source(name, data, body=False)
            is_category = source.kind == "category"
            then = (
                identify_category(name, source, site)
                if is_category
                else identify_article(name, source, site, lambda path: None)
            )
            known |= {then.slug, *source.aliases}
        return known

    def mentions(self, paths: Sequence[str]) -> Iterator[str]:
        """A sentence for each line of a settings file that names an old path, and not as a part of other words."""
        names = [(path, re.compile(rf"(?<![\w-]){re.escape(path)}(?![\w-]|\.\w)")) for path in paths]
        settings = self.workspace.settings.path
        for file in (settings, settings.with_name("portal.toml")):
            text = file.read_text("utf-8", errors="replace") if file.is_file() else ""
            for number, line in enumerate(text.splitlines(), 1):
                if found := next((path for path, name in names if path in line and name.search(line)), ""):
                    yield f"{file.name}, line {number}, still names {found}. Change it by hand."
