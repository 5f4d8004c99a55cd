"""What every file of a pull needs: a body with relative paths, what that compiles to, and what lint says of it.

Also the texts of new files: an article or a category that had none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kbsync.app.pulling.pulled_images import ImagePuller
from kbsync.app.reading import Reading
from kbsync.content.body import CATEGORY_FILE, body_of
from kbsync.content.compile import replacements_of
from kbsync.content.identity import folder_category
from kbsync.content.new_source import article_text, category_text, closed
from kbsync.content.parse import parse_source
from kbsync.content.relative import Places, to_relative
from kbsync.lint import inspect
from kbsync.markdown.anchors import made_slug
from kbsync.markdown.own_pages import OwnPages, with_paths
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Observed, RemoteId, Status, Value
from kbsync.plan.new_paths import Names, NewFile
from kbsync.service.profile import Limits


@dataclass(slots=True)
class PulledBodies:
    """Turns bodies of the portal into those of files.

    Args:
        reading: the tree.
        names: the paths that were given out, and the folders of categories.
        places: what is where.
        images: loads the images of a text.
        limits: the profile's.
        own: the portal's own pages.
    """

    reading: Reading
    names: Names
    places: Places
    images: ImagePuller
    limits: Limits
    own: OwnPages
    by_folder: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.by_folder = {folder: slug for (_, slug), folder in self.names.folders.items()}

    def relative(self, content: str, path: str) -> str:
        """A text of the portal for a file. What would be too long with paths in it keeps its addresses."""
        text = self.images.prepare(with_paths(content, self.own), path)
        relative = to_relative(text, path, self.places)
        longest = self.limits.content_chars
        return content if longest and len(relative) > longest >= len(content) else relative

    def compiled(self, path: str, data: bytes) -> str:
        """The name of the body that a file would have on the portal."""
        source = parse_source(path, data)

        def image_of(target: str) -> str | None:
            return self.places.address_of_image.get(target) or self.reading.compiler.images.name(target)

        return body_digest(body_of(source, data, replacements_of(source, self.places.address_of_page.get, image_of)))

    def is_body_of(self, path: str, data: bytes, item: Observed) -> bool:
        """Whether a file has the body of an article: a push would send nothing."""
        return self.compiled(path, data) in (item.fields.get("content"), item.by_path)

    def category_of_folder(self, path: str) -> str:
        """The category that a file has by its folder; "" for none."""

        def slug_at(file: str) -> str | None:
            return self.by_folder.get(file.removesuffix(f"/{CATEGORY_FILE}"))

        first = path.partition("/")[0]
        return folder_category(path, (first,), slug_at)


def errors_in(path: str, data: bytes) -> list[str]:
    """What lint refuses a file for."""
    found = parse_source(path, data, inspect=inspect).problems
    return [problem.message.rstrip(".") for problem in found if problem.level == "error"]


def encoded(text: str) -> bytes:
    """The bytes of a file."""
    return text.encode("utf-8", "surrogatepass")


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
        if errors := errors_in(file.path, data):
            raise Unfit(f"its text on the portal would be an error in a file: {errors[0]}")
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
