"""Who is at work on a portal: one owner of the lock, and everybody who takes part in its run."""

from __future__ import annotations

from kbsync.ledger import journal
from kbsync.ledger.database import Database
from kbsync.ledger.rows import OWNER_COLUMNS, owners_of, row_of_owner
from kbsync.ledger.values import LEFT, Owner, RunInfo

HERE = "host = ? AND pid = ? AND started_at = ?"


def _here(owner: Owner) -> tuple[str, int, float]:
    return owner.host, owner.pid, owner.started_at


def holder(db: Database, target: str) -> Owner | None:
    """Who holds the lock."""
    owners = owners_of(db, db.ask(f"SELECT {OWNER_COLUMNS} FROM lock WHERE target = ?", (target,)))
    return owners[0] if owners else None


def at_work(db: Database, target: str) -> list[Owner]:
    """The owner of the lock first, then everybody else."""
    first = holder(db, target)
    query = f"SELECT {OWNER_COLUMNS} FROM runner JOIN run ON run.id = runner.run WHERE target = ?"
    columns = query.replace("started_at", "runner.started_at")
    others = owners_of(db, db.ask(columns, (target,)))
    return ([first] if first else []) + [o for o in others if first is None or not o.is_run_of(first)]


def lock(db: Database, target: str, owner: Owner, now: float, take_over: Owner | None) -> Owner | None:
    """Take the lock; somebody who is at work, where anybody is."""
    busy = at_work(db, target)
    if take_over is not None and any(take_over.is_run_of(other) for other in busy):
        _dismiss(db, target, take_over)
        busy = [other for other in busy if not other.is_run_of(take_over)]
    if busy:
        return busy[0]
    journal.abandon(db, target)
    query = f"INSERT INTO lock (target, {OWNER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    db.run(query, (target, *row_of_owner(owner, now)))
    return None


def _dismiss(db: Database, target: str, owner: Owner) -> None:
    unlock(db, target, owner)
    for (run,) in db.ask("SELECT run FROM runner JOIN run ON run.id = runner.run WHERE target = ?", (target,)):
        strike_off(db, run, owner)


def beat(db: Database, target: str, owner: Owner, now: float) -> bool:
    """Keep what is the owner's alive; False where nothing is."""
    locks = db.run(f"UPDATE lock SET beat_at = ? WHERE target = ? AND {HERE}", (now, target, *_here(owner)))
    parts = db.run(f"UPDATE runner SET beat_at = ? WHERE {HERE}", (now, *_here(owner)))
    return bool(locks or parts)


def unlock(db: Database, target: str, owner: Owner) -> None:
    """Give the lock back, if it is still the owner's."""
    db.run(f"DELETE FROM lock WHERE target = ? AND {HERE}", (target, *_here(owner)))


def enlist(db: Database, run: int, owner: Owner, now: float) -> None:
    """Take part in a run."""
    query = f"INSERT INTO runner (run, {OWNER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    db.run(query, (run, *row_of_owner(owner, now)))


def under_way(db: Database, target: str) -> RunInfo | None:
    """The run that somebody takes part in."""
    busy = db.ask("SELECT max(run) FROM runner JOIN run ON run.id = runner.run WHERE target = ?", (target,))[0][0]
    return next((run for run in journal.runs(db, target) if run.number == busy and run.ended_at is None), None)


def runners(db: Database, run: int) -> list[Owner]:
    """Everybody who takes part in a run."""
    return owners_of(db, db.ask(f"SELECT {OWNER_COLUMNS} FROM runner WHERE run = ?", (run,)))


def strike_off(db: Database, run: int, runner: Owner) -> bool:
    """End a runner's part and give what it had taken to the others; whether it had one."""
    journal.give_back(db, run, runner.key)
    return db.run(f"DELETE FROM runner WHERE run = ? AND {HERE}", (run, *_here(runner))) > 0


def leave(db: Database, run: int, owner: Owner, now: float) -> None:
    """End one's own part; the last one closes the run, where its leader is gone."""
    if strike_off(db, run, owner) and not runners(db, run):
        db.run("UPDATE run SET ended_at = ?, outcome = ? WHERE id = ? AND ended_at IS NULL", (now, LEFT, run))
