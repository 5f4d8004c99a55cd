"""`kbsync pull`: bring articles and edits from the portal into files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from kbsync.app.pulling.pull_scope import PullOptions
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options, say
from kbsync.errors import ContentError, ExitCode, UsageError
from kbsync.files import real_path, write_whole
from kbsync.report.pull import patch_lines, pull_message, pull_text

if TYPE_CHECKING:
    from kbsync.app.project import Project
    from kbsync.app.pulling.pull import Pulled


@click.command("pull")
@click.argument("selectors", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show the changes as a diff. Writes nothing.")
@click.option("--theirs", is_flag=True, help="Where both were edited, take the portal's version.")
@click.option("--ours", is_flag=True, help="Where both were edited, keep your file.")
@click.option("--force", is_flag=True, help="Also change files with uncommitted work. git cannot bring that back.")
@click.option("--full", is_flag=True, help="Read the whole portal, not only what changed since the last time.")
@click.option(
    "--commit-message",
    "message",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a message for `git commit --file FILE`: what was pulled, and whose articles these are.",
)
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    dry_run: bool,
    theirs: bool,
    ours: bool,
    force: bool,
    full: bool,
    message: Path | None,
) -> int:
    """Bring articles and edits from the portal into your files. Changes nothing on the portal.

    SELECTORS limit it: paths, slugs, locale:fr, category:billing, status:published. An article without a file gets a
    new one. Where a file and its article were both edited, the bodies are merged line by line. What cannot be
    merged is marked in the file, and you decide.
    """
    project = options.open_project()
    if message is not None:
        _check_message(message, project, dry_run=dry_run)
    wanted = PullOptions(selectors, _side(theirs=theirs, ours=ours), force=force, dry_run=dry_run, full=full)
    pulled = project.pull(wanted)
    if dry_run:
        for line in patch_lines(pulled.files):
            say(line)
    if message is not None:
        _write_message(message, pull_message(pulled, project.workspace.target))
    say_pulled(pulled, options)
    return ExitCode.HELD if pulled.conflicts or pulled.left or pulled.overtaken else ExitCode.DONE


def say_pulled(pulled: Pulled, options: Options) -> None:
    """Print what a pull did, with commands that can be pasted."""
    for line in pull_text(pulled, options.style()).splitlines():
        say(options.pasteable(line))


def _side(*, theirs: bool, ours: bool) -> Literal["theirs", "ours"] | None:
    if theirs and ours:
        raise UsageError("`--theirs` and `--ours` exclude each other.", hint="Leave one of them out.")
    return "theirs" if theirs else "ours" if ours else None


def _check_message(message: Path, project: Project, *, dry_run: bool) -> None:
    """Refuse a place for the message before anything is pulled.

    Raises:
        UsageError: nothing can be written there, or there is no commit to be made.
    """
    if dry_run:
        raise UsageError("`--dry-run` writes nothing, so there is nothing to commit.", hint="Leave one of them out.")
    if real_path(message).is_relative_to(real_path(project.workspace.content_root)):
        raise UsageError(f"{message} is in the content folder.", hint="Name a file outside of it.")
    if not message.parent.is_dir():
        raise UsageError(f"The folder {message.parent} does not exist.", hint="Create it, or name another file.")


def _write_message(message: Path, text: str) -> None:
    """Write the message.

    Raises:
        ContentError: it cannot be written. The files of the pull are in place.
    """
    try:
        write_whole(message, text.encode("utf-8", "replace"))
    except OSError as exc:
        text = f"{message} cannot be written: {exc.strerror}. The files were pulled."
        raise ContentError(text, hint="Commit them with a message of your own.") from exc
