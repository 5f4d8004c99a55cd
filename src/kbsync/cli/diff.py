"""`kbsync diff`: in what your files and the portal differ."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kbsync.cli.calling import with_options
from kbsync.cli.commands import offline_option
from kbsync.cli.formats import document_format_option, pasteable_plan
from kbsync.cli.job_summary import Texts, print_report
from kbsync.cli.screen import Options, page
from kbsync.errors import ExitCode, UsageError
from kbsync.report.diff import diff_markdown, diff_report, diff_text, differences_of
from kbsync.report.escape import json_text

MOST_BODIES = 100
"""Bodies that are read, each with a request, unless `-v` asks for all."""


@click.command("diff")
@click.argument("selectors", nargs=-1)
@click.option("--words", is_flag=True, help="Show texts word by word instead of line by line.")
@offline_option
@click.option(
    "--plan",
    "saved",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show what a plan from `kbsync plan --out FILE` changes.",
)
@click.option("--check", is_flag=True, help="Exit with code 10 if anything differs, with 0 if not.")
@click.option("--no-pager", is_flag=True, help="Print all of it at once, also on a terminal.")
@document_format_option
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    words: bool,
    offline: bool,
    no_fetch: bool,
    saved: Path | None,
    check: bool,
    no_pager: bool,
    form: str,
) -> int:
    """Show how your files and the portal differ, field by field.

    Also shows what needs your decision. Changes nothing. SELECTORS limit it: paths, slugs, locale:fr, category:billing,
    status:published.
    """
    if offline and saved is not None:
        raise UsageError("--offline compares your files with the ledger, so --plan cannot be added.")
    project = options.open_project(fetches=not no_fetch)
    most = sys.maxsize if options.verbose else MOST_BODIES
    found = project.diff(selectors, offline=offline, saved=saved, most=most)
    plan, bodies, note = pasteable_plan(found.plan, options), found.bodies, found.note
    if form == "text":
        page(diff_text(plan, bodies, options.style(), words=words, note=note), wanted=not no_pager)
    else:
        texts: Texts = {
            "json": lambda: json_text(diff_report(plan, bodies, note)),
            "markdown": lambda: diff_markdown(plan, bodies, note),
        }
        print_report(texts, form, options)
    return ExitCode.CHANGES if check and differences_of(plan) else ExitCode.DONE
