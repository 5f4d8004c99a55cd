"""One ref of a remote repository, by git's own command line: fetch it, read its files, add a commit, push that.

Credentials, proxies and certificates are git's own affair. Git runs without hooks and without asking, and programs that
the repository's own `.git/config` names for talking to a remote are refused: the folder one stands in is not trusted.
A push is a compare-and-swap: the remote takes the commit only while its ref is where it was seen last.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kbsync.children import find_program
from kbsync.errors import ConfigError, LedgerError
from kbsync.ledger.job import is_ci
from kbsync.model import visible

LIMIT_S = 120.0
"""For one git process; also one that talks to a remote that does not answer."""

MAX_FILES = 50_000
MAX_BYTES = 1_000_000_000
"""Of one ledger. 10,000 articles have some 6 MB, with the bodies of twenty large pushes some 50 MB."""

ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in ("DIR", "WORK_TREE", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR",
                 "NAMESPACE", "PREFIX", "QUARANTINE_PATH", "SHALLOW_FILE", "GRAFT_FILE", "REPLACE_REF_BASE")
)  # fmt: skip
"""Variables that lead git to another repository: a hook that kbsync runs in may have set them."""

SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "fetch.writeCommitGraph=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    # The ledger shares no commit with the branches: there is nothing to negotiate about.
    "fetch.negotiationAlgorithm=noop",
    "protocol.ext.allow=never",
)

PROGRAMS = re.compile(
    r"core\.(sshcommand|gitproxy|askpass)|credential\.(.*\.)?helper|remote\..*\.(uploadpack|receivepack|vcs)"
    r"|protocol\..*allow|url\..*"
)
"""Settings that make git run something, or talk to another machine, when it fetches or pushes."""

MAX_SHOWN = 200
"""Characters of what git says."""

REMOTE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

SIGNS = (
    ("Authentication failed", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("could not read Username", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("Permission denied", "git has no access to it. Check your key, for example by `git fetch {remote}`."),
    ("Permission to", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("403", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("remote rejected", "The server does not take this ref. Allow pushes to it, or set [ledger] ref to another one."),
    ("does not appear to be a git repository", "Check `git remote -v`."),
    ("No space left", "Free some disk space and run the command again."),
)
"""What git prints, and what to do."""


class RefMoved(LedgerError):
    """The remote's ref is not where it was seen last: another run was faster. Nothing was pushed."""


def remote_names(folder: Path, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The remotes of the repository that a folder lies in; none where it lies in none, or git cannot be run."""
    program = find_program("git", environ, outside=(folder, Path.cwd()))
    if program is None:
        return []
    done = subprocess.run(
        [program, "-C", os.fspath(folder), "remote"], env=_clean(environ), capture_output=True, check=False
    )
    return done.stdout.decode("utf-8", "replace").split() if done.returncode == 0 else []


@dataclass(frozen=True, slots=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str


class RemoteRef:
    """One ref of one remote of the repository that a folder lies in.

    Args:
        folder: of kbsync.toml.
        remote: the name of the remote; "" for the only one, or `origin`.
        ref: the full name, here and there.
        environ: what git may need of the environment.

    Raises:
        ConfigError: no repository, no such remote, or its configuration runs programs.
    """

    def __init__(self, folder: Path, remote: str, ref: str, environ: Mapping[str, str] = os.environ) -> None:
        program = find_program("git", environ, outside=(folder, Path.cwd()))
        if program is None:
            raise ConfigError("The ledger is in git, and git cannot be run.", hint="Install git.")
        settings = [part for setting in SETTINGS for part in ("-c", setting)]
        self.command = [program, "-C", os.fspath(folder), "--no-pager", "--no-replace-objects", *settings]
        self.environ = _clean(environ)
        self.ref = ref
        self.remote = remote or self._default_remote()
        self._check()

    def _default_remote(self) -> str:
        found = self._ask("remote").decode("utf-8", "replace").split()
        return found[0] if len(found) == 1 else "origin"

    def _check(self) -> None:
        known = self._ask("remote").decode("utf-8", "replace").split()
        if self.remote not in known or not REMOTE_NAME.fullmatch(self.remote):
            there = f"It has: {', '.join(known)}." if known else "It has none."
            raise ConfigError(
                f"[ledger] url: this repository has no remote `{visible(self.remote)}`. {there}",
                hint="Write the name of a remote, for example git:origin, or add one with `git remote add`.",
            )
        self._check_programs()
        if subprocess.run([self.command[0], "check-ref-format", self.ref], env=self.environ, check=False).returncode:
            raise ConfigError(
                f"[ledger] ref: `{visible(self.ref)}` is not a valid name of a ref.",
                hint="Write one like refs/kbsync/handbook.",
            )

    def _check_programs(self) -> None:
        if is_ci(self.environ):
            return  # The service itself made this clone, and writes there how to sign in.
        listed = self._ask("config", "--list", "--show-scope", "-z").split(b"\0")
        for scope, setting in zip(listed[::2], listed[1::2], strict=False):
            key = setting.partition(b"\n")[0].decode("utf-8", "replace")
            if scope not in {b"local", b"worktree"} or not PROGRAMS.fullmatch(key):
                continue
            if key == "core.sshcommand" and "GIT_SSH_COMMAND" in self.environ:
                continue
            raise ConfigError(
                f"This repository's own git configuration sets `{visible(key)}`, which decides what git runs or which "
                "machine it contacts.",
                hint="kbsync does not use it. If it is yours, set it in your own configuration: `git config --global`.",
            )

    @property
    def place(self) -> str:
        """The ref and its remote, for messages."""
        return f"{self.ref} of {self.remote}"

    # --- reading ---------------------------------------------------------------------------------------------------

    def fetch(self) -> str:
        """Get what the remote's ref has; the id of its commit, "" where there is no such ref.

        Raises:
            LedgerError: the remote cannot be reached.
        """
        said = self._ask_remote("ls-remote", "--quiet", self.remote, self.ref)
        tip = self._tip_in(said)
        if tip and not OID.fullmatch(tip):
            raise LedgerError(
                f"The ledger {self.place} cannot be read: git named a commit by something other than an id."
            )
        if tip and tip != self.known():
            self._ask_remote("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self.remote, self._refspec())
            tip = self.known()  # It may have moved on since.
        return tip

    def _tip_in(self, listed: bytes) -> str:
        lines = (line.partition(b"\t") for line in listed.splitlines())
        return next((oid.decode("ascii") for oid, _, name in lines if name == self.ref.encode()), "")

    def _refspec(self) -> str:
        return f"+{self.ref}:{self.ref}"

    def known(self) -> str:
        """The commit that was fetched or pushed last; "" for none."""
        code, out, _ = self._run("rev-parse", "--verify", "--quiet", f"{self.ref}^{{commit}}")
        return out.decode("ascii").strip() if code == 0 else ""

    def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        return self._run("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0

    def files_of(self, commit: str) -> dict[str, str]:
        """Every file of a commit, with its blob's id.

        Raises:
            LedgerError: they are too many, or not there.
        """
        found: dict[str, str] = {}
        for line in self._ask("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            head, _, name = line.partition(b"\t")
            if name:
                found[name.decode("utf-8", "surrogateescape")] = head.split(b" ")[2].decode("ascii")
        if len(found) > MAX_FILES:
            raise LedgerError(f"The ledger {self.place} has {len(found):,} files. kbsync reads at most {MAX_FILES:,}.")
        return found

    def read(self, oids: Collection[str]) -> dict[str, bytes]:
        """The contents of some blobs.

        Raises:
            LedgerError: one is missing, or they are too large.
        """
        asked = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        sizes = self._ask("cat-file", "--batch-check=%(objectsize)", given=asked).split()
        if sum(int(size) for size in sizes if size.isdigit()) > MAX_BYTES:
            raise LedgerError(f"The ledger {self.place} is larger than {MAX_BYTES // 1_000_000:,} MB.")
        out, at, found = self._ask("cat-file", "--batch", given=asked), 0, {}
        for oid in oids:
            end = out.index(b"\n", at)
            kind, size = out[at:end].split(b" ")[1:3]
            if kind != b"blob":
                raise LedgerError(f"The ledger {self.place} is damaged: {oid} is a {kind.decode()}.")
            found[oid] = out[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)
        return found

    def trailer_of(self, commit: str, name: str) -> str:
        """The value of a trailer of a commit's message; "" where there is none."""
        code, out, _ = self._run("log", "-1", f"--format=%(trailers:key={name},valueonly,separator=%x20)", commit)
        value = out.decode("ascii", "replace").strip() if code == 0 else ""
        return value if OID.fullmatch(value) else ""

    def may_contain(self, commit: str) -> bool:
        """Whether a commit is part of what is checked out, as far as this clone can tell: a shallow one cannot."""
        if not self.has(commit):
            return self._ask("rev-parse", "--is-shallow-repository").startswith(b"true")
        return self._run("merge-base", "--is-ancestor", commit, "HEAD")[0] != 1

    def source_commit(self) -> str:
        """The commit that is checked out here; "" where there is none."""
        code, out, _ = self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return out.decode("ascii").strip() if code == 0 else ""

    def author(self) -> Author | None:
        """Who git says that commits here are by; None where that is not configured."""
        code, out, _ = self._run("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
        found = re.fullmatch(r"(.*) <(.*)> \d+ [-+]\d+\n", out.decode("utf-8", "replace")) if code == 0 else None
        return Author(found[1], found[2]) if found else None

    # --- writing ---------------------------------------------------------------------------------------------------

    def commit(self, parent: str, changed: Mapping[str, bytes | None], message: str, author: Author) -> str:
        """Add a commit after another one, "" for the first; its id. Nothing is pushed yet.

        Args:
            parent: the commit before it.
            changed: the new content of each file that changes; None for one that goes.
            message: as `git log` shows it.
            author: who it is by.
        """
        work = f"refs/kbsync-work/{os.getpid()}-{time.time_ns()}"
        try:
            self._ask("fast-import", "--quiet", given=b"".join(_stream(work, parent, changed, message, author)))
            return self._ask("rev-parse", "--verify", work).decode("ascii").strip()
        finally:
            self._run("update-ref", "-d", work)

    def push(self, commit: str, expected: str) -> None:
        """Make a commit the remote's, if its ref still is where it was expected.

        Raises:
            RefMoved: it is elsewhere.
            LedgerError: it could not be pushed.
        """
        lease = f"--force-with-lease={self.ref}:{expected}"
        options = ("--porcelain", "--no-verify", lease)
        code, out, said = self._run("push", *options, self.remote, f"{commit}:{self.ref}")
        if code:
            # The answer may have been lost on the way; and where it was refused, the reason is where the ref is now.
            tip = self._tip_after_failure(said or out)
            if tip != commit:
                if tip != expected:
                    raise RefMoved(f"Another run changed the ledger {self.place} meanwhile.", hint="Run it again.")
                raise self._failure(out + said)
        self._run("update-ref", self.ref, commit)

    def _tip_after_failure(self, said: bytes) -> str:
        code, out, _ = self._run("ls-remote", "--quiet", self.remote, self.ref)
        if code:
            raise self._failure(said)
        return self._tip_in(out)

    # --- git -------------------------------------------------------------------------------------------------------

    def _ask_remote(self, *arguments: str) -> bytes:
        code, out, said = self._run(*arguments)
        if code:
            raise self._failure(said)
        return out

    def _ask(self, *arguments: str, given: bytes = b"") -> bytes:
        code, out, said = self._run(*arguments, given=given)
        if code:
            raise ConfigError(
                f"The ledger is in git, and git cannot be used here ({_reason(said)}).",
                hint="Run kbsync in a git repository that has a remote, or set another [ledger] url.",
            )
        return out

    def _run(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                env=self.environ, input=given, capture_output=True, timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 124, b"", f"fatal: {self.remote} did not answer within {LIMIT_S:g} s".encode()
        except OSError as exc:
            raise ConfigError(
                f"The ledger is in git, and git cannot be run: {exc.strerror}.", hint="Install git."
            ) from exc
        return done.returncode, done.stdout, done.stderr

    def _failure(self, said: bytes) -> LedgerError:
        text = said.decode("utf-8", "replace")
        hint = next((words for sign, words in SIGNS if sign in text), "Check the connection, and try again.")
        message = f"The ledger {self.place} cannot be used: {_reason(said)}."
        return LedgerError(message, hint=hint.replace("{remote}", self.remote))


def _stream(
    work: str, parent: str, changed: Mapping[str, bytes | None], message: str, author: Author
) -> Iterator[bytes]:
    """A commit in the language of `git fast-import`."""
    who = f"{_plain(author.name)} <{_plain(author.email)}> {int(time.time())} +0000"
    text = message.encode("utf-8", "replace")
    yield f"commit {work}\nauthor {who}\ncommitter {who}\ndata {len(text)}\n".encode() + text + b"\n"
    if parent:
        yield f"from {parent}\n".encode()
    for name, content in changed.items():
        if content is None:
            yield f"D {name}\n".encode()
        else:
            yield f"M 100644 inline {name}\ndata {len(content)}\n".encode() + content + b"\n"
    yield b"\n"


def _plain(text: str) -> str:
    return re.sub(r"[<>\x00-\x1f\x7f]", "", text).strip() or "kbsync"


def _reason(said: bytes) -> str:
    """The line of what git printed that says most: the server's own words, then which ref it refused, then git's."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    for signs in (("remote: ",), ("!",), ("fatal:", "error:", "ssh:")):
        if told := [line for line in lines if line.startswith(signs)]:
            text = told[0].rpartition("\t")[2] if signs == ("!",) else told[0].partition(": ")[2]
            return visible(text).strip(" .")[:MAX_SHOWN]
    return visible(lines[-1]).strip(" .")[:MAX_SHOWN] if lines else "it ended early"


def _clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what leads git elsewhere, and without our own secrets. Git asks nothing."""
    kept = {name: value for name, value in environ.items() if name not in ELSEWHERE}
    kept = {name: value for name, value in kept.items() if not name.upper().startswith("KBSYNC_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
