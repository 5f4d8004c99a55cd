"""`kbsync verify`: compare what readers get with the files. Needs no token and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kbsync.app.reading import TreeRefused
from kbsync.cli.commands import common_options
from kbsync.cli.findings import show_findings
from kbsync.cli.job_summary import write_summary
from kbsync.cli.screen import Options
from kbsync.report.escape import json_text
from kbsync.report.json_types import ProblemEntry, TargetEntry, VerifiedEntry, VerifyReport, VerifySummary
from kbsync.report.verified import verified_markdown, verified_text

if TYPE_CHECKING:
    from kbsync.app.asking.verify_values import Verified
    from kbsync.report.json_types import VerifyReport


@click.command("verify")
@click.argument("selectors", nargs=-1)
@click.option("--all", "listed", is_flag=True, help="Also list published articles that none of your files publishes.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="text for people, json for scripts, markdown for an issue or job summary.",
)
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, selectors: tuple[str, ...], listed: bool, form: str) -> int:
    """Compare what readers see with your files. Needs no token and changes nothing.

    Reads the public page of every article that is published in your files: text, title, images, and links to other
    articles. SELECTORS limit it: paths, slugs, locale:fr, category:billing.
    """
    options = Options.of(ctx)
    project = options.open_project()
    try:
        verified = project.verify(selectors, listed=listed)
    except TreeRefused as exc:
        sources = len(exc.reading.compiler.tree.sources)
        show_findings(project.workspace, exc.reading.findings, options, sources=sources, err=True)
        click.echo("Nothing was compared. Fix the errors first.", err=True)
        return exc.exit_code
    _print(_report(verified), options, form)
    return verified.exit_code


def _print(report: VerifyReport, options: Options, form: str) -> None:
    if form == "json":
        click.echo(json_text(report))
    elif form == "markdown":
        text = verified_markdown(report)
        click.echo(text, nl=False)
        write_summary(text)
    else:
        click.echo(verified_text(report, options.style()), nl=False)


def _report(verified: Verified) -> VerifyReport:
    target = verified.target
    summary = VerifySummary(
        same=verified.count("same"),
        differs=verified.count("differs"),
        not_published=verified.count("not_published"),
        waiting=verified.count("waiting"),
        unreachable=verified.count("unreachable"),
        not_in_files=verified.count("not_in_files"),
        skipped=verified.skipped,
        requests=verified.requests,
        seconds=round(verified.seconds, 1),
    )
    articles = [
        VerifiedEntry(
            item.path,
            item.locale,
            item.slug,
            item.address,
            item.state,
            [ProblemEntry(p.what, p.message, p.line, p.theirs, p.ours, p.address) for p in item.problems],
        )
        for item in verified.articles
    ]
    entry = TargetEntry(target.base_url, target.account_id, target.portal, target.profile, verified.version)
    return VerifyReport("kbsync.verify/1", entry, summary, articles)
