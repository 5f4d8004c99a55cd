"""The time that a page may take to be rendered. Nothing else happens in the preview meanwhile."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

MOST_S = 5.0

TOO_LONG = f"""\
<p><strong>This article is not shown, because it takes longer than {MOST_S:.0f} seconds to render.</strong></p>
<p>Split it, or look for a sign that is repeated thousands of times.</p>
"""
"""Stands in the place of a body."""


class RenderingTooLong(Exception):
    """A page took longer than it may."""


@dataclass(slots=True, eq=False)
class Deadline:
    """Ends the rendering of a page that takes too long.

    Args:
        clock: the seconds that this thread has had the CPU: other programs do not make a page slow.
    """

    clock: Callable[[], float] = time.thread_time
    _until: float = math.inf

    def start(self) -> None:
        """Begin with a page."""
        self._until = self.clock() + MOST_S

    def check(self) -> None:
        """Go on, if there is time.

        Raises:
            RenderingTooLong: there is none.
        """
        if self.clock() > self._until:
            raise RenderingTooLong
