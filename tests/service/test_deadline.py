"""Work that ends at a deadline, and the threads that do it."""

from __future__ import annotations

import threading

import pytest

from kbsync.service.deadline import Deadlines
from patience import eventually


def test_what_the_work_returns_or_raises_comes_back():
    with Deadlines() as deadlines:
        assert deadlines.within(60, lambda: "done") == "done"
        with pytest.raises(ZeroDivisionError):
            deadlines.within(60, lambda: 1 / 0)


def test_one_thread_does_what_comes_one_after_the_other_and_ends_with_its_owner():
    with Deadlines() as deadlines:
        threads = {deadlines.within(60, threading.current_thread) for _ in range(5)}
        (thread,) = threads
        assert thread.is_alive() and thread.daemon
    eventually(lambda: not thread.is_alive(), "the thread ends")


def test_work_that_is_left_behind_does_not_hold_up_the_next_and_its_thread_ends_with_it():
    go_on, at_work = threading.Event(), []

    def stuck() -> None:
        at_work.append(threading.current_thread())
        go_on.wait()

    with Deadlines() as deadlines:
        with pytest.raises(TimeoutError):
            deadlines.within(0, stuck)
        assert deadlines.within(60, lambda: "next") == "next"
    eventually(lambda: bool(at_work), "the work begins")
    assert at_work[0].is_alive()
    go_on.set()
    eventually(lambda: not at_work[0].is_alive(), "the thread ends")


def test_a_thread_that_is_still_at_work_when_its_owner_closes_ends_after_it():
    deadlines, begun, go_on = Deadlines(), threading.Event(), threading.Event()
    found: list[threading.Thread] = []

    def work() -> threading.Thread:
        begun.set()
        go_on.wait()
        return threading.current_thread()

    asker = threading.Thread(target=lambda: found.append(deadlines.within(60, work)))
    asker.start()
    begun.wait()
    deadlines.close()
    go_on.set()
    asker.join()
    eventually(lambda: not found[0].is_alive(), "the thread ends")
