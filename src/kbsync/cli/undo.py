"""`kbsync undo`: reverse a push."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kbsync.app.project import Project
from kbsync.app.push_result import Pushed
from kbsync.cli.calling import with_options
from kbsync.cli.formats import format_option, report_pushed
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import UsageError
from kbsync.model import Action, Change, Plan
from kbsync.report.ledger import run_line
from kbsync.report.text import plan_text


@click.command("undo")
@click.argument("run", type=int, required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Wait if another push is running.")
@format_option
@with_options
def command(options: Options, run: int | None, *, yes: bool, wait: bool, form: str) -> int:
    """Reverse a push. Later edits are kept.

    RUN is the number of the push; without it, kbsync offers the last one. `kbsync ledger show` lists them. Your files
    do not change, so the next push would send the same changes again. Revert the commit, too.
    """
    project = options.open_project()
    number = run if run is not None else _last(project, options, yes=yes)

    def agree(plan: Plan) -> None:
        if not yes:
            _ask(plan, options, number)

    pushed = project.undo(number, agree=agree, wait=wait)
    if form == "text":
        _say_what_next(pushed, project.workspace.content_root, options)
    return report_pushed(pushed, project.workspace, options, form=form)


def _last(project: Project, options: Options, *, yes: bool) -> int:
    """The number of the last push, which the person at the terminal is then asked about.

    Raises:
        UsageError: there is no push, or nobody to be asked.
    """
    found = project.last_push()
    if found is None:
        raise UsageError("There is no push to undo.", hint="Run `kbsync ledger show` to see the runs.")
    if yes or not sys.stdin.isatty():
        line = command_line("undo", found.number, options=[("--yes", yes), *options.session().options])
        number, _, what = " ".join(run_line(found).split()).partition(" ")
        raise UsageError(f"Name the push to undo. The last one is run {number} ({what}).", hint=f"Run `{line}`.")
    return found.number


def _say_what_next(pushed: Pushed, root: Path, options: Options) -> None:
    """What the next push does: what the run overwrote needs a decision again, all else it would send again."""
    done = _done_of(pushed, root)
    edits = sorted({change.path for change in done if change.leaves})
    if edits:
        more = f" and {len(edits) - 1:,} more" if len(edits) > 1 else ""
        options.note(
            f"{edits[0]}{more}: the edit from the panel is back. No push overwrites it until you decide so again."
        )
    if any(map(_is_sent_again, done)):
        what = "everything else" if edits else "this"
        options.note(f"Your files have not changed. Revert the commit too, or the next push will redo {what}.")


def _done_of(pushed: Pushed, root: Path) -> list[Change]:
    """What an undo did, but to what `kbsync delete` took: that has its file again, and nothing is left to do."""
    done = [outcome.change for outcome in pushed.outcomes if outcome.outcome == "done"]
    back = {change.path for change in done if change.action is Action.CREATE and (root / change.path).is_file()}
    return [change for change in done if change.path not in back]


def _is_sent_again(change: Change) -> bool:
    waits = {*change.leaves}
    if waits & {"locale", "category"}:
        waits |= {"category", "position"}  # A place follows from what it is a place in.
    return not change.fields or not waits.issuperset(field.name for field in change.fields)


def _ask(plan: Plan, options: Options, run: int) -> None:
    """Show what would be put back, and go on only where somebody says yes.

    Raises:
        UsageError: not a terminal.
        click.Abort: the answer is no.
    """
    style = options.style()
    click.echo(plan_text(plan, style, heading=f"Undo of run {run}", command=""), nl=False, err=True)
    if not sys.stdin.isatty():
        again = command_line("undo", run, options=[("--yes", True), *options.session().options])
        raise UsageError("Not a terminal, so kbsync cannot ask.", hint=f"Run `{again}`.")
    click.confirm("Undo these changes?", abort=True, err=True)
