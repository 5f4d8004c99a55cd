"""What `lint --fix` writes: each file whole or not at all, and only where it is still what was read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kbsync.content.body import raw_digest
from kbsync.content.tree import Tree
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within, real_path, write_whole
from kbsync.model import Finding

Rewrite = Callable[[str, bytes, Collection[str]], bytes]
"""The bytes of a source without what some codes found, given its path; the same bytes where nothing can be fixed."""

ON_DISK: Mapping[str, bytes] = {}


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


def fixes_of(
    tree: Tree, findings: Iterable[Finding], rewrite: Rewrite, held: Mapping[str, bytes] = ON_DISK
) -> Iterator[Fix]:
    """The files with something to fix. One that has two names is fixed once, and none outside the root.

    Args:
        tree: as it was read.
        findings: what was found in it.
        rewrite: fixes one file.
        held: the bytes of files of which the tree has another text than the disk.
    """
    root = real_path(tree.root)
    seen = {real_path(tree.root / path): path for path in held}
    codes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.fixable:
            codes.setdefault(finding.path, set()).add(finding.code)
    for path, wanted in codes.items():
        place = real_path(tree.root / path)
        if path not in tree.sources or not place.is_relative_to(root) or seen.setdefault(place, path) != path:
            continue
        try:
            data = held[path] if path in held else read_within(place, MAX_SOURCE_BYTES)
        except OSError:
            # Reading it again says so, as a finding.
            continue
        # What was found is about the bytes that were read; others need another look first.
        if raw_digest(data) == tree.sources[path].raw_digest and (after := rewrite(path, data, wanted)) != data:
            yield Fix(path, place, data, after)


def _lines(data: bytes) -> list[str]:
    """Lines as a patch has them, each with its end: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(errors="replace"))
