"""The texts that both sides had agreed on, out of older revisions: a ledger has only their names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice

from kbsync.content.body import body_of
from kbsync.content.compile import Compiler, replacements_of
from kbsync.content.parse import parse_source
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed
from kbsync.history.raw_log import Commit
from kbsync.history.repository import Repository
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Value

MOST_REVISIONS = 500
"""So many revisions of a file are read, the newest first."""


def find_texts(
    compiler: Compiler,
    wanted: Mapping[str, tuple[Value, Collection[str]]],
    environ: Mapping[str, str] = os.environ,
    *,
    compiled: bool = False,
) -> dict[str, str]:
    """The bodies of revisions by path, as their files had them; those that git does not have are left out.

    Links and images are taken for what they are now: a text whose links meant other pages then is not found.

    Args:
        compiler: of the tree as it is now.
        wanted: by path, the name of the body (`body_digest`), and the paths that the file had.
        compiled: give them as the portal would have them.
    """
    found: dict[str, str] = {}
    try:
        repository = Repository(compiler.tree.root, environ)
        with closing(Blobs(repository)) as blobs:
            for path, (name, names) in wanted.items():
                text = _find(compiler, repository, blobs, name, {path, *names})
                if text is not None:
                    found[path] = text[compiled]
    except GitFailed:
        # Without it, whatever differs is a conflict.
        return found
    return found


def _find(
    compiler: Compiler, repository: Repository, blobs: Blobs, name: Value, paths: Collection[str]
) -> tuple[str, str] | None:
    with closing(repository.log(sorted(paths))) as commits:
        for path, oid in islice(_versions(commits, paths), MOST_REVISIONS):
            data = blobs.texts([oid]).get(oid)
            text = _body(compiler, path, data, name) if data is not None else None
            if text is not None:
                return text
    return None


def _versions(commits: Iterable[Commit], paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """The files of these paths that commits wrote or replaced, the newest first: path and id."""
    for commit in commits:
        for entry in commit.entries:
            both = [(entry.name, entry.oid), (entry.old_name, entry.old_oid)]
            yield from dict.fromkeys((path, oid) for path, oid in both if path in paths and oid)


def _body(compiler: Compiler, path: str, data: bytes, name: Value) -> tuple[str, str] | None:
    """The body of a revision, as its file has it and compiled, where it compiles to the one that is looked for."""
    source = parse_source(path, data)
    replaced = replacements_of(source, compiler.known.get, compiler.images.name)
    try:
        compiled = body_of(source, data, replaced)
    except UnicodeDecodeError:
        return None
    return (body_of(source, data), compiled) if body_digest(compiled) == name else None
