"""`kbsync help`: the help of a command, as `--help` prints it."""

from __future__ import annotations

import click

from kbsync.cli.commands import cli, common_options, meaning_of
from kbsync.errors import ExitCode


@click.command("help")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@common_options
@click.pass_context
def command(ctx: click.Context, /, *, names: tuple[str, ...]) -> int:
    """Show the help of a command, or of kbsync itself."""
    shown: click.Command = cli
    above = click.Context(cli, info_name=ctx.find_root().info_name, **cli.context_settings)
    for name in names:
        found = shown.get_command(above, name) if isinstance(shown, click.Group) else None
        if found is None:
            words = " ".join(names)
            raise click.UsageError(f"There is no command `{words}`. {meaning_of(words)}", ctx)
        shown, above = found, click.Context(found, parent=above, info_name=name)
    click.echo(shown.get_help(above))
    return ExitCode.DONE
