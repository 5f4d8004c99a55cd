"""What the terminal is like, and where words go: data to stdout, everything else to stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbsync.config import Settings, find_config, read_settings

if TYPE_CHECKING:
    from kbsync.report.text import Style


COMMAND = re.compile(r"`kbsync (?!init\b)([a-z][^`]*)`")
"""A command in a message; `init` makes a project and is about none."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options that all commands share."""

    config: Path | None = None
    env: str = ""
    token_file: Path | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @classmethod
    def of(cls, ctx: click.Context) -> Options:
        """What the user gave, before or after the command."""
        given: dict[str, Any] = ctx.find_root().ensure_object(dict)
        return cls(**given)

    def read_settings(self) -> Settings:
        """kbsync.toml and the environment.

        Raises:
            ConfigError: it says something that cannot be, or it is another user's.
        """
        path = self.config or find_config(Path.cwd())
        if hasattr(os, "geteuid") and not _is_plainly_ours(path):
            from kbsync.trust.owner import check_owner

            check_owner(path, os.environ)
        return read_settings(path, env=self.env)

    def style(self) -> Style:
        """The screen behind stdout."""
        from kbsync.report.text import Style

        plain = self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        color = sys.stdout.isatty() and not plain
        return Style(color=color, width=shutil.get_terminal_size().columns, verbose=self.verbose)

    def note(self, text: str) -> None:
        """Say something that is no data."""
        if not self.quiet:
            say(self.pasteable(text), err=True)

    def pasteable(self, text: str) -> str:
        """A text whose commands between backticks say which project they are about, where this one was told."""
        shared = [(name, value) for name, value in shared_options(self) if value]
        if not shared or not COMMAND.search(text):
            return text
        from kbsync.command import command_line

        def completed(found: re.Match[str]) -> str:
            missing = [(name, value) for name, value in shared if not re.search(rf" {name}[ =]", found[1])]
            # Before the word of the command: what stands at its end may be a path behind `--`.
            options = command_line("x", options=missing).removeprefix("kbsync x").lstrip()
            return f"`kbsync {options} {found[1]}`" if options else found[0]

        return COMMAND.sub(completed, text)


def say(text: str, *, err: bool = False) -> None:
    """Print a line for people. The log of a job reads it too, so nothing in it is a command to its runner."""
    from kbsync.report.escape import inert

    click.echo(inert(text), err=err)


def shared_options(options: Options) -> list[tuple[str, object]]:
    """The options without which another command would be about another portal."""
    return [("--config", options.config), ("--env", options.env), ("--token-file", options.token_file)]


def _is_plainly_ours(path: Path) -> bool:
    """The usual case, told without loading anything: a file of one's own."""
    try:
        return path.lstat().st_uid == path.stat().st_uid == os.geteuid()
    except OSError:
        return True  # Reading it says what is wrong.


def relative(path: Path) -> str:
    """A path as the user would type it from here."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix() or "."
    except ValueError:
        return os.path.relpath(path)
