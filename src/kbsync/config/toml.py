"""Settings and profiles as TOML: read up to a limit; every error names file, line and column.

The file may be a stranger's. Python's parser takes a minute for a key of fifty thousand parts, fails with another error
where brackets are nested too deep, and accepts codes for the terminal in a name.
"""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kbsync.errors import ConfigError
from kbsync.files import read_within
from kbsync.patterns import Pattern

MAX_BYTES = 100_000
"""A kbsync.toml with a thousand authors has a third of that."""

MAX_DOTS = 200
"""Dots in one line: the parser's time grows with the square of the parts of a key."""

CONTROL = Pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that make a terminal do or show something else. No key and no value needs one."""

ESCAPED = Pattern(r"\\(?:u00|u20|U0000|b|f|e|x)")
"""How such a character is written in TOML, which allows few of them as they are."""

HINT = "See https://toml.io for the syntax."


def read_toml(path: Path, shown: str) -> tuple[str, dict[str, Any]]:
    """The text of a file, and its values.

    Args:
        path: the file.
        shown: what a message calls it.

    Raises:
        FileNotFoundError: it does not exist.
        ConfigError: it cannot be read, or is not TOML.
    """
    try:
        data = read_within(path, MAX_BYTES)
    except FileNotFoundError:
        raise
    except OSError as exc:
        if exc.errno == errno.EFBIG:
            message = f"{shown}:1: The file has more than {MAX_BYTES:,} bytes."
            raise ConfigError(message, hint="Check that it is the right file, or make it shorter.") from exc
        hint = "Check its permissions." if isinstance(exc, PermissionError) else "Put a file of that name there."
        raise ConfigError(f"{shown} cannot be read: {exc.strerror}.", hint=hint) from exc
    text = _decoded(data, shown)
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ConfigError(f"{shown}:{number}: The line has more than {MAX_DOTS} dots.", hint="Make it shorter.")
    raw = _parsed(text, shown)
    # None of these characters is printable, so the expression is seldom needed: only then it is compiled.
    odd = (said for said in _texts(raw) if not said.isprintable())
    if found := next((found for said in odd if (found := CONTROL.search(said))), None):
        place = CONTROL.search(text) or ESCAPED.search(text)
        number = text.count("\n", 0, place.start()) + 1 if place else 1
        raise ConfigError(
            f"{shown}:{number}: The line has a control character (U+{ord(found[0]):04X}).", hint="Delete it."
        )
    return text, raw


def _texts(value: Any) -> Iterator[str]:
    """All keys and texts; the parser itself goes no deeper than this can."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _decoded(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        before = data[: exc.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        message = f"{shown}:{line}:{column}: The byte 0x{data[exc.start]:02x} is not UTF-8."
        raise ConfigError(message, hint="Save the file as UTF-8.") from exc


def _parsed(text: str, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        where = re.search(r"\(at line (\d+), column (\d+)\)", str(exc))
        at = f"{where[1]}:{where[2]}" if where else str(len(text.splitlines()) or 1)
        reason = re.sub(r"\s*\(at .*\)", "", str(exc))
    except RecursionError:
        deepest = max(enumerate(text.split("\n"), 1), key=lambda line: line[1].count("[") + line[1].count("{"))
        at, reason = str(deepest[0]), "nested too deeply"
    except ValueError as exc:  # A number of thousands of digits: the parser does not say where.
        digits = re.search(r"[0-9]{4}", text.replace("_", ""))
        at, reason = str(text.count("\n", 0, digits.start()) + 1 if digits else 1), str(exc).split(":", 1)[0]
    raise ConfigError(f"{shown}:{at}: Not valid TOML: {reason}.", hint=HINT)
