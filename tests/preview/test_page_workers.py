"""Pages that other processes render, where one of these is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from typing import cast

from kbsync.preview.article_job import EncodedJob
from kbsync.preview.static_site import BATCH, PARALLEL_FROM, Rendered, Renderer, render_all
from patience import eventually

PAGES = PARALLEL_FROM + 20 * BATCH


class Naming:
    """Renders nothing but the name of a page."""

    def render(self, encoded: EncodedJob) -> Rendered:
        return Rendered(encoded.data.decode(), is_written=True)


def test_a_process_that_is_killed_before_it_gets_its_next_pages_costs_no_page():
    def jobs() -> Iterator[EncodedJob]:
        for number in range(PAGES):
            if number == PAGES - 2 * BATCH:
                # The pool is whole while these pages are put together, and broken when it is to take them.
                os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
                eventually(lambda: not multiprocessing.active_children(), "the pool ends its other processes")
            yield EncodedJob(str(number).encode(), None)

    found = [page.name for page in render_all(jobs(), cast(Renderer, Naming()), 2)]
    assert sorted(found, key=int) == [str(number) for number in range(PAGES)]
