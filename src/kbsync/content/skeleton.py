"""What a translation has in common with its original, whatever the language: links to other sites, images, code,
headings, placeholders and tables. Pure. The scan cache keeps it of every article, so it is short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from kbsync.markdown.constructs import Scan
from kbsync.markdown.offsets import Places
from kbsync.patterns import Pattern

LINK, IMAGE, CODE, HEADING, PLACEHOLDER, TABLE = "link", "image", "code", "heading", "placeholder", "table"

_NAME = r"\{[A-Za-z_][\w.]{0,60}\}"
PLACEHOLDERS = Pattern(rf"\{{\{{[^{{}}\n]{{1,80}}\}}\}}|\${_NAME}|%{_NAME}|{_NAME}|%[sd](?<![\w ]%[sd])(?![\w'’])")
"""`{{contact.name}}`, `%{name}`, `${name}`, `{name}`, `%s`. Each begins with a plain character, so that the rest of a
text is passed over ten times faster."""

ELSEWHERE = Pattern(r"(?:https?|mailto|tel):", re.IGNORECASE)

FENCE = Pattern(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([^\s`]*)")
COMMENT = Pattern(r"(?:(?<=\s)|^)(?:#|//|<!--)")
PLAIN = {"", "text", "txt", "markdown", "md", "console"}
"""The languages of blocks that are not code."""

DELIMITER = Pattern(r":?-+:?")

DIGEST_BYTES = 6


class Part(NamedTuple):
    """One of them: what it is, what tells it from others of its kind, and the line of the body where it begins."""

    kind: str
    key: str
    line: int


def parts_of(body: str, scan: Scan, title_span: tuple[int, int]) -> Iterator[Part]:
    """The parts of a body, kind by kind and in the order of the text. Links into the tree are not among them."""
    for target in scan.targets:
        if ":" in target.destination and ELSEWHERE.match(target.destination):
            kind = IMAGE if target.kind == "image" else LINK
            yield Part(kind, " ".join(target.destination.split()), target.line)
    for heading in scan.headings:
        if not title_span[0] <= heading.start < title_span[1]:
            yield Part(HEADING, str(heading.level), heading.line)
    places = Places(body)
    for start, end in scan.code:
        yield Part(CODE, _code(body[start:end]), places.line(start))
    for start, end in scan.tables:
        yield Part(TABLE, _size(body[start:end]), places.line(start))
    yield from _placeholders(body, scan, places)


def _code(text: str) -> str:
    """The digest of a block of code without what is translated in it: comments, and the indent within a list.

    A block of no language or of text shows what a person sees or writes: only that it is there counts.
    """
    fence = FENCE.match(text)
    if fence is None or fence[1].lower() in PLAIN:
        return ""
    lines: Iterable[str] = map(str.strip, text.strip().splitlines())
    if "#" in text or "//" in text or "<" in text:
        lines = (
            COMMENT.split(line, maxsplit=1)[0].strip() if "#" in line or "//" in line or "<" in line else line
            for line in lines
        )
    return blake2b("\n".join(filter(None, lines)).encode(), digest_size=DIGEST_BYTES).hexdigest()


def _size(table: str) -> str:
    """`2x5`: the columns and rows of a table. Its words are translated; the row with hyphens is none of them."""
    lines = [line for line in table.splitlines() if line.strip(" \t>")]
    columns = len(DELIMITER.findall(lines[1])) if len(lines) > 1 else 0
    return f"{columns}x{len(lines) - 1}"


def _placeholders(body: str, scan: Scan, places: Places) -> Iterator[Part]:
    at = 0
    for start, end in (*scan.code, (len(body), len(body))):
        # Most braces are in code.
        if body.find("{", at, start) >= 0 or body.find("%", at, start) >= 0:
            for match in PLACEHOLDERS.finditer(body, at, start):
                yield Part(PLACEHOLDER, match[0], places.line(match.start()))
        at = end


def skeleton_of(parts: Iterable[Part]) -> str:
    """The parts without their places, a line each."""
    return "\n".join([f"{kind} {key}" for kind, key, _ in parts])


def parts_in(skeleton: str) -> Iterator[tuple[str, str]]:
    """Kind and key of each part, out of a skeleton."""
    for line in skeleton.split("\n") if skeleton else ():
        kind, _, key = line.partition(" ")
        yield kind, key
