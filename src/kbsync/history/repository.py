"""What git knows of the content tree: its commits, and the files as they were. `git_process.py` runs it.

Also: which files git could not give back: those that are not committed as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO

from kbsync.history.git_process import CHUNK, COMPLAINTS, Git, GitFailed, complaint
from kbsync.history.raw_log import Commit, Entry, every, read_changes, read_commits


def uncommitted(root: Path, paths: Iterable[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Those of some files that are new, changed or in the middle of a merge.

    Args:
        root: the content root.
        paths: relative to it.

    Raises:
        GitFailed: the files are in no repository, or git refuses.
    """
    repository = Repository(root, environ)
    tracked = set(repository.git.ask("ls-files", "-z", "--", ".").split(b"\0"))
    changed = _changed(repository)
    wanted = ((path, path.encode("utf-8", "surrogateescape")) for path in paths)
    return sorted(path for path, name in wanted if name not in tracked or name in changed)


def changed_files(root: Path, environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The files below a folder that are new, changed or deleted since the last commit; none where git cannot tell.

    A file that git is told to ignore is no part of any commit, and not among them.
    """
    try:
        found = _changed(Repository(root, environ), untracked="all")
    except GitFailed:
        return frozenset()
    return frozenset(name.decode("utf-8", "surrogateescape") for name in found)


def _changed(repository: Repository, untracked: str = "no") -> set[bytes]:
    options = ("--porcelain", "--no-renames", f"--untracked-files={untracked}", "-z")
    status = repository.git.ask("status", *options, "--", ".")
    return {entry[3:].removeprefix(repository.prefix) for entry in status.split(b"\0") if entry}


LOG = (
    "--format=%x02%H %ct %P",
    "-z",
    "--raw",
    "--no-abbrev",
    # Every side of a merge counts. In this order git gives the first commit at once; where clocks were so wrong that a
    # parent comes before its child, a rename may be missed. `--date-order` would read the whole history first.
    "--full-history",
    "--parents",
    "--diff-merges=first-parent",
    "-O/dev/null",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
)
RENAMES = ("-M50%", "-l400")
"""Alike enough to be the same file, moved; and a limit to what a commit that moved thousands may cost."""

SURE_PERCENT = 75
"""From here on git's word for a rename is taken where the bodies are too short to tell."""

EVERYTHING = "."
"""Below the content root. That costs git a third of what a pattern for `.md` does, so other paths are dropped here."""

MAX_NAMES = 8
"""So many names are given to git, which then passes by what has nothing to do with them; more of them cost more."""


class Repository:
    """The repository that a content tree lies in. Names of files are relative to the content root.

    Args:
        root: the content root.
        environ: what git may need of the environment; what leads it elsewhere is left out.
        program: the git to run.
        slow: called once where git takes long.

    Raises:
        GitFailed: not a repository, git is missing, or git refuses.
    """

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str] = os.environ,
        *,
        program: str = "git",
        slow: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.git = Git(root, environ, program=program, slow=slow)
        self.listed = 0
        """Commits that git was asked for."""
        shallow, _, prefix = self.git.ask("rev-parse", "--is-shallow-repository", "--show-prefix").partition(b"\n")
        self.prefix = prefix.removesuffix(b"\n")
        self._prefix_text = self.prefix.decode("utf-8", "surrogateescape")
        self.is_shallow = shallow == b"true"
        if not self.git.ask("rev-parse", "--is-inside-work-tree").startswith(b"true"):
            raise GitFailed(COMPLAINTS["not a git repository"])

    def head(self) -> str:
        """The id of the commit that is checked out; "" where there is no commit."""
        with suppress(GitFailed):
            return self.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode("ascii").strip()
        return ""

    def committed(self) -> set[str]:
        """The files that HEAD has.

        Raises:
            GitFailed: there is no HEAD, or it is broken.
        """
        lines = self.git.ask("ls-tree", "-r", "-z", "--name-only", "HEAD").split(b"\0")
        return {line.decode("utf-8", "surrogateescape") for line in lines}

    def staged_renames(self) -> list[Entry]:
        """The sources that have another name in the index than in HEAD, as after `git mv`.

        Raises:
            GitFailed: there is no HEAD, or it is broken.
        """
        found = self.git.ask("diff-index", "--cached", *RENAMES, "--diff-filter=R", "-z", "HEAD", "--", EVERYTHING)
        tokens = iter(found.decode("utf-8", "surrogateescape").split("\0"))
        return list(read_changes(tokens, self._prefix_text))

    def log(
        self, only: Collection[str] = (), *, head: str = "HEAD", keep: Callable[[str], bool] = every
    ) -> Generator[Commit, None, None]:
        """The commits that HEAD is made of and that touched sources, newest first.

        Args:
            head: another commit than HEAD.
            only: paths that they must have touched, where renames do not matter. They may have touched more.
            keep: whether the changes of a file of this name matter; renames always do.

        Raises:
            GitFailed: the history is broken or empty; what came before stays true.
        """
        follow = ("--no-renames",) if only else RENAMES
        paths = [f":(literal){name}" for name in only] if 0 < len(only) <= MAX_NAMES else [EVERYTHING]
        keep = frozenset(only).__contains__ if only else keep
        with self.git.run("log", head, *LOG, *follow, "--", *paths) as (child, said):
            assert child.stdout is not None
            for commit in read_commits(_tokens(child.stdout), self._prefix_text, keep):
                self.listed += 1
                yield commit
            if child.wait():
                raise GitFailed(complaint(said))

    def at(self, commit: str, name: str) -> str:
        """What to ask of `Blobs` for the file of this name as a commit has it."""
        return f"{commit}:{self._prefix_text}{name}"


def _tokens(stream: IO[bytes]) -> Iterator[str]:
    # A long history has hundreds of thousands: each comes out of a list, without a step of a generator.
    return chain.from_iterable(_token_lists(stream))


def _token_lists(stream: IO[bytes]) -> Iterator[list[str]]:
    rest = b""
    while chunk := stream.read(CHUNK):
        whole, end, rest = (rest + chunk).rpartition(b"\0")
        if end:
            yield whole.decode("utf-8", "surrogateescape").split("\0")
