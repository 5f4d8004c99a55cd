"""`kbsync lint`: check the files. Works offline and, without `--fix`, changes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from kbsync.app.linting.baseline import Files, compare_with, write_baseline
from kbsync.app.linting.dead_links import renamed_files
from kbsync.app.linting.lint import check_upgrade
from kbsync.cli.calling import with_options
from kbsync.cli.findings import report_findings, source_reader
from kbsync.cli.formats import lint_format_option
from kbsync.cli.screen import Options, say, say_patch
from kbsync.cli.versions import note_unknown, version_option
from kbsync.command import command_line
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative
from kbsync.lint.explanations import page_address
from kbsync.lint.ignore import codes_of, near
from kbsync.lint.upgrade import Versions
from kbsync.markdown.versions import KNOWN, NEWEST, Version
from kbsync.model import visible
from kbsync.report.rules import RULES, explain_text, rules_text

if TYPE_CHECKING:
    from kbsync.app.file_transaction import NewBytes
    from kbsync.app.linting.lint import Selection
    from kbsync.app.project import Project


@click.command("lint")
@click.argument("selectors", nargs=-1)
@click.option("--fix", is_flag=True, help="Fix what can be fixed safely, then show what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change. Changes nothing.")
@version_option(
    "--service",
    help_text="With --against: the version that you will have.  [default: [service] version, or the newest]",
)
@version_option("--against", help_text="List the pages whose HTML changes with an upgrade from this version (KB416).")
@click.option(
    "--group",
    type=click.Choice(["file", "code"]),
    default="file",
    show_default=True,
    help="Order of the text: file by file, or code by code.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Show only what this file does not know yet; anything new fails, warnings too.",
)
@click.option(
    "--write-baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write everything that is found now into this file, for --baseline.",
)
@click.option("--explain", metavar="CODE", help="Explain a code such as KB301, a group such as KB3, or `all`.")
@click.option("--rules", is_flag=True, help="List the codes.")
@lint_format_option
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    fix: bool,
    diff: bool,
    service: Version | None,
    against: Version | None,
    group: str,
    baseline: Path | None,
    write_baseline: Path | None,
    explain: str | None,
    rules: bool,
    form: str,
) -> int:
    """Check your files. Works offline and changes nothing, except with --fix.

    SELECTORS limit what is reported: paths, slugs, locale:fr, category:billing, status:published. Links are always
    checked against all files.
    """
    if rules or explain is not None:
        return report_rules(explain, options)
    if service and not against:
        other = next(version for version in reversed(KNOWN) if version != service)
        raise UsageError("`--service` needs a version to compare with.", hint=f"Add `--against {other}`.")
    if baseline and write_baseline:
        raise UsageError("`--baseline` and `--write-baseline` exclude each other.", hint="Give one of them.")
    for version in (service, against):
        note_unknown(version, options)
    project, by_code = options.open_project(), group == "code"
    if not any((selectors, fix, diff, against, baseline, write_baseline)):
        return report_findings(project.workspace, project.lint(), options, form=form, by_code=by_code)
    selection, failed = project.lint_selected(selectors, fixes=fix and not diff), False
    if diff:
        return show_fixes(project.fixes(selection), selection.reading.compiler.tree.root)
    if fix:
        selection, failed = _fixed(project, selection, selectors, options)
    if against:
        selection = _with_upgrade(project, selection, service, against)
    if write_baseline:
        return _new_baseline(project, selection, write_baseline, options)
    if baseline:
        selection = _without_known(project, selection, baseline, options)
        failed |= bool(selection.findings)
    code = report_findings(project.workspace, selection.linted, options, form=form, by_code=by_code)
    return ExitCode.FINDINGS if failed else code


def _fixed(
    project: Project, selection: Selection, selectors: tuple[str, ...], options: Options
) -> tuple[Selection, bool]:
    """What is found after the fixes, and whether one could not be written: that was said, and can still be fixed."""
    fixes = project.fixes(selection)
    failed = say_fixed(fixes, project.write_fixes(fixes), selection.reading.compiler.tree.root, options)
    again = project.lint_selected(selectors)
    return again if failed else _with_what_is_left(project, again, options), failed


def _new_baseline(project: Project, selection: Selection, path: Path, options: Options) -> int:
    written = write_baseline(path, selection.findings, source_reader(project.workspace))
    again = command_line("lint", options=[("--baseline", path), *options.shared])
    options.note(f"{visible(str(path))}: {written:,} errors and warnings. `{again}` shows only new ones.")
    return ExitCode.DONE


def _without_known(project: Project, selection: Selection, path: Path, options: Options) -> Selection:
    """What a baseline does not know. What is known is counted, and what is gone, where all files were looked at."""
    tree = selection.reading.compiler.tree
    files = Files({*tree.paths, *tree.others}, lambda gone: renamed_files(tree, gone))
    compared = compare_with(path, selection.findings, source_reader(project.workspace), files)
    options.note(f"Known from {visible(str(path))}: {compared.known:,}. New: {len(compared.new):,}.")
    if compared.gone and len(selection.paths) == len(tree.sources):
        again = command_line("lint", options=[("--write-baseline", path), *options.shared])
        options.note(f"Fixed since then: {compared.gone:,}. To update the file, run `{again}`.")
    return dataclasses.replace(selection, findings=compared.new)


def _with_upgrade(project: Project, selection: Selection, service: Version | None, against: Version) -> Selection:
    """With the pages that change from one version to another: to that of kbsync.toml, where no other is named.

    Before an upgrade that is the one which is compared with; then it is the newest.
    """
    configured = Version.or_newest(project.workspace.settings.service.version)
    service = service or (NEWEST if configured == against else configured)
    return check_upgrade(project.workspace, selection, Versions(service, against))


def show_fixes(fixes: Iterable[NewBytes], root: Path) -> int:
    """Print what would be fixed, as a patch."""
    from kbsync.app.linting.fix import patch

    for fix in fixes:
        for line in patch(fix, visible(relative(root / fix.path))):
            text = line.removesuffix("\n")
            say_patch(text)
            if text == line:
                click.echo("\\ No newline at end of file")
    return ExitCode.DONE


def say_fixed(fixes: Iterable[NewBytes], failed: Mapping[str, str], root: Path, options: Options) -> bool:
    """Say what was fixed, and what not with the reason; whether there is such a file."""
    for fix in fixes:
        name = visible(relative(root / fix.path))
        if fix.path in failed:
            say(f"kbsync: {name} was not fixed: {failed[fix.path]}.", err=True)
        else:
            options.note(f"Fixed {name}")
    return bool(failed)


def _with_what_is_left(project: Project, selection: Selection, options: Options) -> Selection:
    """What is left after the fixes; what these could not fix, no summary calls fixable again."""
    left = sum(finding.fixable for finding in selection.findings)
    if not left:
        return selection
    again = {fix.path for fix in project.fixes(selection)}
    then = "Run it once more, or fix by hand what is left." if again else "Fix by hand what is left."
    options.note(
        f"{left:,} could not be fixed: a fix would bring another error or warning, or the file has too many. {then}"
    )
    findings = [replace(finding, fixable=finding.fixable and finding.path in again) for finding in selection.findings]
    return dataclasses.replace(selection, findings=tuple(findings))


def report_rules(word: str | None, options: Options) -> int:
    """The codes, or what some of them are about. Needs no project.

    Raises:
        UsageError: a code that does not exist.
    """
    if word is None:
        click.echo(rules_text(RULES.values(), options.style()), nl=False)
        return ExitCode.DONE
    codes = list(RULES) if word == "all" else codes_of(word)
    if not codes:
        raise UsageError(f"The code `{word}` does not exist.", hint=near(word))
    click.echo(explain_text((RULES[code] for code in codes), options.style(), page=page_address()), nl=False)
    return ExitCode.DONE
