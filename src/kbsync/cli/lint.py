"""`kbsync lint`: check the content tree. Asks nobody and changes nothing."""

from __future__ import annotations

from pathlib import Path

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import IN_CI, format_option, repository_root, tell_ci
from kbsync.cli.screen import Options, relative
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import ExitCode
from kbsync.model import Finding


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@format_option
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
    elif form in IN_CI:
        from kbsync.report.github import findings_annotations
        from kbsync.report.markdown import findings_markdown

        root = repository_root(workspace)
        text = findings_markdown(findings, root=root, sources=len(reading.compiler.tree.sources))
        tell_ci(text, findings_annotations(findings, root=root), workspace, form=form)
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
    """Plan and push stop at errors of the tree; whatever the format, its findings are shown."""
    if form == "json":
        from kbsync.report.data import refused_json

        click.echo(refused_json(workspace.target, reading.findings, schema=schema))
        return ExitCode.FINDINGS
    if form in IN_CI:
        from kbsync.report.github import findings_annotations
        from kbsync.report.markdown import refused_markdown

        root, command = repository_root(workspace), schema.removeprefix("kbsync.").partition("/")[0]
        text = refused_markdown(workspace.target, reading.findings, command=command, root=root)
        tell_ci(text, findings_annotations(reading.findings, root=root), workspace, form=form)
    else:
        click.echo(findings_screen(workspace, reading, reading.findings), err=True, nl=False)
    click.echo("Nothing was asked or sent: mend the errors first.", err=True)
    return ExitCode.FINDINGS
