"""Results of threads, in the thread that records them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest

from kbsync.push.under_way import UnderWay, finished, recorded
from patience import GIVE_UP_S, eventually


class ATransport:
    """Only what Ctrl-C needs of one."""

    is_closed = False

    def close(self):
        self.is_closed = True


def test_each_result_comes_once_with_its_entry():
    under_way: UnderWay[int] = UnderWay()
    found = []
    with ThreadPoolExecutor(8) as pool:
        for entry in range(500):
            under_way.submit(pool, entry, partial(pow, entry, 2))
            if len(under_way) >= 16:
                found += under_way.results(GIVE_UP_S, 10)
        while under_way:
            found += under_way.results(GIVE_UP_S, 10)
    assert sorted(found) == [(entry, entry * entry) for entry in range(500)]


def test_results_are_taken_together_as_long_as_enough_is_left_for_the_threads():
    under_way: UnderWay[int] = UnderWay(gather_s=GIVE_UP_S)
    with ThreadPoolExecutor(1) as pool:
        for entry in range(16):
            under_way.submit(pool, entry, partial(abs, entry))
        # Six may come while ten are left; more may have come by then.
        assert len(list(under_way.results(GIVE_UP_S, 10))) >= 6


def test_where_no_more_is_under_way_than_the_threads_need_a_single_result_is_enough():
    under_way: UnderWay[str] = UnderWay()
    gate = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        under_way.submit(pool, 1, lambda: "first")
        under_way.submit(pool, 2, lambda: "second" if gate.wait(GIVE_UP_S) else "")
        assert list(under_way.results(GIVE_UP_S, 10)) == [(1, "first")]
        gate.set()
        assert list(under_way.results(GIVE_UP_S, 10)) == [(2, "second")]


def test_without_a_result_there_is_nothing_after_the_timeout():
    under_way: UnderWay[bool] = UnderWay()
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        under_way.submit(pool, 1, partial(gate.wait, GIVE_UP_S))
        assert list(under_way.results(0.01, 0)) == []
        assert len(under_way) == 1
        gate.set()


def test_what_a_thread_raises_is_raised_where_its_result_is_taken():
    under_way: UnderWay[int] = UnderWay()
    with ThreadPoolExecutor(1) as pool:
        under_way.submit(pool, 1, partial(int, "no number"))
        with pytest.raises(ValueError, match="no number"):
            list(under_way.results(GIVE_UP_S, 0))


def test_what_no_thread_has_begun_is_taken_back_and_the_rest_is_waited_for():
    under_way: UnderWay[bool] = UnderWay()
    begun, gate = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return gate.wait(GIVE_UP_S)

    with ThreadPoolExecutor(1) as pool:
        for entry in (1, 2, 3):
            under_way.submit(pool, entry, work)
        begun.wait(GIVE_UP_S)
        assert under_way.cancel() == [2, 3]
        gate.set()
        assert list(under_way.rest(waits=True)) == [(1, True)]
        assert not under_way


def test_where_nothing_is_waited_for_only_what_is_done_and_did_not_raise_is_known():
    gate = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        done, broken = pool.submit(int, "7"), pool.submit(int, "x")
        waiting = pool.submit(gate.wait, GIVE_UP_S)
        eventually(lambda: done.done() and broken.done(), "both are done")
        assert [found for _, found in finished([waiting, broken, done], waits=False)] == [7]
        gate.set()
        assert [found for _, found in finished([waiting, broken, done], waits=True)] == [True, 7]


@pytest.mark.parametrize(("error", "waits"), [(KeyboardInterrupt, False), (ValueError, True)])
def test_what_is_known_is_recorded_however_a_block_ends_and_only_ctrl_c_does_not_wait(error, waits):
    transport, known = ATransport(), []
    with pytest.raises(error), recorded(SimpleNamespace(transport=transport), lambda *, waits: known.append(waits)):
        raise error
    assert known == [waits]
    assert transport.is_closed is not waits
