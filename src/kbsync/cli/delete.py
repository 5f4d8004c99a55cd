"""`kbsync delete`: take one article out of the portal, and its file with it."""

from __future__ import annotations

import sys

import click

from kbsync.cli.calling import with_options
from kbsync.cli.formats import format_option, report_pushed
from kbsync.cli.screen import Options, say
from kbsync.command import command_line
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative
from kbsync.model import Plan, visible


@click.command("delete")
@click.argument("article")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Wait if another push is running.")
@format_option
@with_options
def command(options: Options, /, *, article: str, yes: bool, wait: bool, form: str) -> int:
    """Delete one article on the portal, and its file.

    ARTICLE is the path of its file, its slug, or LOCALE/SLUG. An article that somebody edited in the panel stays, and
    its file with it. `kbsync undo` brings both back.
    """
    project = options.open_project()
    root, deleted = project.workspace.content_root, []

    def agree(path: str, plan: Plan) -> None:
        file = visible(relative(root / path)) if (root / path).is_file() else ""
        if not yes:
            _ask(file, article, plan, options)
        deleted.append(file)

    pushed = project.delete(article, agree=agree, wait=wait)
    if any(deleted) and pushed.exit_code is ExitCode.DONE:
        options.note(f"{deleted[0]} is deleted. kbsync keeps a copy in .kbsync/deleted.")
    return report_pushed(pushed, project.workspace, options, form=form)


def _ask(file: str, article: str, plan: Plan, options: Options) -> None:
    """Say what would be deleted, and go on only where somebody says yes.

    Raises:
        UsageError: not a terminal.
        click.Abort: the answer is no.
    """
    if not sys.stdin.isatty():
        again = command_line("delete", article, options=[("--yes", True), *options.session().options])
        raise UsageError("Not a terminal, so kbsync cannot ask.", hint=f"Run `{again}`.")
    for change in plan.changes:
        say(f'The article "{visible(change.title)}" ({change.locale}/{change.slug}) is on the portal.', err=True)
        if change.live:
            say("It is live: its address stops working. `kbsync redirects` lists such addresses.", err=True)
    on_portal = ["the article"] if plan.changes else []
    click.confirm(f"Delete {' and '.join([*([file] if file else []), *on_portal])}?", abort=True, err=True)
