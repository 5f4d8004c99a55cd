"""Thousands of pushes against a portal that misbehaves at random: `make soak`. By hand, not in CI.

    make soak                      5,000 schedules, both versions of the service, all cores
    python bench/soak.py --schedules 200 --from 9000
    python bench/soak.py --write               the same, and its outcome into bench/RESULTS.md

Each schedule is a mixed push (creates, updates, moves, a slug swap, publishes, an archive, a delete, categories)
under faults of its own seed, then at most two pushes in peace. It fails when there is not exactly one article for
each source, when a text or a status is another, when something is left to do, or when the ledger says otherwise. The
harness is that of the tests.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from sections import SOAK, write_section

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


PART = 50
"""Schedules that share one sandbox."""


def run_part(first: int, count: int, old: bool) -> list[str]:
    """Push through some schedules; what went wrong."""
    from kbsync.sandbox import V4_2, Behaviour
    from push.test_faults import stages, wrongs_of_seed

    with tempfile.TemporaryDirectory() as folder, stages(Path(folder), V4_2 if old else Behaviour()) as stage:
        return [told for seed in range(first, first + count) for told in wrongs_of_seed(stage, seed)]


def section(schedules: int, failures: int, seconds: float) -> str:
    """What RESULTS.md says of a soak."""
    return (
        f"{SOAK}\n\nMade by `make soak` on {time.strftime('%Y-%m-%d')}: "
        f"{schedules:,} mixed pushes under random faults,\n"
        f"{failures} failures, {seconds:.0f} s on {os.cpu_count()} cores.\n"
    )


def main() -> int:
    """Run them all; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schedules", type=int, default=5000)
    parser.add_argument("--from", type=int, default=100_000, dest="first", help="the first seed")
    parser.add_argument("--write", action="store_true", help="put the outcome into bench/RESULTS.md")
    options = parser.parse_args()
    started = time.monotonic()
    parts = [(first, min(PART, options.schedules - first)) for first in range(0, options.schedules, PART)]
    failures: list[str] = []
    done = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        # Every fourth part is against version 4.2.
        jobs = {
            pool.submit(run_part, options.first + first, count, number % 4 == 3): count
            for number, (first, count) in enumerate(parts)
        }
        for job in as_completed(jobs):
            for told in job.result():
                failures.append(told)
                print(told, flush=True)
            done += jobs[job]
            print(f"{done:,} of {options.schedules:,} schedules, {len(failures)} failures, "
                  f"{time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    seconds = time.monotonic() - started
    print(f"soak: {options.schedules:,} schedules, {len(failures)} failures, {seconds:.0f} s")
    if options.write:
        write_section(SOAK, section(options.schedules, len(failures), seconds))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
