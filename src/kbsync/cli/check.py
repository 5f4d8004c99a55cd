"""`kbsync check`: look at token, account, portal, locales and capabilities, one by one, and say what to do."""

from __future__ import annotations

from dataclasses import replace

import click

from kbsync.app.check import Line
from kbsync.cli.commands import common_options
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode
from kbsync.model import visible
from kbsync.report.style import Style


@click.command("check")
@common_options
@click.pass_context
def command(ctx: click.Context) -> int:
    """Check token, account, portal and locales. Shows what works, what does not, and what to do."""
    options = Options.of(ctx)
    style = options.style()
    code = ExitCode.DONE
    for line in options.open_project().check():
        _show(replace(line, hint=options.pasteable(line.hint)), style)
        code = code or line.code
    return code


def _show(line: Line, style: Style) -> None:
    colour = {"ok": "green", "note": "yellow", "bad": "red"}[line.mark]
    say(f"{style.paint(f'{line.mark:<4}', colour)}  {line.what + ':':<12} {visible(line.found)}")
    if line.hint:
        say(f"      {'':<12} {style.paint(visible(line.hint), 'dim')}")
