"""Regular expressions that are compiled when they are first used.

Most rules look closer only where they suspect something, and to compile the expressions of all rules takes longer than
to check one text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any


class Pattern:
    """A regular expression, with those methods of a compiled one that are needed."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """It, compiled."""
        return re.compile(self.pattern, self.flags)

    # Each is the method of the compiled one from its first use on, so that a call costs what it costs there.

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """As `re.Pattern.search`."""
        return self.compiled.search

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """As `re.Pattern.match`."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        """As `re.Pattern.fullmatch`."""
        return self.compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """As `re.Pattern.finditer`."""
        return self.compiled.finditer

    @cached_property
    def findall(self) -> Callable[..., list[Any]]:
        """As `re.Pattern.findall`."""
        return self.compiled.findall

    @cached_property
    def sub(self) -> Callable[..., str]:
        """As `re.Pattern.sub`."""
        return self.compiled.sub

    @cached_property
    def split(self) -> Callable[..., list[str | Any]]:
        """As `re.Pattern.split`."""
        return self.compiled.split
