"""The local file of a ledger in git and its ref: taking over what the remote has, sending what it lacks.

Also: two ledgers that grew apart: what this machine recorded and could not send, and what others recorded meanwhile.
Pure.

Others went on from what they knew: they looked at the portal after us. So where both changed an item, theirs counts; a
run that both know is theirs as well. What only we have is kept.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import msgspec

from kbsync.errors import LedgerError
from kbsync.jobs import job_of
from kbsync.ledger import journal, presence
from kbsync.ledger.check_rows import check_rows
from kbsync.ledger.dump import TABLES, Tables, dump
from kbsync.ledger.remote import Author, RemoteRef
from kbsync.ledger.rows import OWNER_COLUMNS, row_of_owner
from kbsync.ledger.shards import LEASE, Lease, LedgerFiles, Shard, ShardContents, from_files, rows_in, to_files
from kbsync.ledger.tracked import Origin, TrackedDatabase, Whose
from kbsync.ledger.values import STALE_S, Owner
from kbsync.memory import Kind, Memory
from kbsync.model import Target, visible

Row = Sequence[Any]


def merge(base: Tables, ours: Tables, theirs: Tables) -> dict[str, list[list[Any]]]:
    """The tables with both sides' rows.

    Args:
        base: what both began with.
        ours: of this machine.
        theirs: of the remote.
    """
    found = {table: [list(row) for row in theirs[table]] for table in TABLES}
    found["item"] = _items(base["item"], ours["item"], theirs["item"])
    for table, key in (("body", 1), ("picture", 2)):
        there = {tuple(row[:key]) for row in theirs[table]}
        found[table] += [list(row) for row in ours[table] if tuple(row[:key]) not in there]
    _add_runs(found, ours, sent=max((row[0] for row in base["run"]), default=0))
    return found


def _items(base: Sequence[Row], ours: Sequence[Row], theirs: Sequence[Row]) -> list[list[Any]]:
    kind, remote_id = TABLES["item"].index("kind"), TABLES["item"].index("remote_id")

    def by_id(rows: Sequence[Row]) -> dict[tuple[Any, Any], list[Any]]:
        return {(row[kind], row[remote_id]): list(row) for row in rows}

    before, here, there = by_id(base), by_id(ours), by_id(theirs)
    found = {}
    for key in {**there, **here}:
        unmoved_there = before.get(key) == there.get(key)
        row = here.get(key) if unmoved_there else there.get(key)
        if row is not None:
            found[key] = row
    named = {_name(row) for row in theirs}
    # Made twice for one source while two were at work: the article that the others know is the one.
    return [row for key, row in found.items() if key in there or key in before or _name(row) not in named]


def _name(row: Row) -> tuple[Any, ...]:
    values = dict(zip(TABLES["item"], row, strict=True))
    return values["kind"], values["path"], values["slug"], values["locale"]


def _add_runs(found: dict[str, list[list[Any]]], ours: Tables, *, sent: int) -> None:
    """Runs that only we know come after theirs, with numbers of their own.

    Args:
        found: the tables of the remote.
        ours: of this machine.
        sent: the newest run of what both began with. Earlier ones were sent as well, even if they are too old to be
            in the tree now.
    """
    # By when and as what they began: a run got another number when it came after theirs the last time.
    began = itemgetter(*(TABLES["run"].index(name) for name in ("command", "started_at", "digest")))
    known = {began(row) for row in found["run"]}
    number = max((row[0] for row in found["run"]), default=0)
    entry = max((row[0] for row in found["journal"]), default=0)
    run_of = TABLES["journal"].index("run")
    for row in ours["run"]:
        if row[0] <= sent or began(row) in known:
            continue
        number += 1
        found["run"].append([number, *row[1:]])
        for line in ours["journal"]:
            if line[run_of] == row[0]:
                entry += 1
                moved = [entry, *line[1:]]
                moved[run_of] = number
                found["journal"].append(moved)


MOST_MERGES = 5
"""So often decisions are put on top of what others sent meanwhile."""

PARSED_AGAIN = 0.1
"""Share of the rows that each clone may parse again, because other pushes wrote them, before the cache is renewed."""

PUBLISHING = threading.Lock()
"""One commit at a time in this process: the heart's thread makes checkpoints, the run itself ends it."""

SOURCE = "Source-Commit"
"""The trailer with the commit whose files a run published."""


@dataclass(frozen=True, slots=True)
class Replica:
    """This machine's copy of a ledger in git: its file, the ref, and the portal that both are about.

    `memory` has what the ref's files said.
    """

    file: TrackedDatabase
    ref: RemoteRef
    target: Target
    memory: Memory

    def take(self, *, at_work: bool) -> None:
        """Bring the local file up to what the remote has, unless a push of this machine is at work on it.

        `at_work`: it is our own push that has to know.

        Raises:
            LedgerError: the remote cannot be reached, or what it has cannot be read.
        """
        with PUBLISHING:
            for _ in range(MOST_MERGES):
                origin = self.file.origin()
                if self._take_commit(origin, self.ref.fetch(), at_work=at_work):
                    return
        raise self.busy()

    def _take_commit(self, origin: Origin, tip: str, *, at_work: bool) -> bool:
        """False where another process of this machine changed the file meanwhile, and what we know of it is old."""
        origin = self.arrived_if(origin, tip)
        if tip == origin.commit_id:
            return True
        if not at_work and self._is_at_work(origin):
            return True
        if not tip or self.ref.is_before(tip, origin.commit_id):
            return self._check_lost(origin)
        oids = self._oids(tip)
        known = load_shards(self.memory, self.file.path.stem, self.target.key, oids)
        there = self._read(oids, known)
        parsed = {name: shard for name, shard in there.shards.items() if name not in known}
        base = None if origin.is_sent else self._tables(origin.commit_id)
        with self.file.transaction():
            if self.file.origin() != origin or (not at_work and self._is_at_work(origin)):
                return False
            tables = there.tables if base is None else merge(base, dump(self.file), there.tables)
            self._replace(tables, new=tables if base is not None else tables | rows_in(parsed))
            if there.lease is not None:
                self._know_of(*there.lease)
            unsent = 0 if base is None else 1
            whose = "theirs" if there.lease else ""
            self.file.note(commit_id=tip, written=unsent, sent=0, pushing="", lease=whose, lost=False)
            self.file.keep_fingerprints(tip, there.fingerprints)
        if _rows(parsed) > PARSED_AGAIN * _rows(there.shards):
            store_shards(self.memory, self.file.path.stem, self.target.key, there.shards, oids)
        return True

    def _check_lost(self, origin: Origin) -> bool:
        """The remote has less than it had: nothing is recorded over that, for the rest may still be saved.

        Raises:
            LedgerError: it is so.
        """
        if self.file.origin() != origin:
            return False
        raise LedgerError(
            f"The ledger {self.ref.place} is gone, or older than it was: it had the commit {origin.commit_id[:12]}.",
            hint=f"Send that again: `git push {self.ref.remote} {origin.commit_id}:{self.ref.ref}`.",
        )

    def _replace(self, tables: Tables, *, new: Tables) -> None:
        """Put rows in the place of all there are; those that are `new` were not read before."""
        try:
            self.file.replace(tables)
            check_rows(self.file, new)
        except (LedgerError, OverflowError, UnicodeEncodeError) as exc:
            message = f"The ledger {self.ref.place} is damaged: {exc.__cause__ or exc}."
            raise LedgerError(message, hint=self.ref.rescue) from exc
        self.file.run("DELETE FROM lock")

    def _know_of(self, owner: Owner, run: int) -> None:
        """Another machine is at work, or was: what it meant to send may have been sent."""
        marks = ", ".join("?" * (len(OWNER_COLUMNS.split(",")) + 1))
        row = (self.target.key, *row_of_owner(owner, owner.beat_at))
        self.file.run(f"INSERT INTO lock (target, {OWNER_COLUMNS}) VALUES ({marks})", row)
        self.file.run(f"UPDATE journal SET state = 'pending' WHERE run = ? AND {journal.OPEN}", (run,))

    def _is_at_work(self, origin: Origin) -> bool:
        """Whether a push of this machine is, which knows better what it did than the remote."""
        mine = presence.holder(self.file, self.target.key) if origin.lease != "theirs" else None
        return mine is not None and abs(time.time() - mine.beat_at) < STALE_S

    def _oids(self, commit: str) -> dict[str, str]:
        """The files of a commit but for bodies, which are read when they are asked for."""
        return {name: oid for name, oid in self.ref.files_of(commit).items() if not name.startswith("bodies/")}

    def _read(self, oids: Mapping[str, str], known: Mapping[str, Shard]) -> ShardContents:
        """What the files of a commit say, some of which are `known`."""
        unknown = {name: oid for name, oid in oids.items() if name not in known}
        contents = self.ref.read([*unknown.values()])
        files = {name: contents[oid] for name, oid in unknown.items()}
        return from_files(files, self.target.key, self.ref.place, known)

    def _tables(self, commit: str) -> Tables:
        """What a commit has; nothing, where it is gone."""
        if not commit or not self.ref.has(commit):
            return {table: [] for table in TABLES}
        return self._read(self._oids(commit), {}).tables

    def busy(self) -> LedgerError:
        """Others changed the ledger again and again while we tried."""
        return LedgerError(f"The ledger {self.ref.place} keeps changing.", hint="Run `kbsync ledger sync` later.")

    def publish(self, subject: str, lease: Lease | None) -> None:
        """One commit of all that is recorded here, and its push; `lease`: who is at work.

        Raises:
            RefMoved: others were faster.
            LedgerError: the remote cannot be used.
        """
        with PUBLISHING:
            if (origin := self.file.origin()).pushing:
                # The last push was not answered. If it arrived, this one goes on from it.
                self.arrived_if(origin, self.ref.fetch())
            with self.file.reading():
                origin, tables = self.file.origin(), dump(self.file)
            there = self.ref.files_of(origin.commit_id) if origin.commit_id else {}
            known = self.file.fingerprints(origin.commit_id)
            made = to_files(tables, self.target.key, lease, {name: known[name] for name in known.keys() & there.keys()})
            if changed := _changed(made, there):
                commit = self.ref.commit(origin.commit_id, changed, self._message(subject), self._author(lease))
                self.file.note(pushing=commit, pushing_sent=origin.written)
                self.ref.push(commit, origin.commit_id)
                self._arrived(replace(origin, pushing=commit, pushing_sent=origin.written))
                self.file.keep_fingerprints(commit, made.fingerprints)
            # Others count from the beat that they read, however long it took to tell them.
            told_s = lease[0].beat_at if lease else time.time()
            self.file.note(sent=origin.written, lease="ours" if lease else "", told_s=told_s)

    def _arrived(self, origin: Origin) -> Origin:
        self.file.note(commit_id=origin.pushing, sent=origin.pushing_sent, pushing="")
        return replace(origin, commit_id=origin.pushing, sent=origin.pushing_sent, pushing="")

    def arrived_if(self, origin: Origin, tip: str) -> Origin:
        """What the remote has of this file, if the answer of our last push was lost and it did arrive."""
        if not origin.pushing or not tip or not self.ref.is_before(origin.pushing, tip):
            return origin
        whose: Whose = "ours" if LEASE in self.ref.files_of(origin.pushing) else ""
        self.file.note(lease=whose)
        return self._arrived(replace(origin, lease=whose))

    def _message(self, subject: str) -> str:
        """The first line, and lines that programs can read."""
        job = job_of(os.environ)
        known = {"Portal": self.target.key, SOURCE: self.ref.source_commit(), "Job": job.address}
        return f"{subject}\n\n" + "".join(f"{name}: {visible(text)}\n" for name, text in known.items() if text)

    def _author(self, lease: Lease | None) -> Author:
        """Who git says that commits are by; in a CI job, who started it."""
        job = job_of(os.environ)
        if job.actor:
            return Author(job.actor, job.email)
        found = self.ref.author()
        return found or Author(lease[0].user if lease else "kbsync", "kbsync@localhost")


def _rows(shards: Mapping[str, Shard]) -> int:
    return sum(len(shard.rows) for shard in shards.values())


def _changed(made: LedgerFiles, there: Mapping[str, str]) -> dict[str, bytes | None]:
    """The files that a commit writes, None for those that it takes away."""
    written = {name: content for name, content in made.files.items() if _oid(content, there) != there.get(name)}
    return written | {name: None for name in there if name not in made.files and name not in made.same}


def _oid(content: bytes, there: Mapping[str, str]) -> str:
    """The id that git gives to a blob, by the hash of this repository."""
    algorithm = hashlib.sha256 if len(next(iter(there.values()), "")) == 64 else hashlib.sha1
    return algorithm(b"blob %d\0" % len(content) + content).hexdigest()


class _Kept(msgspec.Struct, array_like=True):
    """The files of one portal's ledger by name, each with its blob's id, its rows and their fingerprint."""

    target: str
    shards: dict[str, tuple[str, list[list[Any]], bytes]]


KEPT: Kind[_Kept] = Kind("ledger", _Kept)


def load_shards(memory: Memory, name: str, target: str, oids: Mapping[str, str]) -> dict[str, Shard]:
    """The files with these blobs, as far as they are known.

    Args:
        memory: where they are kept.
        name: of the ledger.
        target: the portal.
        oids: the blobs of files, by name.
    """
    kept = memory.get(KEPT, name)
    if kept is None or kept.target != target:
        return {}
    return {name: Shard(rows, mark) for name, (oid, rows, mark) in kept.shards.items() if oids.get(name) == oid}


def store_shards(memory: Memory, name: str, target: str, shards: Mapping[str, Shard], oids: Mapping[str, str]) -> None:
    """Keep the files of a commit. A disk that is full or read-only costs the next clone its time, and nothing else."""
    kept = _Kept(target, {name: (oids[name], *shard) for name, shard in shards.items()})
    memory.put(KEPT, {name: kept})
