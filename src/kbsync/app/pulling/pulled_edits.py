"""The texts of files that are there, with what moved on the portal in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kbsync.app.pulling.pulled_bodies import PulledBodies, encoded, errors_in
from kbsync.command import command_line
from kbsync.content.front_edit import Both, Edit
from kbsync.content.identity import locale_of
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.content.source_edits import body_in, edit_source
from kbsync.fields import LINK_FIELD
from kbsync.lint import inspect
from kbsync.model import Observed, RemoteId, Status, Value
from kbsync.plan.nodes import Key, key_of
from kbsync.plan.pull import Incoming, Moved, Step
from kbsync.plan.three_way import OURS, THEIRS, marked_whole, merge_texts, with_ends_of

UNFINISHED_MERGE = "KB212"

PullSide = Literal["ours", "theirs"]


@dataclass(slots=True)
class FileEdit:
    """A file with what moved.

    Args:
        path: the file.
        before, after: its bytes.
        taken: the fields that now have the portal's value.
        merged: the fields that have both edits.
        conflicts: those with conflict markers.
        left: fields that could not be put into it, each with the reason.
    """

    path: str
    before: bytes
    after: bytes
    taken: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class EditedTexts:
    """Makes the texts of files that are there.

    Args:
        bodies: turns bodies of the portal into those of files.
        authors: names by id.
        alive: the slugs of everything on the portal (`plan.nodes.key_of`).
    """

    bodies: PulledBodies
    authors: Mapping[RemoteId, str]
    alive: Collection[Key]

    def edited(
        self, incoming: Incoming, data: bytes, content: str | None, base: str | None, side: PullSide | None
    ) -> FileEdit:
        """A file with what moved in its article.

        Args:
            incoming: the file and the fields.
            data: its bytes.
            content: the portal's text, where the body moved.
            base: the text that both had agreed on, where git knows it.
            side: whose value counts where both moved; None: both are shown.
        """
        path = incoming.match.desired.path
        source, text = parse_source(path, data), data.decode()
        edit = FileEdit(path, data, data)
        front: dict[str, Edit] = {}
        body: str | None = None
        for moved in incoming.fields:
            if moved.step is Step.MERGE and side == "ours":
                continue
            is_taken = moved.step is Step.TAKE or side == "theirs"
            if moved.name == "content":
                body = self._body(edit, source, text, content, base, is_taken=is_taken)
            else:
                self._front(edit, front, source, moved, incoming.observed, is_taken=is_taken)
        self._finish(edit, source, text, front, body, incoming)
        return edit

    def with_keys(self, path: str, data: bytes, front: Mapping[str, Edit]) -> FileEdit:
        """A file with other keys, as its category has another slug."""
        edit = FileEdit(path, data, data)
        after = edit_source(parse_source(path, data), data.decode(), front, None)
        if after is None:
            edit.left = dict.fromkeys(front, UNEDITABLE)
        else:
            edit.after, edit.taken = encoded(after), list(front)
        return edit

    def _body(
        self, edit: FileEdit, source: Source, text: str, content: str | None, base: str | None, *, is_taken: bool
    ) -> str | None:
        if content is None:
            edit.left["content"] = "it changed on the portal while kbsync was reading; pull again"
            return None
        theirs = with_ends_of(text, body_in(source, text), self.bodies.relative(content, edit.path))
        if is_taken:
            edit.taken.append("content")
            return theirs
        ours = body_in(source, text)
        before = None if base is None else base.strip("\r\n")
        merged = merge_texts(before, ours.strip("\r\n"), theirs.strip("\r\n"))
        (edit.conflicts if merged.conflicts else edit.merged).append("content")
        if merged.conflicts and not self._is_refused(source, text, merged.text):
            # In code, markers are code: lint would let them pass.
            return marked_whole(ours.strip("\r\n"), theirs.strip("\r\n"))
        return merged.text

    def _is_refused(self, source: Source, text: str, body: str) -> bool:
        after = edit_source(source, text, {}, body)
        found = parse_source(source.path, encoded(after or ""), inspect=inspect)
        return any(problem.code == UNFINISHED_MERGE for problem in found.problems)

    def _front(
        self, edit: FileEdit, front: dict[str, Edit], source: Source, moved: Moved, there: Observed, *, is_taken: bool
    ) -> None:
        value = self._value(edit, source, moved, there)
        if moved.name in edit.left:
            return
        if is_taken:
            front[moved.name] = value
            edit.taken.append(moved.name)
            if moved.name == "slug":
                published = moved.agreed if isinstance(moved.agreed, str) else moved.ours
                front["aliases"] = self._aliases(source, there, str(published))
        else:
            front[moved.name] = Both(value, OURS, THEIRS)
            edit.conflicts.append(moved.name)

    def _value(self, edit: FileEdit, source: Source, moved: Moved, there: Observed) -> Value:
        """What the front matter says for a value of the portal."""
        theirs = moved.theirs
        if moved.name == "locale":
            edit.left["locale"] = f"in the panel it moved to `{theirs}`{self._move(source.path, there)}"
        if moved.name == "author":
            if theirs is not None and theirs not in self.authors:
                edit.left["author"] = f"user {theirs} has no name under [authors] in kbsync.toml"
            return self.authors.get(theirs) if isinstance(theirs, int | str) else None
        if moved.name == "category":
            return self._category(edit, source, theirs, there)
        if moved.name == LINK_FIELD:
            return self._link(edit, theirs)
        return theirs.value if isinstance(theirs, Status) else theirs

    def _category(self, edit: FileEdit, source: Source, theirs: Value, there: Observed) -> Value:
        """What an article says as its category; None where its folder says that already."""
        locale = source.locale or locale_of(source.path, self.bodies.reading.compiler.site.locales)
        if there.locale not in ("", locale):
            edit.left["category"] = f"on the portal it is in `{there.locale}`: move the file first"
        elif theirs and (locale, str(theirs)) not in self.bodies.names.folders:
            edit.left["category"] = f"the category `{theirs}` is not in your files"
        return None if theirs and self.bodies.category_of_folder(source.path) == theirs else theirs or ""

    def _move(self, path: str, there: Observed) -> str:
        """What to do where the panel moved an article to another locale: the second half of a sentence."""
        if there.locale not in self.bodies.reading.compiler.site.locales:
            return ", which is not a locale of your files: add it to [content] locales in kbsync.toml, and pull again"
        folder = self.bodies.names.folders.get((there.locale, str(there.fields.get("category") or "")), there.locale)
        place = self.bodies.names.give(folder, path.rpartition("/")[2].removesuffix(".md"), ".md")
        return f". Run `{command_line('mv', path, place, options=[('--only', True), ('--keep-slug', True)])}`"

    def _aliases(self, source: Source, there: Observed, old: str) -> tuple[str, ...] | None:
        """The aliases of a file whose slug comes from the panel: readers of the old address are still led here."""
        is_taken = key_of(there.kind, there.locale, old) in self.alive
        kept = [name for name in source.aliases if name not in (old, there.slug)]
        return (*kept, *(() if is_taken else (old,))) or None

    def _link(self, edit: FileEdit, theirs: Value) -> str | None:
        """What a category says that it is linked to; None where its path says that already."""
        linked = self.bodies.names.shelves.get(theirs, "") if isinstance(theirs, int | str) else ""
        if theirs is not None and not linked:
            edit.left[LINK_FIELD] = f"category {theirs} has no file here"
        return None if linked == self.bodies.names.original_by_path(edit.path) else linked

    def _finish(
        self, edit: FileEdit, source: Source, text: str, front: Mapping[str, Edit], body: str | None, incoming: Incoming
    ) -> None:
        """Write it all into the file, and read it again: what does not come out as it should is not written."""
        if not front and body is None:
            return
        after = edit_source(source, text, front, body, most_chars=self.bodies.limits.content_chars)
        data = encoded(after or "")
        why = UNEDITABLE if after is None else self._why_unfit(edit, data, incoming)
        if why:
            edit.left |= dict.fromkeys((*edit.taken, *edit.merged, *edit.conflicts), why)
            edit.taken, edit.merged, edit.conflicts = [], [], []
        else:
            edit.after = data

    def _why_unfit(self, edit: FileEdit, data: bytes, incoming: Incoming) -> str:
        """Why a text is not written; "" where it is."""
        errors = errors_in(edit.path, data)
        # Between two versions somebody has to choose before anything is pushed: that is an error. Nothing else may be.
        if edit.conflicts:
            return "" if errors else UNEDITABLE
        if errors:
            return f"the portal's text would be an error in a file: {errors[0]}"
        return "" if self._is_as_wanted(edit, data, incoming) else UNEDITABLE

    def _is_as_wanted(self, edit: FileEdit, data: bytes, incoming: Incoming) -> bool:
        source = parse_source(edit.path, data)
        if not (source.title or source.name or "").strip() or (
            source.kind == "article" and source.body_blank and source.status == "published"
        ):
            # The portal may have it so, and no push would go out any more.
            return False
        observed = incoming.observed
        if "title" in edit.taken and source.title != observed.fields.get("title"):
            return False
        return "content" not in edit.taken or self.bodies.is_body_of(edit.path, data, observed)


UNEDITABLE = "the file is written in a way that kbsync cannot edit"
