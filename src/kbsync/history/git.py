"""What git knows of the content tree: its commits, and the files as they were. Only reads, by git's own command line.

Git runs without hooks, pagers, prompts, external programs and the network, whatever the configuration says, and finds
the repository from the content root alone: a hook that kbsync runs in may have set GIT_DIR and its like.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import IO, NamedTuple

from kbsync.children import find_program
from kbsync.files import real_path
from kbsync.model import visible

CHUNK = 1 << 16
SETTINGS = (
    "core.fsmonitor=false",
    "core.pager=cat",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.follow=false",
    # No name of a person is read; a long list of them in the repository would only cost.
    "log.mailmap=false",
    "mailmap.file=",
    "mailmap.blob=",
    # Else it maps all of a large pack at once, and keeps as many texts as would fit: fast enough without.
    "core.packedGitWindowSize=1m",
    "core.packedGitLimit=16m",
    "core.deltaBaseCacheLimit=16m",
)
OPTIONS = ("--no-pager", "--no-replace-objects", *(part for setting in SETTINGS for part in ("-c", setting)))
KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
"""Variables of git that do not lead elsewhere; `safe.directory` may come in GIT_CONFIG_COUNT and its like."""

QUIET = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}

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

UNCHANGED = 100
"""What git says of a file that was only renamed, percent."""

SURE_PERCENT = 75
"""From here on git's word for a rename is taken where the bodies are too short to tell."""

EVERYTHING = "."
"""Below the content root. That costs git a third of what a pattern for `.md` does, so other paths are dropped here."""

MAX_NAMES = 8
"""So many names are given to git, which then passes by what has nothing to do with them; more of them cost more."""

REGULAR = (b"100644", b"100755")

PARTIAL = "This clone has no old versions. Clone without `--filter`."

LIMIT_S = 60
"""Seconds for one git process; a history of 300,000 changes takes it one. A stranger's repository may have been made to
take for ever: nested trees with millions of names, a pipe among git's own files."""

SLOW_S = 5.0
"""After so long people are told what is waited for."""

MAX_MEMORY_BYTES = 4 << 30
"""Address space of one git process, where the system can limit that."""

ENDED = "kbsync ended git"

COMPLAINTS = {
    ENDED: "git took too long. Look for a commit with very many files in `git log --stat`.",
    "ut of memory": "git ran out of memory. Look for a commit with very many files in `git log --stat`.",
    "dubious ownership": "git refuses this repository, because it belongs to another user. Run "
    '`git config --global --add safe.directory "$PWD"` in its top folder.',
    "not a git repository": "Your files are not in a git repository. Copy the portal's value into your file.",
    "promisor": PARTIAL,
    "argument 'HEAD'": "Nothing is committed yet. Commit the files as they were published.",
    "revision 'HEAD'": "Nothing is committed yet. Commit the files as they were published.",
    "object name HEAD": "Nothing is committed yet. Commit the files as they were published.",
    "unrecognized argument": "This git is too old. Install git 2.31 or newer.",
}
"""What git prints, in the language C, and what it means here."""


class GitFailed(Exception):
    """Git cannot tell. The message is made of sentences for a hint: what is wrong, then what to do."""


class Entry(NamedTuple):
    """A file that a commit changed, against its first parent; an id is "" where no regular file was or is.

    `percent` is how much of a renamed file stayed, by git's measure.
    """

    old_name: str
    name: str
    old_oid: str
    oid: str
    percent: int = 100

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


class Repository:
    """The repository that a content tree lies in. Names of files are relative to the content root.

    Args:
        root: the content root.
        environ: what git may need of the environment; what leads it elsewhere is left out.
        program: the git to run.
        slow: called once where git takes long; `slow_s`: how long that is.

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
        slow_s: float = SLOW_S,
    ) -> None:
        found = find_program(program, environ, outside=(root, _top_of(root), Path.cwd()))
        if found is None:
            raise GitFailed("git cannot be run: it is not on PATH, or only inside this project. Install git.")
        self.command = [found, "-C", os.fspath(root), *OPTIONS]
        self.environ = clean(environ)
        self.limit_s: float = LIMIT_S
        self.slow, self.slow_s = slow, slow_s
        self.listed = 0
        """Commits that git was asked for."""
        shallow, _, prefix = self._ask("rev-parse", "--is-shallow-repository", "--show-prefix").partition(b"\n")
        self.prefix = prefix.removesuffix(b"\n")
        self.is_shallow = shallow == b"true"
        if not self._ask("rev-parse", "--is-inside-work-tree").startswith(b"true"):
            raise GitFailed(COMPLAINTS["not a git repository"])

    @contextmanager
    def run(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """A git process and what it complains of; it does not outlive the block."""
        with tempfile.TemporaryFile() as said:
            try:
                child = subprocess.Popen(
                    [*self.command, *arguments],
                    env=self.environ,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                )
            except OSError as exc:
                raise GitFailed(f"git cannot be run: {exc.strerror}. Install git.") from exc
            timers = Timer(self.limit_s, _end, (child, said.fileno())), Timer(self.slow_s, self._note_slow)
            for timer in timers:
                timer.daemon = True
                timer.start()
            _limit(child.pid)
            try:
                yield child, said
            finally:
                for timer in timers:
                    timer.cancel()
                    timer.join()  # Should it be at work just now, it still needs the file.
                child.kill()
                for pipe in (child.stdin, child.stdout):
                    _close(pipe)
                child.wait()

    def _note_slow(self) -> None:
        slow, self.slow = self.slow, lambda text: None
        slow(f"Still waiting for git, which reads the history. kbsync waits up to {self.limit_s:g} s for it.")

    def _ask(self, *arguments: str) -> bytes:
        with self.run(*arguments) as (child, said):
            out, _ = child.communicate()
            if child.returncode:
                raise GitFailed(complaint(said))
            return out

    def head(self) -> str:
        """The id of the commit that is checked out; "" where there is no commit."""
        with suppress(GitFailed):
            return self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode("ascii").strip()
        return ""

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether a commit is one of those that another is made of, as far as git knows."""
        with suppress(GitFailed):
            self._ask("merge-base", "--is-ancestor", commit, of)
            return True
        return False

    def nearest(self, commit: str) -> str:
        """The commit itself or the nearest before it that touched the tree; "" where none did.

        Raises:
            GitFailed: the history is broken.
        """
        lines = self._ask("rev-list", "--max-count=1", "--full-history", "--parents", commit, "--", EVERYTHING)
        return lines.decode("ascii").partition(" ")[0].strip()

    def committed(self) -> set[str]:
        """The files that HEAD has.

        Raises:
            GitFailed: there is no HEAD, or it is broken.
        """
        lines = self._ask("ls-tree", "-r", "-z", "--name-only", "HEAD").split(b"\0")
        return {line.decode("utf-8", "surrogateescape") for line in lines}

    def log(self, only: Collection[str] = (), *, head: str = "HEAD", since: str = "") -> Generator[Commit, None, None]:
        """The commits that HEAD is made of and that touched sources, newest first.

        Args:
            head: another commit than HEAD.
            only: paths that they must have touched, where renames do not matter. They may have touched more.
            since: a commit; those that it is made of are left out.

        Raises:
            GitFailed: the history is broken or empty; what came before stays true.
        """
        follow = ("--no-renames",) if only else RENAMES
        paths = [f":(literal){name}" for name in only] if 0 < len(only) <= MAX_NAMES else [EVERYTHING]
        commits = (head, f"^{since}") if since else (head,)
        with self.run("log", *commits, *LOG, *follow, "--", *paths) as (child, said):
            assert child.stdout is not None
            yield from self._commits(_tokens(child.stdout))
            if child.wait():
                raise GitFailed(complaint(said))

    def _commits(self, tokens: Iterator[bytes]) -> Iterator[Commit]:
        ids, entries = list[str](), list[Entry]()
        for token in tokens:
            line = token.lstrip(b"\n")
            if line.startswith(b"\2"):
                self.listed += 1
                if ids:
                    yield Commit(ids[0], int(ids[1]), tuple(ids[2:]), _sources(entries))
                ids, entries = line[1:].decode("ascii").split(), []
            elif line.startswith(b":"):
                entries.append(self._entry(line, tokens))
        if ids:
            yield Commit(ids[0], int(ids[1]), tuple(ids[2:]), _sources(entries))

    def _entry(self, line: bytes, tokens: Iterator[bytes]) -> Entry:
        old_mode, mode, old_oid, oid, status = line[1:].split(b" ")
        name = old_name = self._name(next(tokens, b""))
        percent = 100
        if status.startswith(b"R"):
            name, percent = self._name(next(tokens, b"")), int(status[1:])
        return Entry(old_name, name, _oid(old_mode, old_oid), _oid(mode, oid), percent)

    def _name(self, path: bytes) -> str:
        return path.removeprefix(self.prefix).decode("utf-8", "surrogateescape")

    def at(self, commit: str, name: str) -> str:
        """What to ask of `Blobs` for the file of this name as a commit has it."""
        return f"{commit}:{self.prefix.decode('utf-8', 'surrogateescape')}{name}"


def _top_of(root: Path) -> Path:
    """The folder of the repository that a content tree lies in, or of the tree itself."""
    real = real_path(root)
    return next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), real)


def _sources(entries: list[Entry]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.name.endswith(".md") or entry.old_name.endswith(".md"))


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _oid(mode: bytes, oid: bytes) -> str:
    return oid.decode("ascii") if mode in REGULAR else ""


def _close(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):  # what was not written yet has no reader any more
        if pipe is not None:
            pipe.close()


def _limit(pid: int) -> None:
    """Where the system can do that: a process that asks for more memory ends with a complaint."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # It is over already.
            resource.prlimit(pid, resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _end(child: subprocess.Popen[bytes], said: int) -> None:
    with suppress(OSError):
        os.write(said, f"fatal: {ENDED}\n".encode())
    child.kill()


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would lead git elsewhere or make it ask, and without our own secrets."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name.startswith(KEPT)}
    return {name: value for name, value in kept.items() if not name.upper().startswith("KBSYNC_")} | QUIET


def complaint(said: IO[bytes]) -> str:
    """What git printed, as sentences for a hint."""
    said.seek(0)
    text = said.read(CHUNK).decode("utf-8", "replace")
    for sign, word in COMPLAINTS.items():
        if sign in text:
            return word
    lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:"))] or ["it ended early"]
    return f"git could not read the history ({visible(lines[-1])}). Run `git fsck`."
