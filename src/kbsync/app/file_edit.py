"""One file of the tree that is written anew: whole or not at all, and only where it is still what was read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within, write_whole


@dataclass(frozen=True, slots=True)
class Fix:
    """One file that can be fixed: where it really lies, and its bytes before and after."""

    path: str
    place: Path
    before: bytes
    after: bytes

    def patch(self, name: str) -> Iterator[str]:
        """The lines of a patch, each with its end; `name` is the file as a patch names it."""
        # A tab ends a name with spaces for `patch` and `git apply`.
        ended = f"{name}\t" if " " in name else name
        yield from difflib.unified_diff(_lines(self.before), _lines(self.after), ended, ended)

    def write(self) -> None:
        """Write the file.

        Raises:
            OSError: it cannot be written, or changed meanwhile.
        """
        if read_within(self.place, MAX_SOURCE_BYTES) != self.before:
            raise OSError(None, "it changed while kbsync was running. Run the command again")
        write_whole(self.place, self.after)


def _lines(data: bytes) -> list[str]:
    """Lines as a patch has them, each with its end: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(errors="replace"))
