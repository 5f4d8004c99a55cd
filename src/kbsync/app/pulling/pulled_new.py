"""The texts of new files that a pull makes: an article or a category that had none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kbsync.app.pulling.pulled_bodies import PulledBodies, encoded, errors_in
from kbsync.content.new_source import article_text, category_text, closed
from kbsync.markdown.anchors import made_slug
from kbsync.model import Observed, RemoteId, Status, Value
from kbsync.plan.new_paths import NewFile


class Unfit(Exception):
    """An article cannot be a file; the message says why, and is shown behind its name."""


@dataclass(slots=True)
class NewTexts:
    """Makes them.

    Args:
        bodies: turns bodies of the portal into those of files.
        authors: names by id.
    """

    bodies: PulledBodies
    authors: Mapping[RemoteId, str]

    def new_category(self, file: NewFile) -> bytes:
        """A `_category.md`.

        Raises:
            Unfit: it has no name.
        """
        folder = file.path.split("/")[-2]
        if not file.observed.title.strip():
            raise Unfit("it has no name")
        # Only linked categories are translations of each other, whatever their folders are called.
        is_said = file.original != self.bodies.names.original_by_path(file.path)
        return encoded(category_text(file.observed, folder, {"translation_of": file.original} if is_said else {}))

    def new_article(self, file: NewFile, content: str) -> bytes:
        """An article.

        Raises:
            Unfit: kbsync would find an error in it.
        """
        item = file.observed
        self._check(item, content)
        body = closed(self.bodies.relative(content, file.path), self.bodies.limits.content_chars)
        text = article_text(item, body, slug=self._default_slug(file), beside=self._beside(file))
        data = encoded(text)
        self._check_file(file.path, data)
        if not self.bodies.is_body_of(file.path, data, item):
            raise Unfit("its body would not be the same again")
        return data

    def _check(self, item: Observed, content: str) -> None:
        if not str(item.fields.get("title") or "").strip():
            raise Unfit("it has no title")
        if not item.slug.strip():
            raise Unfit("it has no slug")
        if item.slug in self.bodies.limits.reserved_slugs:
            raise Unfit(f"the service keeps the slug `{item.slug}` for itself")
        if item.status is Status.PUBLISHED and not content.strip():
            raise Unfit("it has no body")
        if "\0" in content:
            raise Unfit("its body has a NUL character")

    def _check_file(self, path: str, data: bytes) -> None:
        if errors := errors_in(path, data):
            raise Unfit(f"its text on the portal would be an error in a file: {errors[0]}")

    def _default_slug(self, file: NewFile) -> str:
        """The slug that a path makes; "" where it may be another one on another day."""
        stem = file.path.rpartition("/")[2].removesuffix(".md")
        locale, site = file.observed.locale, self.bodies.reading.compiler.site
        if made_slug(stem) != stem:
            return ""
        return stem if locale == site.default_locale else f"{stem}-{locale.lower().replace('_', '-')}"

    def _beside(self, file: NewFile) -> dict[str, Value]:
        item, values = file.observed, dict[str, Value]()
        if self.bodies.category_of_folder(file.path) and not item.fields.get("category"):
            values["category"] = ""
        author = item.fields.get("author")
        if isinstance(author, int | str) and author in self.authors:
            values["author"] = self.authors[author]
        first, _, rest = file.path.partition("/")
        if first != item.locale:
            values["locale"] = item.locale
        default = self.bodies.reading.compiler.site.default_locale
        if file.original and (first == default or file.original != f"{default}/{rest}"):
            values["translation_of"] = file.original
        return values
