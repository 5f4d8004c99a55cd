"""`kbsync plan`: show what a push would do. Changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import click

from kbsync.app.options import PlanOptions, push_command, refuse_other_options
from kbsync.cli.calling import with_options
from kbsync.cli.commands import filled, offline_option
from kbsync.cli.formats import format_option, report_plan
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode, UsageError
from kbsync.model import Plan, Reason
from kbsync.report.style import SHOWN

FAILURES = ("changes", "held", "drift")
"""What a job may fail on: something to send, anything held, or what somebody did in the panel."""

IN_THE_PANEL = frozenset({Reason.DRIFT, Reason.CONFLICT, Reason.GONE, Reason.STAGED})
"""Held because of what somebody did in the panel: an edit, published or pending, or a deletion."""


@click.command("plan")
@click.argument("selectors", nargs=-1)
@click.option("--diff", is_flag=True, help="Show how bodies change, word by word. Reads them from the portal.")
@click.option("--check", is_flag=True, help="Exit with code 10 if there is something to send, with 0 if not.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(FAILURES),
    help="Fail only on this: changes (code 10), whatever needs your decision (4), edits in the panel (4). Repeatable.",
)
@click.option(
    "--overwrite", multiple=True, metavar="SELECTOR", help="Plan as `push --overwrite SELECTOR` would. Repeatable."
)
@click.option("--live", multiple=True, metavar="SELECTOR", help="Plan as `push --live SELECTOR` would. Repeatable.")
@click.option("--stage", is_flag=True, help="Plan as `push --stage` would.")
@click.option("--publish-staged", is_flag=True, help="Plan as `push --publish-staged` would.")
@click.option("--allow-removals", type=click.IntRange(0), metavar="N", help="Plan as `push --allow-removals N` would.")
@click.option("--recreate", is_flag=True, help="Plan as `push --recreate` would.")
@click.option("--publish", is_flag=True, help="Plan as `push --publish` would.")
@click.option("--release", callback=filled, metavar="NAME", help="Plan as `push --release NAME` would.")
@click.option("--now", callback=filled, metavar="TIME", help="Plan as `push --now TIME` would.")
@click.option("--full", is_flag=True, help="Read the whole portal, not only what changed since the last time.")
@offline_option
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Save the plan, for `kbsync push FILE`.")
@click.option("--unmanaged", is_flag=True, help="List articles on the portal that are not in this repository.")
@format_option
@with_options
def command(
    options: Options,
    /,
    *,
    diff: bool,
    check: bool,
    fail_on: tuple[str, ...],
    offline: bool,
    no_fetch: bool,
    out: Path | None,
    unmanaged: bool,
    form: str,
    **asked: object,
) -> int:
    """Show what a push would do. Changes nothing.

    SELECTORS limit it: paths, slugs, locale:fr, category:billing, status:published.
    """
    project, wanted = options.open_project(fetches=not no_fetch), PlanOptions(**asked)  # type: ignore[arg-type]
    refuse_other_options(wanted)
    if offline and any((out, wanted.full, diff)):
        raise UsageError("--offline does not look at the portal, so --out, --full and --diff cannot be added.")
    most = sys.maxsize if options.verbose else SHOWN
    compared = project.plan(wanted, out=out, offline=offline, diffs=most if diff else 0)
    command = push_command(project.workspace.session, wanted, out)
    if out is not None:
        saved = f"Saved the plan to {out}. `{command}` makes exactly these changes."
        options.note(f"The plan was not saved to {out}: it is refused." if compared.plan.refused else saved)
    report_plan(project.workspace, compared, options, form=form, unmanaged=unmanaged, command=command)
    return exit_code(compared.plan, fail_on=fail_on or ("held", "changes" if check else "held"))


def exit_code(plan: Plan, *, fail_on: Collection[str]) -> ExitCode:
    """4 where something is held, 10 where something would be sent; 0 where the job does not fail on that."""
    if plan.refused or (plan.held and "held" in fail_on):
        return ExitCode.HELD
    if "drift" in fail_on and any(held.reason in IN_THE_PANEL for held in plan.held):
        return ExitCode.HELD
    return ExitCode.CHANGES if plan.sent and "changes" in fail_on else ExitCode.DONE
