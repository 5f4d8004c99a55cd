"""`--format` of plan, push and lint: what each one prints, and the summary of a job in CI."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import structs

from kbsync.app.workspace import Workspace
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.files import real_path, relative
from kbsync.model import Plan

if TYPE_CHECKING:
    from kbsync.app.cached import Compared
    from kbsync.app.push import Pushed

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "github")
IN_CI = ("markdown", "github")
"""The formats whose report goes to the summary of the job too, where there is one."""

LINT_ALONE = ("sarif", "junit")
"""What code scanning and test reports read: findings, and no plan."""

SUMMARY = "GITHUB_STEP_SUMMARY"


def format_option(function: F) -> F:
    """`--format`, the same on every command that reports."""
    return _option(FORMATS)(function)


def lint_format_option(function: F) -> F:
    """`--format` of lint, which has two more."""
    return _option((*FORMATS, *LINT_ALONE))(function)


def _option(forms: Sequence[str]) -> Callable[[F], F]:
    help_text = "text for people, json for scripts, markdown for a comment or job summary, github for annotations"
    help_text += ", sarif for code scanning, junit for test reports." if "sarif" in forms else "."
    return click.option("--format", "form", type=click.Choice(forms), default="text", show_default=True, help=help_text)


def report_plan(
    workspace: Workspace, compared: Compared, options: Options, *, form: str, unmanaged: bool, command: str
) -> None:
    """A plan and the warnings of the tree. Each format loads only what it needs.

    `command` is what carries the plan out, for people to copy.
    """
    plan, findings = _pasteable(compared.plan, options), compared.findings
    if form == "json":
        from kbsync.report.data import plan_json

        click.echo(plan_json(plan, findings, unmanaged=unmanaged))
    elif form in IN_CI:
        from kbsync.report.github import plan_annotations
        from kbsync.report.markdown import plan_markdown
        from kbsync.report.text import plan_text

        root = repository_root(workspace)
        text = plan_markdown(plan, findings, root=root, unmanaged=unmanaged)
        log = plan_text(plan, options.style(), unmanaged=unmanaged, command=command) if form == "github" else ""
        report_in_ci(text, plan_annotations(plan, findings, root=root), options, form=form, log=log)
    else:
        from kbsync.report.text import plan_text
        from kbsync.words import count

        click.echo(plan_text(plan, options.style(), unmanaged=unmanaged, command=command), nl=False)
        if findings:
            them = "it" if len(findings) == 1 else "them"
            options.note(f"Your files have {count(len(findings), 'warning')}. Run `kbsync lint` to see {them}.")


def _pasteable(plan: Plan, options: Options) -> Plan:
    """A plan whose hints have commands that are about the same project as this one."""
    held = (structs.replace(item, hint=options.pasteable(item.hint)) for item in plan.held)
    warnings = (replace(finding, hint=options.pasteable(finding.hint)) for finding in plan.warnings)
    return replace(plan, held=tuple(held), warnings=tuple(warnings))


def report_pushed(pushed: Pushed, workspace: Workspace, options: Options, *, form: str) -> int:
    """Print what a push did; the exit code says the same.

    Raises:
        LedgerError: what ended the push before its time.
    """
    _report_pushed(pushed, workspace, options, form=form)
    if pushed.broken is not None:
        raise pushed.broken
    return pushed.exit_code


def _report_pushed(pushed: Pushed, workspace: Workspace, options: Options, *, form: str) -> None:
    from kbsync.plan.result import PLAN_AGAIN

    plan, requests, seconds = _pasteable(pushed.plan, options), pushed.requests, pushed.seconds
    # In a text, the advice to plan again is printed once, at its end.
    said_once = {PLAN_AGAIN} if form == "text" else set()
    outcomes = [
        outcome if outcome.hint in said_once else replace(outcome, hint=options.pasteable(outcome.hint))
        for outcome in pushed.outcomes
    ]
    if form == "json":
        from kbsync.report.data import push_json

        click.echo(push_json(plan, outcomes, requests=requests, seconds=seconds))
    elif form in IN_CI:
        from kbsync.report.github import push_annotations
        from kbsync.report.markdown import push_markdown

        root = repository_root(workspace)
        text = push_markdown(plan, outcomes, requests=requests, seconds=seconds, root=root)
        report_in_ci(text, push_annotations(plan, outcomes, root=root), options, form=form)
    else:
        from kbsync.report.text import Words, push_text

        again = pushed.again or command_line("push", options=options.shared)
        style, words = options.style(), Words(pushed.nothing, again, pushed.anew)
        click.echo(push_text(plan, outcomes, style, requests=requests, seconds=seconds, words=words), nl=False)


def report_in_ci(text: str, annotations: str, options: Options, *, form: str, log: str = "") -> None:
    """The Markdown to the job's summary, and the format that was asked for to stdout.

    A push happens once: with `github` its summary could not be had by another run. A plan follows its annotations into
    the `log` of the job; the headline goes to stderr: a log without any annotation would say nothing.
    """
    if form == "markdown":
        click.echo(text, nl=False)
    else:
        click.echo(annotations + log, nl=False)
        options.note(text.partition("\n")[0].lstrip("# "))
    write_summary(text)


def write_summary(text: str) -> None:
    """Append to the file that GitHub names, if it names one. What was planned or pushed does not depend on it."""
    path = os.environ.get(SUMMARY)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
    except OSError as exc:
        click.echo(f"kbsync: ${SUMMARY}: {path} cannot be written: {exc.strerror}.", err=True)
        click.echo("  The report above is complete.", err=True)


def repository_root(workspace: Workspace) -> str:
    """The content root as seen from the repository: a job may run in a folder of it, and says where it begins."""
    root, repository = real_path(workspace.content_root), os.environ.get("GITHUB_WORKSPACE")
    if repository and root.is_relative_to(real_path(Path(repository))):
        return root.relative_to(real_path(Path(repository))).as_posix()
    return relative(root)


def repository_top(workspace: Workspace) -> str:
    """The content root as seen from the top of the repository that it lies in, wherever a command runs."""
    root = real_path(workspace.content_root)
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if os.environ.get("GITHUB_WORKSPACE") or top is None:
        return repository_root(workspace)
    return root.relative_to(top).as_posix()
