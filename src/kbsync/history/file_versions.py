"""The committed versions of a few files, each compiled as a push would have sent it: since when a value is there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from kbsync.content.compile import Compiler
from kbsync.fields import ARTICLE_FIELDS
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed
from kbsync.history.raw_log import UNCHANGED, Commit, Entry
from kbsync.history.repository import Repository
from kbsync.history.revisions import Then, has_same_body
from kbsync.history.trail import Text
from kbsync.model import Value, visible

MOST_VERSIONS = 200
"""Versions of one file that are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One committed version of a file.

    `data` are its bytes, `fields` what it gave, `body_name` the name of its body, `body` that.
    """

    data: bytes
    commit: str
    time_s: int
    fields: Mapping[str, Value]
    body_name: Value
    body: str

    def gave(self, name: str, value: Value) -> bool:
        """Whether this version has the value."""
        return value == self.body_name if name == "content" else self.fields.get(name) == value


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit as people know it. `time_s` is in seconds since 1970."""

    id: str
    author: str
    subject: str
    time_s: int


class FileHistory:
    """Reads versions of files, as long as its block lasts.

    Args:
        compiler: of the tree as it is now.
        environ: what git may need of the environment.

    Raises:
        GitFailed: not a repository, git is missing, or git refuses.
    """

    def __init__(self, compiler: Compiler, environ: Mapping[str, str] = os.environ) -> None:
        self.repository = Repository(compiler.tree.root, environ)
        self._blobs = Blobs(self.repository)
        self._then = Then(compiler, self.repository, self._blobs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self._blobs.close()

    @property
    def is_shallow(self) -> bool:
        """Whether older commits are missing here."""
        return self.repository.is_shallow

    def versions(self, path: str) -> list[FileVersion]:
        """The versions of a file under all its names, newest first; what could not have been pushed is left out.

        Raises:
            GitFailed: the history is broken or empty.
        """
        texts = self._texts(path)
        blobs = self._blobs.read([text.oid for text in texts])
        found = []
        for text in texts:
            blob = blobs.get(text.oid)
            if blob is not None and blob.data is not None:
                revision = self._then.read(text, blob.data, frozenset(ARTICLE_FIELDS), ())
                found += [(text, revision)] if revision is not None else []
        self._then.load((text.commit, need) for text, revision in found for need in self._then.needs(revision))
        return [
            FileVersion(
                revision.data,
                text.commit,
                text.until_s,
                self._then.fields_of(revision),
                self._then.name_of_body(revision),
                self._then.body_of(revision),
            )
            for text, revision in found
        ]

    def _texts(self, path: str) -> list[Text]:
        """The commits that wrote the file, under all its names; `until_s` of each is when it was made."""
        texts: list[Text] = []
        staged = {entry.name: entry.old_name for entry in self.repository.staged_renames() if self._is_same(entry)}
        name, head = staged.get(path, path), "HEAD"
        while name and len(texts) < MOST_VERSIONS:
            begun = self._follow(path, name, head, texts)
            name, head = self._before(name, begun) if begun is not None else ("", "")
        return texts

    def _is_same(self, entry: Entry) -> bool:
        return entry.percent == UNCHANGED or has_same_body(self._blobs, entry)

    def _follow(self, path: str, name: str, head: str, texts: list[Text]) -> Commit | None:
        """Add the commits that wrote the file under one name; the one with which it got that name, if any."""
        begun: Commit | None = None
        with closing(self.repository.log([name], head=head)) as commits:
            for commit in commits:
                entries = [entry for entry in commit.entries if entry.name == name]
                if [entry.oid for entry in entries] == [""] or len(texts) >= MOST_VERSIONS:
                    break
                texts += [Text(path, name, entry.oid, commit.id, commit.time_s) for entry in entries]
                begun = commit if any(not entry.old_oid for entry in entries) else begun
        return begun

    def _before(self, name: str, commit: Commit) -> tuple[str, str]:
        """The name that a file had before a commit, and the commit where it had it; "" where it is new there."""
        # Asked for one file, git names as its parents only commits that touched this one.
        with closing(self.repository.log(head=commit.id)) as commits:
            whole = next(commits, None)
        if whole is not None and whole.id == commit.id and whole.parents:
            for entry in whole.entries:
                if entry.name == name and entry.is_rename and self._is_same(entry):
                    return entry.old_name, whole.parents[0]
        return "", ""

    def describe(self, commit: str) -> CommitInfo:
        """Who made a commit, when, and its first line.

        Raises:
            GitFailed: it is not there.
        """
        said = self.repository.git.ask("show", "--no-patch", "--format=%h%x00%an%x00%ct%x00%s", commit)
        short, author, time_s, subject = said.decode("utf-8", "replace").strip("\n").split("\0", 3)
        return CommitInfo(short, visible(author), visible(subject), int(time_s))


def first_with(versions: Sequence[FileVersion], name: str, value: Value) -> FileVersion | None:
    """The version with which a value came that the newest one has; None where that has another."""
    found = None
    for version in versions:
        if not version.gave(name, value):
            break
        found = version
    return found


def read_pushed_bodies(compiler: Compiler, wanted: Mapping[str, str]) -> dict[str, str]:
    """Bodies as they were committed, by path.

    Args:
        compiler: of the tree as it is now.
        wanted: by path, the name of the body.
    """
    found: dict[str, str] = {}
    with suppress(GitFailed), FileHistory(compiler) as history:
        for path, name in wanted.items():
            body = next((version.body for version in history.versions(path) if name == version.body_name), None)
            if body is not None:
                found[path] = body
    return found
