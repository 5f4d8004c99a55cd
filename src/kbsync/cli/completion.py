"""`kbsync completion`: print the script with which a shell completes kbsync's commands. Needs no project."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from kbsync.errors import ExitCode

INSTALL = {
    "bash": """To install it, add this line to ~/.bashrc: eval "$(kbsync completion bash)" """.rstrip(),
    "zsh": """To install it, add this line to ~/.zshrc, below compinit: eval "$(kbsync completion zsh)" """.rstrip(),
    "fish": "To install it, run: kbsync completion fish > ~/.config/fish/completions/kbsync.fish",
}
"""By shell: where the script belongs."""

AUTOLOAD = "#compdef"
"""How a file begins that zsh loads by itself: nothing may come before it."""


@click.command("completion")
@click.argument("shell", type=click.Choice(list(INSTALL)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the script with which your shell completes commands and options when you press Tab.

    \b
    Bash 4.4 or newer, in ~/.bashrc:   eval "$(kbsync completion bash)"
    Zsh, in ~/.zshrc, below compinit:  eval "$(kbsync completion zsh)"
    Fish, run this once:               kbsync completion fish > ~/.config/fish/completions/kbsync.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(ctx.find_root().command, {}, "kbsync", "_KBSYNC_COMPLETE")
    # Of the base class: that of bash would run whatever `bash` is in PATH, to ask for its version.
    script = ShellComplete.source(made).strip()
    head, _, body = script.partition("\n") if script.startswith(AUTOLOAD) else ("", "", script)
    click.echo("\n".join([*([head] if head else []), f"# {INSTALL[shell]}", body.strip()]))
    return ExitCode.DONE
