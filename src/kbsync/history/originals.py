"""What git knows of originals: the files that translations were made from, and the commits that changed them since."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import ExitStack, closing, suppress
from typing import NamedTuple

from kbsync.content.identity import Site
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import SURE_PERCENT, Repository
from kbsync.history.trail import Text, Trail
from kbsync.plan.freshness import MINOR

MOST_VERSIONS = 500
"""Versions of a file that are looked at, the newest first."""

ID = re.compile(r"[0-9a-f]{12,64}")


class Version(NamedTuple):
    """A file as a commit made it, under the name that it had then; `before` is its id before that commit, or ""."""

    name: str
    oid: str
    commit: str
    before: str


class Originals:
    """Asks git, in batches. To be closed.

    Args:
        repository: the one that the content tree lies in.
        site: who the files are.
    """

    def __init__(self, repository: Repository, site: Site) -> None:
        self.repository = repository
        self.site = site
        self._running = ExitStack()
        self._blobs = self._running.enter_context(closing(Blobs(repository)))

    def close(self) -> None:
        """End the processes."""
        self._running.close()

    def resolve(self, beginnings: Iterable[str]) -> dict[str, str]:
        """The ids of files that begin so, as far as this clone has them. Nothing is fetched.

        Raises:
            GitFailed: git cannot tell.
        """
        wanted = [name for name in dict.fromkeys(beginnings) if ID.fullmatch(name)]
        if not wanted:
            return {}
        with self.repository.git.run("cat-file", "--batch-check=%(objectname) %(objecttype)") as (child, _):
            out, _ = child.communicate("".join(f"{name}\n" for name in wanted).encode("ascii"))
        answers = [line.split() for line in out.decode("utf-8", "replace").splitlines()]
        # `NAME missing` and `NAME ambiguous` are two words, too.
        return {
            name: answer[0]
            for name, answer in zip(wanted, answers, strict=False)
            if len(answer) == 2 and answer[1] == "blob" and answer[0].startswith(name)
        }

    def read(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Files by their whole ids; those that cannot be read are left out.

        Raises:
            GitFailed: too much is missing.
        """
        return self._blobs.texts(oids)

    def at(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
        """Files by commit and name.

        Raises:
            GitFailed: too much is missing.
        """
        wanted = {place: self.repository.at(*place) for place in places}
        found = self._blobs.texts(wanted.values())
        return {place: found[name] for place, name in wanted.items() if name in found}

    def in_index(self, path: str) -> str:
        """The id under which git would commit a file now; "" where it does not know it."""
        with suppress(GitFailed):
            found = self.repository.git.ask("ls-files", "--stage", "-z", "--", f":(literal){path}")
            words = found.partition(b"\t")[0].split()
            return words[1].decode("ascii") if len(words) == 3 else ""
        return ""

    def minor_commits(self) -> frozenset[str]:
        """The commits that are marked as minor in their subject.

        Raises:
            GitFailed: the history is broken.
        """
        if not self.repository.head():
            return frozenset()
        found = self.repository.git.ask(
            "log", "HEAD", "--format=%H %s", "-z", "--fixed-strings", "--regexp-ignore-case", f"--grep={MINOR}"
        )
        lines = (line.decode("utf-8", "replace").partition(" ") for line in found.split(b"\0"))
        return frozenset(commit.strip() for commit, _, subject in lines if MINOR in subject.lower())

    def versions(self, paths: Collection[str]) -> dict[str, list[Version]]:
        """The versions of some files, newest first, also under other names.

        Raises:
            GitFailed: the history is broken or empty.
        """
        wanted, today = frozenset(paths), frozenset(self.site.by_path)
        trail = Trail(wanted.__contains__, today.__contains__, lambda entry: entry.percent >= SURE_PERCENT)
        found: dict[str, list[Version]] = {path: [] for path in wanted}
        with closing(self.repository.log(keep=trail.concerns)) as commits:
            for commit in commits:
                _note(list(trail.follow(commit)), commit.id, found)
        return found


def _note(texts: list[Text], commit: str, found: dict[str, list[Version]]) -> None:
    for text in texts:
        if text.commit == commit and len(versions := found.get(text.path, [])) < MOST_VERSIONS:
            before = next((t.oid for t in texts if t.path == text.path and t.commit != commit), "")
            if text.path in found:
                versions.append(Version(text.name, text.oid, commit, before))
