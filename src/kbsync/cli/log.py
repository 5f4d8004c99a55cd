"""`kbsync log`: what was published of an article, when and by whom."""

from __future__ import annotations

import click

from kbsync.cli.commands import common_options, no_fetch_option
from kbsync.cli.formats import print_document
from kbsync.cli.screen import Options, page
from kbsync.report.log import log_report, log_text


@click.command("log")
@click.argument("article")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Show N changes.")
@no_fetch_option
@click.option("--no-pager", is_flag=True, help="Print all of it at once, also on a terminal.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, article: str, limit: int, no_fetch: bool, no_pager: bool, form: str) -> int:
    """Show what was published of an article, when and by whom.

    ARTICLE is the path of its file, its slug, or LOCALE/SLUG. Reads the ledger, needs no token, and
    contacts only the remote of a ledger in git.
    """
    options = Options.of(ctx)
    found = options.open_project(fetches=not no_fetch).log(article, limit=limit)
    if form == "text":
        page(log_text(found, options.style(), options.shared), wanted=not no_pager)
    else:
        print_document(log_report(found), {}, form)
    return 0
