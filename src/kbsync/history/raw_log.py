"""Commits as `git log --raw -z` lists them, and the sources that each of them changed.

A long history has hundreds of thousands of changed files, and most questions are about a few. So what git lists stays
in columns, and an `Entry` is made only of a file that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import compress, count
from typing import NamedTuple

UNCHANGED = 100
"""What git says of a file that was only renamed, percent."""

REGULAR = ("100644", "100755")
ABSENT = "000000"
"""The mode where no file was or is; its id is all zeros."""

PLAIN = frozenset(f":{old} {new} " for old in (*REGULAR, ABSENT) for new in (*REGULAR, ABSENT))
"""How a line of git's raw format begins, unless a symbolic link or a submodule was or is there."""

MODES_CHARS = len(":100644 100644 ")


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


class Changes:
    """Changed sources, one after the other: the name of each and both its ids.

    `ids` has the old and the new id with a space between them, zeros where no regular file was or is. `renames` has
    the old name and the percentage of those that were renamed, by their place in the other two.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.ids: list[str] = []
        self.renames: dict[int, tuple[str, int]] = {}

    def add(self, line: str, tokens: Iterator[str], prefix: str) -> None:
        """Add what a line of git's raw format says with the names that follow it, unless neither is a source."""
        ids, _, status = line[MODES_CHARS:].rpartition(" ")
        name = next(tokens, "").removeprefix(prefix)
        if status.startswith("R"):
            old_name, name = name, next(tokens, "").removeprefix(prefix)
            if not (name.endswith(".md") or old_name.endswith(".md")):
                return
            self.renames[len(self.names)] = old_name, int(status[1:])
        elif not name.endswith(".md"):
            return
        self.names.append(name)
        self.ids.append(ids if line[:MODES_CHARS] in PLAIN else _ids_of_regular_files(line))

    def entries(self, keep: Callable[[str], bool]) -> Iterator[Entry]:
        """The renames, and of the other files those whose names `keep` accepts."""
        for place in places(self.names, self.renames, keep):
            name = self.names[place]
            old_name, percent = self.renames.get(place, (name, UNCHANGED))
            old_oid, oid = self.ids[place].split(" ")
            yield Entry(old_name, name, _id_of(old_oid), _id_of(oid), percent)


class Listed(NamedTuple):
    """A commit as git lists it; like `Commit`, but for the changes."""

    id: str
    time_s: int
    parents: tuple[str, ...]
    changes: Changes

    def commit(self, keep: Callable[[str], bool]) -> Commit:
        """The commit with the entries that `Changes.entries` gives."""
        return Commit(self.id, self.time_s, self.parents, tuple(self.changes.entries(keep)))


def read_commits(tokens: Iterator[str], prefix: str) -> Iterator[Listed]:
    """The commits in what git prints, split at its NULs; `prefix` is left out of the names.

    A commit begins with a byte 2. A name may begin with anything: only the line before it says that it is one.
    """
    commit: Listed | None = None
    names: list[str] = []
    ids: list[str] = []
    for token in tokens:
        # Nearly every line is of a file with the same name and a mode that is in `PLAIN`: this is `Changes.add` for it,
        # without a call.
        if token[:MODES_CHARS] in PLAIN and token[-2] == " " and commit is not None:
            name = next(tokens, "")
            if name.endswith(".md"):
                names.append(name.removeprefix(prefix))
                ids.append(token[MODES_CHARS:-2])
            continue
        line = token.lstrip("\n")
        if line.startswith("\2"):
            if commit is not None:
                yield commit
            commit_id, time_s, *parents = line[1:].split()
            commit = Listed(commit_id, int(time_s), tuple(parents), Changes())
            names, ids = commit.changes.names, commit.changes.ids
        elif line.startswith(":") and commit is not None:
            commit.changes.add(line, tokens, prefix)
    if commit is not None:
        yield commit


def read_changes(tokens: Iterator[str], prefix: str) -> Changes:
    """The changes in what `git diff-index -z` prints, as `read_commits` reads those of a commit."""
    changes = Changes()
    for token in tokens:
        if token.startswith(":"):
            changes.add(token, tokens, prefix)
    return changes


def places(names: Iterable[str], renames: Container[int], keep: Callable[[str], bool]) -> Iterator[int]:
    """The places of the renames, and of the other names those that `keep` accepts."""
    if not renames:
        return compress(count(), map(keep, names))
    return (place for place, name in enumerate(names) if place in renames or keep(name))


def every(_name: str) -> bool:
    """Keeps the entries of all files."""
    return True


def _id_of(text: str) -> str:
    return text if text.strip("0") else ""


def _ids_of_regular_files(line: str) -> str:
    """Both ids of a line, with zeros for what is not a regular file."""
    old_mode, mode, old_oid, oid, _ = line[1:].split(" ")
    none = "0" * len(oid)
    return f"{old_oid if old_mode in REGULAR else none} {oid if mode in REGULAR else none}"
