"""Findings on the terminal and in every `--format`, and what plan and push say of a tree with errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from kbsync.app.workspace import Workspace
from kbsync.cli.job_summary import Texts, print_report, repository_root, repository_top
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ExitCode, KbsyncError
from kbsync.files import read_within, real_path, relative, working_folder
from kbsync.lint.explanations import page_address
from kbsync.model import Finding
from kbsync.report.data import lint_json, refused_report
from kbsync.report.escape import json_text
from kbsync.report.findings import findings_text
from kbsync.report.github import findings_annotations
from kbsync.report.junit import findings_junit
from kbsync.report.sarif import findings_sarif
from kbsync.report.summary import findings_markdown, refused_markdown

if TYPE_CHECKING:
    from kbsync.app.linting.lint_cache import Linted
    from kbsync.report.findings import Read, Totals


def report_findings(
    workspace: Workspace, linted: Linted, options: Options, *, form: str, by_code: bool = False
) -> ExitCode:
    """Findings in a format; 3 where one is an error."""
    sources = linted.sources
    if form == "text" and not options.verbose:
        # All of them may be tens of thousands, which need not be read.
        first, totals = linted.extract.first, linted.extract.totals
        show_findings(workspace, first, options, sources=len(sources), by_code=by_code, totals=totals)
        return ExitCode.FINDINGS if totals.errors else ExitCode.DONE
    findings = linted.findings
    if form == "text":
        show_findings(workspace, findings, options, sources=len(sources), by_code=by_code)
    else:
        root, top, read = repository_root(workspace), repository_top(workspace), source_reader(workspace)
        texts: Texts = {
            "json": lambda: lint_json(findings),
            "sarif": lambda: findings_sarif(findings, root=top, page=page_address(), read=read),
            "junit": lambda: findings_junit(findings, sources, root=root),
            "markdown": lambda: findings_markdown(findings, root=root, sources=len(sources)),
            "github": lambda: findings_annotations(findings, root=root),
        }
        print_report(texts, form, options)
    return ExitCode.FINDINGS if any(finding.level == "error" for finding in findings) else ExitCode.DONE


def show_findings(
    workspace: Workspace,
    findings: Sequence[Finding],
    options: Options,
    *,
    sources: int,
    err: bool = False,
    by_code: bool = False,
    totals: Totals | None = None,
) -> None:
    """Findings as the terminal shows them, each as soon as it is made; `totals` where these are only the first ones."""
    root, read = workspace.content_root, source_reader(workspace)
    inside, here = real_path(root), working_folder()
    # What is shown as an error is why a command stopped: its warnings are for `kbsync lint`.
    quiet, fix = options.quiet or err, command_line("lint", options=[("--fix", True), *options.shared])
    # `grep` and the editors that start kbsync go by lines; without a terminal there is no width to fit.
    by_line = not (sys.stderr if err else sys.stdout).isatty() and not os.environ.get("COLUMNS")
    for piece in findings_text(
        findings,
        options.style(),
        root=relative(root),
        here=here.relative_to(inside).as_posix() if inside in here.parents else "",
        sources=sources,
        read=read,
        quiet=quiet,
        fix=fix,
        by_line=by_line,
        by_code=by_code,
        ignored=workspace.settings.lint.ignore,
        totals=totals,
    ):
        click.echo(piece, err=err, nl=False)


def source_reader(workspace: Workspace) -> Read:
    """Reads the text of a source, without its BOM, for a report."""
    root = workspace.content_root
    inside = real_path(root)

    def read(path: str) -> str | None:
        # An image has no lines, a pipe has no end, and a link out of the tree may lead to private files.
        place = real_path(root / path)
        if not path.endswith(".md") or not place.is_relative_to(inside) or not place.is_file():
            return None
        try:
            return read_within(place, MAX_SOURCE_BYTES).decode(errors="replace").removeprefix("\ufeff")
        except OSError:
            return None

    return read


STOPPED = {
    **dict.fromkeys(("plan", "push", "pull", "resolve"), "sent"),
    **dict.fromkeys(("status", "diff", "why", "verify", "delete"), "compared"),
}
"""What errors of the tree keep each command from."""


def report_refusal(exc: KbsyncError, options: Options, *, command: str, form: str) -> int:
    """Show the errors of the tree that stopped a command, and these alone; JSON of plan and push has all findings.

    Raises:
        KbsyncError: something else stopped it.
    """
    from kbsync.app.reading import TreeRefused

    if not isinstance(exc, TreeRefused) or command not in STOPPED:
        raise exc
    workspace, reading, done = exc.workspace, exc.reading, STOPPED[command]
    if done == "compared" or form == "text":
        show_findings(workspace, reading.findings, options, sources=len(reading.compiler.tree.sources), err=True)
    else:
        root, target = repository_root(workspace), workspace.target
        texts: Texts = {
            "json": lambda: json_text(refused_report(target, reading.findings, schema=f"kbsync.{command}/1")),
            "markdown": lambda: refused_markdown(target, reading.errors, command=command, root=root),
            "github": lambda: findings_annotations(reading.errors, root=root),
        }
        print_report(texts, form, options)
    if done == "compared" or form != "json":
        click.echo(f"Nothing was {done}. Fix the errors first.", err=True)
    return ExitCode.FINDINGS
