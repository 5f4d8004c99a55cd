"""`kbsync push`: carry out the plan, record it, and tell the whole truth about it."""

from __future__ import annotations

import time
from pathlib import Path

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import format_option
from kbsync.cli.lint import tell_errors
from kbsync.cli.plan import push_command
from kbsync.cli.planning import check_first_push, make_plan
from kbsync.cli.policy import Wishes
from kbsync.cli.pushing import (
    Part,
    Pushed,
    carry_out,
    exit_code,
    held_lock,
    join_run,
    make_sender,
    report_pushed,
)
from kbsync.cli.saving import is_saved_plan, read_saved_plan, refuse_what_is_no_plan
from kbsync.cli.screen import Options
from kbsync.cli.workspace import Reading, Workspace
from kbsync.command import command_line
from kbsync.errors import UsageError
from kbsync.plan.saved import tree_digest
from kbsync.push.uploads import Uploads
from kbsync.service.client import Service


@click.command("push")
@click.argument("selectors", nargs=-1, metavar="[PLAN | SELECTORS]...")
@click.option(
    "--overwrite", multiple=True, metavar="SELECTOR", help="Send ours where the panel was edited too (drift, conflict)."
)
@click.option("--recreate", is_flag=True, help="Make again what somebody deleted on the portal.")
@click.option("--publish", is_flag=True, help="Apply the status of the front matter, as [push] publish = true does.")
@click.option("--first-push", is_flag=True, help="Nothing of ours is on the portal yet (profiles that cannot list).")
@click.option("--wait", is_flag=True, help="Wait for another push to end instead of giving up.")
@click.option("--break-lock", is_flag=True, help="Take the lock from another push that is surely dead.")
@click.option("--join", "joins", is_flag=True, help="Take part in a push that another runner began.")
@click.option("--full", is_flag=True, help="List the whole portal instead of what moved since the last time.")
@format_option
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    first_push: bool,
    wait: bool,
    break_lock: bool,
    joins: bool,
    form: str,
    selectors: tuple[str, ...],
    **wished: object,
) -> int:
    """Create and update categories and articles on the portal; articles begin as drafts.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published. PLAN is a file of `kbsync plan --out`:
    that plan is made again, and what comes out the same is carried out.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    saved = _saved_plan(selectors, workspace.settings.content_root)
    wishes = Wishes(() if saved else selectors, **wished)  # type: ignore[arg-type]
    if (saved or joins) and wishes != Wishes():
        raise UsageError(
            "a saved plan and --join carry out what was planned; options that plan otherwise do not go with them",
            hint="leave the other options out, or make a new plan",
        )
    reading = workspace.read_content()
    if reading.errors:
        return tell_errors(workspace, reading, form=form, schema="kbsync.push/1")
    ledger = workspace.open_ledger()
    try:
        with workspace.open_service() as service:
            if joins:
                pushed = join_run(workspace, reading, service, ledger)
            else:
                check_first_push(workspace, ledger, allowed=first_push)
                with held_lock(ledger, workspace, wait=wait, break_lock=break_lock) as part:
                    pushed = push_tree(workspace, reading, service, part, wishes, saved)
    finally:
        ledger.close()
    if joins and form == "text" and not pushed.outcomes:
        return exit_code(pushed)  # Nothing was compared, so nothing is said of the portal.
    return report_pushed(pushed, workspace, form=form)


def _saved_plan(selectors: tuple[str, ...], root: Path) -> Path | None:
    """The plan's file, where the arguments name one.

    Raises:
        UsageError: and something beside it; or a file that is neither a plan nor a source.
    """
    files = [selector for selector in selectors if is_saved_plan(Path(selector))]
    if not files:
        for selector in selectors:
            refuse_what_is_no_plan(selector, root)
        return None
    if len(selectors) > 1:
        raise UsageError(
            f"{files[0]} is a saved plan, which is carried out as it is; selectors do not go with it",
            hint=f"`{command_line('push', files[0])}` alone, or a new plan of less: `kbsync plan SELECTORS --out FILE`",
        )
    return Path(files[0])


def push_tree(
    workspace: Workspace,
    reading: Reading,
    service: Service,
    part: Part,
    wishes: Wishes,
    saved: Path | None = None,
) -> Pushed:
    """Plan, or take the plan that was saved, and carry it out; the lock is held."""
    before, started = service.transport.requests, time.monotonic()
    record = workspace.recorded(part.ledger)
    resumed = read_saved_plan(saved, workspace, reading, service, record) if saved is not None else None
    planned = resumed.planned if resumed else make_plan(workspace, reading, service, record, wishes)
    part.ledger.settle(part.target, planned.recovery.settled)
    bases = (*planned.recovery.bases, *planned.plan.settled)
    sender = make_sender(service, planned.plan.changes, bases, reading.content_of)
    digest = tree_digest(workspace.target, reading.tree)
    per_hour = workspace.uploads_per_hour
    uploads = Uploads(service, reading.compiler, part.ledger, part.target, time.time, per_hour)
    refused = resumed.refused if resumed else ()
    pushed = carry_out(
        workspace, planned.plan, sender, part, command="push", digest=digest, uploads=uploads, refused=refused
    )
    pushed.requests = service.transport.requests - before
    pushed.seconds = time.monotonic() - started
    if resumed is not None:
        pushed.nothing = f"everything in {saved} is done already"
        pushed.again, pushed.anew = push_command(workspace.options, {}, saved), resumed.anew
    return pushed
