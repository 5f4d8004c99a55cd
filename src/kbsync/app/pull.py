"""`pull`: the portal's articles become files, and edits in the panel come into the files that are there.

Which side moved is decided as for a plan (`plan/pull.py`). Nothing is written before everything was read, and nothing
but the content folder: service and ledger stay as they are.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbsync.app.options import PlanOptions, policy_of
from kbsync.app.plan import Planned, make_plan
from kbsync.app.pull_record import all_of, load_records, moved_of, record_path, store_records
from kbsync.app.pulled_files import Stage, finish
from kbsync.app.pulled_images import ImagePuller, ids_of
from kbsync.app.pulling import FileEdit, PullSide, Texts, Unfit
from kbsync.app.reading import Reading, read_sound
from kbsync.app.selectors import Item, meant
from kbsync.app.sides import read_ledger
from kbsync.app.workspace import Workspace
from kbsync.content.front_edits import Edit
from kbsync.content.hosted import HOSTED_FILE, hosted_text
from kbsync.content.identity import Identity
from kbsync.content.relative import Places
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ContentError, NotFound, PlanRefused, UsageError
from kbsync.files import read_within, real_path
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Action, Observed, RemoteId
from kbsync.plan.draft import Draft
from kbsync.plan.match import match_items
from kbsync.plan.new_paths import Names, NewFile, is_locale, new_files
from kbsync.plan.pull import Found, Incoming, Moved, Records, Step, find_moved, named_fields
from kbsync.service.contract import Service
from kbsync.service.download import Downloader

ROWS_PER_PAGE = 25
"""Source: docs/service.md, section 4."""

NOTE_EVERY_S = 5.0


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
class PulledFile:
    """A file of the result; `edit` has what moved in one that was there."""

    path: str
    title: str
    edit: FileEdit | None = None

    @property
    def is_new(self) -> bool:
        """Whether it was made."""
        return self.edit is None


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
    root.mkdir(parents=True, exist_ok=True)
    above = workspace.state_folder / "pull"
    if not options.dry_run and finish(above, root, now_s=time.time()):
        workspace.session.note("Finished an earlier pull that was interrupted.")
    reading = read_sound(workspace)
    stage = Stage(above, root)
    with ExitStack() as stack:
        stack.callback(_end, stage)
        service = stack.enter_context(workspace.open_service())
        loader = Downloader(service.base_url, workspace.settings.service.timeout_s)
        stack.enter_context(loader.opened())
        planned = make_plan(workspace, reading, service, read_ledger(workspace), PlanOptions(full=options.full))
        return _Pull(workspace, service, planned, options, stage, loader).run()


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
    stage = Stage(workspace.state_folder / "pull", workspace.content_root)
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
    noted_s: float = field(default_factory=time.monotonic)
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
            self._make(texts, incoming, new, unfit)
            if len(unfit) == before:
                break
            self.stage.clear()
            self.files.clear()
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

    @property
    def reading(self) -> Reading:
        return self.planned.reading

    def _found(self) -> tuple[Found, Mapping[str, int]]:
        """What moved, and what is in locales that the files do not have."""
        weighed = self.planned.weighed
        if self.only is not None:
            return named_fields(match_items(self.reading.desired, weighed), self.only), {}
        known = weighed.index.known
        draft = Draft(policy_of(self.workspace, PlanOptions()), git=known.git)
        pending = [(e.kind, e.locale, e.slug) for e in known.pending if e.action == Action.CREATE]
        # Somebody who wants the portal's version wants it also where it was merged before.
        records = {} if self.options.side == "theirs" else self.records
        found = find_moved(draft, match_items(self.reading.desired, weighed), records, pending)
        allowed = self.workspace.settings.content.locales
        new = tuple(item for item in found.new if is_locale(item.locale, allowed))
        foreign = Counter(item.locale for item in found.new if item not in new and item.kind == "article")
        return replace(found, new=new), foreign

    def _names(self) -> Names:
        compiler = self.reading.compiler
        weighed = self.planned.weighed
        folders: dict[tuple[str, str], str] = {}
        paths: dict[RemoteId, str] = {}
        for path, identity in compiler.site.categories.items():
            folders[identity.locale, identity.slug] = path.rpartition("/")[0]
        for path, (kind, remote_id) in weighed.found.items():
            seen = weighed.index.nodes[kind, remote_id].observed
            if kind == "article":
                paths[remote_id] = path
            elif seen is not None:
                folders[seen.locale, seen.slug] = path.rpartition("/")[0]
        taken = [*compiler.tree.sources, *compiler.tree.others]
        return Names.of(taken, folders, paths, compiler.site.default_locale)

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
            if image.id in hosted:
                places.add_image(hosted[image.id], image.path)
        cache = self._image_cache
        images = ImagePuller(self.loader, self.stage, names, places, settings.assets, cache, ids_of(known), hosted)
        authors: dict[RemoteId, str] = {number: name for name, number in settings.authors.items() if name != "default"}
        return Texts(self.reading, names, places, images, self.workspace.profile.limits, authors)

    # --- the texts -------------------------------------------------------------------------------------------------

    def _make(self, texts: Texts, incoming: Sequence[Incoming], new: Sequence[NewFile], unfit: dict[str, str]) -> None:
        """Make all texts and keep them beside, the largest part of a pull."""
        for file in new:
            if file.observed.kind == "category" and file.path not in unfit:
                self._add_new(texts, file, None, unfit)
        by_id = {file.observed.remote_id: file for file in new if file.observed.kind == "article"}
        by_id = {remote_id: file for remote_id, file in by_id.items() if file.path not in unfit}
        moved = {item.observed.remote_id: item for item in incoming if item.match.desired.kind == "article"}
        bases = self._base_texts(incoming)
        wanted = {remote_id: file.observed for remote_id, file in by_id.items()}
        wanted |= {number: item.observed for number, item in moved.items() if _needs_body(item, self.options.side)}
        extra = self._new_category_slugs(incoming)
        total = len(wanted)
        for number, (remote_id, content) in enumerate(self._bodies(wanted), 1):
            self._note(number, total)
            if remote_id in by_id:
                self._add_new(texts, by_id[remote_id], content, unfit)
            else:
                self._add_edited(texts, moved[remote_id], content, bases, extra)
        for item in incoming:
            if item.match.desired.kind == "category" or item.observed.remote_id not in wanted:
                self._add_edited(texts, item, None, bases, extra)
        for path, front in extra.items():
            data = self._read(path)
            self._keep(texts.with_keys(path, data, front), path)

    def _add_new(self, texts: Texts, file: NewFile, content: str | None, unfit: dict[str, str]) -> None:
        try:
            if file.observed.kind == "category":
                data = texts.new_category(file)
            elif content is None:
                raise Unfit("it changed while kbsync was reading; pull again")
            else:
                data = texts.new_article(file, content)
        except Unfit as exc:
            unfit[file.path] = str(exc)
            return
        self.stage.add(file.path, data)
        self.files.append(PulledFile(file.path, file.observed.title))

    def _add_edited(
        self,
        texts: Texts,
        item: Incoming,
        content: str | None,
        bases: Mapping[str, str],
        extra: dict[str, dict[str, Edit]],
    ) -> None:
        path = item.match.desired.path
        data = self._read(path)
        edit = texts.edited(item, data, content, bases.get(path), self.options.side)
        if (front := extra.pop(path, None)) and "category" not in edit.taken:
            again = texts.with_keys(path, edit.after, front)
            edit.after = again.after
            edit.taken += again.taken
        self._keep(edit, item.match.desired.title)

    def _keep(self, edit: FileEdit, title: str) -> None:
        for name, why in edit.left.items():
            self.left[f"{edit.path} ({name})"] = why
        if edit.after != edit.before:
            self.stage.add(edit.path, edit.after, before=edit.before)
            self.files.append(PulledFile(edit.path, title, edit))

    def _read(self, path: str) -> bytes:
        try:
            data = read_within(self.workspace.content_root / path, MAX_SOURCE_BYTES)
        except OSError as exc:
            raise ContentError(f"{path} can no longer be read: {exc.strerror}.") from exc
        from kbsync.content.body import raw_digest

        if raw_digest(data) != self.reading.compiler.tree.sources[path].raw_digest:
            raise ContentError(f"{path} changed while kbsync was running.", hint="Run the command again.")
        return data

    def _new_category_slugs(self, incoming: Iterable[Incoming]) -> dict[str, dict[str, Edit]]:
        """The files that name a category whose slug comes from the panel, each with its new key."""
        slugs = {
            (item.match.desired.locale, item.match.desired.slug): str(moved.theirs)
            for item in incoming
            if item.match.desired.kind == "category"
            for moved in item.fields
            if moved.name == "slug" and _is_taken(moved, self.options.side)
        }
        if not slugs:
            return {}
        sources, articles = self.reading.compiler.tree.sources, self.reading.compiler.site.articles
        return {
            path: {"category": slugs[identity.locale, identity.category]}
            for path, identity in articles.items()
            if sources[path].category and (identity.locale, identity.category) in slugs
        }

    def _base_texts(self, incoming: Iterable[Incoming]) -> dict[str, str]:
        """What both sides had agreed on of the bodies that are merged."""
        wanted = {}
        for item in incoming:
            base, path = item.match.base, item.match.desired.path
            for moved in item.fields:
                if moved.name == "content" and moved.step is Step.MERGE and isinstance(moved.agreed, str) and base:
                    wanted[path] = (moved.agreed, (base.path,))
        if not wanted or self.options.side is not None:
            return {}
        from kbsync.history.base_texts import find_texts

        return find_texts(self.reading.compiler, wanted)

    # --- the portal ------------------------------------------------------------------------------------------------

    def _bodies(self, wanted: Mapping[RemoteId, Observed]) -> Iterator[tuple[RemoteId, str | None]]:
        """The texts of some articles; None for one that is not the article any more that was listed.

        A page of the list has 25 of them, so it is read where many are wanted.
        """
        by_locale: dict[str, set[RemoteId]] = {}
        rows = Counter(item.locale for item in self.planned.portal.items or () if item.kind == "article")
        for remote_id, item in wanted.items():
            by_locale.setdefault(item.locale, set()).add(remote_id)
        for locale, ids in by_locale.items():
            if len(ids) > rows[locale] // ROWS_PER_PAGE + 1:
                for remote_id, text in self.service.read_bodies(locale):
                    if remote_id in ids and body_digest(text) == wanted[remote_id].fields.get("content"):
                        ids.discard(remote_id)
                        yield remote_id, text
                    if not ids:
                        break
            for remote_id in sorted(ids, key=str):
                yield remote_id, self._one_body(wanted[remote_id])

    def _one_body(self, item: Observed) -> str | None:
        try:
            text = self.service.read_article(item.remote_id, locale=item.locale)[1] or ""
        except NotFound:
            return None
        return text if body_digest(text) == item.fields.get("content") else None

    def _note(self, number: int, total: int) -> None:
        if time.monotonic() - self.noted_s >= NOTE_EVERY_S:
            self.noted_s = time.monotonic()
            self.workspace.session.note(f"Read {number:,} of {total:,} articles")

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
            if moved.name == "slug" and _is_taken(moved, side):
                desired = item.match.desired
                yield desired.path, desired.locale, str(moved.theirs), desired.kind == "article"


def _is_taken(moved: Moved, side: PullSide | None) -> bool:
    return moved.step is Step.TAKE or side == "theirs"


def _needs_body(item: Incoming, side: PullSide | None) -> bool:
    return any(moved.name == "content" and not (moved.step is Step.MERGE and side == "ours") for moved in item.fields)
