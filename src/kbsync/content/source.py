"""One file of the content tree, as read: what its front matter says, and what is known of its body.

These are msgspec structs because the scan cache stores ten thousand of them and loads them on every start.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kbsync.model import Rule

VIDEO = ".mp4"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp", ".tif", ".tiff", ".ico", VIDEO)
"""How the name of an image ends, or that of a video: both are uploaded, and named by what is in them."""


def is_video(path: str) -> bool:
    """Whether a file is a video by its name."""
    return path.lower().endswith(VIDEO)


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A position in a file; line and column count from 1."""

    line: int = 1
    column: int = 1


class Problem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A finding inside one file; its path is the file's own. `fixable`: `lint --fix` can fix it."""

    code: str
    level: Literal["error", "warning"]
    line: int
    column: int
    message: str
    hint: str = ""
    fixable: bool = False

    @classmethod
    def of(cls, rule: Rule, place: tuple[int, int], message: str, hint: str = "") -> Problem:
        """A problem that a rule found at a line and column."""
        return cls(rule.code, rule.level, *place, message, hint)


class Ignore(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A code, or the beginning of one, that a comment at this place ignores on the line that it `covers`."""

    line: int
    column: int
    covers: int
    code: str


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A link or image target of the body that points into the tree.

    `kind` is the one of `markdown.spans.Target`; a definition that an image uses is an `image`, too.
    `line` and `column` are places in the file; `start` and `end` are the characters of the
    body (after the front matter) at which the destination is written. `target` is the path of the tree that it means,
    `query` what comes after its `?`, `anchor` what comes after its `#`.
    """

    # A word of few, and not any text: of such words there is one each, however many links the cache holds.
    kind: Literal["link", "image", "definition", "autolink"]
    line: int
    column: int
    start: int
    end: int
    target: str
    anchor: str
    query: str = ""

    @property
    def is_image(self) -> bool:
        """Whether the file that is meant is an image or a video: one that is shown, or that a link leads to."""
        # Asked of tens of thousands, and nearly all of them lead to articles.
        return self.kind == "image" or (not self.target.endswith(".md") and self.target.lower().endswith(PICTURES))


class Source(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one file says. None means that the front matter leaves the key out.

    `path` is relative to the content root. `body_start` is the character at which the body begins, `title_span` the
    characters of the heading that became the title and left the body. `body_digest` names the body as written,
    before any rewriting; `raw_digest` names the bytes of the file. `keys` are those of the front matter, a line each,
    `places` their lines and columns in turn: flat, because the cache loads them for every file on every start.
    `ignores` come from comments and are about one line each, `lint_ignore` is about all of the file. `publish_on` is as
    it is written: the zone of a date is that of the project. `translated_from` is the beginning of the git blob id of
    the original's file that a translation renders; `machine`: a program translated it. `skeleton`
    is what a translation has in common with its original (`skeleton.py`), `part_lines` the line of each of its parts.
    `rooted` are links whose address begins with one `/`; their target is as it is written, without percent signs.
    `crlf_ends` is how many line ends of the body are CRLF: its `body_chars` count such an end as two.
    """

    path: str
    kind: Literal["article", "category"]
    raw_digest: bytes
    body_digest: str = ""
    body_chars: int = 0
    body_blank: bool = True
    body_start: int = 0
    title_span: tuple[int, int] = (0, 0)
    title: str | None = None
    name: str | None = None
    slug: str | None = None
    category: str | None = None
    locale: str | None = None
    status: str | None = None
    description: str | None = None
    position: int | None = None
    icon: str | None = None
    icon_color: str | None = None
    author: str | None = None
    tags: tuple[str, ...] | None = None
    meta_title: str | None = None
    meta_description: str | None = None
    translation_of: str | None = None
    aliases: tuple[str, ...] = ()
    manage: Literal["true", "seed", "false"] = "true"
    keys: str = ""
    places: tuple[int, ...] = ()
    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    lint_ignore: tuple[str, ...] = ()
    publish_on: str | None = None
    release: str | None = None
    translated_from: str | None = None
    machine: bool = False
    skeleton: str = ""
    rooted: tuple[Link, ...] = ()
    part_lines: tuple[int, ...] = ()
    crlf_ends: int = 0

    def place(self, key: str) -> Place:
        """Where a key is in the file, or the file's first line."""
        keys = self.keys.split("\n")
        if not key or key not in keys:
            return Place()
        at = 2 * keys.index(key)
        return Place(self.places[at], self.places[at + 1])
