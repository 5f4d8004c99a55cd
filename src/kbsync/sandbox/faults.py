"""What a sandbox can do wrong on request, and when."""

import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["refuse", "hang", "status", "reset", "cut", "junk", "empty", "redirect", "latency", "hold", "shift"]
Schedule = Callable[[int], "Fault | None"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to misbehave, and the requests that it hits.

    Kinds:
        refuse: the connection is closed before anything is done.
        hang: silence for `seconds`, then the connection is closed.
        status: the answer is `status`, with `retry_after_s` if given.
        reset: the connection is aborted (TCP reset).
        cut: the full Content-Length, half of the body, then the connection is closed.
        junk: 200 with `junk` as the body, in the type that fits it.
        empty: 200 without a body.
        redirect: 302 to `location`; nothing is done.
        latency: the right answer, `seconds` later.
        hold: the right answer, as soon as `Sandbox.release` is called.
        shift: the right answer; then somebody edits the article that was unchanged for longest, so that the rows of
            a list move between its pages.

    Args:
        kind: what goes wrong.
        when: for hang, status and reset: "before" does nothing, "after" does what was asked and hides it.
            cut, junk and empty always come after; refuse, redirect and hold before.
        method: only requests of this method.
        path: a regular expression, searched in path and query string.
        nth: only the n-th request of all, counted from 1 since the sandbox started.
        times: how often at most; None is always.
    """

    kind: Kind
    when: Literal["before", "after"] = "before"
    method: str | None = None
    path: str = ""
    nth: int | None = None
    times: int | None = 1
    status: int = 503
    retry_after_s: int | None = None
    seconds: float = 0.0
    location: str = "http://127.0.0.1:9/"
    junk: str = "<html><body>502 Bad Gateway</body></html>"

    def __post_init__(self) -> None:
        try:
            re.compile(self.path)
        except re.error as exc:
            raise ValueError(f"`path` is not a regular expression: {exc}") from exc

    def hits(self, method: str, target: str, number: int) -> bool:
        """Whether a request is one of those meant."""
        return (
            (self.method is None or self.method == method)
            and (self.nth is None or self.nth == number)
            and re.search(self.path, target) is not None
        )


@dataclass(slots=True)
class Faults:
    """The faults that wait for their request. Tests add them while the server's thread takes them."""

    waiting: tuple[Fault, ...] = ()
    schedule: Schedule | None = None
    number: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, fault: Fault) -> None:
        """One more fault; the first that hits a request is taken."""
        with self.lock:
            self.waiting = (*self.waiting, fault)

    def follow(self, schedule: Schedule | None) -> None:
        """Decide by the number of the request where no waiting fault hits."""
        with self.lock:
            self.schedule = schedule

    def clear(self) -> None:
        """Behave again."""
        with self.lock:
            self.waiting, self.schedule = (), None

    def pick(self, method: str, target: str) -> Fault | None:
        """Count a request and take the fault that it meets."""
        with self.lock:
            return self._pick(method, target)

    def _pick(self, method: str, target: str) -> Fault | None:
        self.number += 1
        for place, fault in enumerate(self.waiting):
            if fault.hits(method, target, self.number):
                left = () if fault.times == 1 else (_once_less(fault),)
                self.waiting = (*self.waiting[:place], *left, *self.waiting[place + 1 :])
                return fault
        return self.schedule(self.number) if self.schedule else None


def _once_less(fault: Fault) -> Fault:
    return fault if fault.times is None else replace(fault, times=fault.times - 1)


def random_faults(seed: int, rate: float, kinds: Sequence[Fault | Kind]) -> Schedule:
    """A schedule that lets a share of the requests fail, the same ones for the same seed.

    Args:
        seed: two schedules with the same seed are the same.
        rate: share of the requests, 0.0 to 1.0.
        kinds: what may happen: whole faults, or kinds, of which "before" and "after" are then drawn too.
    """

    def decide(number: int) -> Fault | None:
        draw = random.Random(f"{seed}:{number}")
        if draw.random() >= rate:
            return None
        choice = draw.choice(list(kinds))
        if isinstance(choice, Fault):
            return choice
        return Fault(choice, when=draw.choice(("before", "after")), status=draw.choice((500, 502, 503, 504)))

    return decide
