"""Work that ends at a deadline, and the threads that do it."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from typing import Any

import pytest

from kbsync.errors import AnswerLost
from kbsync.service.deadline import within
from kbsync.service.exchange import Connections
from patience import GIVE_UP_S, eventually

from .web import running_web


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


def test_what_could_leave_only_after_its_deadline_is_never_sent(monkeypatch: pytest.MonkeyPatch):
    """The look-up of the name hangs; the answer was given up, and somebody has looked by then whether it was done."""
    found, real = threading.Event(), socket.getaddrinfo

    def slow(*arguments: Any, **options: Any) -> Any:
        found.wait(GIVE_UP_S)
        return real(*arguments, **options)

    with running_web() as web, closing(Connections(web.origin, {}, 0.05, 4)) as connections:
        monkeypatch.setattr(socket, "getaddrinfo", slow)
        with pytest.raises(AnswerLost):
            connections.exchange(connections.request("GET", "/status/200"), secret="")
        (left,) = [thread for thread in threading.enumerate() if thread.name == "exchange"]
        found.set()
        left.join(GIVE_UP_S)
        assert not left.is_alive() and not web.asked
