"""`kbsync push`: carry out the plan, record it, and report what happened."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from kbsync.app.options import AS_CONFIGURED, PlanOptions, given_options, refuse_other_options
from kbsync.app.planning.saved_plans import is_saved_plan, refuse_what_is_no_plan
from kbsync.app.push_result import TooManyRemovals
from kbsync.cli.calling import with_options
from kbsync.cli.commands import filled
from kbsync.cli.formats import format_option, report_push_refused, report_pushed
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import UsageError


@click.command("push")
@click.argument("selectors", nargs=-1, metavar="[PLAN | SELECTORS]...")
@click.option(
    "--overwrite",
    multiple=True,
    metavar="SELECTOR",
    help="Send your version of SELECTOR over edits in the panel. Repeatable: one selector each.",
)
@click.option(
    "--live",
    multiple=True,
    metavar="SELECTOR",
    help='Change these live articles although [push] live is "hold". Repeatable.',
)
@click.option("--stage", is_flag=True, help="Keep edits of live articles from readers until someone publishes them.")
@click.option("--publish-staged", is_flag=True, help="Publish the edits that kbsync staged, and do nothing else.")
@click.option(
    "--allow-removals", type=click.IntRange(0), metavar="N", help="Remove up to N items, whatever max_removals says."
)
@click.option("--recreate", is_flag=True, help="Create again what was deleted on the portal.")
@click.option("--publish", is_flag=True, help="Also apply the status in the front matter, like [push] publish = true.")
@click.option(
    "--release", callback=filled, metavar="NAME", help="Publish the articles of this release, and nothing else."
)
@click.option("--now", callback=filled, metavar="TIME", help="Judge `publish_on` as if it were this date and time.")
@click.option("--first-push", is_flag=True, help="Confirm that this is the first push (for profiles that cannot list).")
@click.option("--wait", is_flag=True, help="Wait if another push is running.")
@click.option("--break-lock", is_flag=True, help="Take over the lock of a push that has crashed.")
@click.option("--join", "joins", is_flag=True, help="Help with a push that another runner has started.")
@click.option("--full", is_flag=True, help="Read the whole portal, not only what changed since the last time.")
@click.option("--dry-run", is_flag=True, hidden=True)
@format_option
@with_options
def command(
    options: Options,
    /,
    *,
    first_push: bool,
    wait: bool,
    break_lock: bool,
    joins: bool,
    dry_run: bool,
    form: str,
    selectors: tuple[str, ...],
    **asked: object,
) -> int:
    """Create and update categories and articles on the portal. New articles start as drafts.

    SELECTORS limit it: paths, slugs, locale:fr, category:billing, status:published. PLAN is a file from `kbsync plan
    --out`: kbsync plans again and makes the changes that are the same in both plans. Give the plan's options again.
    """
    if dry_run:
        _refuse_dry_run(options, PlanOptions(selectors, **asked))  # type: ignore[arg-type]
    refuse_other_options(PlanOptions(selectors, **asked))  # type: ignore[arg-type]
    project = options.open_project()
    saved = _saved_plan(selectors, project.workspace.settings.content_root)
    wanted = PlanOptions(() if saved else selectors, **asked)  # type: ignore[arg-type]
    if joins and wanted != AS_CONFIGURED:
        raise UsageError(
            "--join makes the changes that the other push planned. Planning options cannot be added.",
            hint="Leave the other options out.",
        )
    try:
        if joins:
            pushed = project.join()
        else:
            pushed = project.push(wanted, saved=saved, first_push=first_push, wait=wait, break_lock=break_lock)
    except TooManyRemovals as exc:
        return report_push_refused(exc.plan, project.workspace, options, form=form)
    if joins and form == "text" and not pushed.outcomes:
        return pushed.exit_code  # Nothing was compared, so there is nothing to report about the portal.
    return report_pushed(pushed, project.workspace, options, form=form)


def _refuse_dry_run(options: Options, wanted: PlanOptions) -> NoReturn:
    """A push that only looks is a plan.

    Raises:
        UsageError: always.
    """
    line = command_line("plan", *wanted.selectors, options=[*given_options(wanted), *options.shared])
    raise UsageError("`push` has no dry run. `plan` shows what a push would do.", hint=f"Run `{line}`.")


def _saved_plan(selectors: tuple[str, ...], root: Path) -> Path | None:
    """The plan's file, where the arguments name one.

    Raises:
        UsageError: and something beside it; or a file that is neither a plan nor a source.
    """
    if not selectors:
        return None
    files = [selector for selector in selectors if is_saved_plan(Path(selector))]
    if not files:
        for selector in selectors:
            refuse_what_is_no_plan(selector, root)
        return None
    if len(selectors) > 1:
        raise UsageError(
            f"{files[0]} is a saved plan. Selectors cannot be added to it.",
            hint=f"Run `{command_line('push', files[0])}`, or make a smaller plan: `kbsync plan SELECTORS --out FILE`.",
        )
    return Path(files[0])
