"""How fast: the bucket on a clock of its own, the gate with real threads."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.service.pace import Bucket, Gate
from patience import GIVE_UP_S

from .world import Sleepless


def a_bucket(per_minute=60, burst=4.0):
    clock = Sleepless(0.0)
    return Bucket(per_minute, burst, clock.now, clock.sleep), clock


def test_a_full_bucket_lets_a_burst_go_and_then_one_at_a_time():
    bucket, clock = a_bucket(per_minute=60, burst=4)
    assert [bucket.take() for _ in range(6)] == pytest.approx([0, 0, 0, 0, 1, 1])
    assert clock.now() == pytest.approx(2)


def test_a_bucket_fills_up_again_but_never_beyond_its_burst():
    bucket, clock = a_bucket(per_minute=60, burst=2)
    bucket.take()
    clock.sleep(1000)
    assert [bucket.take() for _ in range(3)] == pytest.approx([0, 0, 1])


@given(st.integers(1, 6000), st.integers(1, 16), st.lists(st.floats(0, 5), min_size=1, max_size=60))
def test_in_no_minute_go_more_than_the_rate_and_one_burst(per_minute, burst, pauses):
    bucket, clock = a_bucket(per_minute, float(burst))
    sent_s = []
    for pause_s in pauses:
        clock.sleep(pause_s)
        bucket.take()
        sent_s.append(clock.now())
    for begin_s in sent_s:
        inside = [at_s for at_s in sent_s if begin_s <= at_s < begin_s + 60]
        assert len(inside) <= per_minute + burst + 1


@given(st.integers(1, 200), st.integers(1, 600))
def test_the_estimate_is_what_it_takes(requests, per_minute):
    bucket, clock = a_bucket(per_minute, 4.0)
    expected_s = bucket.seconds_for(requests)
    for _ in range(requests):
        bucket.take()
    assert clock.now() == pytest.approx(expected_s)


def test_threads_wait_each_for_its_own_place_in_the_line():
    waits_s = []
    bucket = Bucket(60, 2.0, lambda: 0.0, waits_s.append)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: bucket.take(), range(10)))
    assert sorted(waits_s) == pytest.approx([1, 2, 3, 4, 5, 6, 7, 8])


def test_a_real_bucket_keeps_its_rate_with_real_threads():
    bucket = Bucket(6000, 1.0, time.monotonic, time.sleep)
    begin_s = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: bucket.take(), range(31)))
    assert time.monotonic() - begin_s >= 0.29


class Inside:
    """How many threads are inside a gate, and how many were at most. They leave it as so many at once as there may be."""

    def __init__(self, together):
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.barrier = threading.Barrier(together, timeout=GIVE_UP_S)

    def visit(self, gate):
        with gate:
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            self.barrier.wait()
            with self.lock:
                self.now -= 1


@pytest.mark.parametrize(("gate", "throttled", "most"), [(1, False, 1), (3, False, 3), (4, True, 2)])
def test_no_more_threads_are_inside_than_are_allowed_also_where_the_gate_narrowed(gate, throttled, most):
    gate, inside = Gate(gate), Inside(most)
    if throttled:
        gate.throttled()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: inside.visit(gate), range(24)))
    assert inside.most == most


def test_a_429_halves_what_goes_at_once_down_to_one():
    gate = Gate(8)
    allowed = []
    for _ in range(5):
        gate.throttled()
        allowed.append(gate.allowed)
    assert allowed == [4, 2, 1, 1, 1]


def test_after_a_while_without_429_it_grows_back_to_what_it_was_and_no_further():
    gate = Gate(4)
    gate.throttled()
    gate.throttled()
    allowed = [gate.allowed]
    for _ in range(100):
        gate.answered()
        allowed.append(gate.allowed)
    assert sorted(set(allowed)) == [1, 2, 3, 4]
    assert allowed == sorted(allowed)
    assert allowed.index(2) == 4


def test_an_error_inside_leaves_the_gate_open():
    gate = Gate(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="inside"), gate:
            raise ValueError("inside")
    with gate:
        pass
