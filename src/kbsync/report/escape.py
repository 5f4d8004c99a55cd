r"""Text of the portal, of files and of the service as GitHub-flavoured Markdown that can do nothing but be read.

A text ends up inside a table cell or after a label, never at the beginning of a line, so only what is special in
the middle of a line is escaped. Some things no backslash stops, as GitHub looks for them in the finished page: `@name`,
which would write to somebody, and `#12`, `GH-12` and ids of commits, which would leave a mark at an issue or a commit.
A space of no width parts these. `##[` must not come out whole either, in no output at all: a runner that reads the log
of a job takes it for a command to itself. Text gets a space in it, JSON and XML the same character spelt out.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from kbsync.model import visible
from kbsync.patterns import Pattern

CELL_CHARS = 200
"""Characters of one text before it is cut."""

NO_WIDTH = "&#8203;"
PLAIN = Pattern(r"[\w ./:,=+%'\"()\[\]-]+")
"""What a code span of one backtick holds without any doubt."""

COMMAND_CHARS = 1_000
"""Characters of a command or name inside a sentence: a command that is cut can no longer be pasted."""

ID_CHARS = 6
"""Hexadecimal digits in a row that GitHub does not take for a commit: seven are. Source: docs.github.com, autolinks."""

SPECIAL = Pattern(
    r"""[\\`*_{}\[\]#!|~$^<>&@]|(?<=[:/])/|(?<=\bwww)\.|[Gg][Hh](?=-\d)|(?<![0-9A-Za-z])[0-9A-Fa-f]{7,}(?![0-9A-Za-z])"""
)
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;", "@": f"@{NO_WIDTH}", "#": f"\\#{NO_WIDTH}"}


def cut(text: str, room: int = CELL_CHARS) -> str:
    """One line without control characters, of at most so many characters."""
    return cut_at(" ".join(visible(text).split()), room)


def prose(text: str, room: int = CELL_CHARS) -> str:
    """A text as words: no markup, no HTML, no link, no mention."""
    return _escaped(cut(text, room))


def code(text: str, room: int = CELL_CHARS) -> str:
    """A path, slug or command in the type of code; with the tag where it holds what no escape stops in a span."""
    line = cut(text, room)
    return f"`{line}`" if PLAIN.fullmatch(line) else f"<code>{_escaped(line)}</code>"


def hint(text: str, room: int = 2 * CELL_CHARS) -> str:
    """A sentence of kbsync's own, with commands and names between backticks, as code."""
    parts = " ".join(visible(text).split()).split("`")
    if len(parts) % 2 == 0:
        return _escaped(cut(text, room))
    shown: list[str] = []
    for number, part in enumerate(parts):
        if room <= 0:
            return "".join([*shown, "…"])
        shown.append(code(part, COMMAND_CHARS) if number % 2 else _escaped(cut_at(part, room)))
        room -= len(part)
    return "".join(shown)


def cut_at(line: str, room: int) -> str:
    """A line of at most so many characters."""
    return line if len(line) <= room else line[: room - 1] + "…"


def _escaped(line: str) -> str:
    return SPECIAL.sub(lambda found: _inert(found[0]), line)


def _inert(special: str) -> str:
    if len(special) == 1:
        return ENTITIES.get(special, f"\\{special}")
    if special.lower() == "gh":
        return special + NO_WIDTH
    return NO_WIDTH.join(special[at : at + ID_CHARS] for at in range(0, len(special), ID_CHARS))


# --- JSON ------------------------------------------------------------------------------------------------------------

SPELT = Pattern(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=#)#(?=\w*\[)")
"""What JSON leaves as it is, but a terminal obeys or hides, and what a runner takes for the begin of a command."""


def json_text(found: Any) -> str:
    """A value as JSON, for programs; in a terminal, everything in it is visible."""
    return spelt_json(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())


def spelt_json(text: str) -> str:
    """The same JSON, of which neither a terminal nor the runner of a job obeys anything."""
    return SPELT.sub(lambda character: f"\\u{ord(character[0]):04x}", text)


# --- logs ------------------------------------------------------------------------------------------------------------

COLONS = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
HASHES = re.compile(r"##(?=\w*\[)")
"""What a runner takes for a command in the log of a job: `::` at the beginning of a line, `##[` or `##vso[` anywhere.
Source: github.com/actions/runner, ActionCommand.cs; it takes the spaces off the beginning of the line."""


def inert(text: str) -> str:
    """Text for a screen, which may be the log of a job: nothing in it is a command to the runner."""
    return COLONS.sub(lambda found: f"{found[0]} ", parted(text))


def parted(text: str) -> str:
    """Text of which a runner takes nothing in the middle of a line for a command."""
    return HASHES.sub("## ", text)
