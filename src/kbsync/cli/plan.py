"""`kbsync plan`: show what a push would do. Changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import format_option, tell_plan
from kbsync.cli.lint import tell_errors
from kbsync.cli.screen import Options, shared_options
from kbsync.cli.standing import glance, local_side, recall, remember, remember_touched
from kbsync.cli.workspace import Reading, Workspace
from kbsync.command import command_line
from kbsync.content.walk import walk_tree
from kbsync.errors import ExitCode
from kbsync.model import Plan

if TYPE_CHECKING:
    from kbsync.cli.planning import Planned
    from kbsync.cli.policy import Wishes


@click.command("plan")
@click.argument("selectors", nargs=-1)
@click.option("--check", is_flag=True, help="Exit with 10 when there is something to send, 0 when there is not.")
@click.option("--overwrite", multiple=True, metavar="SELECTOR", help="Plan as `push --overwrite SELECTOR` would.")
@click.option("--recreate", is_flag=True, help="Plan as `push --recreate` would.")
@click.option("--publish", is_flag=True, help="Plan as `push --publish` would.")
@click.option("--full", is_flag=True, help="List the whole portal instead of what moved since the last time.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Save the plan, for `kbsync push FILE`.")
@click.option("--unmanaged", is_flag=True, help="List what is on the portal and not ours.")
@format_option
@common_options
@click.pass_context
def command(
    ctx: click.Context, /, *, check: bool, out: Path | None, unmanaged: bool, form: str, **wished: object
) -> int:
    """Show what a push would do. Changes nothing.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    walk = walk_tree(workspace.content_root)
    local = None if out or any(wished.values()) else local_side(workspace, walk)
    standing, moved = recall(workspace, local) or (None, {})
    part = workspace.read_part(walk, moved, standing.findings) if standing and moved else None
    if moved and part is None:
        standing = None
    reading = None if standing else workspace.read_content(walk)
    if reading is not None and reading.errors:
        return tell_errors(workspace, reading, form=form, schema="kbsync.plan/1")
    record = None if standing else workspace.read_ledger()
    with workspace.open_service() as service:
        seen, known = glance(service, standing) if standing else (None, None)
        if known is not None and part is not None:
            from kbsync.cli.amending import amended

            known = amended(workspace, known, part, service)
        if standing is not None and known is not None:
            plan, findings = known, standing.findings
            if part is not None and local is not None:
                findings = tuple(part.findings)
                remember_touched(workspace, standing, part, local, plan)
        else:
            # What makes plans is loaded here, where one is made.
            from kbsync.cli.planning import make_plan
            from kbsync.cli.policy import Wishes

            reading = reading or workspace.read_content(walk)
            if reading.errors:
                return tell_errors(workspace, reading, form=form, schema="kbsync.plan/1")
            record = record or workspace.read_ledger()
            wishes = Wishes(**wished)  # type: ignore[arg-type]
            planned = make_plan(workspace, reading, service, record, wishes, seen)
            plan, findings = planned.plan, tuple(reading.findings)
            if not record.pending:
                remember(workspace, reading, local, planned.portal, plan)
            if out is not None:
                _save(out, planned, workspace, reading, wishes)
    command = push_command(options, wished, out)
    tell_plan(workspace, plan, findings, form=form, unmanaged=unmanaged, command=command)
    return exit_code(plan, check=check)


def push_command(options: Options, wished: Mapping[str, Any], out: Path | None) -> str:
    """What carries out this very plan, for the shell: the file that it is in, or what was asked of `kbsync plan`."""
    if out is not None:
        return command_line("push", out, options=shared_options(options))
    asked = [("--overwrite", selector) for selector in wished.get("overwrite", ())]
    flags = [(f"--{name}", bool(wished.get(name))) for name in ("recreate", "publish")]
    return command_line("push", *wished.get("selectors", ()), options=[*asked, *flags, *shared_options(options)])


def _save(out: Path, planned: Planned, workspace: Workspace, reading: Reading, wishes: Wishes) -> None:
    from kbsync.cli.saving import write_plan

    write_plan(out, planned, workspace, reading, wishes)
    command = push_command(workspace.options, {}, out)
    workspace.options.note(f"The plan is in {out}: `{command}` carries out exactly that.")


def exit_code(plan: Plan, *, check: bool) -> ExitCode:
    """4 where something is held; with `--check` 10 where something would be sent."""
    if plan.held:
        return ExitCode.HELD
    return ExitCode.CHANGES if check and plan.sent else ExitCode.DONE
