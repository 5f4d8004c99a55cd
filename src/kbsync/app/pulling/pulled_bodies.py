"""What every file of a pull needs: a body with relative paths, what that compiles to, and what lint says of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kbsync.app.pulling.pulled_images import ImagePuller
from kbsync.app.reading import Reading
from kbsync.content.body import CATEGORY_FILE, body_of
from kbsync.content.compile import replacements_of
from kbsync.content.identity import folder_category
from kbsync.content.parse import parse_source
from kbsync.content.relative import Places, to_relative
from kbsync.lint import inspect
from kbsync.markdown.own_pages import OwnPages, with_paths
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Observed
from kbsync.plan.new_paths import Names
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
