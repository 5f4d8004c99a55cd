"""A hundred thousand broken files through front matter, spans, lint and the preview's HTML: `make fuzz`. By hand.

    make fuzz                                  100,000 files, all cores; the outcome goes into bench/RESULTS.md
    python bench/fuzz.py --files 5000 --from 7 [FOLDER...]     FOLDERs of Markdown are seeds, too
    python bench/fuzz.py --only 100123         one file again, as it was made of that number

It fails where anything is raised, where a file or a hostile text takes more than a second, and where a link finds
something outside the tree or is not told of. The same checks run on 2,000 files in the tests.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sections import FUZZ, write_section

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "fuzz")]
from examine import examine  # noqa: E402
from hostile import MOST_CHARS, texts  # noqa: E402
from mutate import mutated, seeds  # noqa: E402

SLOW_S = 1.0
PART = 250


@dataclass(slots=True)
class Outcome:
    """How some files went: what is wrong with which, and the slowest with its number."""

    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""

    def note(self, name: str, seconds: float) -> None:
        """Keep the slowest, and blame whatever is too slow."""
        if seconds > self.slowest_s:
            self.slowest_s, self.slowest = seconds, name
        if seconds > SLOW_S:
            self.wrong.append(f"{name}: took {seconds:.1f} s")

    def add(self, other: Outcome) -> None:
        """Take in what another process found."""
        self.wrong += other.wrong
        if other.slowest_s > self.slowest_s:
            self.slowest_s, self.slowest = other.slowest_s, other.slowest


def run_part(first: int, count: int, folders: list[Path]) -> Outcome:
    """Examine the files of some numbers."""
    known = _seeds(tuple(folders))
    outcome = Outcome()
    for number in range(first, first + count):
        data = mutated(number, known)
        # The CPU's own clock: another process's turn is no fault of the file's.
        started = time.process_time()
        try:
            outcome.wrong += (f"file {number}: {told}" for told in examine(data, preview=number % 4 == 0))
        except Exception:  # noqa: BLE001  (looking for whatever may be raised is what this is for)
            outcome.wrong.append(f"file {number}: {traceback.format_exc(limit=-3)}")
        outcome.note(f"file {number}", time.process_time() - started)
    return outcome


@cache
def _seeds(folders: tuple[Path, ...]) -> list[bytes]:
    return seeds(folders)


def run_hostile() -> Outcome:
    """The texts that were made to be slow, at the portal's full length."""
    outcome = Outcome()
    for name, text in texts().items():
        started = time.process_time()
        outcome.wrong += (f"{name}: {told}" for told in examine(text.encode(), preview=True))
        outcome.note(name, time.process_time() - started)
    return outcome


def section(files: int, hostile: Outcome, outcome: Outcome, seconds: float) -> str:
    """What RESULTS.md says of a fuzz run."""
    return (
        f"{FUZZ}\n\nMade by `make fuzz` on {time.strftime('%Y-%m-%d')}: {files:,} broken files through front matter, "
        f"spans, lint and\n(every fourth) the preview's HTML: {len(outcome.wrong)} failures, the slowest took "
        f"{outcome.slowest_s:.2f} s of CPU; {len(texts())} hostile texts of\n{MOST_CHARS:,} characters: "
        f"{len(hostile.wrong)} failures, the slowest ({hostile.slowest}) {hostile.slowest_s:.2f} s; "
        f"{seconds:.0f} s on {os.cpu_count()} cores.\n"
    )


def run_all(first: int, files: int, folders: list[Path]) -> Outcome:
    """Examine the files on all cores, telling what is wrong as it is found."""
    outcome, done = Outcome(), 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        starts = range(first, first + files, PART)
        jobs = [pool.submit(run_part, start, min(PART, first + files - start), folders) for start in starts]
        for job in as_completed(jobs):
            part = job.result()
            print("".join(f"{told}\n" for told in part.wrong), end="", flush=True)
            outcome.add(part)
            done += 1
            if done % 20 == 0:
                print(f"{done * PART:,} of {files:,} files, {len(outcome.wrong)} failures", flush=True)
    return outcome


def main() -> int:
    """Run them all; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first number")
    parser.add_argument("--only", type=int, help="show and examine one file")
    parser.add_argument("--write", action="store_true", help="put the outcome into bench/RESULTS.md")
    options = parser.parse_args()
    if options.only is not None:
        data = mutated(options.only, seeds(options.folders))
        print(data, *examine(data, preview=True), sep="\n")
        return 0
    started = time.monotonic()
    hostile = run_hostile()
    print("".join(f"{told}\n" for told in hostile.wrong), end="", flush=True)
    outcome = run_all(options.first, options.files, options.folders)
    told = section(options.files, hostile, outcome, time.monotonic() - started)
    print(told)
    if options.write:
        write_section(FUZZ, told)
    return 1 if hostile.wrong or outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
