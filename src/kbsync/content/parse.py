"""One file's bytes become a `Source`: pure, so that a pool of processes can do it and a cache can keep it.

Also: comments in a body that say which findings are meant: `<!-- kbsync-ignore KB401 KB402: why -->`. Pure.

A comment behind text is about its own line; one alone on its line is about the next line that is not empty. The
portal drops comments, so readers see nothing of them. Codes are checked by lint, which knows what codes there are.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
from msgspec import structs

from kbsync.content.apart import Apart, take_apart
from kbsync.content.body import BOM, CATEGORY_FILE, raw_digest
from kbsync.content.front_repair import REPAIRABLE, read_front, repaired
from kbsync.content.inspection import Body, Inspect
from kbsync.content.rules import EMPTY_FILE, HIDES_KEYS, NOT_RECOGNIZED, NOT_UTF8, NUL, USELESS_IGNORE
from kbsync.content.skeleton import parts_of, skeleton_of
from kbsync.content.source import PICTURES, Ignore, Link, Problem, Source
from kbsync.markdown.anchors import heading_anchor
from kbsync.markdown.html_syntax import is_comment
from kbsync.markdown.offsets import Places
from kbsync.markdown.spans import scan
from kbsync.markdown.uploaded import body_digest
from kbsync.words import suggestion

if TYPE_CHECKING:
    from kbsync.markdown.constructs import Heading, RawHtml, Reference, Target

WORD = "kbsync-ignore"
COMMENT = re.compile(r"<!--\s*(kbsync-[\w-]*)(.*?)-->", re.DOTALL)
CODES = re.compile(r"[^\s,]+")
LINE_END = re.compile(r"\r\n|\n|\r")


def read_ignores(
    body: str, raw_html: Iterable[RawHtml], first_line: int, problems: list[Problem]
) -> tuple[Ignore, ...]:
    """What the comments of a body ignore.

    Args:
        body: the text behind the front matter.
        raw_html: where HTML is in it; a comment within code is not HTML.
        first_line: how many lines of the file come before the body.
        problems: gets what is wrong with a comment.
    """
    # A single character is looked for ten times as fast as several.
    if "<" not in body or "<!--" not in body or "kbsync-" not in body:
        return ()
    lines = _Lines(body)
    found: list[Ignore] = []
    for html in raw_html:
        if html.kind == "inline" and not is_comment(html.html):
            continue
        places = Places(html.html)
        for comment in _comments(html.html):
            found += _read(_Piece(html, places), comment, lines, first_line, problems)
    return tuple(found)


def _comments(text: str) -> Iterator[re.Match[str]]:
    # Behind the last end no comment can be whole: each look for one would go through all the rest in vain.
    return COMMENT.finditer(text, 0, text.rfind("-->") + len("-->"))


class _Piece(msgspec.Struct, frozen=True):
    """A piece of HTML, and where its lines begin."""

    html: RawHtml
    places: Places

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, in the body, of a character of it."""
        line, column = self.places.line(at), self.places.column(at)
        return self.html.line + line - 1, self.html.column + at if line == 1 else column

    def has_words_behind(self, at: int) -> bool:
        """Whether text follows on the same line, and no other comment."""
        text = self.html.html
        end = min((found for mark in "\r\n" if (found := text.find(mark, at)) >= 0), default=len(text))
        return text.find("<!--", at, end) < 0 and bool(text[at:end].strip())


class _Lines:
    """The lines of a body, and which of them are empty but for comments to kbsync."""

    def __init__(self, body: str) -> None:
        self.lines = LINE_END.split(body)
        self._following: list[int] = []

    def covered(self, first: int, last: int) -> int:
        """The line, from 1, that a comment from the first to the last of them is about."""
        if not _is_empty(" ".join(self.lines[first - 1 : last])):
            return first
        if not self._following:
            self._following = [0]
            for number in range(len(self.lines), 0, -1):
                after = self._following[-1]
                self._following.append(after if _is_empty(self.lines[number - 1]) else number)
            self._following.reverse()
        return self._following[last] or first


def _read(
    piece: _Piece, comment: re.Match[str], lines: _Lines, first_line: int, problems: list[Problem]
) -> Iterator[Ignore]:
    line, column = piece.place(comment.start())
    codes = comment[2].partition(":")[0]
    if comment[1] != WORD:
        message = f"kbsync does not know the comment `{comment[1]}`."
        problems.append(_problem(first_line + line, column, message, suggestion(WORD)))
        return
    if not codes.strip():
        message, hint = "This comment does not name a code.", f"Write for example `<!-- {WORD} KB401 -->`."
        problems.append(_problem(first_line + line, column, message, hint))
    if piece.html.kind == "block" and piece.has_words_behind(comment.end()):
        # Source: CommonMark, HTML blocks: it ends with the line, not with the comment.
        message = "Readers do not see the text after this comment, because the comment starts the line."
        problems.append(_problem(first_line + line, column, message, "Put the comment at the end of the line."))
    covers = first_line + lines.covered(line, line + comment[0].count("\n"))
    for code in CODES.finditer(codes):
        spot = piece.place(comment.start(2) + code.start())
        yield Ignore(first_line + spot[0], spot[1], covers, code[0])


@lru_cache(maxsize=64)
def _is_empty(line: str) -> bool:
    """Whether nothing is there but comments to kbsync, and what makes a quotation."""
    pieces, at = [], 0
    for comment in _comments(line):
        pieces.append(line[at : comment.start()])
        at = comment.end()
    return not "".join((*pieces, line[at:])).strip(" \t>")


def _problem(line: int, column: int, message: str, hint: str) -> Problem:
    return Problem.of(USELESS_IGNORE, (line, column), message, hint)


MAX_SCANNED = 200_000
"""Characters of a body that are parsed: ten times what the service takes."""

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def parse_source(path: str, data: bytes, *, body: bool = True, inspect: Inspect | None = None) -> Source:
    """Read one file. Whatever is wrong with it is in the source's problems; nothing is raised.

    Args:
        path: relative to the content root, with forward slashes.
        data: the file's bytes.
        body: whether to read the Markdown as well, which takes most of the time.
        inspect: what else looks for problems in the body.
    """
    kind = "category" if path.rpartition("/")[2] == CATEGORY_FILE else "article"
    name = raw_digest(data)
    try:
        decoded = data.decode("utf-8")
    except UnicodeDecodeError as exc:
        return Source(path, kind, name, problems=(_not_utf8(exc, data),))  # type: ignore[arg-type]
    text = decoded.removeprefix(BOM)
    if not text or text.isspace():
        problem = Problem.of(EMPTY_FILE, (1, 1), "The file is empty.", "Write an article, or delete the file.")
        return Source(path, kind, name, problems=(problem,))  # type: ignore[arg-type]
    post = take_apart(decoded)
    front = post.front
    values, problems = read_front(path, decoded, post)
    problems = [
        structs.replace(problem, fixable=True)
        if problem.code in REPAIRABLE and repaired(path, decoded, problem, problems) is not None
        else problem
        for problem in problems
    ]
    if any(problem.code == NOT_RECOGNIZED.code for problem in problems):
        # What would be found in it is about keys and values that are no text.
        inspect = None
    places = tuple([number for entry in front.values() for number in (entry.place.line, entry.place.column)])
    keys = "\n".join([key.replace("\n", " ") for key in front])
    found = _read_body(path, text, post, problems, inspect) | values if kind == "article" and body else values
    return Source(path, kind, name, keys=keys, places=places, problems=tuple(problems), **found)  # type: ignore[arg-type]


def _not_utf8(exc: UnicodeDecodeError, data: bytes) -> Problem:
    before = data[: exc.start].decode("utf-8").removeprefix(BOM)
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    message = f"This is not UTF-8: the byte 0x{data[exc.start]:02x} does not belong to a character."
    return Problem.of(NOT_UTF8, (line, column), message, "Save the file as UTF-8.")


def _read_body(path: str, text: str, post: Apart, problems: list[Problem], inspect: Inspect | None) -> dict[str, Any]:
    body = post.body
    body_start = len(text) - len(body)
    places = Places(text)
    if "\0" in body:
        at = text.index("\0", body_start)
        place = (places.line(at), places.column(at))
        problems.append(Problem.of(NUL, place, "The body has a NUL character.", "Delete it."))
    # Of a text that no service would take only the beginning is looked at.
    scanned = scan(body[:MAX_SCANNED])
    found: dict[str, Any] = {"body_start": body_start}
    start, end = 0, 0
    if (entry := post.front.get("title")) is None or entry.tag == "null":
        title, start, end = _title_heading(body, scanned.headings)
        found |= {"title": title, "title_span": (start, end)}
    first_line = places.line(body_start) - 1
    targets = [target for target in scanned.targets if not start <= target.start < end]
    found["links"] = tuple(_links(path, targets, scanned.references, first_line))
    if rooted := [target for target in targets if target.destination[:1] == "/" != target.destination[1:2]]:
        found["rooted"] = tuple(_rooted(rooted, first_line))
    found["anchors"] = tuple([heading_anchor(heading.text) for heading in scanned.headings if heading.level <= 3])
    parts = tuple(parts_of(body, scanned, (start, end)))
    found["skeleton"] = skeleton_of(parts)
    found["part_lines"] = tuple([first_line + part.line for part in parts])
    found["ignores"] = read_ignores(body, scanned.raw_html, first_line, problems)
    if inspect:
        shown = entry.text if entry and not found.get("title") else None
        status = post.front.get("status")
        about = (found["anchors"], found["ignores"], shown, status.text if status else None)
        problems += _inspected(inspect, Body(path, body, first_line + 1, scanned, (start, end), *about), problems)
    body = body[:start] + body[end:]
    found |= {"body_digest": body_digest(body), "body_chars": len(body), "crlf_ends": body.count("\r\n")}
    return found | {"body_blank": not body or body.isspace()}


def _inspected(inspect: Inspect, body: Body, of_front: Iterable[Problem]) -> Iterable[Problem]:
    """What is found in a body; `--fix` leaves a file alone of which it is not known where the body begins."""
    found = inspect(body)
    if any(problem.code in HIDES_KEYS and not problem.fixable for problem in of_front):
        return [structs.replace(problem, fixable=False) for problem in found]
    return found


def _title_heading(body: str, headings: Iterable[Heading]) -> tuple[str | None, int, int]:
    """The first level-1 heading that is in no quote or list item, with its line's indent; the span of it all."""
    for heading in headings:
        if heading.level == 1:
            line_start = max(body.rfind("\n", 0, heading.start), body.rfind("\r", 0, heading.start)) + 1
            if not body[line_start : heading.start].strip(" \t"):
                return heading.text, line_start, heading.end
    return None, 0, 0


def _links(path: str, targets: Iterable[Target], references: Iterable[Reference], first_line: int) -> Iterator[Link]:
    images = {_label(reference.label) for reference in references if reference.kind == "image"}
    folder = path.rpartition("/")[0]
    # Taken apart at once: there are tens of thousands.
    for kind, destination, start, end, line, column, text, _ in targets:
        if not is_local(destination):
            continue
        is_image = False
        if kind == "definition":
            if _is_footnote(text, destination):
                continue
            is_image = _label(text) in images
        written, _, anchor = destination.partition("#")
        written, _, query = written.partition("?")
        means = _joined(folder, written)
        yield Link("image" if is_image else kind, first_line + line, column, start, end, means, anchor, query)


def _rooted(targets: Iterable[Target], first_line: int) -> Iterator[Link]:
    """Links from the root of the host; a definition is taken for that of a link."""
    for target in targets:
        written, _, anchor = target.destination.partition("#")
        written, _, query = written.partition("?")
        place = (first_line + target.line, target.column, target.start, target.end)
        yield Link(target.kind, *place, unquote(written), anchor, query)


def _is_footnote(label: str, destination: str) -> bool:
    """Whether a definition is the text of a footnote, one word that says nothing of a file (`[^1]: Draft.`)."""
    if not label.startswith("^"):
        return False
    path = destination.partition("#")[0].lower()
    return "/" not in path and not path.endswith((".md", *PICTURES))


def _joined(folder: str, written: str) -> str:
    """The path of the tree that a link in a folder means."""
    above, rest = folder, written
    while above and rest.startswith("../"):
        above, rest = above.rpartition("/")[0], rest[3:]
    # Nearly all links are names behind some `../`; a file name that ends with a dot is not worth a closer look.
    if not rest or "%" in rest or "./" in rest or "//" in rest or rest[0] == "/" or rest[-1] in "./":
        return posixpath.normpath(posixpath.join(folder, unquote(written)))
    return f"{above}/{rest}" if above else rest


def _label(text: str) -> str:
    """A label as CommonMark compares it."""
    return " ".join(text.split()).casefold()


def is_local(destination: str) -> bool:
    """Whether a link target may mean a file of the tree: no scheme, no host, no bare anchor, no address from `/`."""
    return (
        bool(destination) and destination[0] not in "#/?" and (":" not in destination or not SCHEME.match(destination))
    )
