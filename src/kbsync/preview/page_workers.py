"""Rendering many articles, with all cores where that pays: each process renders pages and writes them itself."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import connection, parent_process
from typing import NamedTuple

from kbsync.children import importing_nothing_from_here
from kbsync.preview.article_job import DECODER, EncodedJob, Workplace, render_job
from kbsync.preview.site_folder import SiteFolder

PARALLEL_FROM = 200
"""Pages to render from which a second process pays for its start. Measured: bench/RESULTS.md."""

BATCH = 20
"""Pages that a process renders at once; after Ctrl-C no more of them are begun."""


class Rendered(NamedTuple):
    """A page, and whether it was written: not where the file of the article is not the one that was read."""

    name: str
    is_written: bool


@dataclass(frozen=True, slots=True)
class Renderer:
    """What it takes to render a page and to write it."""

    place: Workplace
    folder: SiteFolder

    def render(self, encoded: EncodedJob) -> Rendered:
        """Render one page and write it."""
        job = DECODER.decode(encoded.data)
        data = render_job(job, encoded.beside, self.place)
        if data is not None:
            self.folder.write(job.name, data)
        return Rendered(job.name, data is not None)


def render_all(jobs: Iterable[EncodedJob], renderer: Renderer, workers: int | None) -> Iterator[Rendered]:
    """Render and write the pages of these jobs, in any order.

    Args:
        jobs: of the pages.
        renderer: what renders one.
        workers: how many processes; None for as many as there are cores, if there are enough pages for them. A program
            with threads says 1: a fork of it may wait for ever for what another thread held.
    """
    rest = iter(jobs)
    first = list(islice(rest, PARALLEL_FROM))
    count = workers or (1 if len(first) < PARALLEL_FROM else os.cpu_count() or 1)
    if count == 1:
        yield from map(renderer.render, chain(first, rest))
    else:
        yield from _in_processes(chain(first, rest), renderer, count)


def _in_processes(jobs: Iterator[EncodedJob], renderer: Renderer, count: int) -> Iterator[Rendered]:
    # Here, before there are children: a fork has the parser and the compiled templates already.
    yield from map(renderer.render, islice(jobs, 1))
    waiting: dict[Future[list[Rendered]], list[EncodedJob]] = {}
    batch: list[EncodedJob] = []
    with importing_nothing_from_here():
        pool = ProcessPoolExecutor(count, initializer=_begin, initargs=(renderer,))
        try:
            while True:
                # No more than that at once: the jobs of a large site need not all be in memory.
                while len(waiting) < 3 * count and (batch := list(islice(jobs, BATCH))):
                    waiting[pool.submit(_render_batch, batch)] = batch
                    batch = []
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield from future.result()
                    del waiting[future]
        except BrokenProcessPool:
            # The system killed one, of many for want of memory: one process needs less.
            # It may be the pool that refused the last batch: nothing waits for that one.
            yield from map(renderer.render, chain(chain.from_iterable(waiting.values()), batch, jobs))
        finally:
            pool.shutdown(cancel_futures=True)


_renderers: list[Renderer] = []
"""In a process of the pool: what it renders with. It is large, so it comes once and not with each batch."""


def _begin(renderer: Renderer) -> None:
    """Get a process of the pool ready. Ctrl-C is for the process that began the build: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _renderers[:] = [renderer]


def _end_with_parent() -> None:
    """Where the first process is killed, nobody tells the others."""
    if (parent := parent_process()) is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _render_batch(jobs: list[EncodedJob]) -> list[Rendered]:
    return [_renderers[0].render(job) for job in jobs]
