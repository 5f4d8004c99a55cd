"""What the terminal is like, and where words go: data to stdout, everything else to stderr.

Also: long texts on a terminal go through a pager, as git does it. In a pipe they do not.

The log of requests: each one a line, in a private file, on the screen, or both, as soon as it is over.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from kbsync.app.project import Project
from kbsync.app.session import Session, Show
from kbsync.children import find_program
from kbsync.command import Option, command_line
from kbsync.errors import UsageError
from kbsync.files import working_folder
from kbsync.jobs import is_ci
from kbsync.model import Action, Outcome, visible
from kbsync.patterns import Pattern
from kbsync.report.escape import inert
from kbsync.report.style import Style
from kbsync.service.log import Sent

PRIVATE_MODE = 0o600
"""The paths of a portal's articles are its owner's alone."""


class RequestLog:
    """Takes each request, from any thread.

    Args:
        path: the file that lines are put at the end of; None for no file.
        show: is called with each line, too.

    Raises:
        UsageError: the file cannot be written.
    """

    def __init__(self, path: Path | None, show: Callable[[str], None] | None = None) -> None:
        self._show = show
        self._lock = threading.Lock()
        self._file = None if path is None else _open(path)

    def __call__(self, sent: Sent) -> None:
        """Write its line at once: what is in the file has happened, also after a crash."""
        with self._lock:
            if self._show is not None:
                self._show(sent.line)
            if self._file is not None:
                try:
                    os.write(self._file, f"{sent.line}\n".encode())
                except OSError:  # A full disk must not end a push that has begun.
                    self._file = None


def _open(path: Path) -> int:
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_MODE)
        if stat.S_ISREG(os.fstat(file).st_mode) and hasattr(os, "fchmod"):
            os.fchmod(file, PRIVATE_MODE)
    except OSError as exc:
        raise UsageError(
            f"--log-file {path} cannot be written: {exc.strerror}.", hint="Name a file in a folder that exists."
        ) from exc
    return file


DEFAULT = "less -FRX"
"""Ends at once where all of it fits, shows colours, and leaves the text on the screen."""


def pager_of(environ: Mapping[str, str], here: Path) -> list[str]:
    """The pager that the user's environment names, and no file of a project; empty for none.

    A program below the working folder, `here`, is not run.
    """
    text = next((environ[name] for name in ("KBSYNC_PAGER", "PAGER") if name in environ), DEFAULT)
    try:
        words = shlex.split(text)
    except ValueError:
        return []
    if not words or words == ["cat"]:
        return []
    found = find_program(words[0], environ, outside=(here,))
    return [found, *words[1:]] if found and Path(found).is_file() else []


def page(text: str, *, wanted: bool) -> None:
    """Print a text: through the pager where stdout is a terminal and a pager is wanted, else as it is."""
    is_screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    command = pager_of(os.environ, working_folder()) if wanted and is_screen else []
    if not command or not _paged(command, text):
        click.echo(text, nl=False)


def _paged(command: list[str], text: str) -> bool:
    """Show a text in a pager; False where it cannot be run."""
    # It is shown what is in the text, and gets none of our secrets.
    environ = {name: value for name, value in os.environ.items() if not name.upper().startswith("KBSYNC_")}
    sys.stdout.flush()
    try:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ)
    except OSError:
        return False
    # Ctrl-C is the pager's from here on: it uses it to stop a search.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.communicate(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    finally:
        signal.signal(signal.SIGINT, before)
    return True


WIDTH = 80
"""Columns where nothing says how many there are."""

COMMAND = Pattern(r"`kbsync (?!init\b)([a-z][^`]*)`")
"""A command in a message; `init` makes a project and is about none."""


class Options(msgspec.Struct, frozen=True):
    """The options that all commands share."""

    config: Path | None = None
    env: str = ""
    token_file: Path | None = None
    log_file: Path | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @classmethod
    def of(cls, ctx: click.Context) -> Options:
        """What the user gave, before or after the command."""
        given: dict[str, Any] = ctx.find_root().ensure_object(dict)
        return cls(**given)

    @property
    def shared(self) -> list[Option]:
        """The options without which another command would be about another portal."""
        return Session(self.config, self.env, self.token_file).options

    def session(self) -> Session:
        """The run as the application sees it, with the person at the terminal if there is one."""
        confirm = ask_person if sys.stdin.isatty() and sys.stderr.isatty() else None
        progress = partial(shown_progress, options=self)
        session = Session(self.config, self.env, self.token_file, self.note, confirm, progress)
        if self.log_file is None and not self.verbose:
            return session
        return replace(session, log=RequestLog(self.log_file, self.note if self.verbose else None))

    def open_project(self, *, fetches: bool = True) -> Project:
        """The project that these options are about; without `fetches`, a ledger in git is what this clone has of it.

        Raises:
            ConfigError: there is no kbsync.toml, or it cannot be used.
        """
        project = Project.open(session=self.session())
        project.workspace.fetches = fetches
        return project

    def style(self) -> Style:
        plain = self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        color = sys.stdout.isatty() and not plain
        return Style(color=color, width=_columns(), verbose=self.verbose)

    def note(self, text: str) -> None:
        """Print something that is not data, to stderr."""
        if not self.quiet:
            # A note may repeat what the portal, a file or a ledger says: no codes for the terminal.
            say("\n".join(map(visible, self.pasteable(text).split("\n"))), err=True)

    def pasteable(self, text: str) -> str:
        """A text whose commands between backticks have the shared options that this command was given."""
        shared = [(name, value) for name, value in self.shared if value]
        if not shared or not COMMAND.search(text):
            return text

        def completed(found: re.Match[str]) -> str:
            missing = [(name, value) for name, value in shared if not re.search(rf" {name}[ =]", found[1])]
            # Before the name of the command: its end may be a path after `--`.
            options = command_line("x", options=missing).removeprefix("kbsync x").lstrip()
            return f"`kbsync {options} {found[1]}`" if options else found[0]

        return COMMAND.sub(completed, text)


def say(text: str, *, err: bool = False) -> None:
    """Print a line for people. The log of a job reads it too, so nothing in it is a command to its runner."""
    shown = inert(text)
    click.echo(_fitted(shown) if err and sys.stderr.isatty() else shown, err=err)


def say_patch(line: str) -> None:
    """Print a line of a patch: as it is, for `git apply`, unless a person sees it or the runner of a job reads it."""
    if sys.stdout.isatty() or is_ci(os.environ):
        say(visible(line))
    else:
        click.echo(line)


def _fitted(text: str) -> str:
    """A text for a terminal, wrapped by words. Elsewhere, as in the log of a job, lines stay whole."""
    style = Style(width=_columns_of_stderr())
    return "\n".join(piece for line in text.split("\n") for piece in style.wrapped(line) or [line])


def _columns() -> int:
    """Of stdout, 80 where nothing says. As `shutil` finds it, which loads all that packs and unpacks."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or WIDTH if sys.__stdout__ else WIDTH
    except (ValueError, OSError):  # It is closed, or no terminal.
        return WIDTH


def _columns_of_stderr() -> int:
    """Where stdout is a pipe, that knows nothing."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _columns()
    except OSError:
        return _columns()


def ask_person(text: str) -> bool:
    """On the terminal; the answer of a bare return is no."""
    return click.confirm(text, default=False, err=True)


LINE_EVERY_S = 5.0

ROOMY = 80
"""From so many columns on, a bar of full width fits beside the numbers; below, it takes what is left."""

BAR = 36


@contextmanager
def shown_progress(total: int, options: Options) -> Iterator[Show]:
    """Count each outcome as it comes, on stderr; what failed and why is the report's to tell."""
    # With -v each request is a line: a bar would be drawn over them.
    has_bar = total and not (options.quiet or options.verbose) and sys.stderr.isatty()
    with _bar(total) if has_bar else nullcontext() as bar:
        done, told_at_s = 0, time.monotonic()

        def show(outcome: Outcome) -> None:
            nonlocal done, told_at_s
            if outcome.change.action is Action.ADOPT:
                return
            done += 1
            if bar is not None:
                bar.update(1)
            elif time.monotonic() - told_at_s >= LINE_EVERY_S:
                told_at_s = time.monotonic()
                options.note(f"Pushed {done:,} of {total:,}")

        yield show


def _bar(total: int) -> Any:
    # A line that is wider than the screen would begin a new one each time it is drawn.
    is_roomy = shutil.get_terminal_size().columns >= ROOMY
    return click.progressbar(
        length=total,
        label="Pushing",
        file=sys.stderr,
        show_pos=True,
        show_eta=is_roomy,
        show_percent=False,
        width=BAR if is_roomy else 0,
    )
