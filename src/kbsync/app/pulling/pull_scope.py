"""What a pull is about: what moved on the portal, which of it was asked for, and where each file goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from kbsync.app.file_transaction import Transaction
from kbsync.app.options import PlanOptions, policy_of
from kbsync.app.planning.plan import Planned
from kbsync.app.pulling.pull_making import is_taken
from kbsync.app.pulling.pulled_bodies import NewTexts, PulledBodies
from kbsync.app.pulling.pulled_edits import EditedTexts, PullSide
from kbsync.app.pulling.pulled_images import ImagePuller, ids_of
from kbsync.app.reading import Reading
from kbsync.app.selectors import Item, meant
from kbsync.app.workspace import Workspace
from kbsync.content.identity import Identity
from kbsync.content.relative import Places
from kbsync.fields import label_of
from kbsync.files import real_path, working_folder
from kbsync.markdown.own_pages import OwnPages
from kbsync.model import Action, Desired, Held, Observed, Reason, RemoteId, Value
from kbsync.plan.draft import Draft
from kbsync.plan.known import Records
from kbsync.plan.match import match_items
from kbsync.plan.new_paths import Names, NewFile, is_locale
from kbsync.plan.nodes import key_of
from kbsync.plan.portal_settings import BY_HAND
from kbsync.plan.pull import Incoming, PortalChanges, find_moved, named_fields
from kbsync.plan.pull_order import Orders, find_orders
from kbsync.plan.pull_places import Placed, put_in_order
from kbsync.plan.translation_links import with_originals
from kbsync.service.download import Downloader


@dataclass(frozen=True, slots=True)
class PullOptions:
    """What the command line asks for.

    Args:
        selectors: as the user typed them; none: everything.
        side: whose value counts where both moved; None: both are shown, between conflict markers.
        force: change files that git could not give back.
        dry_run: write nothing.
        full: read the whole portal.
        here: the folder that paths are seen from; None: the current one.
    """

    selectors: tuple[str, ...] = ()
    side: PullSide | None = None
    force: bool = False
    dry_run: bool = False
    full: bool = False
    here: Path | None = None


@dataclass(frozen=True, slots=True)
class PullScope:
    """What one pull is about.

    Args:
        workspace, planned: the project, and a plan that was made just now.
        options: what the command line asks for.
        records: what this clone pulled before.
        own: the portal's own pages.
        only: the fields by path, where somebody named them, whatever moved.
    """

    workspace: Workspace
    planned: Planned
    options: PullOptions
    records: Records
    own: OwnPages
    only: Mapping[str, Sequence[str]] | None = None

    @property
    def reading(self) -> Reading:
        """The files."""
        return self.planned.reading

    def found(self) -> tuple[PortalChanges, Mapping[str, int], Orders]:
        """What moved, what is in locales that the files do not have, and the order of everything."""
        weighed = self.planned.weighed
        matches = match_items(with_originals(self.reading.desired, weighed), weighed)
        known = weighed.index.known
        draft = Draft(policy_of(self.workspace, PlanOptions()), git=known.git)
        if self.only is not None:
            named = {path for path, fields in self.only.items() if "position" in fields}
            return named_fields(matches, self.only), {}, find_orders(draft, matches, {}, named)
        pending = [(e.kind, e.locale, e.slug) for e in known.pending if e.action == Action.CREATE]
        # Somebody who wants the portal's version wants it also where it was merged before.
        records = {} if self.options.side == "theirs" else self.records
        orders = find_orders(draft, matches, records)
        return *self._wanted(find_moved(draft, matches, records, pending)), orders

    def _wanted(self, found: PortalChanges) -> tuple[PortalChanges, Mapping[str, int]]:
        """What is in locales that the files have, and how many articles are not."""
        allowed = self.workspace.settings.content.locales
        new = tuple(item for item in found.new if is_locale(item.locale, allowed))
        foreign = Counter(
            item.locale for item in found.new if item.kind == "article" and not is_locale(item.locale, allowed)
        )
        elsewhere = self.behind(None).keys()
        away = {(base.kind, base.remote_id) for base in self.planned.recovery.bases if base.path in elsewhere}
        dropped = tuple(item for item in found.dropped if (item.kind, item.remote_id) not in away)
        return structs.replace(found, new=new, dropped=dropped), foreign

    def names(self) -> Names:
        """The paths that are taken, and what lies where."""
        compiler = self.reading.compiler
        weighed = self.planned.weighed
        folders: dict[tuple[str, str], str] = {}
        paths: dict[RemoteId, str] = {}
        shelves: dict[RemoteId, str] = {}
        for path, identity in compiler.site.categories.items():
            folders[identity.locale, identity.slug] = path.rpartition("/")[0]
        for path, (kind, remote_id) in weighed.found.items():
            seen = weighed.index.nodes[kind, remote_id].observed
            if kind == "article":
                paths[remote_id] = path
            elif seen is not None:
                folders[seen.locale, seen.slug] = path.rpartition("/")[0]
                shelves[remote_id] = path
        taken = [*compiler.tree.sources, *compiler.tree.others]
        names = replace(Names.of(taken, folders, paths, compiler.site.default_locale), shelves=shelves)
        for path, node in weighed.found.items():
            seen = weighed.index.nodes[node].observed
            if seen is not None and compiler.tree.sources[path].translation_of is None:
                names.add_translation(path, seen)
        return names

    def named(self, new: Sequence[NewFile]) -> Set[str] | None:
        """The paths that the selectors mean, of files that are there and of new ones; None: all."""
        if not self.options.selectors:
            return None
        root, here = real_path(self.workspace.content_root), self.options.here or working_folder()
        items = [_item_of(file.path, file.observed) for file in new]
        items += (_item_of(desired.path, desired) for desired in self.reading.desired)
        return meant(items, self.options.selectors, root=root, here=here)

    def chosen(self, found: PortalChanges, new: Sequence[NewFile], orders: Orders, paths: Set[str] | None) -> Placed:
        """What is named, each in its place; a new article brings its new category."""
        side = self.options.side
        if paths is None:
            return put_in_order(orders, found.incoming, new, side=side)
        incoming = tuple(item for item in found.incoming if item.match.desired.path in paths)
        needed = _categories_of(incoming, new, paths)
        categories = (file for file in new if file.observed.kind == "category")
        kept = paths | {file.path for file in categories if (file.observed.locale, file.observed.slug) in needed}
        return put_in_order(orders, incoming, [file for file in new if file.path in kept], paths, side)

    def staged(self, found: PortalChanges, new: Sequence[NewFile], named: Set[str] | None) -> tuple[Observed, ...]:
        """The articles with a pending edit that this pull is about: those of the files, now or then, that are named."""
        files = {remote_id: path for path, (kind, remote_id) in self.planned.weighed.found.items() if kind == "article"}
        files |= {file.observed.remote_id: file.path for file in new if file.observed.kind == "article"}
        known = ((item, files.get(item.remote_id)) for item in found.staged)
        return tuple(item for item, path in known if path is not None and (named is None or path in named))

    def texts(
        self, names: Names, incoming: Iterable[Incoming], new: Iterable[NewFile], stage: Transaction, loader: Downloader
    ) -> tuple[NewTexts, EditedTexts]:
        """What makes the texts, with every page and image at the place that it will have."""
        compiler, settings = self.reading.compiler, self.workspace.settings
        places = Places.of(self._addresses(incoming, new))
        hosted = dict(compiler.images.hosted)
        known = dict(compiler.images.by_path)
        for image in known.values():
            name = compiler.images.name(image.path)
            if name is not None and (settings.assets.base_url or image.id in hosted):
                places.add_image(name, image.path)
        cache = image_cache(self.workspace)
        images = ImagePuller(loader, stage, names, places, settings.assets, cache, ids_of(known), hosted)
        authors: dict[RemoteId, str] = {number: name for name, number in settings.authors.items() if name != "default"}
        alive = {key_of(item.kind, item.locale, item.slug) for item in self.planned.portal.items or ()}
        bodies = PulledBodies(self.reading, names, places, images, self.workspace.profile.limits, self.own)
        return NewTexts(bodies, authors), EditedTexts(bodies, authors, alive)

    def _addresses(self, incoming: Iterable[Incoming], new: Iterable[NewFile]) -> dict[str, str]:
        """The addresses that pages and folders will have, by path."""
        compiler = self.reading.compiler
        found = dict(compiler.known)
        for path, locale, slug, is_article in (*_renamed(incoming, self.options.side), *map(_place, new)):
            found[path] = compiler.addresses.of(Identity(path, locale, slug), is_article=is_article)
            if not is_article:
                found[path.rpartition("/")[0]] = found[path]
        return found

    def settings(self) -> Mapping[str, str]:
        """What somebody changed in the portal's own settings, which have a file of another kind."""
        if self.only is not None or self.options.selectors:
            return {}
        moved = (item for item in self.planned.plan.held if item.kind == "portal" and item.values)
        return {f"{item.path} ({', '.join(map(label_of, item.fields))})": BY_HAND for item in moved}

    def undecided(self, named: Set[str] | None, changed: Collection[str], placed: Collection[str]) -> tuple[str, ...]:
        """The files that have both edits since an earlier pull, or keep theirs: until somebody says so, a push asks.

        Args:
            named: the paths that this is about; None: all.
            changed: the files that changed or could not be.
            placed: those whose place is the portal's now, if by the number of a neighbor.
        """
        held = (
            item
            for item in self._held(named, Reason.DRIFT, Reason.CONFLICT)
            if not (item.fields == ("position",) and item.path in placed)
        )
        return tuple(item.path for item in held if item.path not in changed)

    def behind(self, named: Set[str] | None) -> dict[str, str]:
        """By path, how to get what newer commits published: git has it, so it is not taken from the portal."""
        ways = {item.path: item.way for item in self._held(named, Reason.BEHIND)}
        return ways if named is not None or self.only is not None else {**ways, **self.planned.plan.not_here}

    def _held(self, named: Set[str] | None, *reasons: Reason) -> Iterator[Held]:
        """What a plan holds for some reasons, of what is pulled."""
        if self.only is None:
            held = (item for item in self.planned.plan.held if item.reason in reasons)
            yield from (item for item in held if named is None or item.path in named)


def image_cache(workspace: Workspace) -> Path:
    """Keeps loaded images until the pull is done."""
    return workspace.state_folder / "cache" / "pulled-images"


def _item_of(path: str, item: Observed | Desired) -> Item:
    category = item.slug if item.kind == "category" else str(item.fields.get("category") or "")
    return Item(path, item.kind, item.locale, category, item.status or "draft", item.slug)


def _categories_of(incoming: Iterable[Incoming], new: Iterable[NewFile], paths: Set[str]) -> set[tuple[str, Value]]:
    """The categories that articles get which are pulled, by locale and slug."""
    of_new = {(file.observed.locale, file.observed.fields.get("category")) for file in new if file.path in paths}
    return of_new | {
        (item.observed.locale, moved.theirs) for item in incoming for moved in item.fields if moved.name == "category"
    }


def _place(file: NewFile) -> tuple[str, str, str, bool]:
    return file.path, file.observed.locale, file.observed.slug, file.observed.kind == "article"


def _renamed(incoming: Iterable[Incoming], side: PullSide | None) -> Iterator[tuple[str, str, str, bool]]:
    """The files whose slug comes from the panel."""
    for item in incoming:
        for moved in item.fields:
            if moved.name == "slug" and is_taken(moved, side):
                desired = item.match.desired
                yield desired.path, desired.locale, str(moved.theirs), desired.kind == "article"
