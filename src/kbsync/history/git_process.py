"""Runs git, which only reads, by its own command line: bounded in time and memory.

Git runs without hooks, pagers, prompts, external programs and the network, whatever the configuration says, and finds
the repository from the content root alone: a hook that kbsync runs in may have set GIT_DIR and its like.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import IO

from kbsync.git import git_command, git_environment, without_filters
from kbsync.model import visible

CHUNK = 1 << 16
SETTINGS = (
    "log.showRoot=true",
    "log.follow=false",
    # No name of a person is read; a long list of them in the repository would only cost.
    "log.mailmap=false",
    "mailmap.file=",
    "mailmap.blob=",
    # Else it maps all of a large pack at once. Older texts lie all over a pack: in windows of 1 MiB, git would map and
    # unmap for nearly every one.
    "core.packedGitWindowSize=64k",
    "core.packedGitLimit=16m",
    # Git stores an older text or folder as what differs from a newer one. Where what that is made from does not fit
    # here, git makes each from the first again, which takes up to three times the CPU. Git's own default is 96m.
    "core.deltaBaseCacheLimit=64m",
)
LOOKS_AT_FILES = ("status", "update-index")
"""What asks the repository's filters about files that may have changed."""

PARTIAL = "This clone has no old versions. Clone without `--filter`."

LIMIT_S = 60.0
"""Seconds for one git process; a history of 300,000 changes takes it one. A stranger's repository may have been made to
take for ever: nested trees with millions of names, a pipe among git's own files."""

SLOW_S = 5.0
"""After so long people see what is waited for."""

MAX_MEMORY_BYTES = 4 << 30
"""Address space of one git process, where the system can limit that."""

ENDED = "kbsync ended git"

COMPLAINTS = {
    ENDED: "git took too long. Look for a commit with very many files in `git log --stat`.",
    "ut of memory": "git ran out of memory. Look for a commit with very many files in `git log --stat`.",
    "dubious ownership": "git refuses this repository, because it belongs to another user. Run "
    '`git config --global --add safe.directory "$PWD"` in its top folder.',
    "not a git repository": "Your files are not in a git repository. Put them into one, and commit them.",
    "promisor": PARTIAL,
    "argument 'HEAD'": "Nothing is committed yet. Commit the files as they were published.",
    "revision 'HEAD'": "Nothing is committed yet. Commit the files as they were published.",
    "object name HEAD": "Nothing is committed yet. Commit the files as they were published.",
    "unrecognized argument": "This git is too old. Install git 2.31 or newer.",
}
"""What git prints, in the language C, and what it means here."""


class GitFailed(Exception):
    """Git cannot tell. The message is made of sentences for a hint: what is wrong, then what to do."""


class Git:
    """The git of one content root. See `Repository` for its parts.

    Raises:
        GitFailed: git is missing.
        ConfigError: the root is a git repository that was committed as files.
    """

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        *,
        program: str = "git",
        slow: Callable[[str], None] = lambda text: None,
    ) -> None:
        command = git_command(root, environ, *SETTINGS, program=program)
        if command is None:
            raise GitFailed("git cannot be run: it is not on PATH, or only inside this project. Install git.")
        self.command = command
        self.environ = git_environment(environ, reads=True)
        self.limit_s, self.slow_s = LIMIT_S, SLOW_S
        self.slow = slow

    @contextmanager
    def run(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """A git process and what it complains of; it does not outlive the block."""
        with tempfile.TemporaryFile() as said:
            try:
                filters = without_filters(self.command, self.environ) if arguments[0] in LOOKS_AT_FILES else ()
                child = subprocess.Popen(
                    [*self.command, *filters, *arguments],
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

    def ask(self, *arguments: str, given: bytes | None = None) -> bytes:
        """What one git command prints; `given` is what it reads.

        Raises:
            GitFailed: it ended with an error.
        """
        with self.run(*arguments) as (child, said):
            out, _ = child.communicate(given)
            if child.returncode:
                raise GitFailed(complaint(said))
            return out


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


def complaint(said: IO[bytes]) -> str:
    """What git printed, as sentences for a hint."""
    said.seek(0)
    text = said.read(CHUNK).decode("utf-8", "replace")
    for sign, word in COMPLAINTS.items():
        if sign in text:
            return word
    lines = [line for line in text.splitlines() if line.startswith(("fatal:", "error:"))] or ["it ended early"]
    return f"git could not read the history ({visible(lines[-1])}). Run `git fsck`."
