"""`kbsync pull`: bring articles and edits from the portal into files."""

from __future__ import annotations

import click

from kbsync.app.reading import TreeRefused
from kbsync.cli.commands import common_options
from kbsync.cli.findings import report_refusal
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode


@click.command("pull")
@click.argument("selectors", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show the changes as a diff. Writes nothing.")
@click.option("--theirs", "side", flag_value="theirs", help="Where both were edited, take the portal's version.")
@click.option("--ours", "side", flag_value="ours", help="Where both were edited, keep your file.")
@click.option("--force", is_flag=True, help="Also change files with uncommitted work. git cannot bring that back.")
@click.option("--full", is_flag=True, help="Read the whole portal, not only what changed since the last time.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    selectors: tuple[str, ...],
    dry_run: bool,
    side: str | None,
    force: bool,
    full: bool,
) -> int:
    """Bring articles and edits from the portal into your files. Changes nothing on the portal.

    SELECTORS limit it: paths, locale:fr, category:billing, status:published. An article without a file gets a new one.
    Where a file and its article were both edited, the bodies are merged line by line. What cannot be merged is marked
    in the file, and you decide.
    """
    from kbsync.app.pull import PullOptions
    from kbsync.report.pull import patch_lines, pull_text

    options = Options.of(ctx)
    project = options.open_project()
    wanted = PullOptions(selectors, side, force=force, dry_run=dry_run, full=full)  # type: ignore[arg-type]
    try:
        pulled = project.pull(wanted)
    except TreeRefused as exc:
        return report_refusal(project.workspace, exc.reading, options, form="text", schema="")
    if dry_run:
        for line in patch_lines(pulled.files):
            say(line)
    for line in pull_text(pulled, options.style()).splitlines():
        say(options.pasteable(line))
    return ExitCode.HELD if pulled.conflicts or pulled.left or pulled.overtaken else ExitCode.DONE
