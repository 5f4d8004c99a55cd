"""The group `kbsync`, the table of its commands, and the options that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from kbsync import __version__
from kbsync.words import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

COMMANDS = {
    "init": "Write kbsync.toml and sample articles.",
    "check": "Check token, account, portal and locales.",
    "status": "Show what is where: drafts, live, edited in the panel, translations.",
    "lint": "Check your files. Works offline.",
    "new": "Write the file of a new article, category or translation.",
    "mv": "Rename or move an article or a folder, with every link to it.",
    "plan": "Show what a push would do. Changes nothing.",
    "diff": "Show how your files and the portal differ.",
    "why": "Explain why an article changes, or does not.",
    "log": "Show what was published of an article, when and by whom.",
    "push": "Create and update categories and articles on the portal.",
    "pull": "Bring articles and edits from the portal into your files.",
    "resolve": "Decide what needs your decision: your file or the portal.",
    "verify": "Compare what readers see with your files. Needs no token.",
    "redirects": "List addresses that no longer work, for your web server.",
    "translate": "Show stale and missing translations, and hand them to translators.",
    "translated": "Record that translations are up to date.",
    "undo": "Reverse a push. Later edits are kept.",
    "comment": "Show a plan or a push in the pull request.",
    "ledger": "Show, move, export or import kbsync's own record, or free its lock.",
    "preview": "Show the help center in the browser while you write.",
    "api": "Send one request to the service and print the answer.",
    "trust": "Allow what this kbsync.toml uses outside its repository.",
    "sandbox": "Run a local service that answers like the real one.",
    "schema": "Print the JSON Schema of an output, of kbsync.toml or of front matter.",
    "completion": "Print a script that completes commands in your shell.",
    "demo": "Push your files into a sandbox and show the result.",
}


class Commands(click.Group):
    """Knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"kbsync.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of `kbsync --help`, without importing a single command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a "did you mean" for an unknown command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], COMMANDS) or f"The commands are: {', '.join(COMMANDS)}."
            ctx.fail(f"There is no command `{args[0]}`. {hint}")
        return super().resolve_command(ctx, args)


def common_options(function: F) -> F:
    """The options that can be given before or after the command; the last one counts."""
    for option in reversed(COMMON):
        function = option(function)
    return function


def offline_option(function: F) -> F:
    """`--offline`, with `--no-fetch`: the same on every command that can go by the record."""
    text = "Compare with what the last push recorded. Needs no token; contacts only the remote of a ledger in git."
    return click.option("--offline", is_flag=True, help=text)(no_fetch_option(function))


def no_fetch_option(function: F) -> F:
    """`--no-fetch`, the same on every command that reads the ledger."""
    text = "Do not fetch a ledger in git: use what this clone has of it."
    return click.option("--no-fetch", is_flag=True, help=text)(function)


def _store(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    options = ctx.find_root().ensure_object(dict)
    assert param.name is not None
    if value not in (None, False, 0):
        options[param.name] = value


def filled(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    """The text of an option; "" where it is not given. Given without a text, as by an unset variable, it is refused."""
    if value is None:
        return ""
    if not (text := " ".join(value.split())):
        raise click.BadParameter("It has no value.", ctx, param)
    return text


COMMON = [
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        callback=_store,
        expose_value=False,
        metavar="FILE",
        help="The kbsync.toml to use.  [default: here or in the nearest folder above]",
    ),
    click.option(
        "--env",
        callback=_store,
        expose_value=False,
        metavar="NAME",
        help="Use the settings under [env.NAME] in kbsync.toml.",
    ),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        callback=_store,
        expose_value=False,
        metavar="FILE",
        help="Read the token from a file.  [env: KBSYNC_TOKEN, or KBSYNC_TOKEN_FILE with a path]",
    ),
    click.option(
        "--log-file",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_store,
        expose_value=False,
        metavar="FILE",
        help="Add a line for each request to the service to this file.",
    ),
    click.option("-q", "--quiet", is_flag=True, callback=_store, expose_value=False, help="Only data and errors."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        callback=_store,
        expose_value=False,
        help="List everything, not only the first few, and show each request to the service.",
    ),
    click.option(
        "--no-color", is_flag=True, callback=_store, expose_value=False, help="No color. NO_COLOR does the same."
    ),
]


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="kbsync", message="%(prog)s %(version)s")
@common_options
def cli() -> None:
    """Publish a help center from Markdown in git: safely, fast, and with a plan you can read first."""
