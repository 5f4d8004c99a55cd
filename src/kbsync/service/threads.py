"""Threads that send requests side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


@contextmanager
def request_threads(most: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """A pool for the block. Where Ctrl-C ends that, the requests that are under way are not waited for."""
    from concurrent.futures import ThreadPoolExecutor  # Loaded here: a peek needs none.

    pool = ThreadPoolExecutor(most, thread_name_prefix=name)
    patient = True
    try:
        yield pool
    except KeyboardInterrupt:
        patient = False
        raise
    finally:
        pool.shutdown(wait=patient, cancel_futures=not patient)
