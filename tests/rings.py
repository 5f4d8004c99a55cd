"""The two rings of the suite. `make test` plays a quarter of the games at random, `make test-all` all of them.

Which ones follows from the parent commit, so that every commit tries others, and amending a commit tries the same again.
Outside of git, and in a clone without that parent, they are the same each time.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ALL = bool(os.environ.get("KBSYNC_TESTS_ALL"))
"""Set by `make test-all`."""

CHOSEN = os.environ.get("KBSYNC_TESTS_SEED", "")
"""A first seed of one's own, to repeat what another commit tried."""


OUTSIDE = 32_000
"""The first seed where there is no parent commit."""


def _first() -> int:
    if CHOSEN:
        return int(CHOSEN)
    here = Path(__file__).resolve().parent
    asked = ["git", "-C", str(here), "rev-parse", "--verify", "--quiet", "HEAD^"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return OUTSIDE
    return int(done.stdout[:6], 16) * 1000 if done.returncode == 0 else OUTSIDE


FIRST = _first()
"""A multiple of 1,000, unless it was chosen."""


def seeds(number: int) -> range:
    """Seeds of games, of which there are this many in the whole suite."""
    return range(FIRST, FIRST + (number if ALL else max(1, number // 4)))


EVERY = 6
"""Of a long series `make test` takes one case in so many, others for each commit."""


def some(cases: Sequence[T]) -> Sequence[T]:
    """All of a long series of cases in the whole suite, and one in `EVERY` in `make test`."""
    return cases if ALL else cases[FIRST // 1000 % min(EVERY, len(cases)) :: EVERY]


def one_of(*variants: T) -> tuple[T, ...]:
    """All variants of what is tried with each in the whole suite, and one of them, in turn, in `make test`."""
    return variants if ALL else (variants[FIRST // 1000 % len(variants)],)
