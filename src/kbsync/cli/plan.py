"""`kbsync plan`: show what a push would do. Changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kbsync.cli.commands import common_options
from kbsync.cli.lint import tell_errors
from kbsync.cli.screen import Options
from kbsync.cli.standing import glance, local_key, recall, remember
from kbsync.cli.workspace import Workspace
from kbsync.content.walk import walk_tree
from kbsync.errors import ExitCode
from kbsync.model import Finding, Plan


@click.command("plan")
@click.argument("selectors", nargs=-1)
@click.option("--check", is_flag=True, help="Exit with 10 when there is something to send, 0 when there is not.")
@click.option("--overwrite", multiple=True, metavar="SELECTOR", help="Plan as `push --overwrite SELECTOR` would.")
@click.option("--recreate", is_flag=True, help="Plan as `push --recreate` would.")
@click.option("--publish", is_flag=True, help="Plan as `push --publish` would.")
@click.option("--full", is_flag=True, help="List the whole portal instead of what moved since the last time.")
@click.option("--unmanaged", is_flag=True, help="List what is on the portal and not ours.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, check: bool, unmanaged: bool, form: str, **wished: object) -> int:
    """Show what a push would do. Changes nothing.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    walk = walk_tree(workspace.settings.content_root)
    local = None if any(wished.values()) else local_key(workspace, walk)
    standing = recall(workspace, local)
    reading = None if standing else workspace.read_content(walk)
    if reading is not None and reading.errors:
        return tell_errors(workspace, reading, form=form, schema="kbsync.plan/1")
    record = None if standing else workspace.read_ledger()
    with workspace.open_service() as service:
        seen, stands = glance(service, standing) if standing else (None, False)
        if standing is not None and stands:
            plan, findings = standing.plan, standing.findings
        else:
            # What makes plans is loaded here, where one is made.
            from kbsync.cli.planning import Wishes, make_plan

            reading = reading or workspace.read_content(walk)
            if reading.errors:
                return tell_errors(workspace, reading, form=form, schema="kbsync.plan/1")
            record = record or workspace.read_ledger()
            planned = make_plan(workspace, reading, service, record, Wishes(**wished), seen)  # type: ignore[arg-type]
            plan, findings = planned.plan, tuple(reading.findings)
            if not record[1]:
                remember(workspace, reading, local, planned.portal, plan)
    show_plan(plan, findings, options, form=form, unmanaged=unmanaged)
    return exit_code(plan, check=check)


def show_plan(plan: Plan, findings: Sequence[Finding], options: Options, *, form: str, unmanaged: bool) -> None:
    """Print a plan, in words or as JSON."""
    if form == "json":
        from kbsync.report.data import plan_json

        click.echo(plan_json(plan, findings, unmanaged=unmanaged))
    else:
        from kbsync.report.text import plan_text

        click.echo(plan_text(plan, options.style(), unmanaged=unmanaged), nl=False)
        if findings:
            options.note(f"The content tree has {len(findings)} warnings: `kbsync lint` lists them.")


def exit_code(plan: Plan, *, check: bool) -> ExitCode:
    """4 where something is held; with `--check` 10 where something would be sent."""
    if plan.held:
        return ExitCode.HELD
    return ExitCode.CHANGES if check and plan.sent else ExitCode.DONE
