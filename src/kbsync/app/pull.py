"""`pull`: the portal's articles become files, and edits in the panel come into the files that are there.

Which side moved is decided as for a plan (`plan/pull.py`). Nothing is written before everything was read, and nothing
but the content folder: service and ledger stay as they are.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbsync.app.options import PlanOptions, named, policy_of
from kbsync.app.plan import Planned, make_plan
from kbsync.app.pull_making import Making, PulledFile, is_taken
from kbsync.app.pull_record import all_of, load_records, moved_of, record_path, store_records
from kbsync.app.pulled_files import Stage, finish
from kbsync.app.pulled_images import ImagePuller, ids_of
from kbsync.app.pulling import PullSide, Texts
from kbsync.app.reading import Reading, pull_folder, read_sound
from kbsync.app.selectors import Item, meant
from kbsync.app.sides import read_ledger
from kbsync.app.workspace import Workspace
from kbsync.content.hosted import HOSTED_FILE, hosted_text
from kbsync.content.identity import Identity
from kbsync.content.relative import Places
from kbsync.errors import PlanRefused, UsageError
from kbsync.fields import label_of
from kbsync.files import real_path
from kbsync.model import Action, Observed, Reason, RemoteId
from kbsync.plan.draft import Draft
from kbsync.plan.match import match_items
from kbsync.plan.new_paths import Names, NewFile, is_locale, new_files
from kbsync.plan.nodes import key_of
from kbsync.plan.portal_settings import BY_HAND
from kbsync.plan.pull import Found, Incoming, Records, find_moved, named_fields
from kbsync.plan.translation_links import with_originals
from kbsync.service.contract import Service
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
class Pulled:
    """How it went.

    Args:
        files: what was written, or would be.
        left: what could not be put into a file, by its name, with the reason.
        found: what moved, and what needs a decision.
        images: how many images were loaded; `left_images`: why some were not, with how many.
        foreign: articles in locales that are not in kbsync.toml.
        overtaken: files that somebody changed meanwhile; they stay.
        forced: files with uncommitted work that were changed.
        undecided: files that stay as they are, and that a push asks about.
        is_dry: nothing was written.
    """

    files: tuple[PulledFile, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    found: Found = field(default_factory=lambda: Found((), ()))
    images: int = 0
    left_images: Mapping[str, int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)
    overtaken: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    is_dry: bool = False

    @property
    def conflicts(self) -> int:
        """How many files have conflict markers."""
        return sum(1 for file in self.files if file.edit is not None and file.edit.conflicts)


def pull(workspace: Workspace, options: PullOptions) -> Pulled:
    """Bring the files up to date with the portal.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: a file that git could not give back would change.
        UsageError: the profile cannot list the portal.
    """
    if not workspace.profile.can_list:
        raise UsageError(
            f"The profile `{workspace.profile.name}` cannot list the portal, so there is nothing to pull from.",
            hint="Use the profile `chatwoot`.",
        )
    root = workspace.content_root
    above = pull_folder(workspace)
    with ExitStack() as stack:
        reading, made = None, list[Path]()
        if root.exists():
            _finish_earlier(workspace, above, options)
            # A tree with errors is refused before the portal is asked for anything.
            reading = read_sound(workspace)
        service = stack.enter_context(workspace.open_service())
        if reading is None:
            service.fetch_portal()  # Nothing is made for a portal that does not answer.
            made = [folder for folder in (root, *root.parents) if not folder.exists()]
            stack.callback(_remove_empty, made)
            with suppress(OSError):  # Reading it says what is wrong.
                root.mkdir(parents=True, exist_ok=True)
            _finish_earlier(workspace, above, options)
            reading = read_sound(workspace)
        stage = Stage(above, root)
        stack.callback(_end, stage)
        loader = Downloader(service.base_url, workspace.settings.service.timeout_s)
        stack.enter_context(loader.opened())
        planned = make_plan(workspace, reading, service, read_ledger(workspace), PlanOptions(full=options.full))
        pulled = _Pull(workspace, service, planned, options, stage, loader).run()
        if not options.dry_run:
            made.clear()  # The portal has nothing, and the next command needs the folder.
        return pulled


def _finish_earlier(workspace: Workspace, above: Path, options: PullOptions) -> None:
    if not options.dry_run and finish(above, workspace.content_root, now_s=time.time()):
        workspace.session.note("Finished an earlier pull that was interrupted.")


def _remove_empty(folders: Iterable[Path]) -> None:
    """Take away folders into which nothing came."""
    with suppress(OSError):  # Something did.
        for folder in folders:
            folder.rmdir()


def _end(stage: Stage) -> None:
    """Leave nothing behind; what is ready and not in place yet is for the next pull to finish."""
    if not stage.is_ready:
        stage.clear()


def take_fields(
    workspace: Workspace, service: Service, planned: Planned, wanted: Mapping[str, Sequence[str]]
) -> Pulled:
    """Put the portal's value of some fields into their files, whatever moved.

    Args:
        workspace: the project.
        service: the portal.
        planned: a plan that was made just now.
        wanted: the fields by path.

    Raises:
        PlanRefused: a file that git could not give back would change.
    """
    stage = Stage(pull_folder(workspace), workspace.content_root)
    loader = Downloader(service.base_url, workspace.settings.service.timeout_s)
    with ExitStack() as stack:
        stack.callback(_end, stage)
        stack.enter_context(loader.opened())
        return _Pull(workspace, service, planned, PullOptions(), stage, loader, wanted).run()


@dataclass(slots=True)
class _Pull:
    """One pull, from what is known of all sides to files that wait to be put into place."""

    workspace: Workspace
    service: Service
    planned: Planned
    options: PullOptions
    stage: Stage
    loader: Downloader
    only: Mapping[str, Sequence[str]] | None = None
    files: list[PulledFile] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    records: Records = field(init=False)

    def __post_init__(self) -> None:
        self.records = load_records(self._record_path)

    def run(self) -> Pulled:
        found, foreign = self._found()
        names = self._names()
        new = new_files(names, found.new)
        incoming, new = self._chosen(found, new)
        unfit: dict[str, str] = {}
        while True:
            # Where an article turns out not to fit into a file, others must not link to that.
            fit = [file for file in new if file.path not in unfit]
            texts = self._texts(replace(names, taken=set(names.taken)), incoming, fit)
            before = len(unfit)
            making = Making(self.workspace, self.service, self.planned, self.stage, texts, self.options.side, unfit)
            making.make(incoming, new)
            if len(unfit) == before:
                break
            self.stage.clear()
        self.files, self.left = making.files, {**making.left, **self._settings()}
        forced = self._check_uncommitted()
        self._add_hosted(texts.images)
        overtaken: tuple[str, ...] = ()
        if not self.options.dry_run:
            overtaken = tuple(self.stage.commit())
            self._record(incoming, new, overtaken)
            shutil.rmtree(self._image_cache, ignore_errors=True)
        by_name = {file.path: file.observed for file in new}
        left = {f"{by_name[path].title} ({by_name[path].slug})": why for path, why in unfit.items()}
        return Pulled(
            tuple(sorted(self.files, key=lambda file: file.path)),
            tuple((left | self.left).items()),
            found,
            texts.images.loaded,
            Counter(texts.images.left.values()),
            foreign,
            overtaken,
            forced,
            self._undecided(),
            self.options.dry_run,
        )

    @property
    def _image_cache(self) -> Path:
        return self.workspace.cache_folder / "pulled-images"

    @property
    def _record_path(self) -> Path:
        return record_path(self.workspace.state_folder, self.workspace.target.key)

    def _record(self, incoming: Iterable[Incoming], new: Iterable[NewFile], overtaken: Sequence[str]) -> None:
        """Keep what the files now have of the portal."""
        written = {file.path: file.edit for file in self.files if file.path not in overtaken}
        found = all_of(file.observed for file in new if file.path in written)
        for item in incoming:
            edit = written.get(item.match.desired.path)
            if edit is not None:
                names = (*edit.taken, *edit.merged, *edit.conflicts)
                found[item.observed.kind, item.observed.remote_id] = moved_of(item, names)
        store_records(self._record_path, self.records, found)

    # --- what there is ---------------------------------------------------------------------------------------------

    def _settings(self) -> Mapping[str, str]:
        """What somebody changed in the portal's own settings, which have a file of another kind."""
        if self.only is not None or self.options.selectors:
            return {}
        moved = (item for item in self.planned.plan.held if item.kind == "portal" and item.values)
        return {f"{item.path} ({', '.join(map(label_of, item.fields))})": BY_HAND for item in moved}

    def _undecided(self) -> tuple[str, ...]:
        """The files that have both edits since an earlier pull, or keep theirs: until somebody says so, a push asks."""
        if self.only is not None:
            return ()
        chosen = named(self.workspace, self.reading.desired, self.options.selectors, self.options.here)
        changed = {file.path for file in self.files} | {name.rpartition(" (")[0] for name in self.left}
        held = (item for item in self.planned.plan.held if item.reason in (Reason.DRIFT, Reason.CONFLICT))
        paths = (item.path for item in held if not self.options.selectors or item.path in chosen)
        return tuple(path for path in paths if path not in changed)

    @property
    def reading(self) -> Reading:
        return self.planned.reading

    def _found(self) -> tuple[Found, Mapping[str, int]]:
        """What moved, and what is in locales that the files do not have."""
        weighed = self.planned.weighed
        matches = match_items(with_originals(self.reading.desired, weighed), weighed)
        if self.only is not None:
            return named_fields(matches, self.only), {}
        known = weighed.index.known
        draft = Draft(policy_of(self.workspace, PlanOptions()), git=known.git)
        pending = [(e.kind, e.locale, e.slug) for e in known.pending if e.action == Action.CREATE]
        # Somebody who wants the portal's version wants it also where it was merged before.
        records = {} if self.options.side == "theirs" else self.records
        found = find_moved(draft, matches, records, pending)
        allowed = self.workspace.settings.content.locales
        new = tuple(item for item in found.new if is_locale(item.locale, allowed))
        rest = (item for item in found.new if item.kind == "article" and not is_locale(item.locale, allowed))
        foreign = Counter(item.locale for item in rest)
        return replace(found, new=new), foreign

    def _names(self) -> Names:
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

    def _chosen(self, found: Found, new: Sequence[NewFile]) -> tuple[tuple[Incoming, ...], Sequence[NewFile]]:
        """What the selectors mean; a new article brings its new category."""
        if not self.options.selectors:
            return found.incoming, new
        root, here = real_path(self.workspace.content_root), self.options.here or Path.cwd()
        items = [_item_of(file.path, file.observed) for file in new]
        for desired in self.reading.desired:
            category = desired.slug if desired.kind == "category" else str(desired.fields.get("category") or "")
            items.append(Item(desired.path, desired.kind, desired.locale, category, desired.status or "draft"))
        paths = meant(items, self.options.selectors, root=root, here=here)
        chosen = [file for file in new if file.path in paths]
        incoming = tuple(item for item in found.incoming if item.match.desired.path in paths)
        needed = {(file.observed.locale, file.observed.fields.get("category")) for file in chosen}
        needed |= {(item.observed.locale, moved.theirs) for item in incoming for moved in item.fields}
        more = [f for f in new if f.observed.kind == "category" and (f.observed.locale, f.observed.slug) in needed]
        kept = {file.path for file in (*chosen, *more)}
        return incoming, [file for file in new if file.path in kept]

    def _texts(self, names: Names, incoming: Iterable[Incoming], new: Iterable[NewFile]) -> Texts:
        compiler, settings = self.reading.compiler, self.workspace.settings
        address_of = dict(compiler.known)
        for path, locale, slug, is_article in (*_renamed(incoming, self.options.side), *map(_place, new)):
            address = compiler.addresses.of(Identity(path, locale, slug), is_article=is_article)
            address_of[path] = address
            if not is_article:
                address_of[path.rpartition("/")[0]] = address
        places = Places.of(address_of)
        hosted = dict(compiler.images.hosted)
        known = dict(compiler.images.by_path)
        for image in known.values():
            name = compiler.images.name(image.path)
            if name is not None and (settings.assets.base_url or image.id in hosted):
                places.add_image(name, image.path)
        cache = self._image_cache
        images = ImagePuller(self.loader, self.stage, names, places, settings.assets, cache, ids_of(known), hosted)
        authors: dict[RemoteId, str] = {number: name for name, number in settings.authors.items() if name != "default"}
        alive = {key_of(item.kind, item.locale, item.slug) for item in self.planned.portal.items or ()}
        return Texts(self.reading, names, places, images, self.workspace.profile.limits, authors, alive)

    # --- the files -------------------------------------------------------------------------------------------------

    def _check_uncommitted(self) -> tuple[str, ...]:
        """The files with work that git could not give back, where somebody wants them changed all the same.

        Raises:
            PlanRefused: there are some, and nobody said so.
        """
        changed = [file.path for file in self.files if file.edit is not None]
        if not changed or self.options.dry_run:
            return ()
        from kbsync.history.git_process import GitFailed
        from kbsync.history.uncommitted import uncommitted

        try:
            found = uncommitted(self.workspace.content_root, changed)
        except GitFailed:
            found = changed
        if found and not self.options.force:
            shown = ", ".join(found[:5]) + (f" and {len(found) - 5:,} more" if len(found) > 5 else "")
            raise PlanRefused(
                f"These files would change, and are not committed as they are: {shown}. Nothing was written.",
                hint="Commit or stash your work first. `kbsync pull --dry-run` shows the changes. "
                "`kbsync pull --force` makes them all the same: what is not committed cannot be brought back.",
            )
        return tuple(found)

    def _add_hosted(self, images: ImagePuller) -> None:
        known = self.reading.compiler.images.hosted
        if images.hosted != known:
            file = self.workspace.content_root / HOSTED_FILE
            before = file.read_bytes() if file.exists() else None
            self.stage.add(HOSTED_FILE, hosted_text(images.hosted), before=before)


def _item_of(path: str, item: Observed) -> Item:
    category = item.slug if item.kind == "category" else str(item.fields.get("category") or "")
    return Item(path, item.kind, item.locale, category, item.status or "draft")


def _place(file: NewFile) -> tuple[str, str, str, bool]:
    return file.path, file.observed.locale, file.observed.slug, file.observed.kind == "article"


def _renamed(incoming: Iterable[Incoming], side: PullSide | None) -> Iterator[tuple[str, str, str, bool]]:
    """The files whose slug comes from the panel."""
    for item in incoming:
        for moved in item.fields:
            if moved.name == "slug" and is_taken(moved, side):
                desired = item.match.desired
                yield desired.path, desired.locale, str(moved.theirs), desired.kind == "article"
