"""Hints become batches: a save is one, and so is a checkout."""

import asyncio
import threading
from collections.abc import Callable

from kbsync.preview.debounce import Batch, Debouncer
from patience import GIVE_UP_S
from preview.workshop import in_a_loop


def batch_of(happens: Callable[[Debouncer], None]) -> Batch:
    """The batch that comes of what happens in another thread, however slow that is."""

    async def gather() -> Batch:
        debouncer = Debouncer(asyncio.get_running_loop())
        await asyncio.to_thread(happens, debouncer)
        return await debouncer.next()

    return in_a_loop(gather())


def test_a_file_that_was_closed_is_a_batch():
    assert batch_of(lambda debouncer: debouncer.hint("a.md", written=True)) == Batch({"a.md": True})


def test_an_editor_that_swaps_files_makes_one_batch():
    def save(debouncer: Debouncer) -> None:
        debouncer.hint("a.md", written=False)  # moved away
        debouncer.hint("a.md", written=False)  # created
        debouncer.hint("a.md", written=True)  # closed

    assert batch_of(save) == Batch({"a.md": True})


def test_a_checkout_of_a_thousand_files_is_one_batch_and_a_walk():
    def checkout(debouncer: Debouncer) -> None:
        for number in range(1_000):
            debouncer.hint(f"{number}.md", written=True)

    batch = batch_of(checkout)
    assert len(batch.paths) == 1_000
    assert batch.walk


def test_folders_and_the_configuration_are_told():
    def happens(debouncer: Debouncer) -> None:
        debouncer.hint(walk=True)
        debouncer.hint(config=True)

    assert batch_of(happens) == Batch(walk=True, config=True)


def test_what_happens_while_a_file_is_still_written_belongs_to_the_batch():
    moments = iter(
        [
            lambda debouncer: debouncer.hint("a.md", written=False),
            lambda debouncer: debouncer.hint("b.md", written=True),
            lambda debouncer: debouncer.hint("a.md", written=True),
        ]
    )

    async def gather() -> Batch:
        async def sleep(_seconds: float) -> None:
            if something := next(moments, None):
                something(debouncer)

        debouncer = Debouncer(asyncio.get_running_loop(), sleep)
        debouncer.hint("a.md", written=False)
        return await debouncer.next()

    assert in_a_loop(gather()) == Batch({"a.md": True, "b.md": True})


def test_what_happens_after_a_batch_is_another_one():
    ended = threading.Event()

    def saves(debouncer: Debouncer) -> None:
        debouncer.hint("a.md", written=True)
        ended.wait(GIVE_UP_S)
        debouncer.hint("b.md", written=True)

    async def gather() -> list[Batch]:
        debouncer = Debouncer(asyncio.get_running_loop())
        thread = threading.Thread(target=saves, args=(debouncer,))
        thread.start()
        first = await debouncer.next()
        ended.set()
        second = await debouncer.next()
        await asyncio.to_thread(thread.join)
        return [first, second]

    assert in_a_loop(gather()) == [Batch({"a.md": True}), Batch({"b.md": True})]
