"""How busy the machine was while something was measured."""

from __future__ import annotations

import os
import statistics
import threading
from dataclasses import dataclass, field

LOOK_EVERY_S = 2.0
BUSY = 2.0
"""A load above this spoils what is measured on two cores."""


@dataclass
class Load:
    """The load average of one minute, looked at until the end of the block."""

    seen: list[float] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Load:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def median(self) -> float:
        """The median of what was seen; what is measured is a part of it."""
        return statistics.median(self.seen)

    @property
    def text(self) -> str:
        """For a person."""
        words = f"load {self.median:.1f} (median), {max(self.seen):.1f} at most"
        return f"**{words}: too busy to trust**" if self.median > BUSY else words

    def _watch(self) -> None:
        self.seen.append(os.getloadavg()[0])
        while not self._over.wait(LOOK_EVERY_S):
            self.seen.append(os.getloadavg()[0])
