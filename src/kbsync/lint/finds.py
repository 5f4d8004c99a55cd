"""A check: a function that finds something, and beside it the rules whose findings it gives and what it has to see.

    @finds(TWO_CARETS)
    def check_carets(page: Page) -> Iterator[Mark]: ...

One function finds one rule, or those few that one look at the text decides between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any, Generic, TypeVar

import msgspec

from kbsync.model import Rule

Seen = TypeVar("Seen")
Found = TypeVar("Found")


class Needs(Enum):
    """What the findings of a file follow from. What a cache or the preview may leave out depends on it."""

    TEXT = "its own text"
    SOURCE = "its own front matter and size"
    LINKS = "itself and what its links lead to"
    ORIGINAL = "itself and the article that it translates"
    SHAPES = "itself and the files that it can be confused with"
    EVERYTHING = "every file"


class Check(msgspec.Struct, Generic[Seen, Found], frozen=True):
    """A function with its declaration; can be called like the function.

    `sign` is punctuation (`Page.signs`) without which nothing is found in a text, so it need not be called.
    """

    find: Callable[[Seen], Iterator[Found]]
    rules: tuple[Rule, ...]
    needs: Needs
    sign: str = ""

    def __call__(self, seen: Seen) -> Iterator[Found]:
        """Everything that is found there."""
        return self.find(seen)


def finds(
    *rules: Rule, needs: Needs = Needs.TEXT, sign: str = ""
) -> Callable[[Callable[[Seen], Iterator[Found]]], Check[Seen, Found]]:
    """Declare the rules of a function. Caches and the preview rely on it: it gives findings of these rules only."""
    return lambda find: Check(find, rules, needs, sign)


def checks_of(*modules: ModuleType) -> tuple[Check[Any, Any], ...]:
    """The checks of some modules, in the order in which they are written."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Check))
