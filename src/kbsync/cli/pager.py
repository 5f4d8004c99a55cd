"""Long texts on a terminal go through a pager, as git does it. In a pipe they do not."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from kbsync.children import find_program
from kbsync.files import working_folder

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
