"""Commits as `git log --raw -z` lists them, and the sources that each of them changed.

A long history has hundreds of thousands of changed files, and most questions are about a few: an `Entry` is made only
of a file that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

UNCHANGED = 100
"""What git says of a file that was only renamed, percent."""

REGULAR = ("100644", "100755")


class Entry(NamedTuple):
    """A file that a commit changed, against its first parent; an id is "" where no regular file was or is.

    `percent` is how much of a renamed file stayed, by git's measure.
    """

    old_name: str
    name: str
    old_oid: str
    oid: str
    percent: int = UNCHANGED

    @property
    def is_rename(self) -> bool:
        """Whether the file had another name before."""
        return self.old_name != self.name


class Commit(NamedTuple):
    """A commit that touched sources, and when it was made (seconds since 1970).

    Its parents are the nearest such commits before it.
    """

    id: str
    time_s: int
    parents: tuple[str, ...]
    entries: tuple[Entry, ...]


def read_commits(tokens: Iterator[str], prefix: str, keep: Callable[[str], bool]) -> Iterator[Commit]:
    """The commits in what git prints, split at its NULs: of each the renames, and the other sources that are kept.

    A commit begins with a byte 2. A name may begin with anything: only the line before it says that it is one.

    Args:
        tokens: what git prints.
        prefix: is left out of the names.
        keep: whether the changes of a file of this name matter.
    """
    head: list[str] = []
    entries: list[Entry] = []
    for token in tokens:
        line = token.lstrip("\n")
        if line.startswith("\2"):
            if head:
                yield _commit(head, entries)
            head, entries = line[1:].split(), []
        elif line.startswith(":") and head and (entry := _read(line, tokens, prefix, keep)) is not None:
            entries.append(entry)
    if head:
        yield _commit(head, entries)


def _commit(head: Sequence[str], entries: Iterable[Entry]) -> Commit:
    commit, time_s, *parents = head
    return Commit(commit, int(time_s), tuple(parents), tuple(entries))


def read_changes(tokens: Iterator[str], prefix: str) -> Iterator[Entry]:
    """The changes in what `git diff-index -z` prints, as `read_commits` reads those of a commit."""
    for token in tokens:
        if token.startswith(":") and (entry := _read(token, tokens, prefix, every)) is not None:
            yield entry


def _read(line: str, tokens: Iterator[str], prefix: str, keep: Callable[[str], bool]) -> Entry | None:
    """What a line of git's raw format says with the names that follow it; None where neither is a source."""
    old_name = name = next(tokens, "").removeprefix(prefix)
    percent, status = UNCHANGED, line.rpartition(" ")[2]
    if status.startswith("R"):
        name, percent = next(tokens, "").removeprefix(prefix), int(status[1:])
    if name == old_name and not (name.endswith(".md") and keep(name)):
        return None
    if not (name.endswith(".md") or old_name.endswith(".md")):
        return None
    old_mode, mode, old_oid, oid, _ = line[1:].split(" ")
    return Entry(old_name, name, old_oid if old_mode in REGULAR else "", oid if mode in REGULAR else "", percent)


def every(_name: str) -> bool:
    """Keeps the entries of all files."""
    return True
