"""The ledger in git: a ref of the repository's remote, worked on in an SQLite file of this machine.

    plan     fetch ------------------------------> the local file, brought up to what the remote has
    push     fetch, plan, then a commit of the whole plan as intents: compare-and-swap, and that is the lease
             about once a minute a commit of how far it is, which keeps the lease alive
             at the end a commit of the results, without the lease

In between the local file is what a crash is recovered from. A runner that dies with its disk leaves the intents and the
last checkpoint: once its lease is old, the next run takes each entry that was open for one that may have been sent, and
looks at the portal (`plan/recover.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kbsync.command import quote
from kbsync.errors import LeaseLost, LedgerError
from kbsync.ledger import presence
from kbsync.ledger.ledger import Ledger
from kbsync.ledger.remote import RefMoved, RemoteRef
from kbsync.ledger.replica import MOST_MERGES, Replica
from kbsync.ledger.shards import bodies_from, body_file
from kbsync.ledger.tracked import TrackedDatabase
from kbsync.ledger.values import Owner
from kbsync.memory import Memory
from kbsync.model import Change, Target, visible

CHECKPOINT_S = 60.0
"""How often a push tells the remote how far it is."""

REMOTE_STALE_S = 300.0
"""A lease whose last checkpoint is this old is a dead run's. The clocks of two machines may differ by some of it."""

FENCE_S = 180.0
"""A push that could tell the remote nothing for so long stops, before others may take it for dead."""

RETRIES_S = (1.0, 4.0)
"""Waits before the results of a run are sent again."""

Note = Callable[[str], None]


def ref_of(target: Target) -> str:
    """The ref of a portal's ledger, unless kbsync.toml names another."""
    name = "".join(c if c.isascii() and (c.isalnum() or c == "-") else "-" for c in target.portal) or "portal"
    digest = blake2b(target.key.encode(), digest_size=4).hexdigest()
    return f"refs/kbsync/{target.account_id}-{name}-{digest}"


def open_git_ledger(
    ref: RemoteRef, target: Target, folder: Path, *, fetch: bool, beside: bool = False, note: Note = lambda text: None
) -> GitLedger:
    """Open the ledger in a ref.

    Args:
        ref: where it is.
        target: the portal that it is about.
        folder: where this machine's file of it lies.
        fetch: bring it up to what the remote has.
        beside: it only keeps alive the lease of another connection, by checkpoints.
        note: is told what a person should know.

    Raises:
        LedgerError: the remote cannot be reached, or what it has cannot be read.
    """
    name = blake2b(f"{ref.remote} {ref.ref} {target.key}".encode(), digest_size=6).hexdigest()
    path = folder / f"ledger-{name}.db"
    file = TrackedDatabase(path, removal=f"rm -f {quote(str(path))}*")
    ledger = GitLedger(file, ref, target, beside=beside, note=note)
    if fetch:
        try:
            ledger.fetch()
        except BaseException:
            ledger.close()
            raise
    return ledger


class GitLedger(Ledger):
    """A ledger that others see through commits.

    Args:
        database: the local file.
        ref: the remote's ref.
        target: the portal.
        beside: it only keeps alive the lease of another connection.
        note: is told what a person should know.
    """

    stale_s = REMOTE_STALE_S
    look_again_s = 5.0

    def __init__(self, database: TrackedDatabase, ref: RemoteRef, target: Target, *, beside: bool, note: Note) -> None:
        super().__init__(database)
        self.file = database
        self.ref = ref
        self.target = target
        self.replica = Replica(database, ref, target, Memory(database.path.parent))
        self.beside = beside
        self.note = note
        self.gave_up = False
        self.locked: Owner | None = None
        database.name = f"The ledger {ref.place}"
        database.rescue = f"Move {database.path} away and run again. {ref.rescue}"

    # --- what the remote has ---------------------------------------------------------------------------------------

    def fetch(self) -> None:
        """Bring the local file up to what the remote has, unless a push of this machine is at work on it.

        Raises:
            LedgerError: the remote cannot be reached, or what it has cannot be read.
        """
        self.replica.take(at_work=False)

    def text(self, digest: str) -> str | None:
        """A body that the portal held before a push changed it; None where none such was kept."""
        found = super().text(digest)
        commit = self.file.origin().commit_id
        if found is not None or not commit:
            return found
        oid = self.ref.files_of(commit).get(body_file(digest))
        return None if oid is None else self.ref.read([oid])[oid].decode("utf-8", "surrogatepass")

    @property
    def is_sent(self) -> bool:
        """Whether the remote has all that is recorded here."""
        return self.file.origin().is_sent

    def dump(self) -> dict[str, list[list[Any]]]:
        """Every table but the locks, with the bodies that only the remote has."""
        tables, commit = super().dump(), self.file.origin().commit_id
        known = {body_file(digest) for digest, _ in tables["body"]}
        there = self.ref.files_of(commit) if commit else {}
        names = {name: oid for name, oid in there.items() if name.startswith("bodies/") and name not in known}
        contents = self.ref.read([*names.values()])
        tables["body"] += bodies_from({name: contents[oid] for name, oid in names.items()}, self.ref.place)
        return tables

    # --- sending ---------------------------------------------------------------------------------------------------

    def send(self, subject: str) -> None:
        """Send what the remote lacks, without a lease; put on top of what others sent meanwhile.

        Raises:
            LedgerError: another push is at work, or the remote cannot be used.
        """
        for _ in range(MOST_MERGES):
            try:
                return self.replica.publish(subject, None)
            except RefMoved:
                origin = self.file.origin()
                if origin.lease == "ours" and self.replica.arrived_if(origin, self.ref.fetch()) == origin:
                    self.file.note(lost=True)
                    raise LedgerError(
                        "Another run took over this push's lease, because it was silent for too long or somebody used "
                        "`--break-lock`.",
                        hint="The next `kbsync push` checks what was sent.",
                    ) from None
                self.replica.take(at_work=True)
                if self.file.origin().is_sent:
                    return None  # The answer was lost, and others went on from it.
                if (busy := presence.holder(self.file, self.target.key)) is not None:
                    who = f"{visible(busy.user)}@{visible(busy.host)}"
                    raise LedgerError(
                        f"Another push began on this portal: {who}. What was recorded here is kept.",
                        hint="When it is done, run `kbsync ledger sync`.",
                    ) from None
        raise self.replica.busy()

    # --- one push at a time ----------------------------------------------------------------------------------------

    def lock(self, target: str, owner: Owner, *, now: float, take_over: Owner | None = None) -> Owner | None:
        """Take the portal's one lock here, where no other machine has a lease. The first commit takes it for all.

        Raises:
            LedgerError: the remote cannot be reached.
        """
        if take_over is None:
            self.fetch()
        elif self.file.origin().lease != "theirs":
            # The dead push is of this machine. As long as it seemed to be at work, nothing was fetched.
            self.replica.take(at_work=True)
        busy = super().lock(target, owner, now=now, take_over=take_over)
        if busy is None:
            # What the remote still has of a lease is a dead run's, and goes with the next commit.
            self.file.note(lost=False, told_s=now, lease="dead" if self.file.origin().lease else "")
            self.locked, self.gave_up = owner, False
        return busy

    def announce(self, target: str, run: int) -> None:
        """Take the lease at the remote before the first upload, with nothing planned in it yet."""
        self._begin(target, run, "begins")

    def offer(self, target: str, run: int, changes: Sequence[tuple[int, Change]]) -> list[int]:
        """Put changes into the journal, and show them to all before the first of them is sent.

        Raises:
            LedgerError: another push was faster, or the remote cannot be used; nothing was sent.
        """
        numbers = super().offer(target, run, changes)
        if numbers:
            self._begin(target, run, f"begins: {len(numbers):,} to send")
        return numbers

    def _begin(self, target: str, run: int, words: str) -> None:
        owner = presence.holder(self.file, target)
        try:
            if self.locked is not None and (owner is None or not owner.is_run_of(self.locked)):
                raise _faster()  # On this machine, and somebody took the lock from us.
            if owner is not None:
                self.replica.publish(f"Run {run} {words}", (owner, run))
        except RefMoved as exc:
            self._withdraw(target, run)
            self.file.note(lost=True)
            raise _faster() from exc
        except LeaseLost:
            self._withdraw(target, run)
            raise
        except LedgerError as exc:
            self._withdraw(target, run)
            raise LedgerError(f"{exc.message} Nothing was sent to the portal.", hint=exc.hint) from exc

    def _withdraw(self, target: str, run: int) -> None:
        """End a run that sent nothing, and our part in it. The remote need not hear of that."""
        now, self.gave_up = time.time(), True
        self.skip_rest(run, "The ledger could not be sent.", now=now)
        if self.locked is not None:
            self.leave(target, run, self.locked, now=now)

    def beat(self, target: str, owner: Owner, *, now: float) -> bool:
        """Keep the lock alive, here and at the remote; False where it is ours no longer, or may not be soon."""
        alive = super().beat(target, owner, now=now)
        origin = self.file.origin()
        if not alive or origin.lost:
            return False
        if origin.lease != "ours":
            return True
        # A clock that was set back must not make a lease last longer than others believe in it.
        if self.beside and abs(now - origin.told_s) >= CHECKPOINT_S and self._checkpoint(target, owner):
            return True
        return not self.file.origin().lost and abs(now - origin.told_s) < FENCE_S

    def _checkpoint(self, target: str, owner: Owner) -> bool:
        held = presence.holder(self.file, target)
        run = presence.under_way(self.file, target)
        if held is None or run is None or not held.is_run_of(owner):
            return False
        over = sum(number for state, number in run.states.items() if state not in {"waiting", "taken", "pending"})
        try:
            self.replica.publish(f"Run {run.number}: {over:,} of {sum(run.states.values()):,}", (held, run.number))
        except RefMoved:
            self.file.note(lost=True)
            return False
        except LedgerError:
            return False  # The next beat tries again, until the fence.
        return True

    def end_run(self, run: int, *, outcome: str, now: float) -> None:
        """Note how a run ended, and send its results.

        Raises:
            LedgerError: they could not be sent; they are kept here.
        """
        super().end_run(run, outcome=outcome, now=now)
        origin = self.file.origin()
        if origin.is_sent and not origin.lease:
            return
        states = next((info.states for info in self.runs(self.target.key) if info.number == run), {})
        counts = ", ".join(f"{number:,} {state}" for state, number in sorted(states.items())) or "nothing to send"
        self._send_results(f"Run {run} {outcome.replace('_', ' ')}: {counts}")

    def unlock(self, target: str, owner: Owner) -> None:
        """Give the lock back, and send what was recorded under it.

        Raises:
            LedgerError: it could not be sent; it is kept here.
        """
        held = presence.holder(self.file, target)
        super().unlock(target, owner)
        if held is None or not held.is_run_of(owner):
            return  # Somebody of this machine took it from us, and what they told the remote is theirs.
        origin = self.file.origin()
        if not (self.gave_up or origin.lost) and (not origin.is_sent or origin.lease):
            self._send_results("Decisions" if not origin.lease else "The push ended early")

    def _send_results(self, subject: str) -> None:
        """Send, and try again where the remote cannot be used for the moment."""
        for wait_s in RETRIES_S:
            try:
                self.send(subject)
            except LedgerError:
                if self.file.origin().lost:
                    break
                time.sleep(wait_s)
            else:
                return
        try:
            self.send(subject)
        except LedgerError as exc:
            self.gave_up = True
            raise LedgerError(
                f"{exc.message} What this run recorded is kept on this machine.",
                hint="Send it with `kbsync ledger sync`. Until then no other machine knows of it.",
            ) from exc

    def restore(self, tables: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Fill an empty ledger, if all of it can be read again, and send it.

        Raises:
            LedgerError: it is not empty, or the export is damaged.
        """
        super().restore(tables)
        self.send("Imported")


def _faster() -> LeaseLost:
    return LeaseLost(
        "Another push began on this portal while this one planned. Nothing was sent.",
        hint="Run it again. With `--wait` kbsync does so by itself.",
    )
