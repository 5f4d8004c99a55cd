"""Where files are that were moved without git: a plain `mv`, and nothing added or committed since."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from kbsync.history.fates import LIMIT_S
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository


def unseen_moves(root: Path, gone: Collection[str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The new name of each file that is gone, where one file that git does not track has the bytes that git knows.

    Args:
        root: the content root.
        gone: names of files that are not there, relative to it.
        environ: what git may need of the environment.
    """
    try:
        repository = Repository(root, environ)
        git = repository.git
        git.limit_s = LIMIT_S
        staged = (line.partition("\t") for line in _names(git.ask("ls-files", "--stage", "-z")))
        known = {name: about.split(" ")[1] for about, _, name in staged}
        wanted = {name: known[name] for name in gone if name in known}
        others = _names(git.ask("ls-files", "--others", "--exclude-standard", "-z"))
        # A request is a line.
        others = [name for name in others if name.endswith(".md") and "\n" not in name]
        if not wanted or not others:
            return {}
        # These paths begin at the top of the repository. A filter would be a program that the repository names.
        paths = b"".join(repository.prefix + name.encode("utf-8", "surrogateescape") + b"\n" for name in others)
        ids = git.ask("hash-object", "--no-filters", "--stdin-paths", given=paths).decode("ascii").split()
    except GitFailed:
        return {}
    numbers, by_id = Counter([*ids, *wanted.values()]), dict(zip(ids, others, strict=True))
    # Of several files with these bytes it is not clear which one went where.
    return {name: by_id[oid] for name, oid in wanted.items() if oid in by_id and numbers[oid] == 2}


def _names(listed: bytes) -> list[str]:
    return [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]
