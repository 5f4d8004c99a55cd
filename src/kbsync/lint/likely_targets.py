"""Where the target of a dead link is now: one file of the tree has its name, or nearly. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable
from functools import cached_property

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.source import Link
from kbsync.patterns import Pattern
from kbsync.words import similar, suggestion

ENDINGS = (".md", ".markdown", ".mdx", ".html", ".htm")
"""What other tools write behind the name of a page."""

INDEX = frozenset({"index", "readme", "_index", "_category"})
"""Names that say nothing of a page: each folder may have one."""

COMMON = frozenset({
    "overview", "introduction", "intro", "getting-started", "quickstart", "faq", "about", "usage", "contributing",
    "changelog", "license", "security", "installation", "code_of_conduct", "support", "authors", "news",
})  # fmt: skip
"""Names that many folders have: one of them elsewhere is rather another page."""

_ANY_PICTURE = Pattern(
    r"(?:banner|cover|demo|diagram|example|fig|figure|icon|image|img|logo|photo|picture|preview|screen|screenshot"
    r"|thumbnail)?[-_ ]?\d*\.[a-z]+"
)
"""Names that many images have: one of them in another folder may well show something else."""

_NUMBER = Pattern(r"\A\d{1,3}[-_.]")
_COUNTED = Pattern(r"[-_]\d{1,2}\Z")
"""What other tools put behind the second anchor of one name."""

_DIGITS = Pattern(r"\d+")
_SIGNS = Pattern(r"[\W_]+")

_NO_FOLDER = Pattern(
    r"(?:\A|/)(?:[^/]*[:;${}<>\[\]`][^/]*|~|%[^/]*%|localhost|\d+(?:\.\d+){3}|www\.[^/]+|[\w.-]+\.(?:com|org))/"
)
"""In the path of what is part of an address, or what another tool fills in: its last word names no file of the tree."""


def is_hidden(path: str) -> bool:
    """Whether a file is in a hidden folder."""
    return path.startswith(".") or "/." in path


class Moved:
    """The files of a tree by name; gathered at the first dead link.

    Args:
        sources: the paths of all articles and categories.
        others: the paths of all other files.
    """

    def __init__(self, sources: Collection[str], others: Collection[str]) -> None:
        self._sources = sources
        # What lies in a hidden folder is there for another tool: a link means it only by its path.
        self.others = {path for path in others if not is_hidden(path)}
        self._named: dict[str, list[str]] = {}
        self._in_folder: dict[str, list[str]] = {}

    @cached_property
    def pages(self) -> Collection[str]:
        """What links can lead to: articles, categories and their folders."""
        folders = (
            path.removesuffix(f"/{CATEGORY_FILE}") for path in self._sources if path.endswith(f"/{CATEGORY_FILE}")
        )
        return frozenset((*self._sources, *folders))

    def hint(self, path: str, link: Link, among: Collection[str]) -> str:
        """What the link should be; "" where no file is certainly meant.

        Args:
            path: the file that has the link.
            link: the link.
            among: `pages` or `others`.
        """
        found = self.sure(link.target, among) or self._near(link.target, among)
        return suggestion(relative_to(path, found) + (f"#{link.anchor}" if link.anchor else "")) if found else ""

    def sure(self, target: str, among: Collection[str]) -> str:
        """What a dead target means: written otherwise, or the only file of that name in its locale; "" for neither."""
        self._gather()
        stem, folder = _stem(target), posixpath.dirname(target)
        if stem in INDEX:
            return folder if folder in among else ""
        straight = posixpath.normpath(target.replace("\\", "/"))
        bare, ending = posixpath.splitext(target)
        is_page = ending.startswith((".md", ".mar", ".htm"))
        for written in (f"{target}.md", f"{bare}.md" if is_page else "", f"{target}/index.md", straight):
            if written in among:
                return written
        numbered = [path for path in self._in_folder.get(folder, ()) if path in among and _unnumbered(path) == stem]
        if numbered:
            return numbered[0] if len(numbered) == 1 else ""
        locale = f"{target.partition('/')[0]}/"
        same = [path for path in self._same(target, among) if path.startswith(locale)]
        is_sure = len(same) == 1 and stem not in COMMON and not _ANY_PICTURE.fullmatch(stem)
        return same[0] if is_sure else ""

    def _same(self, target: str, among: Collection[str]) -> list[str]:
        if _NO_FOLDER.search(target):
            return []
        stem = _stem(target)
        return [path for path in self._named.get(stem, ())[:MOST_COMPARED] if path in among]

    def _gather(self) -> None:
        if self._named:
            return
        for path in sorted((*self.pages, *self.others)):
            self._named.setdefault(_stem(path), []).append(path)
            self._in_folder.setdefault(posixpath.dirname(path), []).append(path)

    def _near(self, target: str, among: Collection[str]) -> str:
        """The path that a dead target probably means: of the same name, or beside it of nearly the same."""
        stem, folder = _stem(target), posixpath.dirname(target)
        if stem in INDEX:
            return ""
        if same := self._same(target, among):
            near = _of_its_locale(same, target)
            return near[0] if len(near) == 1 else ""
        beside = {posixpath.basename(path): path for path in self._in_folder.get(folder, ()) if path in among}
        near = similar(posixpath.basename(target), beside, cutoff=LIKENESS) if len(beside) <= MOST_COMPARED else []
        # `error-500.png` is not `error-503.png`.
        return beside[near[0]] if near and _DIGITS.findall(near[0]) == _DIGITS.findall(stem) else ""


def near_anchor(anchor: str, anchors: Iterable[str]) -> str:
    """The anchor of a heading that another one probably means; "" where none looks like it.

    Tools part words differently: `#websocketendpoint` is the `#web-socket-endpoint` of the portal.
    """
    known = [known for known in anchors if known]
    letters = _SIGNS.sub("", anchor)
    same = next((known for known in known if known.replace("-", "") == letters), "")
    if same or len(known) > MOST_COMPARED:
        return same
    return next((near for near in similar(anchor, known, cutoff=ANCHOR_LIKENESS) if _has_words(near, anchor)), "")


def _has_words(anchor: str, wanted: str) -> bool:
    """Whether two anchors have the same words but for their spelling. Other headings often have most of them."""
    if _COUNTED.sub("", wanted) == anchor:
        return True
    one, other = (set(_SIGNS.split(text)) for text in (anchor, wanted))
    left, rest = sorted(one - other), sorted(other - one)
    return len(left) == len(rest) and all(similar(word, rest, cutoff=WORD_LIKENESS) for word in left)


def relative_to(path: str, target: str) -> str:
    """A path of the tree as a link in a file writes it."""
    written = posixpath.relpath(target, posixpath.dirname(path) or ".")
    return CATEGORY_FILE if written == "." else written


LIKENESS = 0.85
ANCHOR_LIKENESS = 0.75
"""How much an anchor has to look like the one that is proposed; another heading of the page is easily like it."""

WORD_LIKENESS = 0.6
"""How much a misspelled word of an anchor has to look like it: `refund` and `refunds`, `colour` and `color`."""

MOST_COMPARED = 200
"""Names in one folder, or anchors of one page, that a misspelled one is compared with: a tree may have thousands of
dead links."""


def _of_its_locale(paths: list[str], target: str) -> list[str]:
    """Those in the same locale; all where none is."""
    locale = target.partition("/")[0]
    return [path for path in paths if path.partition("/")[0] == locale] or paths


def _unnumbered(path: str) -> str:
    """The stem of a file without the number that sorts it, such as `01-`, which other tools leave out of links."""
    return _NUMBER.sub("", _stem(path), count=1)


def _stem(path: str) -> str:
    name = posixpath.basename(path).lower()
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)
