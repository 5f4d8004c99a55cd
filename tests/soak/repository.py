"""Git repositories without a process for each commit: objects are written as git writes them.

What a commit says is chosen by the driver alone, its date included, so that a seed means the same history every time.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from repo import own_environ

from .remote import Remote

IDENTITY = "Soak <soak@example.com>"
CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
LEDGERS = "ledger*.db*"
REMOTE = '[remote "origin"]\n\turl = {url}\n'


@dataclass(slots=True)
class Origin:
    """Where all commits are; clones borrow its objects."""

    folder: Path
    written: set[str] = field(default_factory=set)

    def commit(self, files: Mapping[str, str], parents: tuple[str, ...], when: int, words: str) -> str:
        """Store a commit; its id."""
        lines = [f"tree {self._tree(files)}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {IDENTITY} {when} +0000", f"committer {IDENTITY} {when} +0000", "", words, ""]
        return self._store("commit", "\n".join(lines).encode())

    def _tree(self, files: Mapping[str, str]) -> str:
        entries: dict[str, tuple[str, str]] = {}
        folders: dict[str, dict[str, str]] = {}
        for path, text in files.items():
            first, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(first, {})[rest] = text
            else:
                entries[first] = ("100644", self._store("blob", text.encode()))
        entries |= {f"{name}/": ("40000", self._tree(some)) for name, some in folders.items()}
        rows = (f"{entries[name][0]} {name.rstrip('/')}\0".encode() + bytes.fromhex(entries[name][1])
                for name in sorted(entries))  # fmt: skip
        return self._store("tree", b"".join(rows))

    def _store(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        if oid not in self.written:
            self.written.add(oid)
            file = self.folder / "objects" / oid[:2] / oid[2:]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(zlib.compress(whole, 1))
        return oid


@dataclass(slots=True)
class Clone:
    """A checkout with, or without, a ledger; and what that ledger may know, as the oracle sees it.

    `paths` are the paths on record by article id, where it surely has them; `bases` the values that it may have.
    With a `remote` the ledger is there, and all its clones know the same.
    """

    name: str
    folder: Path
    origin: Origin
    shallow: bool = False
    remote: Remote | None = None
    paths: dict[int, str] = field(default_factory=dict)
    bases: dict[int, dict[str, object]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def make(self, config: str) -> None:
        """The folder, before anything is checked out."""
        for name in (".git/objects/info", ".git/refs/heads", "content"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
        origin = REMOTE.format(url=self.remote.folder) if self.remote is not None else ""
        (self.folder / ".git/config").write_text(CONFIG + origin)
        (self.folder / ".git/objects/info/alternates").write_text(f"{self.origin.folder / 'objects'}\n")
        (self.folder / ".git/info").mkdir()
        (self.folder / ".git/info/exclude").write_text(".kbsync/\nkbsync.toml\n")
        (self.folder / "kbsync.toml").write_text(config)

    def check_out(self, commit: str, files: Mapping[str, str]) -> None:
        """Pull: this commit, and its files."""
        for name in self.files.keys() - files.keys():
            (self.folder / name).unlink()
        for name, text in files.items():
            if self.files.get(name) != text:
                file = self.folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8", newline="")
        self.files = dict(files)
        (self.folder / ".git/refs/heads/main").write_text(f"{commit}\n")
        if self.shallow:
            (self.folder / ".git/shallow").write_text(f"{commit}\n")
        subprocess.run(["git", "read-tree", "HEAD"], cwd=self.folder, env=own_environ(), check=True)

    @property
    def state(self) -> Path:
        return self.folder / ".kbsync"

    def lose_ledger(self, *, all_of_it: bool) -> None:
        """The ledger is gone; `all_of_it`: what was cached too."""
        for file in self.state.glob(LEDGERS):
            file.unlink()
        if all_of_it:
            shutil.rmtree(self.state, ignore_errors=True)
        if self.remote is None:
            self.paths, self.bases = {}, {}

    def copy_ledger(self, folder: Path) -> Copy:
        """A copy of the ledger, as it is now."""
        folder.mkdir(parents=True)
        for file in self.state.glob(LEDGERS):
            shutil.copy(file, folder)
        return Copy(folder, dict(self.paths), {key: dict(found) for key, found in self.bases.items()})

    def take_ledger(self, copy: Copy) -> None:
        """That copy instead of our own."""
        self.lose_ledger(all_of_it=False)
        self.state.mkdir(mode=0o700, exist_ok=True)
        for file in copy.folder.iterdir():
            shutil.copy(file, self.state)
        if self.remote is None:
            self.know(copy)

    def know(self, copy: Copy) -> None:
        """What a ledger of some time ago knows."""
        self.paths, self.bases = dict(copy.paths), {key: dict(found) for key, found in copy.bases.items()}


@dataclass(frozen=True, slots=True)
class Copy:
    """A ledger of some time ago, and what it knows."""

    folder: Path
    paths: dict[int, str]
    bases: dict[int, dict[str, object]]
