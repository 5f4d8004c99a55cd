"""How a push shows that it moves: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from kbsync.cli.screen import Options
from kbsync.model import Action, Outcome, visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

LINE_EVERY_S = 5.0


class Progress:
    """Shows each outcome as it comes, on stderr; failures at once, successes in numbers."""

    def __init__(self, total: int, options: Options) -> None:
        self.total = total
        self.options = options
        self.done = 0
        self.told_at_s = time.monotonic()
        self.bar: Bar | None = None
        self.task: TaskID | None = None

    def __enter__(self) -> Progress:
        if self.total and not self.options.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            console = Console(stderr=True, no_color=self.options.no_color or None)
            columns = (TextColumn("Pushing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self.bar = RichProgress(*columns, console=console, transient=True)
            self.task = self.bar.add_task("push", total=self.total)
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def show(self, outcome: Outcome) -> None:
        """One more change is over."""
        if outcome.change.action is Action.ADOPT:
            return
        self.done += 1
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, advance=1)
        elif time.monotonic() - self.told_at_s >= LINE_EVERY_S:
            self.told_at_s = time.monotonic()
            self.options.note(f"pushed {self.done:,} of {self.total:,}")
        if outcome.outcome == "failed" and self.options.verbose:
            self.options.note(f"failed: {outcome.change.path}: {visible(outcome.error)}")
