"""Makes the texts of a pull, one article after the other, and keeps them beside until all are there."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbsync.app.file_transaction import Transaction
from kbsync.app.planning.plan import Planned
from kbsync.app.pulling.pulled_bodies import NewTexts, Unfit
from kbsync.app.pulling.pulled_edits import EditedTexts, FileEdit, PullSide
from kbsync.app.workspace import Workspace
from kbsync.content.body import raw_digest
from kbsync.content.front_edit import Edit
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ContentError, NotFound
from kbsync.fields import label_of
from kbsync.files import read_within
from kbsync.history.base_texts import find_texts
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Observed, RemoteId
from kbsync.plan.new_paths import NewFile
from kbsync.plan.pull import Incoming, Moved, Step
from kbsync.service.client import Service

ROWS_PER_PAGE = 25
"""Source: docs/service.md, section 4."""

NOTE_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class PulledFile:
    """A file of the result; `edit` has what moved in one that was there.

    `author` is the name of the article's author in the panel, "" where the service gives none.
    """

    path: str
    title: str
    edit: FileEdit | None = None
    author: str = ""

    @property
    def is_new(self) -> bool:
        """Whether it was made."""
        return self.edit is None


@dataclass(slots=True)
class ProgressNotes:
    """Says how far something is, every few seconds.

    Args:
        note: prints a line.
        text: the line, with places for `done` and `all`.
    """

    note: Callable[[str], None]
    text: str
    noted_s: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, of: int) -> None:
        """So many are done."""
        if time.monotonic() - self.noted_s >= NOTE_EVERY_S:
            self.noted_s = time.monotonic()
            self.note(self.text.format(done=done, all=of))


@dataclass(slots=True)
class Making:
    """Makes all texts of a pull.

    Args:
        workspace, service, planned: the project, the portal, and a plan that was made just now.
        stage: takes the files.
        new_texts: makes the text of a new file; `edited_texts`: of one that is there.
        side: whose value counts where both moved.
        unfit: articles that cannot be files, by their paths, with the reason; grows.
    """

    workspace: Workspace
    service: Service
    planned: Planned
    stage: Transaction
    new_texts: NewTexts
    edited_texts: EditedTexts
    side: PullSide | None
    unfit: dict[str, str]
    files: list[PulledFile] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    progress: ProgressNotes = field(init=False)

    def __post_init__(self) -> None:
        self.progress = ProgressNotes(self.workspace.session.note, "Read {done:,} of {all:,} articles")

    def make(self, incoming: Sequence[Incoming], new: Sequence[NewFile]) -> None:
        """Make all texts and keep them beside, the largest part of a pull."""
        articles = dict[RemoteId, NewFile | Incoming]()
        for file in new:
            if file.path not in self.unfit and file.observed.kind == "article":
                articles[file.observed.remote_id] = file
            elif file.path not in self.unfit:
                self._add_new(file, None)
        articles |= {item.observed.remote_id: item for item in incoming if _needs_body(item, self.side)}
        bases, extra = self._base_texts(incoming), self._new_category_slugs(incoming)
        for number, (remote_id, content) in enumerate(self._bodies(articles), 1):
            self.progress(number, len(articles))
            item = articles[remote_id]
            if isinstance(item, NewFile):
                self._add_new(item, content)
            else:
                self._add_edited(item, content, bases, extra)
        for item in incoming:
            if not _needs_body(item, self.side):
                self._add_edited(item, None, bases, extra)
        for path, front in extra.items():
            data = self._read(path)
            self._keep(self.edited_texts.with_keys(path, data, front), path)

    def _add_new(self, file: NewFile, content: str | None) -> None:
        try:
            if file.observed.kind == "category":
                data = self.new_texts.new_category(file)
            elif content is None:
                raise Unfit("it changed while kbsync was reading; pull again")
            else:
                data = self.new_texts.new_article(file, content)
        except Unfit as exc:
            self.unfit[file.path] = str(exc)
            return
        self.stage.write(file.path, data)
        self.files.append(PulledFile(file.path, file.observed.title, author=self._author(file.observed)))

    def _add_edited(
        self, item: Incoming, content: str | None, bases: Mapping[str, str], extra: dict[str, dict[str, Edit]]
    ) -> None:
        path = item.match.desired.path
        data = self._read(path)
        edit = self.edited_texts.edited(item, data, content, bases.get(path), self.side)
        if (front := extra.pop(path, None)) and "category" not in edit.taken:
            again = self.edited_texts.with_keys(path, edit.after, front)
            edit.after = again.after
            edit.taken += again.taken
        self._keep(edit, item.match.desired.title, self._author(item.observed))

    def _author(self, item: Observed) -> str:
        listed, author = self.planned.portal.snapshot, item.fields.get("author")
        return listed.authors.get(author, "") if listed is not None and isinstance(author, int | str) else ""

    def _keep(self, edit: FileEdit, title: str, author: str = "") -> None:
        for name, why in edit.left.items():
            self.left[f"{edit.path} ({label_of(name)})"] = why
        if edit.after != edit.before:
            self.stage.write(edit.path, edit.after, before=edit.before)
            self.files.append(PulledFile(edit.path, title, edit, author))

    def _read(self, path: str) -> bytes:
        try:
            data = read_within(self.workspace.content_root / path, MAX_SOURCE_BYTES)
        except OSError as exc:
            raise ContentError(f"{path} can no longer be read: {exc.strerror}.") from exc
        if raw_digest(data) != self.planned.reading.compiler.tree.sources[path].raw_digest:
            raise ContentError(f"{path} changed while kbsync was running.", hint="Run the command again.")
        return data

    def _new_category_slugs(self, incoming: Iterable[Incoming]) -> dict[str, dict[str, Edit]]:
        """The files that name a category whose slug comes from the panel, each with its new key."""
        slugs = {
            (item.match.desired.locale, item.match.desired.slug): str(moved.theirs)
            for item in incoming
            if item.match.desired.kind == "category"
            for moved in item.fields
            if moved.name == "slug" and is_taken(moved, self.side)
        }
        if not slugs:
            return {}
        sources, articles = self.planned.reading.compiler.tree.sources, self.planned.reading.compiler.site.articles
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
        if not wanted or self.side is not None:
            return {}
        return find_texts(self.planned.reading.compiler, wanted)

    # --- the portal ------------------------------------------------------------------------------------------------

    def _bodies(self, articles: Mapping[RemoteId, NewFile | Incoming]) -> Iterator[tuple[RemoteId, str | None]]:
        """The texts of some articles; None for one that is not the article any more that was listed.

        A page of the list has 25 of them, so it is read where many are wanted.
        """
        by_locale: dict[str, dict[RemoteId, Observed]] = {}
        rows = Counter(item.locale for item in self.planned.portal.items or () if item.kind == "article")
        for remote_id, item in articles.items():
            by_locale.setdefault(item.observed.locale, {})[remote_id] = item.observed
        for locale, wanted in by_locale.items():
            if len(wanted) > rows[locale] // ROWS_PER_PAGE + 1:
                yield from self._listed_bodies(locale, wanted)
            for remote_id in sorted(wanted, key=str):
                yield remote_id, self._one_body(wanted[remote_id])

    def _listed_bodies(self, locale: str, wanted: dict[RemoteId, Observed]) -> Iterator[tuple[RemoteId, str]]:
        """Takes what the pages of the list have out of `wanted`."""
        for remote_id, text in self.service.reader.read_bodies(locale):
            if remote_id in wanted and _is_text_of(text, wanted[remote_id]):
                del wanted[remote_id]
                yield remote_id, text
            if not wanted:
                break

    def _one_body(self, item: Observed) -> str | None:
        try:
            text = self.service.read_article(item.remote_id, locale=item.locale).text or ""
        except NotFound:
            return None
        return text if _is_text_of(text, item) else None


def _is_text_of(text: str, item: Observed) -> bool:
    """Whether it is still the body that was listed, by either of its names."""
    return body_digest(text) in (item.fields.get("content"), item.by_path)


def is_taken(moved: Moved, side: PullSide | None) -> bool:
    """Whether a file gets the portal's value of a field."""
    return moved.step is Step.TAKE or side == "theirs"


def _needs_body(item: Incoming, side: PullSide | None) -> bool:
    """Whether it is an article of which the file gets the portal's body."""
    if item.observed.kind == "category":
        return False
    return any(moved.name == "content" and not (moved.step is Step.MERGE and side == "ours") for moved in item.fields)
