"""The ledger over a database: each method one transaction of the queries beside this file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kbsync.errors import LedgerError
from kbsync.ledger import dump, items, journal, presence
from kbsync.ledger.check_rows import check_rows
from kbsync.ledger.database import Database
from kbsync.ledger.dump import Tables
from kbsync.ledger.rows import checked
from kbsync.ledger.values import NO_SOURCE, STALE_S, Entry, Granted, Owner, RunInfo, Source, Turn, Uploaded
from kbsync.model import Base, Change, Kind, LastRun, Pending, RemoteId


class Ledger:
    """The record of one project. Every method that changes something is one transaction.

    Methods raise `LedgerError` when the record cannot be used. One contract suite (`tests/ledger`) checks all this
    with every kind of `Database`.
    """

    stale_s = STALE_S
    """An owner whose heart has not beaten for this long need not be waited for."""

    look_again_s = 0.5
    """How often to look whether a lock that somebody has is free."""

    def __init__(self, database: Database) -> None:
        self.db = database

    def is_empty(self, target: str) -> bool:
        """Whether nothing was ever recorded for this portal."""
        query = "SELECT 1 FROM run WHERE target = ? UNION ALL SELECT 1 FROM item WHERE target = ? LIMIT 1"
        return not self.db.ask(query, (target, target))

    def bases(self, target: str) -> list[Base]:
        """The base of every managed item of a portal."""
        return items.bases(self.db, target)

    def bases_of_slugs(self, target: str, kind: Kind, slugs: Iterable[str]) -> list[Base]:
        """The bases of some slugs; category slugs are not unique, and neither is one that is just given up."""
        return items.bases_of_slugs(self.db, target, kind, slugs)

    def record(
        self,
        target: str,
        bases: Iterable[Base],
        *,
        forgotten: Iterable[Base] = (),
        source: Source = NO_SOURCE,
    ) -> None:
        """Record bases that needed no request (adoptions, edits that both sides made), and forget others.

        `source` has the files that they are about. Without one, that of each row stays.
        """
        with self.db.transaction():
            items.forget(self.db, target, forgotten)
            items.put(self.db, target, bases, source)

    def sources(self, target: str) -> Mapping[tuple[Kind, RemoteId], Source]:
        """By item, the commit of the run that wrote its row, where it had one."""
        return items.sources(self.db, target)

    def sources_of(self, entries: Iterable[int]) -> Mapping[int, Source]:
        """By entry of the journal, the commit of its run."""
        return {number: journal.source_of_entry(self.db, number) for number in entries}

    def images(self, target: str) -> dict[str, Uploaded]:
        """Every image that was uploaded to a portal, by key."""
        return items.images(self.db, target)

    def keep_image(self, target: str, key: str, uploaded: Uploaded) -> None:
        """Record where an image was uploaded to."""
        with self.db.transaction():
            items.keep_image(self.db, target, key, uploaded)

    def text(self, digest: str) -> str | None:
        """A body that the portal held before a push changed it; None where none such was kept."""
        found = self.db.ask("SELECT body FROM body WHERE digest = ?", (digest,))
        return checked(self.db, found, list[tuple[str]])[0][0] if found else None

    def begin_run(
        self,
        target: str,
        *,
        command: str,
        now: float,
        owner: Owner | None = None,
        digest: str = "",
        version: str = "",
        who: str = "",
        source: Source = NO_SOURCE,
    ) -> int:
        """Note that a run begins; its number.

        `digest` names the tree, for those who want to join; `version` is that of the service; `who` is in words;
        `source` has the files that it publishes.
        """
        with self.db.transaction():
            about = {"digest": digest, "version": version, "who": who}
            number = journal.begin_run(self.db, target, command, now, source=source, **about)
            if owner is not None:
                presence.enlist(self.db, number, owner, now)
        return number

    def announce(self, target: str, run: int) -> None:
        """Let everyone know that a run begins, before its first upload. Who shares the database knows it already."""

    def end_run(self, run: int, *, outcome: str, now: float) -> None:
        """Note how a run ended."""
        with self.db.transaction():
            self.db.run("UPDATE run SET outcome = ?, ended_at = ? WHERE id = ?", (outcome, now, run))

    def runs(self, target: str) -> list[RunInfo]:
        """All runs of a portal, newest first."""
        return journal.runs(self.db, target)

    def pushes(self, target: str, *, most: int) -> list[tuple[int, Source]]:
        """The newest pushes of a portal, the newest first, each with the commit whose files it published."""
        return journal.pushes(self.db, target, most)

    def last_run(self, target: str) -> LastRun | None:
        """The last run of a portal; None before the first."""
        return journal.last_run(self.db, target)

    def offer(self, target: str, run: int, changes: Sequence[tuple[int, Change]]) -> list[int]:
        """Put changes, each with its phase, into the journal, to be taken out in this order; the entries' numbers."""
        with self.db.transaction():
            return journal.offer(self.db, target, run, changes)

    def turn(self, target: str, run: int, owner: Owner, turn: Turn, *, now: float) -> Granted:
        """Complete entries, mark others as about to be sent, take more; in one transaction.

        An entry that was settled by another run meanwhile is better known there: its result is dropped.
        """
        with self.db.transaction(alone=False):
            return journal.take_turn(self.db, target, run, owner, turn, now)

    def entries(self, run: int) -> list[Entry]:
        """Everything in the journal of a run, in the order of the plan."""
        return journal.entries(self.db, run)

    def entries_of_item(
        self, target: str, kind: Kind, remote_id: RemoteId | None, path: str
    ) -> list[tuple[int, Entry]]:
        """What the runs did to one item, the newest first, each with the number of its run."""
        return journal.entries_of_item(self.db, target, kind, remote_id, path)

    def open_entries(self, run: int, *, phase: int) -> int:
        """How many entries up to this phase are not over."""
        return journal.open_entries(self.db, run, phase)

    def skip_rest(self, run: int, reason: str, *, now: float) -> list[int]:
        """Give up what was not taken yet; the entries' numbers."""
        with self.db.transaction():
            return journal.skip_rest(self.db, run, reason, now)

    def pending(self, target: str) -> list[Pending]:
        """The entries of former runs that may have been sent and were never completed, oldest first."""
        return journal.pending(self.db, target)

    def settle(self, target: str, settled: Mapping[int, Base | None]) -> None:
        """Close pending entries by what the portal turned out to hold, with the base that follows from it, if any.

        The entry of something that was made gets its id from that base.
        """
        with self.db.transaction():
            journal.settle(self.db, target, settled)

    def lock(self, target: str, owner: Owner, *, now: float, take_over: Owner | None = None) -> Owner | None:
        """Take the portal's one lock. Somebody who is at work there, where anybody is; None where it is now ours.

        `take_over` is somebody whose part in it this may end; where others are at work by now, they keep it.
        """
        with self.db.transaction():
            return presence.lock(self.db, target, owner, now, take_over)

    def beat(self, target: str, owner: Owner, *, now: float) -> bool:
        """Keep the lock or the part in a run alive; False where somebody ended it."""
        with self.db.transaction(alone=False):
            return presence.beat(self.db, target, owner, now)

    def unlock(self, target: str, owner: Owner) -> None:
        """Give the lock back, if it is still ours."""
        with self.db.transaction():
            presence.unlock(self.db, target, owner)

    def holder(self, target: str) -> Owner | None:
        """Who holds the lock."""
        return presence.holder(self.db, target)

    def join(self, target: str, owner: Owner, *, now: float) -> RunInfo | None:
        """Take part in the run that is under way; None where none is."""
        with self.db.transaction():
            run = presence.under_way(self.db, target)
            if run is not None:
                presence.enlist(self.db, run.number, owner, now)
            return run

    def runners(self, run: int) -> list[Owner]:
        """Everybody who takes part in a run."""
        return presence.runners(self.db, run)

    def reap(self, target: str, run: int, dead: Owner) -> None:
        """Give what a dead runner had taken to the others, and free the lock if it was the dead one's."""
        with self.db.transaction():
            presence.strike_off(self.db, run, dead)
            presence.unlock(self.db, target, dead)

    def leave(self, target: str, run: int, owner: Owner, *, now: float) -> None:
        """End one's part in a run; what was taken and not sent goes back. The last one closes the run."""
        with self.db.transaction():
            presence.leave(self.db, run, owner, now)

    def dump(self) -> dict[str, list[list[Any]]]:
        """Every table but the locks, row by row, to be put into another ledger."""
        return dump.dump(self.db)

    def restore(self, tables: Tables) -> None:
        """Fill an empty ledger, if all of it can be read again.

        Raises:
            LedgerError: it is not empty, or the export is damaged.
        """
        with self.db.transaction():
            dump.restore(self.db, tables)
            try:
                check_rows(self.db, tables)
            except LedgerError as exc:
                raise LedgerError(
                    f"The export is damaged: {exc.__cause__ or exc}. Nothing was imported.",
                    hint="Write it again with `kbsync ledger export`.",
                ) from exc

    def close(self) -> None:
        """Close the record."""
        self.db.close()
