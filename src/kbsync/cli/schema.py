"""`kbsync schema`: print the JSON Schema of what kbsync prints or reads. Needs no project."""

from __future__ import annotations

import click

from kbsync.errors import ExitCode, UsageError
from kbsync.report.schemas import schema_names, schema_text
from kbsync.words import did_you_mean


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema of an output, of kbsync.toml, of portal.toml or of front matter.

    NAME is what to print. Without it, the names are listed.
    """
    names = schema_names()
    if name is None:
        width = max(map(len, names))
        click.echo("\n".join(f"{known:<{width}}  {title}" for known, title in names.items()))
        return ExitCode.DONE
    if name not in names:
        hint = did_you_mean(name, names) or f"The names are: {', '.join(names)}."
        raise UsageError(f"There is no schema `{name}`.", hint=hint)
    click.echo(schema_text(name))
    return ExitCode.DONE
