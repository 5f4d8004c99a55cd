"""`kbsync ledger`: look at kbsync's own record, carry it elsewhere, free its lock."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec

from kbsync.app.committed import check_published
from kbsync.app.lease import our_lease
from kbsync.app.ledger_place import move as move_to
from kbsync.app.ledger_place import sync as send
from kbsync.app.workspace import Workspace
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import LedgerError, UsageError
from kbsync.files import read_within
from kbsync.ledger import Ledger
from kbsync.ledger.dump import SCHEMA, TABLES, Export
from kbsync.ledger.values import RunInfo
from kbsync.push.lease import describe
from kbsync.report.escape import spelt_json
from kbsync.report.ledger import Accepted, Record, ledger_json, ledger_text, run_json, run_text
from kbsync.words import count

MAX_EXPORT_BYTES = 2_000_000_000
"""Of 100,000 articles with a long journal an export has some 300 MB."""


@click.group("ledger")
def group() -> None:
    """Show, move, export or import kbsync's own record, or free its lock."""


@group.command("show")
@click.argument("run", type=int, required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@with_options
def show(options: Options, run: int | None, form: str) -> int:
    """Show what is recorded, or what one RUN did."""
    workspace, style, is_json = _workspace(options), options.style(), form == "json"
    with closing(_existing(workspace)) as ledger:
        if run is None:
            record = _record(ledger, workspace)
            text = ledger_json(record) if is_json else ledger_text(record, style)
        else:
            info = next((info for info in ledger.runs(workspace.target.key) if info.number == run), None)
            if info is None:
                raise UsageError(f"This portal has no run {run}.", hint="Run `kbsync ledger show` to see the runs.")
            entries, at_work = ledger.entries(run), bool(_at_work(ledger, workspace, [info]))
            text = run_json(info, entries) if is_json else run_text(info, entries, style, at_work=at_work)
    click.echo(text, nl=is_json)
    return 0


@group.command("export")
@with_options
def export(options: Options) -> int:
    """Write the whole ledger to stdout. Use it as a backup, or import it elsewhere."""
    with closing(_existing(_workspace(options))) as ledger:
        click.echo(spelt_json(msgspec.json.encode({"schema": SCHEMA, "tables": ledger.dump()}).decode()))
    return 0


@group.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@with_options
def import_(options: Options, file: Path) -> int:
    """Fill the ledger of kbsync.toml from an export. It must be empty."""
    workspace = _workspace(options)
    tables = _tables(_read(file), str(file))
    place = TABLES["item"].index("path")
    check_published(workspace, {str(row[place]) for row in tables.get("item", ()) if len(row) > place})
    with closing(workspace.open_ledger()) as ledger:
        ledger.restore(tables)
        managed = len(ledger.bases(workspace.target.key))
    workspace.session.note(f"Imported {count(managed, 'item')} of portal `{workspace.target.portal}`.")
    return 0


def _read(file: Path) -> bytes:
    """An export, from a file or from stdin.

    Raises:
        LedgerError: it cannot be read, or is too large to be one.
    """
    if str(file) != "-":
        try:
            return read_within(file, MAX_EXPORT_BYTES)
        except OSError as exc:
            raise LedgerError(f"{file} cannot be read: {exc.strerror}.") from exc
    data = sys.stdin.buffer.read(MAX_EXPORT_BYTES + 1)
    if len(data) > MAX_EXPORT_BYTES:
        raise LedgerError(f"The export on stdin is larger than {MAX_EXPORT_BYTES // 1_000_000:,} MB.")
    return data


@group.command("unlock")
@click.option("--yes", is_flag=True, help="Free the lock even if its push seems to be running.")
@with_options
def unlock(options: Options, yes: bool) -> int:
    """Free the portal's lock after a push that crashed. The next push checks what it left open."""
    workspace = _workspace(options)
    with closing(_existing(workspace)) as ledger:
        lease = our_lease(ledger, workspace.target)
        holder = ledger.lock(lease.target, lease.owner, now=time.time())
        if holder is None:
            ledger.unlock(lease.target, lease.owner)
            workspace.session.note("The lock is free.")
            return 0
        if not yes and not lease.is_dead(holder):
            again = command_line("ledger unlock", options=[("--yes", True), *workspace.session.options])
            raise LedgerError(
                f"The push of {describe(holder, lease.world)}, seems to be running. Its lock was not freed.",
                hint=f"If you know that this push has ended, run `{again}`.",
            )
        while holder is not None:
            dead = " (that push has crashed)" if lease.is_dead(holder) else ""
            workspace.session.note(f"Freed the lock of {describe(holder, lease.world)}{dead}.")
            holder = ledger.lock(lease.target, lease.owner, now=time.time(), take_over=holder)
        ledger.unlock(lease.target, lease.owner)
    return 0


@group.command("sync")
@with_options
def sync(options: Options) -> int:
    """Send results that could not be sent to the ledger in git."""
    workspace = _workspace(options)
    sent = send(workspace)
    workspace.session.note("Sent." if sent else "Nothing to send: the remote has everything.")
    return 0


@group.command("move")
@click.argument("url")
@with_options
def move(options: Options, url: str) -> int:
    """Copy the ledger to URL and write that into kbsync.toml. `git:origin` keeps it in this repository."""
    workspace = _workspace(options)
    old = workspace.settings.ledger.place
    copied = move_to(workspace, url)
    note = workspace.session.note
    note(f"Copied the ledger. The old one, {old}, is no longer used." if copied else "There was nothing to copy yet.")
    note(f'{workspace.settings.path.name} now has [ledger] url = "{url}". Commit it.')
    return 0


def _workspace(options: Options) -> Workspace:
    return options.open_project().workspace


def _existing(workspace: Workspace) -> Ledger:
    """The ledger that there is.

    Raises:
        LedgerError: there is no ledger yet.
    """
    if not workspace.has_ledger():
        raise LedgerError("There is no ledger yet.", hint="The first `kbsync push` creates it.")
    return workspace.open_ledger()


def _record(ledger: Ledger, workspace: Workspace) -> Any:
    target = workspace.target
    holder = ledger.holder(target.key)
    lease = our_lease(ledger, workspace.target)
    bases, runs = ledger.bases(target.key), ledger.runs(target.key)
    return Record(
        portal=target.portal,
        base_url=target.base_url,
        place=target.place,
        articles=sum(1 for base in bases if base.kind == "article"),
        categories=sum(1 for base in bases if base.kind == "category"),
        pending=tuple(ledger.pending(target.key)),
        holder=describe(holder, lease.world) if holder else "",
        holder_is_dead=holder is not None and lease.is_dead(holder),
        runs=tuple(runs),
        at_work=_at_work(ledger, workspace, runs),
        accepted=tuple(Accepted(base.path, tuple(base.kept)) for base in bases if base.kept),
    )


def _at_work(ledger: Ledger, workspace: Workspace, runs: list[RunInfo]) -> tuple[int, ...]:
    """The runs that somebody who lives takes part in."""
    lease = our_lease(ledger, workspace.target)
    lasting = [run.number for run in runs if run.ended_at is None]
    return tuple(number for number in lasting if not all(lease.is_dead(other) for other in ledger.runners(number)))


def _tables(data: bytes, name: str) -> Mapping[str, Sequence[Sequence[Any]]]:
    """The tables of an export.

    Raises:
        LedgerError: it is not an export, or one of another version.
    """
    try:
        found = msgspec.json.decode(data, type=Export)
    except msgspec.DecodeError as exc:
        raise LedgerError(
            f"{name}: This is not an export of a ledger.", hint="Write one with `kbsync ledger export`."
        ) from exc
    if found.schema != SCHEMA:
        raise LedgerError(
            f"{name}: The export has schema {found.schema}. This kbsync needs {SCHEMA}.",
            hint="Export and import with the same version of kbsync.",
        )
    return found.tables


command = group
