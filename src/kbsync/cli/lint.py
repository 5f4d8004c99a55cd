"""`kbsync lint`: check the content tree. Asks nobody and changes nothing."""

from __future__ import annotations

from pathlib import Path

import click

from kbsync.cli.commands import common_options
from kbsync.cli.screen import Options, relative
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import ExitCode
from kbsync.model import Finding


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@common_options
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], form: str) -> int:
    """Check the content tree; asks nobody and changes nothing.

    PATHS limit what is reported; links are always checked against the whole tree.
    """
    options = Options.of(ctx)
    workspace = Workspace(options.read_settings(), options)
    reading = workspace.read_content()
    findings = [finding for finding in reading.findings if _wanted(finding, paths, workspace)]
    if form == "json":
        from kbsync.report.data import lint_json

        click.echo(lint_json(findings))
    else:
        click.echo(findings_screen(workspace, reading, findings), nl=False)
    errors = any(finding.level == "error" for finding in findings)
    return ExitCode.FINDINGS if errors else ExitCode.DONE


def findings_screen(workspace: Workspace, reading: Reading, findings: list[Finding]) -> str:
    """Findings as the terminal shows them."""
    from kbsync.report.text import findings_text

    root = relative(workspace.settings.content_root)
    return findings_text(findings, workspace.options.style(), root=root, sources=len(reading.compiler.tree.sources))


def _wanted(finding: Finding, paths: tuple[Path, ...], workspace: Workspace) -> bool:
    if not paths:
        return True
    place = (workspace.settings.content_root / finding.path).resolve()
    return any(place.is_relative_to(path.resolve()) for path in paths)


def tell_errors(workspace: Workspace, reading: Reading, *, form: str, schema: str) -> int:
    """Plan and push stop at errors of the tree: the JSON object is still printed, with its findings."""
    if form == "json":
        from kbsync.report.data import refused_json

        click.echo(refused_json(workspace.target, reading.findings, schema=schema))
    else:
        click.echo(findings_screen(workspace, reading, reading.findings), err=True, nl=False)
        click.echo("Nothing was asked or sent: mend the errors first.", err=True)
    return ExitCode.FINDINGS
