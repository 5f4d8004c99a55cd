"""`kbsync lint`: check the content tree. Asks nobody and, without `--fix`, changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from kbsync.cli.commands import common_options
from kbsync.cli.formats import IN_CI, lint_format_option, repository_root, repository_top, tell_ci
from kbsync.cli.screen import Options, relative, shared_options
from kbsync.cli.workspace import Reading, Workspace
from kbsync.command import command_line
from kbsync.content.walk import MAX_SOURCE_BYTES, walk_tree
from kbsync.errors import ExitCode, UsageError
from kbsync.files import read_within
from kbsync.model import Finding


@click.command("lint")
@click.argument("selectors", nargs=-1)
@click.option("--fix", is_flag=True, help="Mend what can be mended safely, then show what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change. Changes nothing.")
@click.option("--external", is_flag=True, help="Ask for every link to another site whether it is dead (KB310).")
@click.option("--explain", metavar="CODE", help="Say what a code is about: KB301, several as KB3, or `all`.")
@click.option("--rules", is_flag=True, help="List the codes.")
@lint_format_option
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    selectors: tuple[str, ...],
    fix: bool,
    diff: bool,
    external: bool,
    explain: str | None,
    rules: bool,
    form: str,
) -> int:
    """Check the content tree; asks nobody and changes nothing, unless you say so.

    SELECTORS limit what is reported: paths, locale:fr, category:billing, status:published. Links are always checked
    against the whole tree.
    """
    options = Options.of(ctx)
    if rules or explain is not None:
        return tell_rules(explain, options)
    workspace = Workspace(options.read_settings(), options)
    if not (selectors or fix or diff or external):
        return tell_findings(workspace, *lint_all(workspace), form=form)
    linted = lint(workspace, selectors)
    failed = False
    if diff or fix:
        from kbsync.cli.mending import mend, show_mending
        from kbsync.lint.fixes import fix_text

        tree = linted.reading.compiler.tree
        if diff:
            return show_mending(tree, linted.findings, fix_text)
        failed = mend(tree, linted.findings, fix_text, options)
        linted = lint(workspace, selectors)
    if external:
        from kbsync.cli.external import check_external

        linted.findings = check_external(workspace, linted.reading, linted.findings, linted.paths)
    code = tell_findings(workspace, linted.findings, linted.sources, form=form)
    return ExitCode.FINDINGS if failed else code


@dataclass(slots=True)
class Linted:
    """A tree that was read, the files of it that were asked for, and what was found in these."""

    reading: Reading
    paths: set[str]
    findings: list[Finding]

    @property
    def sources(self) -> list[str]:
        """The sources that were asked for, in path order."""
        return [path for path in self.reading.compiler.tree.sources if path in self.paths]


def lint(workspace: Workspace, selectors: tuple[str, ...] = ()) -> Linted:
    """Read and check the tree.

    Raises:
        UsageError: a selector that means nothing.
    """
    reading = workspace.read_content(compiled=False)
    tree, site = reading.compiler.tree, reading.compiler.site
    if not selectors:
        return Linted(reading, set(tree.sources), reading.findings)
    from kbsync.cli.select import select_paths

    sources, root = tree.sources.values(), workspace.content_root.resolve()
    others = {*tree.others, *(finding.path for finding in reading.findings if finding.path not in tree.sources)}
    paths = select_paths(site, sources, others, selectors, root=root, here=Path.cwd())
    return Linted(reading, paths, [finding for finding in reading.findings if finding.path in paths])


def tell_rules(word: str | None, options: Options) -> int:
    """The codes, or what some of them are about. Needs no project.

    Raises:
        UsageError: a code that no rule has.
    """
    from kbsync.lint.ignore import meant_by, near
    from kbsync.lint.rules import RULES
    from kbsync.report.rules import explain_text, rules_text

    if word is None:
        click.echo(rules_text(RULES.values(), options.style()), nl=False)
        return ExitCode.DONE
    codes = list(RULES) if word == "all" else meant_by(word)
    if not codes:
        raise UsageError(f"`{word}` is the code of no rule", hint=near(word))
    click.echo(explain_text((RULES[code] for code in codes), options.style()), nl=False)
    return ExitCode.DONE


def lint_all(workspace: Workspace) -> tuple[list[Finding], list[str]]:
    """The findings of the whole tree, and its sources."""
    from kbsync.cli.linted import findings_of, keep

    walk = walk_tree(workspace.content_root)
    known = findings_of(workspace, walk)
    if known is not None:
        return known, list(walk.sources)
    reading = workspace.read_content(walk, compiled=False)
    keep(workspace, walk, reading)
    return reading.findings, list(reading.compiler.tree.sources)


def tell_findings(workspace: Workspace, findings: list[Finding], sources: list[str], *, form: str) -> ExitCode:
    """Findings in a format; 3 where one is an error. Each format loads only what it needs."""
    if form == "json":
        from kbsync.report.data import lint_json

        click.echo(lint_json(findings))
    elif form == "sarif":
        from kbsync.report.sarif import findings_sarif

        click.echo(findings_sarif(findings, root=repository_top(workspace)))
    elif form == "junit":
        from kbsync.report.junit import findings_junit

        click.echo(findings_junit(findings, sources, root=repository_root(workspace)), nl=False)
    elif form in IN_CI:
        from kbsync.report.github import findings_annotations
        from kbsync.report.markdown import findings_markdown

        root = repository_root(workspace)
        text = findings_markdown(findings, root=root, sources=len(sources))
        tell_ci(text, findings_annotations(findings, root=root), workspace, form=form)
    else:
        show_findings(workspace, findings, sources=len(sources))
    return ExitCode.FINDINGS if any(finding.level == "error" for finding in findings) else ExitCode.DONE


def show_findings(workspace: Workspace, findings: list[Finding], *, sources: int, err: bool = False) -> None:
    """Findings as the terminal shows them, each as soon as it is made."""
    from kbsync.report.findings import findings_text

    root, options = workspace.content_root, workspace.options
    inside = root.resolve()

    def read(path: str) -> str | None:
        # A picture has no lines; a pipe has no end; and what a link out of the tree leads to is nobody's business.
        place = (root / path).resolve()
        if not path.endswith(".md") or not place.is_relative_to(inside) or not place.is_file():
            return None
        try:
            return read_within(place, MAX_SOURCE_BYTES).decode(errors="replace").removeprefix("\ufeff")
        except OSError:
            return None

    quiet, fix = options.quiet and not err, command_line("lint", options=[("--fix", True), *shared_options(options)])
    for piece in findings_text(
        findings, options.style(), root=relative(root), sources=sources, read=read, quiet=quiet, fix=fix
    ):
        click.echo(piece, err=err, nl=False)


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
        show_findings(workspace, reading.findings, sources=len(reading.compiler.tree.sources), err=True)
    click.echo("Nothing was asked or sent: mend the errors first.", err=True)
    return ExitCode.FINDINGS
