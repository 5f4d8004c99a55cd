"""Looking through git history, newest first, for revisions that compile to what the portal holds.

A path is given up as soon as all of its fields are found. The rest costs a walk through all commits, in which each
older text is read once, and for what has links a second one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from kbsync.content.compile import Compiler
from kbsync.history.blobs import Blobs
from kbsync.history.git import Commit, GitFailed, Repository
from kbsync.history.revisions import Revision, Then, read_revision, targets_of
from kbsync.model import Value

AT_ONCE = 64
"""Older texts that are held at a time."""

MAX_LINKING = 8
"""The newest so many texts of a source are compiled again where the targets of their links got other addresses."""

MAX_MOMENTS = 100
"""The newest so many commits at which they did."""

Names = Mapping[str, frozenset[str]]
NO_RENAMES: Names = {}


class Candidate(NamedTuple):
    """An older text of a source: its path today, and the name that it had at a commit."""

    path: str
    name: str
    oid: str
    commit: str


class Trail:
    """Follows sources through renames, from each commit to its parents.

    For each commit still to come it keeps the names that mean something else there than today: the paths of today that
    a name leads to, none for one that was not theirs yet. A branch that was made before a rename and merged after it is
    followed under the new name only.
    """

    def __init__(self, wanted: Iterable[str]) -> None:
        self.wanted = frozenset(wanted)
        self._coming: dict[str, Names] = {}

    def follow(self, commit: Commit) -> Iterator[Candidate]:
        """The texts of wanted sources that a commit wrote or replaced, the newer one of each first."""
        here = self._coming.pop(commit.id, NO_RENAMES)
        before = self._before(commit, here)
        for number, parent in enumerate(commit.parents):
            self._meet(parent, here if number else before)
        for entry in commit.entries:
            if entry.oid:
                yield from (Candidate(path, entry.name, entry.oid, commit.id) for path in self._paths(here, entry.name))
            if entry.old_oid and commit.parents:
                paths = self._paths(before, entry.old_name)
                yield from (Candidate(path, entry.old_name, entry.old_oid, commit.parents[0]) for path in paths)

    def _paths(self, names: Names, name: str) -> frozenset[str]:
        known = names.get(name)
        if known is not None:
            return known
        return frozenset((name,)) if name in self.wanted else frozenset()

    def _before(self, commit: Commit, here: Names) -> Names:
        renames = [(e.old_name, e.name) for e in commit.entries if e.is_rename and self._paths(here, e.name)]
        if not renames:
            return here
        gone: Names = {name: frozenset() for _, name in renames}
        old = {old_name: self._paths(here, old_name) | self._paths(here, name) for old_name, name in renames}
        return {**here, **gone, **old}

    def _meet(self, parent: str, names: Names) -> None:
        known = self._coming.get(parent)
        if known is None or known is names:
            self._coming[parent] = names
        else:
            both = known.keys() | names.keys()
            self._coming[parent] = {name: self._paths(known, name) | self._paths(names, name) for name in both}


class Search:
    """The fields that are still to be found, by path and with the portal's value, and those that are."""

    def __init__(
        self, compiler: Compiler, repository: Repository, blobs: Blobs, values: Mapping[str, Mapping[str, Value]]
    ) -> None:
        self.repository = repository
        self.blobs = blobs
        self.then = Then(compiler, repository, blobs)
        self.open = {path: dict(fields) for path, fields in values.items()}
        self.found: dict[str, set[str]] = {}
        self._newest: dict[str, Candidate] = {}
        self._tried: set[int] = set()
        self._linking: dict[str, dict[tuple[str, str], frozenset[str]]] = {}

    def slugs(self) -> Iterator[tuple[str, str]]:
        """The path of today and the slug then, for every older text of every source.

        Raises:
            GitFailed: the history cannot be read to its end.
        """
        trail = Trail(self.open)
        with closing(self.repository.log()) as log:
            texts = {(found.path, found.name, found.oid) for commit in log for found in trail.follow(commit)}
        names = sorted(texts)
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            blobs = self.blobs.read(oid for _, _, oid in some)
            for path, name, oid in some:
                if (blob := blobs[oid]) and blob.data is not None:
                    yield from ((path, slug) for slug in self.then.slugs(name, oid, blob.data))

    def run(self) -> None:
        """Find what can be found.

        Raises:
            GitFailed: the history cannot be read to its end; what was found is true.
        """
        self._walk()
        self._try(self._newest.values())
        # What a source links to may have moved on since its own last commit.
        self._try(text._replace(commit="HEAD") for text in self._newest.values() if text.path in self._linking)
        self._try_other_moments()

    def _walk(self) -> None:
        """Try every text but the newest of each source: that is what the tree has now, mostly."""
        queue, paths = list[Candidate](), set[str]()
        try:
            for text in self._texts():
                queue.append(text)
                paths.add(text.path)
                # Where all that is open has something to try, waiting for more could only cost.
                if len(queue) == AT_ONCE or len(paths) >= len(self.open):
                    self._try(queue)
                    queue, paths = [], set()
        except GitFailed:
            # What was read before the history broke off is true.
            self._try([*queue, *self._newest.values()])
            raise
        self._try(queue)

    def _texts(self) -> Iterator[Candidate]:
        trail = Trail(self.open)
        with closing(self.repository.log()) as commits:
            for commit in commits:
                yield from filter(self._is_new, trail.follow(commit))
                if not self.open:
                    return

    def _is_new(self, text: Candidate) -> bool:
        if text.path not in self.open or self._newest.setdefault(text.path, text) is text:
            return False
        return hash(text[:3]) not in self._tried

    def _try(self, texts: Iterable[Candidate]) -> None:
        todo = [text for text in texts if text.path in self.open]
        for start in range(0, len(todo), AT_ONCE):
            self._try_some(todo[start : start + AT_ONCE])

    def _try_some(self, candidates: list[Candidate]) -> None:
        blobs = self.blobs.read(candidate.oid for candidate in candidates)
        waiting: list[tuple[str, Revision, list[str]]] = []
        for candidate in candidates:
            wanted, blob = self.open.get(candidate.path), blobs[candidate.oid]
            if not wanted or blob is None or blob.data is None:
                continue
            revision = read_revision(candidate.name, blob.data, candidate.commit, wanted)
            needs = list(self.then.needs(revision, wanted)) if revision else []
            if "category" not in wanted:
                # Once is enough: what its links meant at other commits is looked at in the end.
                self._tried.add(hash(candidate[:3]))
            if revision is not None and needs:
                self._note_links(candidate, revision)
                waiting.append((candidate.path, revision, needs))
            elif revision is not None:
                self._compare(candidate.path, revision)
        self.then.load((revision.commit, path) for _, revision, needs in waiting for path in needs)
        for path, revision, _ in waiting:
            self._compare(path, revision)

    def _compare(self, path: str, revision: Revision) -> None:
        wanted = self.open.get(path, {})
        fields = self.then.fields_of(revision) if wanted.keys() - {"content"} else {}
        for name, value in list(wanted.items()):
            same = value in self.then.bodies_of(revision) if name == "content" else fields.get(name) == value
            if same:
                self.found.setdefault(path, set()).add(name)
                del wanted[name]
        if not wanted:
            self.open.pop(path, None)

    # --- links to what moved on while the source itself rested -----------------------------------------------------

    def _note_links(self, candidate: Candidate, revision: Revision) -> None:
        noted = self._linking.setdefault(candidate.path, {})
        is_newest = self._newest[candidate.path].oid == candidate.oid
        if (targets := frozenset(targets_of(revision.source))) and (is_newest or len(noted) < MAX_LINKING):
            noted[candidate.name, candidate.oid] = targets

    def _try_other_moments(self) -> None:
        """Compile texts also at the commits at which something that they link to got another address."""
        texts = {path: noted for path, noted in self._linking.items() if "content" in self.open.get(path, ())}
        linked = {target for noted in texts.values() for targets in noted.values() for target in targets}
        moments = self._moments(linked) if linked else {}
        for path, noted in texts.items():
            for (name, oid), targets in noted.items():
                commits = dict.fromkeys(commit for target in targets for commit in moments.get(target, ()))
                asked = {self.repository.at(commit, name): commit for commit in list(commits)[:MAX_MOMENTS]}
                there = self.blobs.read(asked)
                self._try(Candidate(path, name, oid, asked[a]) for a, blob in there.items() if blob and blob.oid == oid)

    def _moments(self, targets: set[str]) -> dict[str, list[str]]:
        """The commits on both sides of a change of somebody's address."""
        changes = [
            (commit.id, entry)
            for commit in self.repository.log(only=targets)
            for entry in commit.entries
            if entry.name in targets
        ]
        addresses: dict[tuple[str, str], str] = {}
        asked = sorted({(entry.name, oid) for _, entry in changes for oid in (entry.old_oid, entry.oid) if oid})
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            blobs = self.blobs.read(oid for _, oid in some)
            for name, oid in some:
                if (blob := blobs[oid]) and blob.data is not None:
                    addresses[name, oid] = self.then.address(self.then.identify(name, oid, blob.data))
        moments: dict[str, list[str]] = {}
        for commit, entry in changes:
            if addresses.get((entry.name, entry.oid)) != addresses.get((entry.name, entry.old_oid)):
                # Not the parent that the log gives: that one is the nearest that touched a target.
                moments.setdefault(entry.name, []).extend((commit, f"{commit}^1"))
        return moments
