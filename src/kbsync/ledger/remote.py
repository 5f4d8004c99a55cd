"""One ref of a remote repository, by git's own command line: fetch it, read its files, add a commit, push that.

Credentials, proxies and certificates are git's own affair. Git runs without hooks and without asking, and programs that
the repository's own `.git/config` names for talking to a remote are refused: the folder one stands in is not trusted.
Neither is what the ref holds: whoever may push there wrote it.
A push is a compare-and-swap: the remote takes the commit only while its ref is where it was seen last.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbsync.children import find_program
from kbsync.errors import ConfigError, LedgerError
from kbsync.ledger.job import is_ci
from kbsync.model import visible

LIMIT_S = 120.0
"""For one git process; also one that talks to a remote that does not answer."""

MAX_FILES = 50_000
MAX_BYTES = 300_000_000
"""Of one ledger. 10,000 articles have some 6 MB, with the bodies of twenty large pushes some 50 MB."""

MAX_LISTING = 300 * MAX_FILES
"""Bytes of a list of files. A tree of trees may name more files than there is room for."""

ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in ("DIR", "WORK_TREE", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR",
                 "NAMESPACE", "PREFIX", "QUARANTINE_PATH", "SHALLOW_FILE", "GRAFT_FILE", "REPLACE_REF_BASE",
                 "CONFIG")
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
    # It would run what the repository names for looking at signatures.
    "log.showSignature=false",
)

PROGRAMS = re.compile(
    r"core\.(sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(.*\.)?helper"
    r"|remote\..*\.(uploadpack|receivepack|vcs|proxy)|protocol\..*allow|url\..*|fetch\.bundleuri"
    # Where these are set, somebody else may hear the password that git has for a machine.
    r"|http\.(.*\.)?(proxy|curloptresolve|sslverify|cookiefile|savecookies)"
)
"""Settings that make git run something, or talk to another machine, when it fetches or pushes."""

REF_IS_BUSY, MOST_ATTEMPTS = b"cannot lock ref", 3
"""What git prints where two want to move a ref at once; so often it is tried then."""

MAX_SHOWN = 200
"""Characters of what git says."""

REMOTE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

SIGNS = (
    ("Authentication failed", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("could not read Username", "git has no access to it. Sign in, for example by `git fetch {remote}`."),
    ("Permission denied", "git has no access to it. Check your key, for example by `git fetch {remote}`."),
    ("Permission to", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("error: 403", "Your token or key may not push there. In GitHub Actions the job needs `contents: write`."),
    ("insufficient permission", "Check who may write in that folder."),
    ("unable to create temporary object directory", "Check who may write in that folder."),
    ("remote rejected", "The server does not take this ref. Allow pushes to it, or set [ledger] ref to another one."),
    ("does not appear to be a git repository", "Check `git remote -v`."),
    ("No space left", "Free some disk space and run the command again."),
)
"""What git prints, and what to do."""

OTHERWISE = "Check the connection and the repository, and try again."

CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
"""A name and a password in an address. CI services write their tokens there."""


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
        # Wherever it is at the remote: no branch or tag of this clone is moved by what kbsync.toml names.
        self.local = ref if ref.startswith("refs/kbsync/") else f"refs/kbsync/{ref.removeprefix('refs/')}"
        self.remote = remote or self._default_remote()
        self._check()

    def _default_remote(self) -> str:
        found = self._ask_repository("remote").decode("utf-8", "replace").split()
        return found[0] if len(found) == 1 else "origin"

    def _check(self) -> None:
        known = self._ask_repository("remote").decode("utf-8", "replace").split()
        if self.remote not in known or not REMOTE_NAME.fullmatch(self.remote):
            there = f"It has: {', '.join(known)}." if known else "It has none."
            raise ConfigError(
                f"[ledger] url: this repository has no remote `{visible(self.remote)}`. {there}",
                hint="Write the name of a remote, for example git:origin, or add one with `git remote add`.",
            )
        self._check_programs()
        self._check_address()
        check = [self.command[0], "check-ref-format", self.ref]
        if not self.ref.startswith("refs/") or subprocess.run(check, env=self.environ, check=False).returncode:
            raise ConfigError(
                f"[ledger] ref: `{visible(self.ref)}` is not a valid name of a ref.",
                hint="Write one like refs/kbsync/handbook.",
            )

    def _check_programs(self) -> None:
        if is_ci(self.environ):
            return  # The service itself made this clone, and writes there how to sign in.
        listed = self._ask_repository("config", "--list", "--show-scope", "-z").split(b"\0")
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

    def _check_address(self) -> None:
        """Refuse a folder beside this one: git runs the hooks of a repository that it pushes to on this machine."""
        found = self._ask_repository("remote", "get-url", "--push", "--all", self.remote)
        for address in found.decode("utf-8", "surrogateescape").splitlines():
            if not Path(address).is_absolute() and ":" not in address.partition("/")[0]:
                raise ConfigError(
                    f"The remote `{self.remote}` is `{visible(address)}`, a relative path. It may be a stranger's.",
                    hint=f"If it is yours, write its full path: `git remote set-url {self.remote} /path/to/it`.",
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
            raise LedgerError(f"The ledger {self.place} cannot be read: git gave no id of a commit.")
        if tip and tip != self.known():
            self._fetch(tip)
            tip = self.known()  # It may have moved on since.
            if not tip:
                raise LedgerError(
                    f"The ledger {self.place} cannot be read: it does not point to a commit.",
                    hint="kbsync did not write it. Set [ledger] ref to another name, or leave it out.",
                )
        return tip

    def _fetch(self, tip: str) -> None:
        # A clone without its blobs would fetch those of the ledger one by one.
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-filter")
        for attempt in range(1, MOST_ATTEMPTS + 1):
            code, _, said = self._run("fetch", *options, self.remote, self._refspec())
            # Another process of this clone may fetch the same, and only one of them can move the ref.
            if not code or self.known() == tip:
                return
            if REF_IS_BUSY not in said or attempt == MOST_ATTEMPTS:
                raise self._failure(said)

    def _tip_in(self, listed: bytes) -> str:
        lines = (line.partition(b"\t") for line in listed.splitlines())
        return next((oid.decode("ascii") for oid, _, name in lines if name == self.ref.encode()), "")

    def _refspec(self) -> str:
        return f"+{self.ref}:{self.local}"

    def known(self) -> str:
        """The commit that was fetched or pushed last; "" for none."""
        code, out, _ = self._run("rev-parse", "--verify", "--quiet", f"{self.local}^{{commit}}")
        return out.decode("ascii").strip() if code == 0 else ""

    def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        return self._run("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0

    def is_before(self, older: str, newer: str) -> bool:
        """Whether a commit is another one's ancestor, or that one itself."""
        return self._run("merge-base", "--is-ancestor", older, newer)[0] == 0

    def files_of(self, commit: str) -> dict[str, str]:
        """Every file of a commit, with its blob's id.

        Raises:
            LedgerError: they are too many, not there, or something else than files.
        """
        found: dict[str, str] = {}
        listed = self._ask_bounded("ls-tree", "-r", "-z", "--full-tree", commit, most=MAX_LISTING)
        lines = [line for line in listed[:MAX_LISTING].split(b"\0") if line]
        if len(listed) > MAX_LISTING or len(lines) > MAX_FILES:
            raise LedgerError(
                f"The ledger {self.place} has more than {MAX_FILES:,} files. kbsync does not read it.", hint=self.rescue
            )
        for line in lines:
            head, _, name = line.partition(b"\t")
            mode, _, oid = head.split(b" ")
            if not mode.startswith(b"100"):
                shown = visible(name.decode("utf-8", "replace"))
                raise LedgerError(f"The ledger {self.place} is damaged: `{shown}` is not a file.", hint=self.rescue)
            found[name.decode("utf-8", "surrogateescape")] = oid.decode("ascii")
        return found

    def read(self, oids: Sequence[str]) -> dict[str, bytes]:
        """The contents of some blobs. One that is named twice counts twice.

        Raises:
            LedgerError: one is missing, or they are too large.
        """
        asked = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        told = self._ask("cat-file", "--batch-check=%(objectsize)", given=asked).split(b"\n")
        sizes = dict(zip(oids, told, strict=False))
        if missing := [oid for oid, size in sizes.items() if not size.isdigit()]:
            message = f"The ledger {self.place} is damaged: its object {missing[0]} is missing."
            raise LedgerError(message, hint="See what `git fsck` finds, or use a new clone.")
        if sum(int(sizes[oid]) for oid in oids) > MAX_BYTES:
            message = f"The ledger {self.place} is larger than {MAX_BYTES // 1_000_000:,} MB. kbsync does not read it."
            raise LedgerError(message, hint=self.rescue)
        given = "".join(f"{oid}\n" for oid in sizes).encode("ascii")
        out, at, found = self._ask("cat-file", "--batch", given=given), 0, {}
        for oid, size in sizes.items():
            begin = out.index(b"\n", at) + 1
            found[oid] = out[begin : begin + int(size)]
            at = begin + int(size) + 1
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

    @property
    def rescue(self) -> str:
        """What to do about a ref that somebody damaged."""
        return f"`git log {self.local}` shows who wrote it. Move the ref back to the commit before."

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

        Raises:
            LedgerError: git cannot write it.

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
        for attempt in range(1, MOST_ATTEMPTS + 1):
            code, out, said = self._run("push", *options, self.remote, f"{commit}:{self.ref}")
            # The answer may have been lost on the way; and where it was refused, the reason is where the ref is now.
            tip = self._tip_after_failure(said or out) if code else commit
            if tip == commit:
                break
            if tip != expected:
                raise RefMoved(f"Another run changed the ledger {self.place} meanwhile.", hint="Run it again.")
            # Somebody may be just about to move it. Then the next attempt finds it elsewhere.
            if REF_IS_BUSY not in out + said or attempt == MOST_ATTEMPTS:
                raise self._failure(out + said)
        self._run("update-ref", self.local, commit)

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

    def _ask_repository(self, *arguments: str) -> bytes:
        code, out, said = self._run(*arguments)
        if code:
            raise ConfigError(
                f"The ledger is to be in git, but git cannot be used in this folder: {_reason(said)}.",
                hint="Run kbsync in a git repository that has a remote, or set another [ledger] url.",
            )
        return out

    def _ask(self, *arguments: str, given: bytes = b"") -> bytes:
        code, out, said = self._run(*arguments, given=given)
        if code:
            raise self._failure(said)
        return out

    def _ask_bounded(self, *arguments: str, most: int) -> bytes:
        """What git prints, but no more than one byte beyond `most`."""
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen(
                [*self.command, *arguments],
                env=self.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
            ) as process:  # fmt: skip
                assert process.stdout is not None
                alarm = threading.Timer(LIMIT_S, process.kill)
                alarm.start()
                out = process.stdout.read(most + 1)
                if len(out) > most:
                    process.kill()
                process.wait()
                alarm.cancel()
            said.seek(0)
            if process.returncode and len(out) <= most:
                raise self._failure(said.read())
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
            raise LedgerError(
                f"The ledger is in git, and git cannot be run: {exc.strerror}.", hint="Install git."
            ) from exc
        return done.returncode, done.stdout, done.stderr

    def _failure(self, said: bytes) -> LedgerError:
        text = said.decode("utf-8", "replace")
        hint = next((words for sign, words in SIGNS if sign in text), OTHERWISE)
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
            yield b"D " + _quoted(name) + b"\n"
        else:
            yield b"M 100644 inline " + _quoted(name) + f"\ndata {len(content)}\n".encode() + content + b"\n"
    yield b"\n"


def _quoted(name: str) -> bytes:
    """A path for `git fast-import`: whoever wrote the tree chose it, and it is no line of the language."""
    raw = name.encode("utf-8", "surrogateescape")
    return b'"' + b"".join(b"%c" % c if 32 <= c < 127 and c not in b'"\\' else b"\\%03o" % c for c in raw) + b'"'


def _plain(text: str) -> str:
    return re.sub(r"[<>\x00-\x1f\x7f]", "", text).strip() or "kbsync"


def _reason(said: bytes) -> str:
    """Why git failed: the server's own words, then which ref it refused, then what git said last."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    for sign, words in (("remote: ", 0), ("!\t", 2), ("fatal:", 1), ("error:", 1), ("ssh:", 1)):
        told = [line for line in lines if line.startswith(sign) and not line.startswith("error: failed to push")]
        if told:
            parts = (told[0].partition(": ")[2], told[-1].partition(": ")[2], told[-1].rpartition("\t")[2])
            return _shown(parts[words])
    return _shown(lines[-1]) if lines else "it ended early"


def _shown(text: str) -> str:
    return visible(CREDENTIALS.sub("", text)).strip(" .")[:MAX_SHOWN]


def _clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what leads git elsewhere, and without our own secrets. Git asks nothing."""
    kept = {name: value for name, value in environ.items() if name not in ELSEWHERE}
    kept = {name: value for name, value in kept.items() if not name.upper().startswith("KBSYNC_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
