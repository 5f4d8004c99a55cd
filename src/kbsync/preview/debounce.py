"""What happens to files, put together: a save is one change, and so is a checkout of a thousand files."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Sleep = Callable[[float], Awaitable[None]]

SETTLE_S = 0.003
"""Another file that changes this shortly after the first is a sign of a burst; a checkout writes far faster."""

QUIET_S = 0.015
"""A batch ends after this long without a word."""

MOST_S = 0.15
"""A few files that do not come to rest are shown after this long, whatever goes on."""

MOST_OF_MANY_S = 3.0
"""A checkout gets this long to end."""

MANY = 50
"""So many files are no saves of one person any more."""

WALK_FROM = 200
"""Of more files the whole tree is walked: where so much happens, some of it may have gone unheard."""


@dataclass(slots=True)
class Batch:
    """What may have changed. Paths are relative to the content root.

    Args:
        paths: files, each with whether it was closed or moved into place, so that it is complete.
        walk: folders came or went, or too much happened.
        config: kbsync.toml may say something else.
    """

    paths: dict[str, bool] = field(default_factory=dict)
    walk: bool = False
    config: bool = False

    @property
    def is_one_save(self) -> bool:
        """Whether there is nothing to wait for."""
        return not self.walk and not self.config and list(self.paths.values()) == [True]


class Debouncer:
    """Takes hints from any thread and gives them out in batches.

    Args:
        loop: where the batches are waited for.
        sleep: waits so many seconds.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, sleep: Sleep = asyncio.sleep) -> None:
        self._loop, self._sleep = loop, sleep
        self._lock = threading.Lock()
        self._batch = Batch()
        self._heard = 0
        self._something = asyncio.Event()

    def hint(self, path: str = "", *, written: bool = False, walk: bool = False, config: bool = False) -> None:
        """Something happened.

        Args:
            path: to this file; `written` where it is certainly complete.
            walk: that only a walk can tell.
            config: to kbsync.toml.
        """
        with self._lock:
            if path:
                self._batch.paths[path] = written
            self._batch.walk |= walk
            self._batch.config |= config
            self._heard += 1
            is_first = self._heard == 1
        if is_first:
            self._loop.call_soon_threadsafe(self._something.set)

    async def next(self) -> Batch:
        """Wait for something to happen, and for the end of it."""
        await self._something.wait()
        began = self._loop.time()
        await self._sleep(SETTLE_S)
        while not self._batch.is_one_save:
            heard = self._heard
            await self._sleep(QUIET_S)
            most = MOST_OF_MANY_S if len(self._batch.paths) > MANY or self._batch.walk else MOST_S
            if self._heard == heard or self._loop.time() - began > most:
                break
        with self._lock:
            batch, self._batch, self._heard = self._batch, Batch(), 0
            self._something.clear()
        batch.walk |= len(batch.paths) > WALK_FROM
        return batch
