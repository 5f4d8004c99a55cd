"""A hundred thousand hostile things of five kinds through kbsync: `make fuzz`. By hand.

    make fuzz                                  100,000 of all kinds, all cores; the outcome goes into bench/RESULTS.md
    python bench/fuzz.py --kind texts --files 5000 --from 7 [FOLDER...]     FOLDERs of Markdown are seeds, too
    python bench/fuzz.py --only 100123         one of them again, as it was made of that number; --kind as in its run

The kinds: broken articles, files that say they are images, requests to the local servers, projects in odd encodings,
names that are code to a shell (tests/fuzz/kinds.py); `--kind long` are texts of 200 kB that make a careless reader
slow. It fails where anything is raised, where one takes more than a
second, and where one is read, served or run as something else than it is. A short run of each is in the tests.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "fuzz")]
from asking import stop  # noqa: E402
from examine import examine  # noqa: E402
from hostile import MOST_CHARS, texts  # noqa: E402
from kinds import KINDS, kind_of  # noqa: E402

SLOW_S = 1.0
PART = 250


@dataclass(slots=True)
class Outcome:
    """How some files went: what is wrong with which, and the slowest with its number."""

    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""

    def note(self, name: str, seconds: float, most_s: float = SLOW_S) -> None:
        """Keep the slowest, and blame whatever is too slow."""
        if seconds > self.slowest_s:
            self.slowest_s, self.slowest = seconds, name
        if seconds > most_s:
            self.wrong.append(f"{name}: took {seconds:.1f} s")

    def add(self, other: Outcome) -> None:
        """Take in what another process found."""
        self.wrong += other.wrong
        if other.slowest_s > self.slowest_s:
            self.slowest_s, self.slowest = other.slowest_s, other.slowest


def run_part(first: int, count: int, folders: tuple[Path, ...], kind: str) -> Outcome:
    """Examine what some numbers make; of all kinds in turn where none is named."""
    outcome = Outcome()
    for number in range(first, first + count):
        found = kind or kind_of(number)
        name, made = f"{found} {number}", KINDS[found].make(number, folders)
        # The CPU's own clock: another process's turn is no fault of the file's.
        started = time.process_time()
        try:
            outcome.wrong += (f"{name}: {told}" for told in KINDS[found].examine(made))
        except Exception:  # noqa: BLE001  (looking for whatever may be raised is what this is for)
            outcome.wrong.append(f"{name}: {traceback.format_exc(limit=-3)}")
        outcome.note(name, time.process_time() - started, KINDS[found].most_s)
    return outcome


def run_hostile() -> Outcome:
    """The texts that were made to be slow, at the portal's full length."""
    outcome = Outcome()
    for name, text in texts().items():
        started = time.process_time()
        outcome.wrong += (f"{name}: {told}" for told in examine(text.encode(), preview=True))
        outcome.note(name, time.process_time() - started)
    return outcome


def section(numbers: range, kind: str, hostile: Outcome, outcome: Outcome, seconds: float) -> str:
    """What RESULTS.md says of a fuzz run."""
    counts = Counter(kind or kind_of(number) for number in numbers)
    failed = Counter(told.partition(" ")[0] for told in outcome.wrong)
    rows = [f"| {KINDS[name].words} | {counts[name]:,} | {failed[name]} |" for name in KINDS if counts[name]]
    return (
        f"## Fuzz\n\nMade by `make fuzz` on {time.strftime('%Y-%m-%d')}, numbers {numbers[0]:,} to {numbers[-1]:,}:\n\n"
        "| | tried | failures |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n\n"
        f"The slowest ({outcome.slowest}) took {outcome.slowest_s:.2f} s of CPU; {len(texts())} hostile texts of "
        f"{MOST_CHARS:,} characters:\n{len(hostile.wrong)} failures, the slowest ({hostile.slowest}) "
        f"{hostile.slowest_s:.2f} s; {seconds:.0f} s on {os.cpu_count()} cores.\n"
    )


def run_all(numbers: range, folders: tuple[Path, ...], kind: str) -> Outcome:
    """Examine all numbers on all cores, telling what is wrong as it is found."""
    outcome, done = Outcome(), 0
    # Servers and their threads do not survive a fork.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        starts = range(numbers.start, numbers.stop, PART)
        jobs = [pool.submit(run_part, start, min(PART, numbers.stop - start), folders, kind) for start in starts]
        for job in as_completed(jobs):
            part = job.result()
            print("".join(f"{told}\n" for told in part.wrong), end="", flush=True)
            outcome.add(part)
            done += 1
            if done % 20 == 0:
                print(f"{done * PART:,} of {len(numbers):,}, {len(outcome.wrong)} failures", flush=True)
    return outcome


def main() -> int:
    """Run them all; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first number")
    parser.add_argument("--only", type=int, help="show and examine what one number makes")
    parser.add_argument("--kind", choices=KINDS, default="", help="all numbers are of this kind; else of all in turn")
    options = parser.parse_args()
    folders = tuple(options.folders)
    if options.only is not None:
        kind = KINDS[options.kind or kind_of(options.only)]
        made = kind.make(options.only, folders)
        print(made, *kind.examine(made), sep="\n")
        stop()
        return 0
    started = time.monotonic()
    hostile = run_hostile()
    print("".join(f"{told}\n" for told in hostile.wrong), end="", flush=True)
    numbers = range(options.first, options.first + options.files)
    outcome = run_all(numbers, folders, options.kind)
    told = section(numbers, options.kind, hostile, outcome, time.monotonic() - started)
    print(told)
    return 1 if hostile.wrong or outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
