"""What a report is in a CI job: annotations, and the summary of the job; paths as seen from the repository."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from kbsync.app.workspace import Workspace
from kbsync.cli.screen import Options
from kbsync.files import real_path, relative

SUMMARY = "GITHUB_STEP_SUMMARY"

Texts = Mapping[str, Callable[[], str]]
"""A report in each format: what makes it."""


def print_report(texts: Texts, form: str, options: Options) -> None:
    """The report in the format that was asked for to stdout; in that of a job, its Markdown to the job's summary, too.

    A push happens once: with `github` its summary could not be had by another run. The headline goes to stderr then: a
    log without any annotation would say nothing.
    """
    text = texts[form]()
    click.echo(text, nl=form in {"json", "sarif"})
    if form == "github":
        text = texts["markdown"]()
        options.note(text.partition("\n")[0].lstrip("# "))
    if form in {"markdown", "github"}:
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
