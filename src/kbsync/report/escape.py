r"""Text of the portal, of files and of the service as GitHub-flavoured Markdown that can do nothing but be read.

A text ends up inside a table cell or after a label, never at the beginning of a line, so only what is special in
the middle of a line is escaped. Two things no backslash stops, as GitHub looks for them in the finished page:
`@name`, which would write to somebody, and `#12`, which would leave a mark at an issue. A space of no width parts
these. `##[` must not come out whole either: a runner that reads the log of a job takes it for a command to itself.
"""

from __future__ import annotations

import re

from kbsync.model import visible

CELL_CHARS = 200
"""Characters of one text before it is cut."""

NO_WIDTH = "&#8203;"
PLAIN = re.compile(r"[\w ./:,=+%'\"()\[\]-]+")
"""What a code span of one backtick holds without any doubt."""

SPECIAL = re.compile(r"""[\\`*_{}\[\]#!|~$^<>&@]|(?<=[:/])/|(?<=\bwww)\.""")
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;", "@": f"@{NO_WIDTH}", "#": f"\\#{NO_WIDTH}"}


def cut(text: str, room: int = CELL_CHARS) -> str:
    """One line without control characters, of at most so many characters."""
    line = " ".join(visible(text).split())
    return line if len(line) <= room else line[: room - 1] + "…"


def prose(text: str, room: int = CELL_CHARS) -> str:
    """A text as words: no markup, no HTML, no link, no mention."""
    return _escaped(cut(text, room))


def code(text: str, room: int = CELL_CHARS) -> str:
    """A path, slug or command in the type of code; with the tag where it holds what no escape stops in a span."""
    line = cut(text, room)
    return f"`{line}`" if PLAIN.fullmatch(line) else f"<code>{_escaped(line)}</code>"


def hint(text: str, room: int = 2 * CELL_CHARS) -> str:
    """A sentence of kbsync's own, in which a command or a name stands between backticks, as code."""
    line = cut(text, room)
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return _escaped(line)
    return "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(line: str) -> str:
    return SPECIAL.sub(lambda found: ENTITIES.get(found[0], f"\\{found[0]}"), line)
