"""What a translation has in common with its original, whatever the language: links to other sites, images, code,
headings, placeholders and tables. Pure. The scan cache keeps it of every article, so it is short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from kbsync.markdown.constructs import Scan

LINK, IMAGE, CODE, HEADING, PLACEHOLDER, TABLE = "link", "image", "code", "heading", "placeholder", "table"

PLACEHOLDERS = re.compile(
    r"\{\{[^{}\n]{1,80}\}\}|[$%]\{[A-Za-z_][\w.]{0,60}\}|\{[A-Za-z_][\w.]{0,60}\}|(?<![\w ])%[sd](?![\w'’])"
)
"""`{{contact.name}}`, `%{name}`, `${name}`, `{name}`, `%s`."""

ELSEWHERE = re.compile(r"(?:https?|mailto|tel):", re.IGNORECASE)

FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([^\s`]*)")
COMMENT = re.compile(r"(?:(?<=\s)|^)(?:#|//|<!--)")
PLAIN = {"", "text", "txt", "markdown", "md", "console"}
"""The languages of blocks that are not code."""

DIGEST_BYTES = 6


class Part(NamedTuple):
    """One of them: what it is, what tells it from others of its kind, and the character of the body where it begins."""

    kind: str
    key: str
    at: int


def parts_of(body: str, scan: Scan, title_span: tuple[int, int]) -> Iterator[Part]:
    """The parts of a body, kind by kind and in the order of the text. Links into the tree are not among them."""
    for target in scan.targets:
        if ELSEWHERE.match(target.destination):
            kind = IMAGE if target.kind == "image" else LINK
            yield Part(kind, " ".join(target.destination.split()), target.start)
    for heading in scan.headings:
        if not title_span[0] <= heading.start < title_span[1]:
            yield Part(HEADING, str(heading.level), heading.start)
    for start, end in scan.code:
        yield Part(CODE, _code(body[start:end]), start)
    for start, _ in scan.tables:
        yield Part(TABLE, "", start)
    if "{" in body or "%" in body:
        yield from _placeholders(body, scan)


def _code(text: str) -> str:
    """The digest of a block of code without what is translated in it: comments, and the indent within a list.

    A block of no language or of text shows what a person sees or writes: only that it is there counts.
    """
    fence = FENCE.match(text)
    if fence is None or fence[1].lower() in PLAIN:
        return ""
    lines = (COMMENT.split(line, maxsplit=1)[0].strip() for line in text.strip().splitlines())
    return blake2b("\n".join(filter(None, lines)).encode(), digest_size=DIGEST_BYTES).hexdigest()


def _placeholders(body: str, scan: Scan) -> Iterator[Part]:
    code = iter(scan.code)
    start, end = next(code, (len(body), len(body)))
    for match in PLACEHOLDERS.finditer(body):
        while match.start() >= end and start < len(body):
            start, end = next(code, (len(body), len(body)))
        if not start <= match.start() < end:
            yield Part(PLACEHOLDER, match[0], match.start())


def skeleton_of(body: str, scan: Scan, title_span: tuple[int, int]) -> str:
    """The parts without their places, a line each."""
    return "\n".join(f"{kind} {key}" for kind, key, _ in parts_of(body, scan, title_span))
