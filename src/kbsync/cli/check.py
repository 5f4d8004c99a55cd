"""`kbsync check`: look at token, account, portal, locales and capabilities, one by one, and say what to do."""

from __future__ import annotations

import sys
from dataclasses import replace

import click
from msgspec import structs

from kbsync.app.asking.check import Line
from kbsync.cli.calling import with_options
from kbsync.cli.formats import data_format_option
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode
from kbsync.model import visible
from kbsync.report.data import check_json
from kbsync.report.style import Style


@click.command("check")
@data_format_option
@with_options
def command(options: Options, form: str) -> int:
    """Check token, account, portal and locales. Shows what works, what does not, and what to do."""
    style, lines = options.style(), []
    for line in options.open_project().check():
        lines.append(replace(line, hint=options.pasteable(line.hint)))
        if form == "text":
            _show(lines[-1], style)
    if form == "json":
        click.echo(check_json([(line.mark, line.what, line.found, line.hint, int(line.code)) for line in lines]))
    return next((line.code for line in lines if line.code), ExitCode.DONE)


def _show(line: Line, style: Style) -> None:
    colour = {"ok": "green", "note": "yellow", "bad": "red"}[line.mark]
    head = f"{line.mark:<4}  {line.what + ':':<12} "
    found, *more = _fitted(visible(line.found), len(head), style) or [""]
    say(style.paint(f"{line.mark:<4}", colour) + head[4:] + found.lstrip(" "))
    for text in (*more, *_fitted(visible(line.hint), len(head), style, colour="dim")):
        say(text)


def _fitted(text: str, margin: int, style: Style, *, colour: str = "") -> list[str]:
    """A text on a terminal as lines that fit; elsewhere, as in the log of a job, on one line."""
    width = style.width if sys.stdout.isatty() else margin + len(text) * 2
    return structs.replace(style, width=width).wrapped(" " * margin + text, colour=colour)
