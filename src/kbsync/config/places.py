"""Where in kbsync.toml, or in the environment, a value was written: error messages name the place."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from kbsync.files import real_path, working_folder


class Origin(msgspec.Struct, frozen=True):
    """Where a value can come from: the file, its `[env.NAME]` in use, the environment variables."""

    path: str
    text: str
    env: str = ""
    variables: frozenset[str] = frozenset()

    def of(self, table: str, key: str) -> str:
        """`file:line: [table] key`; the table's own line, or 1, where the key is not written."""
        line = find_line(self.text, table, key) or find_line(self.text, table, "") or 1
        return f"{self.path}:{line}: `[{table}] {key}`" if key else f"{self.path}:{line}: `[{table}]`"

    def in_force(self, table: str, key: str) -> str:
        """Where the value in use came from: a variable, the table of the environment, or the table."""
        variable = f"KBSYNC_{table}__{key}".upper()
        if variable in self.variables:
            return variable
        layer = f"env.{self.env}.{table}"
        return self.of(layer if self.env and find_line(self.text, layer, key) else table, key)


def written_at(path: Path, env: str, table: str, key: str) -> str:
    """Where a value came from that turned out wrong after it was read: `file:line: [table] key`, or a variable."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    return Origin(shown_path(path), text, env, frozenset(os.environ)).in_force(table, key)


def find_line(text: str, table: str, key: str) -> int:
    """The line (from 1) on which a table, or a key of it, begins: under its header, dotted or inline; 0 for nowhere."""
    wanted = [*table.split("."), *([key] if key else [])]
    header: list[str] = []
    inline, lines = 0, re.sub(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'', _blanked, text).split("\n")
    for number, line in enumerate(lines, start=1):
        if found := re.match(r"\s*\[+([^\[\]=]+)\]", line):
            header = path = _names(found[1])
        elif "=" in line and not line.lstrip().startswith("#"):
            path = header + _names(line.partition("=")[0])
        else:
            continue
        if path[: len(wanted)] == wanted:
            return number
        if len(path) < len(wanted) and path == wanted[: len(path)] and "{" in line:
            inline = number
    return inline


def _names(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _blanked(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def shown_path(path: Path) -> str:
    """The path as a message shows it: from the folder the user is in, if it lies below."""
    try:
        return real_path(path).relative_to(working_folder()).as_posix()
    except ValueError:
        return path.as_posix()
