"""`kbsync open`: the page of an article, in the browser."""

from __future__ import annotations

import sys

import click

from kbsync.cli.calling import with_options
from kbsync.cli.commands import no_fetch_option
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode


@click.command("open")
@click.argument("article")
@no_fetch_option
@with_options
def command(options: Options, /, *, article: str, no_fetch: bool) -> int:
    """Open the page of an article in the browser, and print its address.

    ARTICLE is the path of its file, its slug, or LOCALE/SLUG. The page of a draft works, too: everyone who has its
    address can read it. Without a terminal, the address is printed and nothing is opened.
    """
    address = options.open_project(fetches=not no_fetch).address(article)
    click.echo(address)
    if sys.stdout.isatty():
        click.launch(address)
    return ExitCode.DONE
