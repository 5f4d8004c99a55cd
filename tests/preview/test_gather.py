"""Hints become batches: a save is one, and so is a checkout."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from kbsync.preview.gather import Batch, Gatherer
from patience import GIVE_UP_S
from preview.workshop import in_a_loop


def batch_of(happens: Callable[[Gatherer], None]) -> Batch:
    """The batch that comes of what happens in another thread, however slow that is."""

    async def gather() -> Batch:
        gatherer = Gatherer(asyncio.get_running_loop())
        await asyncio.to_thread(happens, gatherer)
        return await gatherer.next()

    return in_a_loop(gather())


def test_a_file_that_was_closed_is_a_batch():
    assert batch_of(lambda gatherer: gatherer.hint("a.md", written=True)) == Batch({"a.md": True})


def test_an_editor_that_swaps_files_makes_one_batch():
    def save(gatherer: Gatherer) -> None:
        gatherer.hint("a.md", written=False)  # moved away
        gatherer.hint("a.md", written=False)  # created
        gatherer.hint("a.md", written=True)  # closed

    assert batch_of(save) == Batch({"a.md": True})


def test_a_checkout_of_a_thousand_files_is_one_batch_and_a_walk():
    def checkout(gatherer: Gatherer) -> None:
        for number in range(1_000):
            gatherer.hint(f"{number}.md", written=True)

    batch = batch_of(checkout)
    assert len(batch.paths) == 1_000
    assert batch.walk


def test_folders_and_the_configuration_are_told():
    def happens(gatherer: Gatherer) -> None:
        gatherer.hint_walk()
        gatherer.hint_config()

    assert batch_of(happens) == Batch(walk=True, config=True)


def test_what_happens_while_a_file_is_still_written_belongs_to_the_batch():
    moments = iter(
        [
            lambda gatherer: gatherer.hint("a.md", written=False),
            lambda gatherer: gatherer.hint("b.md", written=True),
            lambda gatherer: gatherer.hint("a.md", written=True),
        ]
    )

    async def gather() -> Batch:
        async def sleep(_seconds: float) -> None:
            if something := next(moments, None):
                something(gatherer)

        gatherer = Gatherer(asyncio.get_running_loop(), sleep)
        gatherer.hint("a.md", written=False)
        return await gatherer.next()

    assert in_a_loop(gather()) == Batch({"a.md": True, "b.md": True})


def test_what_happens_after_a_batch_is_another_one():
    ended = threading.Event()

    def saves(gatherer: Gatherer) -> None:
        gatherer.hint("a.md", written=True)
        ended.wait(GIVE_UP_S)
        gatherer.hint("b.md", written=True)

    async def gather() -> list[Batch]:
        gatherer = Gatherer(asyncio.get_running_loop())
        thread = threading.Thread(target=saves, args=(gatherer,))
        thread.start()
        first = await gatherer.next()
        ended.set()
        second = await gatherer.next()
        await asyncio.to_thread(thread.join)
        return [first, second]

    assert in_a_loop(gather()) == [Batch({"a.md": True}), Batch({"b.md": True})]
