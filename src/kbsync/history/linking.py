"""Links to what moved on while the source itself rested: at which other commits a text meant something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kbsync.history.blobs import Blobs
from kbsync.history.repository import Repository
from kbsync.history.revisions import Revision, Then, targets_of
from kbsync.history.trail import Text
from kbsync.plan.known import NEVER

AT_ONCE = 64
"""Older texts that are held at a time."""

MAX_LINKING = 8
"""The newest so many texts of a source are compiled again where the targets of their links got other addresses."""

MAX_MOMENTS = 100
"""The newest so many commits at which they did."""


class Linking:
    """The texts that have links, and what these lead to. `noted`: by path, then by name and text, the targets."""

    def __init__(self, then: Then, repository: Repository, blobs: Blobs) -> None:
        self.then = then
        self.repository = repository
        self.blobs = blobs
        self.noted: dict[str, dict[tuple[str, str], frozenset[str]]] = {}
        self._until: dict[tuple[str, str, str], int] = {}

    def note(self, text: Text, revision: Revision, newest: Text | None) -> None:
        """Remember the targets of a text that has links; `newest` is what its file was last."""
        noted = self.noted.setdefault(text.path, {})
        is_newest = newest is not None and newest.oid == text.oid
        if (targets := frozenset(targets_of(revision.source))) and (is_newest or len(noted) < MAX_LINKING):
            noted[text.name, text.oid] = targets
            self._until[text[:3]] = text.until_s

    def other_moments(self, is_open: Callable[[str], bool]) -> Iterator[list[Text]]:
        """The texts at the commits at which something that they link to got another address, some at a time.

        `is_open` says whether the body of a path is still looked for.
        """
        texts = {path: noted for path, noted in self.noted.items() if is_open(path)}
        linked = {target for noted in texts.values() for targets in noted.values() for target in targets}
        moments = self._moments(linked) if linked else {}
        for path, noted in texts.items():
            for (name, oid), targets in noted.items():
                until_s = self._until[path, name, oid]
                commits = {commit: time_s for target in targets for commit, time_s in moments.get(target, ())}
                asked = {self.repository.at(commit, name): commit for commit in list(commits)[:MAX_MOMENTS]}
                yield [
                    Text(path, name, oid, asked[at], min(until_s, commits[asked[at]]))
                    for at, blob in self.blobs.read(asked).items()
                    if blob and blob.oid == oid
                ]

    def _moments(self, targets: set[str]) -> dict[str, list[tuple[str, int]]]:
        """The commits on both sides of a change of somebody's address, and until when the address was that."""
        changes = [
            (commit, entry)
            for commit in self.repository.log(only=targets)
            for entry in commit.entries
            if entry.name in targets
        ]
        asked = {(entry.name, oid) for _, entry in changes for oid in (entry.old_oid, entry.oid) if oid}
        addresses = self._addresses(sorted(asked))
        moments: dict[str, list[tuple[str, int]]] = {}
        for commit, entry in changes:
            if addresses.get((entry.name, entry.oid)) != addresses.get((entry.name, entry.old_oid)):
                # Not the parent that the log gives: that one is the nearest that touched a target.
                sides = [(commit.id, NEVER), (f"{commit.id}^1", commit.time_s)]
                moments.setdefault(entry.name, []).extend(sides)
        return moments

    def _addresses(self, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The address that each text gave its file, by name and text."""
        found: dict[tuple[str, str], str] = {}
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            texts = self.blobs.texts(oid for _, oid in some)
            for name, oid in some:
                if oid in texts:
                    found[name, oid] = self.then.address(self.then.identify(name, oid, texts[oid]))
        return found
