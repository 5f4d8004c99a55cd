"""`kbsync undo`: put a run's changes back, where nobody has touched them since."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import format_option
from kbsync.cli.pushing import Part, Pushed, carry_out, held_lock, make_sender, report_pushed
from kbsync.cli.screen import Options, shared_options
from kbsync.cli.workspace import Workspace
from kbsync.command import command_line
from kbsync.errors import PlanRefused, UsageError
from kbsync.ledger.contract import Entry, Ledger
from kbsync.model import Change, Plan
from kbsync.plan.undo import build_undo
from kbsync.service.client import Service


@click.command("undo")
@click.argument("run", type=int)
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--wait", is_flag=True, help="Wait for another push to end instead of giving up.")
@format_option
@common_options
@click.pass_context
def command(ctx: click.Context, run: int, *, yes: bool, wait: bool, form: str) -> int:
    """Put a run's changes back, where nobody has touched them since.

    RUN is its number: `kbsync ledger show` lists the runs. The content tree stays as it is, so the next push would send
    its changes again: revert the commit, too.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    ledger = workspace.open_ledger()
    try:
        entries = _entries(ledger, workspace, run)
        with workspace.open_service() as service, held_lock(ledger, workspace, wait=wait, break_lock=False) as part:
            pushed = _undo(workspace, service, part, run, entries, ask=not yes, form=form)
    finally:
        ledger.close()
    return report_pushed(pushed, workspace, form=form)


def _entries(ledger: Ledger, workspace: Workspace, run: int) -> list[Entry]:
    """The journal of a run of this portal.

    Raises:
        UsageError: there is no such run.
        PlanRefused: nothing can be looked at, or a request of it is still open.
    """
    target = workspace.target.key
    numbers = [info.number for info in ledger.runs(target)]
    if run not in numbers:
        latest = f"the latest is {numbers[0]}" if numbers else "there is none yet"
        raise UsageError(f"this portal has no run {run}; {latest}", hint="`kbsync ledger show` lists the runs")
    if not workspace.profile.can_list:
        raise PlanRefused(
            f"the profile `{workspace.profile.name}` can neither look at the portal nor change what is there",
            hint="put it back in the panel; `kbsync ledger show RUN` lists what the run did",
        )
    if ledger.pending(target):
        raise PlanRefused(
            "a former run left requests open, and nobody knows yet what became of them",
            hint="run `kbsync push` once, which finds out; then undo",
        )
    return ledger.entries(run)


def _undo(
    workspace: Workspace, service: Service, part: Part, run: int, entries: list[Entry], *, ask: bool, form: str
) -> Pushed:
    """Plan, show, ask, and carry it out; the lock is held."""
    before, started = service.transport.requests, time.monotonic()
    bodies = _bodies(part.ledger, entries)
    bases = part.ledger.bases(part.target)
    portal = workspace.observe(service, [], bases, full=False)
    plan = build_undo(workspace.target, entries, portal.items or [], bodies, bases)
    if ask and plan.changes:
        _ask(plan, workspace, run)

    def content_of(change: Change) -> str:
        return bodies[str(change.after["content"])]

    sender = make_sender(service, plan.changes, bases, content_of)
    pushed = carry_out(workspace, plan, sender, part, command=f"undo {run}")
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    pushed.nothing, pushed.again = (
        f"of run {run} nothing is left to put back",
        command_line("undo", run, options=shared_options(workspace.options)),
    )
    if form == "text":
        _say_what_next([outcome.change for outcome in pushed.outcomes if outcome.outcome == "done"], workspace)
    return pushed


def _say_what_next(done: Sequence[Change], workspace: Workspace) -> None:
    """What the next push does: what the run overwrote needs a decision again, all else it would send again."""
    edits = sorted({change.path for change in done if change.leaves})
    if any(not change.fields or len(change.leaves) < len(change.fields) for change in done):
        workspace.options.note("The files are as they were: revert the commit too, or the next push does it all again.")
    if edits:
        more = f" and {len(edits) - 1:,} more" if len(edits) > 1 else ""
        workspace.options.note(
            f"{edits[0]}{more}: the edit from the panel is back, and no push overwrites it unless you decide so again."
        )


def _bodies(ledger: Ledger, entries: list[Entry]) -> dict[str, str]:
    """The texts that the run's articles had before it, by their digests."""
    names = {change.before.get("content") for change in (entry.change for entry in entries)}
    found = {str(name): ledger.text(str(name)) for name in names if name}
    return {name: text for name, text in found.items() if text is not None}


def _ask(plan: Plan, workspace: Workspace, run: int) -> None:
    """Show what would be put back, and go on only where somebody says yes.

    Raises:
        UsageError: nobody is there to ask.
        click.Abort: the answer is no.
    """
    from kbsync.report.text import plan_text

    style = workspace.options.style()
    click.echo(plan_text(plan, style, heading=f"To undo run {run}", command=""), nl=False, err=True)
    if not sys.stdin.isatty():
        again = command_line("undo", run, options=[("--yes", True), *shared_options(workspace.options)])
        raise UsageError("nobody is there to ask whether to do this", hint=again)
    click.confirm("Do it?", abort=True, err=True)
