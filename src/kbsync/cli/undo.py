"""`kbsync undo`: put a run's changes back, where nobody has touched them since."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import format_option, report_pushed
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import UsageError
from kbsync.model import Change, Plan


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
    project = options.open_project()

    def agree(plan: Plan) -> None:
        if not yes:
            _ask(plan, options, run)

    pushed = project.undo(run, agree=agree, wait=wait)
    if form == "text":
        _say_what_next([outcome.change for outcome in pushed.outcomes if outcome.outcome == "done"], options)
    return report_pushed(pushed, project.workspace, options, form=form)


def _say_what_next(done: Sequence[Change], options: Options) -> None:
    """What the next push does: what the run overwrote needs a decision again, all else it would send again."""
    edits = sorted({change.path for change in done if change.leaves})
    if any(not change.fields or len(change.leaves) < len(change.fields) for change in done):
        options.note("The files are as they were: revert the commit too, or the next push does it all again.")
    if edits:
        more = f" and {len(edits) - 1:,} more" if len(edits) > 1 else ""
        options.note(
            f"{edits[0]}{more}: the edit from the panel is back, and no push overwrites it unless you decide so again."
        )


def _ask(plan: Plan, options: Options, run: int) -> None:
    """Show what would be put back, and go on only where somebody says yes.

    Raises:
        UsageError: nobody is there to ask.
        click.Abort: the answer is no.
    """
    from kbsync.report.text import plan_text

    style = options.style()
    click.echo(plan_text(plan, style, heading=f"To undo run {run}", command=""), nl=False, err=True)
    if not sys.stdin.isatty():
        again = command_line("undo", run, options=[("--yes", True), *options.session().options])
        raise UsageError("nobody is there to ask whether to do this", hint=again)
    click.confirm("Do it?", abort=True, err=True)
