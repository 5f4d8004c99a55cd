"""`kbsync why`: why an article changes, or does not; what was published of it, when and by whom."""

from __future__ import annotations

from dataclasses import replace

import click

from kbsync.cli.calling import with_options
from kbsync.cli.commands import offline_option
from kbsync.cli.formats import pasteable_plan
from kbsync.cli.screen import Options, page
from kbsync.errors import ExitCode, UsageError
from kbsync.report.escape import json_text
from kbsync.report.ledger import history_report, history_text
from kbsync.report.why import why_text

MOST_STEPS = 20


@click.command("why")
@click.argument("article")
@click.option("--history", is_flag=True, help="Show what was published of it, when and by whom. Needs no token.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="With --history: show N changes.  [default: 20]")
@offline_option
@click.option("--no-pager", is_flag=True, help="With --history: print all of it at once, also on a terminal.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), help="With --history.  [default: text]")
@with_options
def command(
    options: Options,
    /,
    *,
    article: str,
    history: bool,
    limit: int | None,
    offline: bool,
    no_fetch: bool,
    no_pager: bool,
    form: str | None,
) -> int:
    """Explain why an article changes, or does not. With --history: what was published of it, when and by whom.

    ARTICLE is the path of its file, its slug, or LOCALE/SLUG. Changes nothing. The history is kbsync's own record; it
    contacts only the remote of a ledger in git.
    """
    project = options.open_project(fetches=not no_fetch)
    if history:
        found = project.history(article, limit=limit or MOST_STEPS)
        if form == "json":
            click.echo(json_text(history_report(found)))
        else:
            page(history_text(found, options.style(), options.shared), wanted=not no_pager)
        return ExitCode.DONE
    if limit or no_pager or form:
        raise UsageError("`--limit`, `--no-pager` and `--format` belong to `--history`.", hint="Add `--history`.")
    explained = project.why(article, offline=offline)
    explained = replace(explained, plan=pasteable_plan(explained.plan, options))
    click.echo(why_text(explained, options.style(), options.shared), nl=False)
    return ExitCode.DONE
