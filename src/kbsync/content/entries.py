"""The keys and values of a front matter, as they were written: what the readers of it give, and rules look at."""

from __future__ import annotations

from typing import NamedTuple

from kbsync.content.source import Place, Problem
from kbsync.model import Rule

MAX_BYTES = 65_536
"""Front matter larger than this is not front matter."""

WORDS = {"int": "a number", "float": "a number", "bool": "true/false", "timestamp": "a date", "null": "nothing"}


class Entry(NamedTuple):
    """One key of the mapping. `tag` is the short YAML type of a scalar, `list` for a sequence, `map` for a mapping."""

    key: str
    place: Place
    tag: str
    text: str = ""
    items: tuple[Entry, ...] = ()

    def problem(self, rule: Rule, message: str, hint: str) -> Problem:
        """What is wrong with it."""
        return Problem.of(rule, (self.place.line, self.place.column), message, hint)


class FrontMatter(dict[str, Entry]):
    """The entries by key, in the order written, and what is wrong with them."""

    __slots__ = ("problems",)

    def __init__(self) -> None:
        self.problems: list[Problem] = []
