"""`pull`: the portal's articles become files, and edits in the panel come into the files that are there.

Which side moved is decided as for a plan (`plan/pull.py`). Nothing is written before everything was read, and nothing
but the content folder: service and ledger stay as they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from kbsync.app.file_transaction import PULL, Changes, Transaction
from kbsync.app.options import PlanOptions
from kbsync.app.planning.plan import Planned, make_plan
from kbsync.app.pull_record import all_of, load_records, moved_of, store_records
from kbsync.app.pulling.pull_making import Making, ProgressNotes, PulledFile
from kbsync.app.pulling.pull_scope import PullOptions, PullScope, image_cache
from kbsync.app.pulling.pulled_images import ImagePuller
from kbsync.app.reading import read_sound
from kbsync.app.sides import read_ledger
from kbsync.app.workspace import Workspace
from kbsync.content.hosted import HOSTED_FILE, hosted_text
from kbsync.errors import PlanRefused, UsageError
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import uncommitted
from kbsync.model import Observed
from kbsync.plan.known import Records
from kbsync.plan.new_paths import new_files
from kbsync.plan.pull import PortalChanges
from kbsync.plan.pull_places import Placed
from kbsync.service.client import Service
from kbsync.service.download import Downloader


@dataclass(frozen=True, slots=True)
class Pulled:
    """How it went.

    Args:
        files: what was written, or would be.
        left: what could not be put into a file, by its name, with the reason.
        found: what moved, and what needs a decision.
        images: how many images were loaded; `left_images`: those that were not, each with its
            article and the reason.
        foreign: articles in locales that are not in kbsync.toml.
        overtaken: files that somebody changed meanwhile; they stay.
        forced: files with uncommitted work that were changed.
        undecided: files that stay as they are, and that a push asks about.
        behind: by path, how to get what was published from a commit that is not part of this checkout.
        is_dry: nothing was written.
    """

    files: tuple[PulledFile, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    found: PortalChanges = field(default_factory=lambda: PortalChanges((), ()))
    images: int = 0
    left_images: tuple[tuple[str, str, str], ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)
    overtaken: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    behind: Mapping[str, str] = field(default_factory=dict)
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
    with ExitStack() as stack:
        reading, made = None, list[Path]()
        if root.exists():
            _finish_earlier(workspace, options)
            # A tree with errors is refused before the portal is asked for anything.
            reading = read_sound(workspace)
        service = stack.enter_context(workspace.open_service())
        if reading is None:
            service.fetch_portal()  # Nothing is made for a portal that does not answer.
            made = [folder for folder in (root, *root.parents) if not folder.exists()]
            stack.callback(_remove_empty, made)
            with suppress(OSError):  # Reading it says what is wrong.
                root.mkdir(parents=True, exist_ok=True)
            _finish_earlier(workspace, options)
            reading = read_sound(workspace)
        stage = stack.enter_context(Transaction(Changes.of(workspace), PULL))
        loader = Downloader(service.transport.base_url, workspace.settings.service.timeout_s)
        stack.enter_context(loader.opened())
        planned = make_plan(workspace, reading, service, read_ledger(workspace), PlanOptions(full=options.full))
        pulled = _Pull(workspace, service, planned, options, stage, loader).run()
        if not options.dry_run:
            made.clear()  # The portal has nothing, and the next command needs the folder.
        return pulled


def _name_of(item: Observed) -> str:
    """An article by title and slug; one without a title by its slug."""
    return item.slug if item.title == item.slug else f"{item.title} ({item.slug})"


def _finish_earlier(workspace: Workspace, options: PullOptions) -> None:
    if not options.dry_run:
        Changes.of(workspace).settle(PULL, workspace.session.note, _writing(workspace))


def _writing(workspace: Workspace) -> ProgressNotes:
    return ProgressNotes(workspace.session.note, "Wrote {done:,} of {all:,} files")


def _remove_empty(folders: Iterable[Path]) -> None:
    """Take away folders into which nothing came."""
    with suppress(OSError):  # Something did.
        for folder in folders:
            folder.rmdir()


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
    loader = Downloader(service.transport.base_url, workspace.settings.service.timeout_s)
    with ExitStack() as stack:
        stage = stack.enter_context(Transaction(Changes.of(workspace), PULL))
        stack.enter_context(loader.opened())
        return _Pull(workspace, service, planned, PullOptions(), stage, loader, wanted).run()


@dataclass(slots=True)
class _Pull:
    """One pull, from what is known of all sides to files that wait to be put into place."""

    workspace: Workspace
    service: Service
    planned: Planned
    options: PullOptions
    stage: Transaction
    loader: Downloader
    only: Mapping[str, Sequence[str]] | None = None
    files: list[PulledFile] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    records: Records = field(init=False)

    def __post_init__(self) -> None:
        self.records = load_records(self.workspace)

    def run(self) -> Pulled:
        own = self.service.endpoint.own
        scope = PullScope(self.workspace, self.planned, self.options, self.records, own, self.only)
        found, foreign, orders = scope.found()
        names = scope.names()
        all_new = new_files(names, found.new)
        named = scope.named(all_new)
        placed = scope.chosen(found, all_new, orders, named)
        incoming, new = placed.incoming, placed.new
        unfit: dict[str, str] = {}
        while True:
            # Where an article turns out not to fit into a file, others must not link to that.
            fit = [file for file in new if file.path not in unfit]
            texts = scope.texts(replace(names, taken=set(names.taken)), incoming, fit, self.stage, self.loader)
            before = len(unfit)
            making = Making(self.workspace, self.service, self.planned, self.stage, *texts, self.options.side, unfit)
            making.make(incoming, new)
            if len(unfit) == before:
                break
            self.stage.clear()
        self.files, self.left = making.files, {**making.left, **scope.settings()}
        forced = self._check_uncommitted()
        images = texts[0].bodies.images
        self._add_hosted(images)
        overtaken: tuple[str, ...] = ()
        if not self.options.dry_run:
            overtaken = tuple(self.stage.commit(_writing(self.workspace)))
            self._record(placed, overtaken)
            shutil.rmtree(image_cache(self.workspace), ignore_errors=True)
        by_name = {file.path: file.observed for file in new}
        changed = {file.path for file in self.files} | {name.rpartition(" (")[0] for name in self.left}
        left = {_name_of(by_name[path]): why for path, why in unfit.items()}
        found = structs.replace(found, staged=scope.staged(found, all_new, named))
        return Pulled(
            tuple(sorted(self.files, key=lambda file: file.path)),
            tuple((left | self.left).items()),
            found,
            images.loaded,
            images.left_out,
            foreign,
            overtaken,
            forced,
            scope.undecided(named, changed, placed.taken),
            scope.behind(named),
            self.options.dry_run,
        )

    def _record(self, placed: Placed, overtaken: Sequence[str]) -> None:
        """Keep what the files now have of the portal."""
        written = {file.path: file.edit for file in self.files if file.path not in overtaken}
        found = all_of(file.observed for file in placed.new if file.path in written)
        for item in placed.incoming:
            edit = written.get(item.match.desired.path)
            if edit is not None:
                names = (*edit.taken, *edit.merged, *edit.conflicts)
                found[item.observed.kind, item.observed.remote_id] = moved_of(item, names)
        for order in placed.noted:
            for node, last in order.numbers.items() if order.files <= written.keys() else ():
                found.setdefault(node, {})["position"] = last
        store_records(self.workspace, found)

    # --- the files -------------------------------------------------------------------------------------------------

    def _check_uncommitted(self) -> tuple[str, ...]:
        """The files with work that git could not give back, where somebody wants them changed all the same.

        Raises:
            PlanRefused: there are some, and nobody said so.
        """
        changed = [file.path for file in self.files if file.edit is not None]
        if not changed or self.options.dry_run:
            return ()
        try:
            found = uncommitted(self.workspace.content_root, changed)
        except GitFailed:
            found = changed
        if found and not self.options.force:
            shown = ", ".join(found[:5]) + (f" and {len(found) - 5:,} more" if len(found) > 5 else "")
            hint = "Commit or stash your work first."
            if self.only is None:
                hint += " `kbsync pull --dry-run` shows the changes. `kbsync pull --force` makes them anyway:"
                hint += " git cannot bring back what is not committed."
            raise PlanRefused(
                f"What is in these files is not committed, and would change: {shown}. Nothing was written.",
                hint=hint,
            )
        return tuple(found)

    def _add_hosted(self, images: ImagePuller) -> None:
        known = self.planned.reading.compiler.images.hosted
        if images.hosted != known:
            file = self.workspace.content_root / HOSTED_FILE
            before = file.read_bytes() if file.exists() else None
            self.stage.write(HOSTED_FILE, hosted_text(images.hosted), before=before)
