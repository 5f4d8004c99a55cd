"""One ref of a remote repository: fetch it, read its files, add a commit, push that.

What the ref holds is not trusted: whoever may push there wrote it. A push is a compare-and-swap: the remote takes the
commit only while its ref is where it was seen last.

Also: A commit in the language of `git fast-import`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbsync.errors import LedgerError
from kbsync.ledger.git_command import Git, failure_of
from kbsync.model import visible


@dataclass(frozen=True, slots=True)
class Author:
    """Who a commit is by."""

    name: str
    email: str


def commit_stream(
    work: str, parent: str, changed: Mapping[str, bytes | None], message: str, author: Author
) -> Iterator[bytes]:
    """A commit on top of another one, "" for the first.

    Args:
        work: the ref that gets it.
        parent: the commit before it.
        changed: the new content of each file that changes; None for one that goes.
        message: as `git log` shows it.
        author: who it is by.
    """
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


MAX_FILES = 50_000
MAX_BYTES = 300_000_000
"""Of one ledger. 10,000 articles have some 6 MB, with the bodies of twenty large pushes some 50 MB."""

MAX_LISTING = 300 * MAX_FILES
"""Bytes of a list of files. A tree of trees may name more files than there is room for."""

REF_IS_BUSY, MOST_ATTEMPTS = b"cannot lock ref", 3
"""What git prints where two want to move a ref at once; so often it is tried then."""

OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class RefMoved(LedgerError):
    """The remote's ref is not where it was seen last: another run was faster. Nothing was pushed."""


class RemoteRef:
    """One ref of one remote of the repository that a folder lies in.

    Args:
        folder: of kbsync.toml.
        remote: the name of the remote; "" for the only one, or `origin`.
        ref: the full name, here and there, below `refs/kbsync/`.
        environ: what git may need of the environment.
        fetches: whether the remote is asked; else what this clone has of the ref counts.

    Raises:
        ConfigError: no repository, no such remote, or its configuration runs programs.
    """

    def __init__(
        self, folder: Path, remote: str, ref: str, environ: Mapping[str, str] = os.environ, *, fetches: bool = True
    ) -> None:
        self.git = Git(folder, environ)
        self.ref = ref
        self.fetches = fetches
        self.remote = remote or self.git.default_remote()
        self.git.check(self.remote, ref)

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
        if not self.fetches:
            return self.known()
        said = self._ask("ls-remote", "--quiet", self.remote, self.ref)
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
            code, _, said = self.git.run("fetch", *options, self.remote, self._refspec())
            # Another process of this clone may fetch the same, and only one of them can move the ref.
            if not code or self.known() == tip:
                return
            if REF_IS_BUSY not in said or attempt == MOST_ATTEMPTS:
                raise self._failure(said)

    def _tip_in(self, listed: bytes) -> str:
        lines = (line.partition(b"\t") for line in listed.splitlines())
        return next((oid.decode("ascii") for oid, _, name in lines if name == self.ref.encode()), "")

    def _refspec(self) -> str:
        return f"+{self.ref}:{self.ref}"

    def known(self) -> str:
        """The commit that was fetched or pushed last; "" for none."""
        code, out, _ = self.git.run("rev-parse", "--verify", "--quiet", f"{self.ref}^{{commit}}")
        return out.decode("ascii").strip() if code == 0 else ""

    def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        return self.git.run("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0

    def is_before(self, older: str, newer: str) -> bool:
        """Whether a commit is another one's ancestor, or that one itself."""
        return self.git.run("merge-base", "--is-ancestor", older, newer)[0] == 0

    def files_of(self, commit: str) -> dict[str, str]:
        """Every file of a commit, with its blob's id.

        Raises:
            LedgerError: they are too many, not there, or something else than files.
        """
        found: dict[str, str] = {}
        listed = self._bounded("ls-tree", "-r", "-z", "--full-tree", commit)
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

    @property
    def rescue(self) -> str:
        """What to do about a ref that somebody damaged."""
        return f"`git log {self.ref}` shows who wrote it. Move the ref back to the commit before."

    def source_commit(self) -> str:
        """The commit that is checked out here; "" where there is none."""
        code, out, _ = self.git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return out.decode("ascii").strip() if code == 0 else ""

    def author(self) -> Author | None:
        """Who git says that commits here are by; None where that is not configured."""
        code, out, _ = self.git.run("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
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
            self._ask("fast-import", "--quiet", given=b"".join(commit_stream(work, parent, changed, message, author)))
            return self._ask("rev-parse", "--verify", work).decode("ascii").strip()
        finally:
            self.git.run("update-ref", "-d", work)

    def push(self, commit: str, expected: str) -> None:
        """Make a commit the remote's, if its ref still is where it was expected.

        Raises:
            RefMoved: it is elsewhere.
            LedgerError: it could not be pushed.
        """
        lease = f"--force-with-lease={self.ref}:{expected}"
        options = ("--porcelain", "--no-verify", lease)
        for attempt in range(1, MOST_ATTEMPTS + 1):
            code, out, said = self.git.run("push", *options, self.remote, f"{commit}:{self.ref}")
            # The answer may have been lost on the way; and where it was refused, the reason is where the ref is now.
            tip = self._tip_after_failure(said or out) if code else commit
            if tip == commit:
                break
            if tip != expected:
                raise RefMoved(f"Another run changed the ledger {self.place} meanwhile.", hint="Run it again.")
            # Somebody may be just about to move it. Then the next attempt finds it elsewhere.
            if REF_IS_BUSY not in out + said or attempt == MOST_ATTEMPTS:
                raise self._failure(out + said)
        self.git.run("update-ref", self.ref, commit)

    def _tip_after_failure(self, said: bytes) -> str:
        code, out, _ = self.git.run("ls-remote", "--quiet", self.remote, self.ref)
        if code:
            raise self._failure(said)
        return self._tip_in(out)

    def _ask(self, *arguments: str, given: bytes = b"") -> bytes:
        code, out, said = self.git.run(*arguments, given=given)
        if code:
            raise self._failure(said)
        return out

    def _bounded(self, *arguments: str) -> bytes:
        code, out, said = self.git.run_bounded(*arguments, most=MAX_LISTING)
        if code:
            raise self._failure(said)
        return out

    def _failure(self, said: bytes) -> LedgerError:
        return failure_of(said, self.place, self.remote)
