"""The texts that a pull writes: a new file, or a file with what moved on the portal in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kbsync.app.pulled_images import ImagePuller
from kbsync.app.reading import Reading
from kbsync.command import command_line
from kbsync.content.body import CATEGORY_FILE, body_of
from kbsync.content.compile import replacements_of
from kbsync.content.front_edits import Both, Edit
from kbsync.content.identity import folder_category, locale_of
from kbsync.content.new_source import article_text, category_text, closed
from kbsync.content.parse import parse_source
from kbsync.content.relative import Places, to_relative
from kbsync.content.source import Source
from kbsync.content.source_edits import body_in, edit_source
from kbsync.fields import LINK_FIELD
from kbsync.markdown.slugs import made_slug
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Observed, RemoteId, Status, Value
from kbsync.plan.new_paths import Names, NewFile
from kbsync.plan.nodes import Key, key_of
from kbsync.plan.pull import Incoming, Moved, Step
from kbsync.plan.three_way import OURS, THEIRS, marked_whole, merge_texts, with_ends_of
from kbsync.service.profile import Limits

UNFINISHED_MERGE = "KB212"

PullSide = Literal["ours", "theirs"]


class Unfit(Exception):
    """An article cannot be a file; the message says why, and is shown behind its name."""


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
class Texts:
    """Makes the texts.

    Args:
        reading: the tree.
        names: the paths that were given out, and the folders of categories.
        places: what is where.
        images: loads the images of a text.
        limits: the profile's.
        authors: names by id.
        alive: the slugs of everything on the portal (`plan.nodes.key_of`).
    """

    reading: Reading
    names: Names
    places: Places
    images: ImagePuller
    limits: Limits
    authors: Mapping[RemoteId, str]
    alive: Collection[Key]
    by_folder: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.by_folder = {folder: slug for (_, slug), folder in self.names.folders.items()}

    # --- new files -------------------------------------------------------------------------------------------------

    def new_category(self, file: NewFile) -> bytes:
        """A `_category.md`.

        Raises:
            Unfit: it has no name.
        """
        folder = file.path.split("/")[-2]
        if not file.observed.title.strip():
            raise Unfit("it has no name")
        # Categories that are not linked are none of each other's translation, whatever their folders are called.
        is_said = file.original != self.names.original_by_path(file.path)
        return _encoded(category_text(file.observed, folder, {"translation_of": file.original} if is_said else {}))

    def new_article(self, file: NewFile, content: str) -> bytes:
        """An article.

        Raises:
            Unfit: kbsync would find an error in it.
        """
        item = file.observed
        self._check(item, content)
        body = closed(self._relative(content, file.path), self.limits.content_chars)
        text = article_text(item, body, slug=self._default_slug(file), beside=self._beside(file))
        data = _encoded(text)
        self._check_file(file.path, data)
        if self._compiled(file.path, data) != body_digest(content):
            raise Unfit("its body would not be the same again")
        return data

    def _check(self, item: Observed, content: str) -> None:
        if not str(item.fields.get("title") or "").strip():
            raise Unfit("it has no title")
        if not item.slug.strip():
            raise Unfit("it has no slug")
        if item.slug in self.limits.reserved_slugs:
            raise Unfit(f"the service keeps the slug `{item.slug}` for itself")
        if item.status is Status.PUBLISHED and not content.strip():
            raise Unfit("it has no body")
        if "\0" in content:
            raise Unfit("its body has a NUL character")

    def _check_file(self, path: str, data: bytes) -> None:
        if errors := errors_in(path, data):
            raise Unfit(errors[0])

    def _default_slug(self, file: NewFile) -> str:
        """The slug that a path makes; "" where it may be another one on another day."""
        stem = file.path.rpartition("/")[2].removesuffix(".md")
        locale, site = file.observed.locale, self.reading.compiler.site
        if made_slug(stem) != stem:
            return ""
        return stem if locale == site.default_locale else f"{stem}-{locale.lower().replace('_', '-')}"

    def _beside(self, file: NewFile) -> dict[str, Value]:
        item, values = file.observed, dict[str, Value]()
        if self._category_of_folder(file.path) and not item.fields.get("category"):
            values["category"] = ""
        author = item.fields.get("author")
        if isinstance(author, int | str) and author in self.authors:
            values["author"] = self.authors[author]
        first, _, rest = file.path.partition("/")
        if first != item.locale:
            values["locale"] = item.locale
        default = self.reading.compiler.site.default_locale
        if file.original and (first == default or file.original != f"{default}/{rest}"):
            values["translation_of"] = file.original
        return values

    def _category_of_folder(self, path: str) -> str:
        """The category that a file has by its folder; "" for none."""

        def slug_at(file: str) -> str | None:
            return self.by_folder.get(file.removesuffix(f"/{CATEGORY_FILE}"))

        first = path.partition("/")[0]
        return folder_category(path, (first,), slug_at)

    # --- files that are there --------------------------------------------------------------------------------------

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
            edit.after, edit.taken = _encoded(after), list(front)
        return edit

    def _body(
        self, edit: FileEdit, source: Source, text: str, content: str | None, base: str | None, *, is_taken: bool
    ) -> str | None:
        if content is None:
            edit.left["content"] = "it changed on the portal while kbsync was reading; pull again"
            return None
        theirs = with_ends_of(text, self._relative(content, edit.path))
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
        from kbsync.lint import inspect

        after = edit_source(source, text, {}, body)
        found = parse_source(source.path, _encoded(after or ""), inspect=inspect)
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
            locale = source.locale or locale_of(source.path, self.reading.compiler.site.locales)
            if there.locale not in ("", locale):
                edit.left["category"] = f"on the portal it is in `{there.locale}`: move the file first"
            elif theirs and (locale, str(theirs)) not in self.names.folders:
                edit.left["category"] = f"the category `{theirs}` is not in your files"
            if theirs and self._category_of_folder(source.path) == theirs:
                return None
            return theirs or ""
        if moved.name == LINK_FIELD:
            return self._link(edit, theirs)
        return theirs.value if isinstance(theirs, Status) else theirs

    def _move(self, path: str, there: Observed) -> str:
        """What to do where the panel moved an article to another locale: the second half of a sentence."""
        if there.locale not in self.reading.compiler.site.locales:
            return ", which is not a locale of your files: add it to [content] locales in kbsync.toml, and pull again"
        folder = self.names.folders.get((there.locale, str(there.fields.get("category") or "")), there.locale)
        place = self.names.give(folder, path.rpartition("/")[2].removesuffix(".md"), ".md")
        return f". Run `{command_line('mv', path, place, options=[('--only', True), ('--keep-slug', True)])}`"

    def _aliases(self, source: Source, there: Observed, old: str) -> tuple[str, ...] | None:
        """The aliases of a file whose slug comes from the panel: readers of the old address are still led here."""
        is_taken = key_of(there.kind, there.locale, old) in self.alive
        kept = [name for name in source.aliases if name not in (old, there.slug)]
        return (*kept, *(() if is_taken else (old,))) or None

    def _link(self, edit: FileEdit, theirs: Value) -> str | None:
        """What a category says that it is linked to; None where its path says that already."""
        linked = self.names.shelves.get(theirs, "") if isinstance(theirs, int | str) else ""
        if theirs is not None and not linked:
            edit.left[LINK_FIELD] = f"category {theirs} has no file here"
        return None if linked == self.names.original_by_path(edit.path) else linked

    def _finish(
        self,
        edit: FileEdit,
        source: Source,
        text: str,
        front: Mapping[str, Edit],
        body: str | None,
        incoming: Incoming,
    ) -> None:
        """Write it all into the file, and read it again: what does not come out as it should is not written."""
        if not front and body is None:
            return
        after = edit_source(source, text, front, body, most_chars=self.limits.content_chars)
        data = _encoded(after) if after is not None else b""
        errors = errors_in(edit.path, data)
        # Between two versions somebody has to choose before anything is pushed: that is an error. Nothing else may be.
        is_fit = bool(errors) if edit.conflicts else not errors and self._is_as_wanted(edit, data, incoming)
        if after is None or not is_fit:
            why = errors[0] if errors and after is not None and not edit.conflicts else UNEDITABLE
            edit.left |= dict.fromkeys((*edit.taken, *edit.merged, *edit.conflicts), why)
            edit.taken, edit.merged, edit.conflicts = [], [], []
            return
        edit.after = data

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
        return "content" not in edit.taken or self._compiled(edit.path, data) == observed.fields.get("content")

    # --- both ------------------------------------------------------------------------------------------------------

    def _relative(self, content: str, path: str) -> str:
        """A text of the portal for a file. What would be too long with paths in it keeps its addresses."""
        text = self.images.prepare(content, path)
        relative = to_relative(text, path, self.places)
        longest = self.limits.content_chars
        return content if longest and len(relative) > longest >= len(content) else relative

    def _compiled(self, path: str, data: bytes) -> str:
        source = parse_source(path, data)

        def image_of(target: str) -> str | None:
            return self.places.address_of_image.get(target) or self.reading.compiler.images.name(target)

        return body_digest(body_of(source, data, replacements_of(source, self.places.address_of_page.get, image_of)))


UNEDITABLE = "the file is written in a way that kbsync cannot edit"


def errors_in(path: str, data: bytes) -> list[str]:
    """What lint refuses a file for."""
    from kbsync.lint import inspect

    found = parse_source(path, data, inspect=inspect).problems
    return [problem.message.rstrip(".") for problem in found if problem.level == "error"]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
