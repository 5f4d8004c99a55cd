"""`kbsync push`: carry out the plan, record it, and report what happened."""

from __future__ import annotations

from pathlib import Path

import click

from kbsync.app.options import AS_CONFIGURED, PlanOptions
from kbsync.app.reading import TreeRefused
from kbsync.app.saved_plans import is_saved_plan, refuse_what_is_no_plan
from kbsync.cli.commands import common_options
from kbsync.cli.findings import report_refusal
from kbsync.cli.formats import format_option, report_pushed
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import UsageError


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
    **asked: object,
) -> int:
    """Create and update categories and articles on the portal; articles begin as drafts.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published. PLAN is a file of `kbsync plan --out`:
    that plan is made again, and what comes out the same is carried out.
    """
    options = Options.of(ctx)
    project = options.open_project()
    saved = _saved_plan(selectors, project.workspace.settings.content_root)
    wanted = PlanOptions(() if saved else selectors, **asked)  # type: ignore[arg-type]
    if (saved or joins) and wanted != AS_CONFIGURED:
        raise UsageError(
            "a saved plan and --join carry out what was planned; options that plan otherwise do not go with them",
            hint="leave the other options out, or make a new plan",
        )
    try:
        if joins:
            pushed = project.join()
        else:
            pushed = project.push(wanted, saved=saved, first_push=first_push, wait=wait, break_lock=break_lock)
    except TreeRefused as exc:
        return report_refusal(project.workspace, exc.reading, options, form=form, schema="kbsync.push/1")
    if joins and form == "text" and not pushed.outcomes:
        return pushed.exit_code  # Nothing was compared, so nothing is said of the portal.
    return report_pushed(pushed, project.workspace, options, form=form)


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
