"""`kbsync status`: what is where, on one screen."""

from __future__ import annotations

import click

from kbsync.cli.calling import with_options
from kbsync.cli.commands import offline_option
from kbsync.cli.formats import document_format_option
from kbsync.cli.job_summary import Texts, print_report
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode
from kbsync.report.escape import json_text
from kbsync.report.status import failures, status_markdown, status_report, status_text

FAILURES = ("changes", "edited", "pending", "decide", "orphans", "stale", "missing")
"""What a job may fail on: a number of the report that is not 0."""

DECISIONS = frozenset({"edited", "pending", "decide"})
"""What waits for a person; the exit code is that of a plan."""


@click.command("status")
@click.argument("selectors", nargs=-1)
@offline_option
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(FAILURES),
    help="Fail if there is any of this: edited, pending and decide with code 4, others with 10. Repeatable.",
)
@document_format_option
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    offline: bool,
    no_fetch: bool,
    fail_on: tuple[str, ...],
    form: str,
) -> int:
    """Show what is where: drafts, live articles, edits in the panel, translations.

    Changes nothing. SELECTORS limit it: paths, slugs, locale:fr, category:billing, status:published.
    """
    project = options.open_project(fetches=not no_fetch)
    overview = project.status(selectors, offline=offline, words=options.style().verbose and form == "text")
    report = status_report(overview, selectors, options.shared)
    changes = {item.path: item.changes for item in overview.owed}
    texts: Texts = {
        "text": lambda: status_text(report, options.style(), changes),
        "json": lambda: json_text(report),
        "markdown": lambda: status_markdown(report),
    }
    print_report(texts, form, options)
    found = {word for word in fail_on if failures(report)[word]}
    return ExitCode.HELD if found & DECISIONS else ExitCode.CHANGES if found else ExitCode.DONE
