"""What a push needs of the world."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from kbsync.ledger import Ledger
from kbsync.ledger.values import NO_SOURCE, Owner, Source

NOBODY = Owner("", "", 0, 0.0, 0.0)


@dataclass(slots=True)
class Run:
    """What a push needs of the world.

    Args:
        ledger: the record; `number` is this run's in it, `owner` who we are in it.
        clock: seconds since 1970.
        stopping: whether somebody asked to stop; what is under way is still finished and recorded.
        beat: keeps the lock alive; False when it was broken.
        is_dead: whether another runner is not to be waited for any more.
        source: the commit whose files it publishes.
    """

    ledger: Ledger
    number: int
    clock: Callable[[], float]
    stopping: Callable[[], bool]
    beat: Callable[[], bool]
    owner: Owner = NOBODY
    is_dead: Callable[[Owner], bool] = lambda owner: False
    sleep: Callable[[float], None] = time.sleep
    source: Source = NO_SOURCE
