"""`kbsync why`: why an article changes, or does not."""

from __future__ import annotations

from dataclasses import replace

import click

from kbsync.app.reading import TreeRefused
from kbsync.cli.commands import common_options, offline_option
from kbsync.cli.formats import pasteable_plan, refuse_tree
from kbsync.cli.screen import Options
from kbsync.report.why import why_text


@click.command("why")
@click.argument("article")
@offline_option
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, article: str, offline: bool, no_fetch: bool) -> int:
    """Explain why an article changes, or does not.

    ARTICLE is the path of its file, its slug, or LOCALE/SLUG. Changes nothing.
    """
    options = Options.of(ctx)
    project = options.open_project(fetches=not no_fetch)
    try:
        found = project.why(article, offline=offline)
    except TreeRefused as exc:
        return refuse_tree(project.workspace, exc, options)
    found = replace(found, plan=pasteable_plan(found.plan, options))
    click.echo(why_text(found, options.style(), options.shared), nl=False)
    return 0
