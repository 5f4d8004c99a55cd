"""`kbsync redirects`: list addresses that no longer work, for what can redirect their readers."""

from __future__ import annotations

import re
from typing import cast
from urllib.parse import urlsplit

import click

from kbsync.app.asking.redirects import RemovedTo
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode, UsageError
from kbsync.report.redirects import FORMATS, NEEDS_HOST, WITHOUT_GONE
from kbsync.words import count

HOST = re.compile(r"(?:https?://)?[A-Za-z0-9.-]+(?::[0-9]+)?")


@click.command("redirects")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="csv", show_default=True, help="For what.")
@click.option("--since", default="", metavar="RUN|DATE", help="Only addresses that stopped working since then.")
@click.option(
    "--removed-to",
    type=click.Choice(["category", "home"]),
    help="Where readers of removed articles go.  [default: gone]",
)
@click.option("--host", default="", metavar="NAME", help="The help center's host, such as help.example.com.")
@with_options
def command(options: Options, /, *, form: str, since: str, removed_to: str | None, host: str) -> int:
    """List addresses that no longer work, and where their readers should go. Works offline.

    The service makes no redirects. Give the list to what is in front of it: a web server, a CDN, or a static site. It
    is made of the `aliases` in your files, of what pushes changed, and of what git knows.
    """
    project = options.open_project()
    place = _host(host, form, project.workspace.settings.service.base_url)
    found = project.redirects(since=since, removed_to=cast("RemovedTo", removed_to or ""))
    click.echo(FORMATS[form](found.redirects, place), nl=False)
    for note in found.notes:
        options.note(note)
    gone = sum(1 for redirect in found.redirects if not redirect.new)
    if gone and form in WITHOUT_GONE:
        hint = "Add `--removed-to category` to send their readers to the category."
        options.note(f"{count(gone, 'removed article')}: {form} has no way to mark them as gone. {hint}")
    if not found.redirects:
        options.note("All addresses still work.")
    return ExitCode.DONE


def _host(given: str, form: str, base_url: str) -> str:
    """The host with its scheme, where the format needs one or the user gives one; else "".

    Raises:
        UsageError: it is not a host, or the format needs one.
    """
    if given:
        if not HOST.fullmatch(given.rstrip("/")):
            raise UsageError(
                f"--host: `{given}` is not the name of a host.", hint="Write for example `help.example.com`."
            )
        return given.rstrip("/") if "://" in given else f"https://{given}"
    if form not in NEEDS_HOST:
        return ""
    parts = urlsplit(base_url)
    if not parts.netloc:
        raise UsageError("Cloudflare needs the host of the help center.", hint="Add `--host help.example.com`.")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
