"""How a push shows that it moves: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from kbsync.app.session import Show
from kbsync.cli.screen import Options
from kbsync.model import Action, Outcome

LINE_EVERY_S = 5.0

ROOMY = 80
"""From so many columns on, a bar of full width fits beside the numbers; below, it takes what is left."""

BAR = 36


class Progress:
    """Counts each outcome as it comes, on stderr; what failed and why is the report's to tell."""

    def __init__(self, total: int, options: Options) -> None:
        self.total = total
        self.options = options
        self.done = 0
        self.told_at_s = time.monotonic()
        self.bar: Any = None

    def __enter__(self) -> Progress:
        # With -v each request is a line: a bar would be drawn over them.
        if self.total and not (self.options.quiet or self.options.verbose) and sys.stderr.isatty():
            # A line that is wider than the screen would begin a new one each time it is drawn.
            columns = shutil.get_terminal_size().columns
            self.bar = click.progressbar(
                length=self.total,
                label="Pushing",
                file=sys.stderr,
                show_pos=True,
                show_eta=columns >= ROOMY,
                show_percent=False,
                width=BAR if columns >= ROOMY else 0,
            )
            self.bar.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.__exit__(*exception)

    @contextmanager
    def shown(self) -> Iterator[Show]:
        """The bar, as long as changes come; what is entered takes each outcome."""
        with self:
            yield self.show

    def show(self, outcome: Outcome) -> None:
        """One more change is over."""
        if outcome.change.action is Action.ADOPT:
            return
        self.done += 1
        if self.bar is not None:
            self.bar.update(1)
        elif time.monotonic() - self.told_at_s >= LINE_EVERY_S:
            self.told_at_s = time.monotonic()
            self.options.note(f"Pushed {self.done:,} of {self.total:,}")
