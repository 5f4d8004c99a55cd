"""The group `kbsync`, the table of its commands, and the options that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from kbsync import __version__
from kbsync.words import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

GROUPS = {
    "Write": {
        "new": "Write the file of a new article, category or translation.",
        "preview": "Show the help center in the browser while you write.",
        "lint": "Check your files. Works offline.",
        "mv": "Rename or move an article or a folder, with every link to it.",
        "translate": "Show stale and missing translations, and hand them to translators.",
    },
    "Publish": {
        "plan": "Show what a push would do. Changes nothing.",
        "push": "Create and update categories and articles on the portal.",
        "pull": "Bring articles and edits from the portal into your files.",
        "resolve": "Decide what needs your decision: your file or the portal.",
        "delete": "Delete one article on the portal, and its file.",
        "undo": "Reverse a push. Later edits are kept.",
    },
    "Ask": {
        "status": "Show what is where: drafts, live, edited in the panel, translations.",
        "diff": "Show how your files and the portal differ.",
        "why": "Explain why an article changes, or show its history.",
        "open": "Open the page of an article in the browser.",
        "verify": "Compare what readers see with your files. Needs no token.",
        "redirects": "List addresses that no longer work, for your web server.",
    },
    "Set up": {
        "init": "Write kbsync.toml and sample articles.",
        "check": "Check token, account, portal and locales.",
        "trust": "Allow what this kbsync.toml uses outside its repository.",
        "ledger": "Show, move, export or import kbsync's own record, or free its lock.",
        "completion": "Print a script that completes commands in your shell.",
    },
    "More": {
        "demo": "Push your files into a sandbox and show the result.",
        "sandbox": "Run a local service that answers like the real one.",
        "comment": "Show a plan or a push in the pull request.",
        "api": "Send one request to the service and print the answer.",
        "schema": "Print the JSON Schema of an output, of kbsync.toml or of front matter.",
        "help": "Show the help of a command.",
    },
}
"""The commands as people work, each with its line in `kbsync --help`."""

COMMANDS = {name: line for commands in GROUPS.values() for name, line in commands.items()}

MEANINGS = {
    "add": "new", "create": "new", "edit": "`new` to write a file, or `preview` to see it while you write",
    "rename": "mv", "move": "mv", "remove": "delete", "rm": "delete",
    "serve": "preview", "server": "preview", "dev": "preview", "watch": "preview", "build": "`preview --build FOLDER`",
    "publish": "push", "sync": "`plan`, then `push`", "deploy": "push", "upload": "push", "apply": "push",
    "download": "pull", "fetch": "pull", "import": "pull", "clone": "pull",
    "revert": "undo", "rollback": "undo", "restore": "undo", "reset": "undo",
    "validate": "lint", "format": "`lint --fix`", "fmt": "`lint --fix`", "fix": "`lint --fix`",
    "log": "`why ARTICLE --history`", "history": "`why ARTICLE --history`", "blame": "`why ARTICLE --history`",
    "translated": "`translate --done FILE`", "merge": "resolve", "doctor": "check", "login": "check",
    "show": "why", "explain": "why", "list": "status", "ls": "status", "browse": "open", "url": "open", "view": "open",
    "setup": "init", "start": "init", "config": "`kbsync.toml` holds the settings; `check` tries them",
    "version": "`kbsync --version`",
}  # fmt: skip
"""What people type, and the command that does it. Words with backticks are shown as they are."""


def meaning_of(word: str) -> str:
    """The sentence for a command that does not exist: the nearest meaning, or else the nearest spelling."""
    if found := MEANINGS.get(word.lower()):
        return f"Use {found}." if "`" in found else f"Use `kbsync {found}`."
    return did_you_mean(word, COMMANDS) or "Run `kbsync --help` to see the commands."


class Commands(click.Group):
    """Knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"kbsync.cli.{cmd_name}").command
        return with_epilog(command)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands first."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lists of `kbsync --help`, without importing a single command."""
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; for an unknown command with the one that is meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"There is no command `{args[0]}`. {meaning_of(args[0])}")
        return super().resolve_command(ctx, args)


def with_epilog(command: click.Command) -> click.Command:
    """A command whose help says where the options are that all commands have."""
    command.epilog = "`kbsync --help` shows the options that every command has, such as --config and --env."
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        with_epilog(inner)
    return command


def common_options(function: F, *, hidden: bool = True) -> F:
    """The options that can be given before or after the command; the last one counts. `kbsync --help` shows them."""
    for option in reversed(common(hidden=hidden)):
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


def common(*, hidden: bool) -> list[Callable[[F], F]]:

    def option(*names: str, **attributes: Any) -> Callable[[F], F]:
        return click.option(*names, callback=_store, expose_value=False, hidden=hidden, **attributes)

    config = "The kbsync.toml to use.  [default: here or in the nearest folder above]"
    token = "Read the token from a file.  [env: KBSYNC_TOKEN, or KBSYNC_TOKEN_FILE with a path]"
    log = "Add a line for each request to the service to this file."
    verbose = "List everything, not only the first few, and show each request to the service."
    return [
        option("--config", type=click.Path(path_type=Path), metavar="FILE", help=config),
        option("--env", metavar="NAME", help="Use the settings under [env.NAME] in kbsync.toml."),
        option("--token-file", type=click.Path(path_type=Path), metavar="FILE", help=token),
        option("--log-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=log),
        option("-q", "--quiet", is_flag=True, help="Only data and errors."),
        option("-v", "--verbose", is_flag=True, help=verbose),
        option("--no-color", is_flag=True, help="No color. NO_COLOR does the same."),
    ]


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="These options work before and after a command. `kbsync help COMMAND` explains one.",
)
@click.version_option(__version__, prog_name="kbsync", message="%(prog)s %(version)s")
@partial(common_options, hidden=False)
def cli() -> None:
    """Publish a Chatwoot help center from Markdown in git: safely, fast, and with a plan you can read first."""
