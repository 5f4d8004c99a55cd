"""`kbsync translated`: say that translations are up to date. Writes one line into each file."""

from __future__ import annotations

import click

from kbsync.cli.commands import common_options
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode
from kbsync.files import relative, working_folder
from kbsync.model import visible

NOT_COMMITTED = (
    "{original} has changes that are not committed. Commit it as it is now. Then kbsync can show what changes later."
)
STILL_MACHINE = (
    "{path} still has `machine: true`, so a machine translation may replace it. If a person has checked the text, "
    "delete that line."
)


@click.command("translated")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, files: tuple[str, ...]) -> int:
    """Record that translations are up to date with their originals as they are now.

    Writes `translated_from` into the front matter of each FILE. Only a later change of the original's text makes the
    translation stale again; dates do not count.
    """
    options = Options.of(ctx)
    project = options.open_project()
    root = project.workspace.content_root
    for marked in project.mark_translated(files, here=working_folder()):
        path, original = (visible(relative(root / name)) for name in (marked.path, marked.original))
        if not marked.is_new:
            say(f"{path} already names the current version of {original}.")
        else:
            say(f"{path} is up to date with {original}.")
        if marked.is_committed is False:
            options.note(NOT_COMMITTED.format(original=original))
        if marked.is_machine:
            options.note(STILL_MACHINE.format(path=path))
    return ExitCode.DONE
