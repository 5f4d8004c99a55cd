"""What was meant as front matter, and is not: empty lines above it, other dashes, TOML. Pure.

The portal would print it, and what it says (a title, a status) would be lost.
"""

from __future__ import annotations

from collections.abc import Collection

from kbsync.content.body import BOM
from kbsync.content.entries import MAX_BYTES
from kbsync.content.rules import NOT_RECOGNIZED
from kbsync.content.source import Problem
from kbsync.content.unknown_keys import FOREIGN
from kbsync.markdown.offsets import Places
from kbsync.patterns import Pattern

DASHES = "-‐‑‒–—―"
"""What an editor may make of hyphens."""

FENCE = "---"
TOML_FENCE = "+++"

_EMPTY = Pattern(r"(?:[ \t]*+(?:\r\n|\n|\r))*")
_OPENING = Pattern(rf"(?:[{DASHES}]{{1,6}}|\+\+\+)(?=[ \t]*(?:\r\n|\n|\r))")
_LINE = Pattern(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_YAML = Pattern(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*:(?:[ \t].*)?|[ \t]+\S.*|-[ \t].*|#.*|[ \t]*")
_TOML = Pattern(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*=.*|\[.*\].*|[ \t]+\S.*|[\]}].*|#.*|[ \t]*")

TOML_HINT = "Write it as YAML: `key: value` lines between two lines `---`."


def unrecognized(text: str, allowed: Collection[str]) -> Problem | None:
    """The problem of a file that begins with what looks like front matter, and has none.

    Args:
        text: the file; its first line is not `---`.
        allowed: the keys that kbsync reads.
    """
    found = _fences(text, allowed)
    if found is None:
        return None
    (start, end), _ = found
    written = text[start:end]
    message = "There are empty lines above the front matter, so it is not read, and readers would see it."
    hint = "Delete the empty lines."
    if written == TOML_FENCE:
        message, hint = "The front matter is TOML (`+++`), which kbsync does not read. Readers would see it.", TOML_HINT
    elif written != FENCE:
        message = f"The front matter begins with `{written}`, so it is not read, and readers would see it."
        hint = "Write three hyphens: `---`."
    return Problem.of(NOT_RECOGNIZED, (Places(text).line(start), 1), message, hint)


def recognized(text: str, allowed: Collection[str]) -> str | None:
    """The text with front matter that is read; None where that is not only a matter of its two lines."""
    found = _fences(text, allowed)
    if found is None:
        return None
    (start, end), (last, after) = found
    if text[start:end] == TOML_FENCE:
        return None
    bom = BOM if text.startswith(BOM) else ""
    return f"{bom}{FENCE}{text[end:last]}{FENCE}{text[after:]}"


def closed(text: str, opening_end: int) -> str | None:
    """The text with front matter that ends, where its last line is one of other dashes; None where there is none.

    Args:
        text: the file, which begins with `---`.
        opening_end: the end of that line.
    """
    found = _closing(text, opening_end, _YAML, frozenset())
    return f"{text[: found[0]]}{FENCE}{text[found[1] :]}" if found else None


def _fences(text: str, allowed: Collection[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the two lines around it are, without what is behind their signs."""
    start = 1 if text.startswith(BOM) else 0
    empty = _EMPTY.match(text, start)
    opening = _OPENING.match(text, empty.end() if empty else start)
    if opening is None:
        return None
    line = _LINE.match(text, opening.end())
    lines = _TOML if opening[0] == TOML_FENCE else _YAML
    closing = _closing(text, line.end() if line else opening.end(), lines, frozenset(allowed) | FOREIGN.keys())
    return (opening.span(), closing) if closing else None


def _closing(text: str, at: int, lines: Pattern, known: Collection[str]) -> tuple[int, int] | None:
    """The first line of dashes below, if every line up to it looks as it should, and one has a known key."""
    has_key, limit = not known, at + MAX_BYTES
    while at < min(len(text), limit):
        match = _LINE.match(text, at)
        assert match is not None
        line = match[0].rstrip("\r\n")
        bare = line.rstrip(" \t")
        if bare == TOML_FENCE or (2 <= len(bare) <= 6 and not bare.strip(DASHES)):
            return (at, at + len(bare)) if has_key else None
        found = lines.fullmatch(line)
        if found is None:
            return None
        has_key = has_key or found["key"] in known
        at = match.end()
    return None
