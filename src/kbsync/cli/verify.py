"""`kbsync verify`: compare what readers get with the files. Needs no token and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from kbsync.cli.calling import with_options
from kbsync.cli.formats import document_format_option
from kbsync.cli.job_summary import Texts, print_report
from kbsync.cli.screen import Options
from kbsync.report.escape import json_text
from kbsync.report.json_types import (
    ProblemEntry,
    State,
    TargetEntry,
    VerifiedEntry,
    VerifyReport,
    VerifySummary,
    entry_of,
)
from kbsync.report.verified import verified_markdown, verified_text

if TYPE_CHECKING:
    from kbsync.app.asking.verify_values import Verified


@click.command("verify")
@click.argument("selectors", nargs=-1)
@click.option("--all", "listed", is_flag=True, help="Also list published articles that none of your files publishes.")
@document_format_option
@with_options
def command(options: Options, /, *, selectors: tuple[str, ...], listed: bool, form: str) -> int:
    """Compare what readers see with your files. Needs no token and changes nothing.

    Reads the public page of every article that is published in your files: text, title, images, and links to other
    articles. SELECTORS limit it: paths, slugs, locale:fr, category:billing.
    """
    project = options.open_project()
    verified = project.verify(selectors, listed=listed)
    report = _report(verified)
    texts: Texts = {
        "text": lambda: verified_text(report, options.style()),
        "json": lambda: json_text(report),
        "markdown": lambda: verified_markdown(report),
    }
    print_report(texts, form, options)
    return verified.exit_code


def _report(verified: Verified) -> VerifyReport:
    counts = {state: verified.count(state) for state in get_args(State)}
    articles = [
        entry_of(VerifiedEntry, article, problems=[entry_of(ProblemEntry, problem) for problem in article.problems])
        for article in verified.articles
    ]
    target = entry_of(TargetEntry, verified.target, version=verified.version)
    summary = entry_of(VerifySummary, verified, **counts, seconds=round(verified.seconds, 1))
    return VerifyReport("kbsync.verify/1", target, summary, articles)
