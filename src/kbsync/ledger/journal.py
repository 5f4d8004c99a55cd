"""The journal: what a run is to do, taken out entry by entry, and how each entry ended.

    waiting -> taken -> pending -> done | failed | unknown      (a create goes from waiting to pending at once)
    waiting -> skipped

What is `pending` may have been sent. An entry that a dead runner had pending waits again with `again` set: whoever
takes it looks before it sends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kbsync.ledger import items
from kbsync.ledger.database import Database
from kbsync.ledger.rows import (
    ENTRY_COLUMNS,
    PENDING_COLUMNS,
    RUN_COLUMNS,
    CommitId,
    RunRow,
    WholeSeconds,
    all_pending_of,
    checked,
    encode_change,
    encode_fields,
    encode_id,
    entries_of,
)
from kbsync.ledger.values import NO_SOURCE, Entry, EntryResult, Granted, Owner, RunInfo, Source, Turn
from kbsync.model import Base, Change, Kind, LastRun, Pending, RemoteId

OVER = frozenset({"done", "settled"})
"""States of an entry of which nothing is left to find out; the index of the others names them, too (`schema.py`)."""

OPEN = "state IN ('waiting', 'taken', 'pending')"
MAYBE_SENT = "(state IN ('pending', 'unknown') OR (again = 1 AND state IN ('waiting', 'taken')))"


def begin_run(
    db: Database,
    target: str,
    command: str,
    now: float,
    *,
    digest: str,
    version: str,
    who: str,
    source: Source,
) -> int:
    """A new run; its number."""
    (number,) = db.ask("SELECT coalesce(max(id), 0) + 1 FROM run")[0]
    query = """INSERT INTO run (id, target, command, started_at, digest, version, who, source_commit, source_s)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
    db.run(query, (number, target, command, now, digest, version, who, source.commit, source.made_s))
    return int(number)


def runs(db: Database, target: str) -> list[RunInfo]:
    """All runs of a portal, newest first, each with how many of its entries are in which state."""
    states: dict[int, dict[str, int]] = {}
    counted = "SELECT run, state, count(*) FROM journal WHERE target = ? GROUP BY run, state"
    for run, state, number in db.ask(counted, (target,)):
        states.setdefault(run, {})[state] = number
    rows = db.ask(f"SELECT {RUN_COLUMNS} FROM run WHERE target = ? ORDER BY id DESC", (target,))
    return [
        RunInfo(number, command, began, ended, outcome or "", digest, states.get(number, {}), version, who, commit)
        for number, command, began, ended, outcome, digest, version, who, commit in checked(db, rows, list[RunRow])
    ]


def pushes(db: Database, target: str, most: int) -> list[tuple[int, Source]]:
    """The newest pushes of a portal, the newest first, each with the commit whose files it published."""
    query = """SELECT id, source_commit, source_s FROM run WHERE target = ? AND command IN ('push', 'delete')
               ORDER BY id DESC LIMIT ?"""
    rows = checked(db, db.ask(query, (target, most)), list[tuple[int, CommitId, WholeSeconds]])
    return [(number, Source(commit, made_s)) for number, commit, made_s in rows]


def last_run(db: Database, target: str) -> LastRun | None:
    """The last run of a portal, and when it ended; None before the first."""
    query = "SELECT id, ended_at FROM run WHERE target = ? ORDER BY id DESC LIMIT 1"
    return next(iter(checked(db, db.ask(query, (target,)), list[LastRun])), None)


def offer(db: Database, target: str, run: int, changes: Sequence[tuple[int, Change]]) -> list[int]:
    """Put changes into the journal; the entries' numbers."""
    (first,) = db.ask("SELECT coalesce(max(id), 0) + 1 FROM journal")[0]
    rows = (
        (
            number,
            run,
            target,
            change.action,
            change.kind,
            change.locale,
            change.slug,
            change.path,
            encode_id(change.remote_id),
            encode_fields(change.before),
            encode_fields(change.after),
            phase,
            encode_change(change),
        )
        for number, (phase, change) in enumerate(changes, first)
    )
    db.run_many(
        """INSERT INTO journal (id, run, target, action, kind, locale, slug, path, remote_id, before, after, phase,
           change, begun_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'waiting')""",
        rows,
    )
    return list(range(first, first + len(changes)))


def take_turn(db: Database, target: str, run: int, owner: Owner, turn: Turn, now: float) -> Granted:
    """Complete, mark as about to be sent, take more."""
    source = _source_of(db, run) if any(result.base for result in turn.results) else NO_SOURCE
    _complete_all(db, target, turn.results, source, now)
    refused = {entry for entry in turn.sending if not _send(db, entry, owner, now)}
    items.keep_bodies(db, (body for bodies in turn.sending.values() for body in bodies))
    taken = _take(db, run, owner, turn, now) if turn.most else {}
    again = frozenset(number for number, sent_before in taken.items() if sent_before)
    return Granted(tuple(sorted(taken)), again, frozenset(refused))


def _take(db: Database, run: int, owner: Owner, turn: Turn, now: float) -> dict[int, int]:
    query = f"""UPDATE journal SET runner = ?, begun_at = ?,
                state = CASE action WHEN 'create' THEN 'pending' ELSE 'taken' END
                WHERE id IN (SELECT id FROM journal WHERE run = ? AND phase = ? AND state = 'waiting'
                             ORDER BY id LIMIT ?{db.skip_locked}) RETURNING id, again"""
    return {row[0]: row[1] for row in db.ask(query, (owner.key, now, run, turn.phase, turn.most))}


def _send(db: Database, entry: int, owner: Owner, now: float) -> bool:
    query = "UPDATE journal SET state = 'pending', begun_at = ? WHERE id = ? AND state = 'taken' AND runner = ?"
    return db.run(query, (now, entry, owner.key)) == 1


def _source_of(db: Database, run: int) -> Source:
    rows = db.ask("SELECT source_commit, source_s FROM run WHERE id = ?", (run,))
    return Source(*checked(db, rows, list[tuple[CommitId, WholeSeconds]])[0])


def source_of_entry(db: Database, entry: int) -> Source:
    """The commit of the run of an entry."""
    return _source_of(db, db.ask("SELECT run FROM journal WHERE id = ?", (entry,))[0][0])


def _complete_all(db: Database, target: str, results: Sequence[EntryResult], source: Source, now: float) -> None:
    """Complete entries in their order. Bases of different items are recorded together: queries cost, not rows."""
    made: list[Base] = []
    names: set[tuple[str, ...]] = set()
    for result in results:
        found = _complete(db, result, now)
        if found is None:
            continue
        base = result.base
        # Of the same id, or of the same source: what is recorded first is looked at, or taken back, by the second.
        named = {(base.kind, str(encode_id(base.remote_id))), (base.kind, base.slug, base.path)} if base else set()
        if made and (base is None or not names.isdisjoint(named)):
            items.put(db, target, made, source)
            made, names = [], set()
        if base is not None:
            made.append(base)
            names |= named
        elif result.removed:
            items.remove(db, target, [found])
    if made:
        items.put(db, target, made, source)


def _complete(db: Database, result: EntryResult, now: float) -> tuple[str, str | None] | None:
    """Complete an entry; kind and encoded id of its item, None where another run settled it."""
    found = db.ask(
        f"""UPDATE journal SET state = ?, error = ?, hint = ?, remote_id = coalesce(?, remote_id), ended_at = ?
            WHERE id = ? AND {OPEN} RETURNING kind, remote_id""",
        (result.outcome, result.error, result.hint, encode_id(result.remote_id), now, result.entry),
    )
    return (found[0][0], found[0][1]) if found else None


def entries(db: Database, run: int) -> list[Entry]:
    """Everything in the journal of a run."""
    return entries_of(db, db.ask(f"SELECT {ENTRY_COLUMNS} FROM journal WHERE run = ? ORDER BY id", (run,)))


def entries_of_item(
    db: Database, target: str, kind: Kind, remote_id: RemoteId | None, path: str
) -> list[tuple[int, Entry]]:
    """What the runs did to one item, the newest first, each with the number of its run.

    By its id, and by the path of its file, under which it may have had another id.
    """
    query = f"""SELECT run, {ENTRY_COLUMNS} FROM journal WHERE target = ? AND kind = ?
                AND (remote_id = ? OR (path <> '' AND path = ?)) ORDER BY id DESC"""
    rows = db.ask(query, (target, kind, encode_id(remote_id), path))
    return [(row[0], entry) for row, entry in zip(rows, entries_of(db, [row[1:] for row in rows]), strict=True)]


def open_entries(db: Database, run: int, phase: int) -> int:
    """How many entries up to this phase are not over."""
    query = f"SELECT count(*) FROM journal WHERE run = ? AND phase <= ? AND {OPEN}"
    return int(db.ask(query, (run, phase))[0][0])


def skip_rest(db: Database, run: int, reason: str, now: float) -> list[int]:
    """Give up what was not taken yet."""
    query = """UPDATE journal SET state = CASE again WHEN 1 THEN 'unknown' ELSE 'skipped' END, error = ?, ended_at = ?
               WHERE run = ? AND state = 'waiting' RETURNING id"""
    return sorted(row[0] for row in db.ask(query, (reason, now, run)))


def pending(db: Database, target: str) -> list[Pending]:
    """What may have been sent and was never completed."""
    query = f"""SELECT {PENDING_COLUMNS} FROM journal WHERE target = ? AND state <> 'done' AND state <> 'settled'
                AND {MAYBE_SENT} ORDER BY id"""
    return all_pending_of(db, db.ask(query, (target,)))


def settle(db: Database, target: str, settled: Mapping[int, Base | None]) -> None:
    """Close pending entries, with the bases that follow, if any, which came with the commits of their runs.

    What turned out to be made has its id from now on, so that it can be undone.
    """
    for number, base in settled.items():
        if base is not None:
            items.put(db, target, [base], source_of_entry(db, number))
    rows = [(encode_id(base.remote_id) if base else None, number) for number, base in settled.items()]
    db.run_many("UPDATE journal SET state = 'settled', remote_id = coalesce(?, remote_id) WHERE id = ?", rows)


def give_back(db: Database, run: int, runner: str) -> None:
    """What a runner had taken waits for others; what it may have sent waits to be looked at first."""
    db.run(
        """UPDATE journal SET again = CASE state WHEN 'pending' THEN 1 ELSE again END, state = 'waiting', runner = ''
           WHERE run = ? AND runner = ? AND state IN ('taken', 'pending')""",
        (run, runner),
    )


def abandon(db: Database, target: str) -> None:
    """The run is over: what was not sent is skipped, what may have been is for the next run to look at."""
    query = f"""UPDATE journal SET error = 'Its push ended before it was sent.',
                state = CASE WHEN state = 'pending' OR again = 1 THEN 'pending' ELSE 'skipped' END
                WHERE target = ? AND {OPEN}"""
    db.run(query, (target,))
