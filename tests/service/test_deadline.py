"""Work that ends at a deadline, and the threads that do it."""

from __future__ import annotations

import threading

import pytest

from kbsync.service.deadline import within
from patience import eventually


def test_what_the_work_returns_or_raises_comes_back():
    assert within(60, lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 / 0)


def test_work_that_is_left_behind_does_not_hold_up_the_next_nor_the_process_and_its_thread_ends_with_it():
    go_on, at_work = threading.Event(), []

    def stuck() -> None:
        at_work.append(threading.current_thread())
        go_on.wait()

    with pytest.raises(TimeoutError):
        within(0, stuck)
    assert within(60, lambda: "next") == "next"
    eventually(lambda: bool(at_work), "the work begins")
    assert at_work[0].is_alive() and at_work[0].daemon
    go_on.set()
    eventually(lambda: not at_work[0].is_alive(), "the thread ends")
