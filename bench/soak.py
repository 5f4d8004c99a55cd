"""Thousands of rounds that look for what would embarrass us: `make soak`. By hand; CI runs a few of them (tests/soak).

    make soak                                        5,000 rounds, 500 with the ledger in git, and 5,000 fault
                                                     schedules, all cores
    python bench/soak.py --rounds 300                rounds alone
    python bench/soak.py --seconds 600               rounds for ten minutes
    python bench/soak.py --seed 1234 --rounds 1 --verbose      one round again, with its whole story
    python bench/soak.py --seed 1234 --rounds 1 --shrink       the same with as few steps as show the violation
    python bench/soak.py --without "swap files"      without that kind of step
    python bench/soak.py --ledger git --rounds 500   rounds whose ledger is a ref of a git remote, alone

A round edits a help center at random in git, in the panel and in the ledger, pushes it in between, and asks an oracle
that knows which file is which article (tests/soak). A fault schedule is one mixed push under faults, then at most two
in peace (tests/push/test_faults.py). Both are the same for the same seed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

SCHEDULES_AT_ONCE, ROUNDS_AT_ONCE = 50, 100
"""What shares one sandbox."""

ROUNDS, GIT_ROUNDS, SCHEDULES, FIRST_SCHEDULE = 5000, 500, 5000, 100_000


@dataclass(slots=True)
class Tally:
    """What was done so far, and what was found."""

    counts: Counter[str] = field(default_factory=Counter)
    stories: list[str] = field(default_factory=list)
    failures: int = 0


def run_rounds(first: int, count: int, until: float, ledger: str, options: argparse.Namespace) -> Tally:
    """Play some rounds, until a moment of the wall clock at the latest."""
    from soak.play import play, shrink
    from soak.stage import stages

    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, stages(Path(folder), ledger) as stage_of:
        for seed in range(first, first + count):
            if time.time() > until:
                break
            result = play(stage_of(seed), seed, options.without)
            result.counts[f"rounds: {ledger}"] += 1
            tally.counts.update(result.counts)
            tally.failures += bool(result.violations)
            if result.violations and options.shrink:
                result = shrink(stage_of(seed), result)
            if options.verbose or (result.violations and options.shrink):
                tally.stories.append(str(result))
            elif result.violations:
                tally.stories.append("\n".join(result.headlines))
    return tally


def run_schedules(first: int, count: int, old: bool) -> Tally:
    """Push through some schedules of faults."""
    from kbsync.sandbox import V4_2, Behaviour
    from push.test_faults import stages, wrongs_of_seed

    tally = Tally(Counter({"fault schedules": count}))
    with tempfile.TemporaryDirectory() as folder, stages(Path(folder), V4_2 if old else Behaviour()) as stage:
        for seed in range(first, first + count):
            tally.stories += wrongs_of_seed(stage, seed)
    tally.failures = len(tally.stories)
    return tally


def submitted(pool: ProcessPoolExecutor, options: argparse.Namespace) -> Iterator[Future[Tally]]:
    """Everything that is to be done, in parts."""
    until = time.time() + options.seconds if options.seconds else float("inf")
    share = max(1, -(-options.rounds // (os.cpu_count() or 1)))
    at_once = share if options.seconds else min(ROUNDS_AT_ONCE, share)
    for ledger, rounds in options.rounds_with.items():
        for first in range(0, rounds, at_once):
            some = min(at_once, rounds - first)
            yield pool.submit(run_rounds, options.seed + first, some, until, ledger, options)
    for number, first in enumerate(range(0, options.schedules, SCHEDULES_AT_ONCE)):
        some = min(SCHEDULES_AT_ONCE, options.schedules - first)
        # Every fourth part is against version 4.2.
        yield pool.submit(run_schedules, FIRST_SCHEDULE + first, some, number % 4 == 3)


def arguments() -> argparse.Namespace:
    """What was asked for. Who names rounds, a seed or a time wants no schedules beside them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, help=f"how many rounds [default: {ROUNDS:,}]")
    parser.add_argument("--schedules", type=int, help=f"how many fault schedules [default: {SCHEDULES:,}]")
    parser.add_argument("--seed", type=int, help="the first seed of the rounds [default: 0]")
    parser.add_argument("--ledger", choices=("sqlite", "git"), help="where the rounds have it [default: sqlite, and "
                        f"{GIT_ROUNDS:,} rounds with git]")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=0.0, help="begin no round after so many seconds")
    parser.add_argument("--without", action="append", default=[], metavar="STEP", help="leave out steps of this name, "
                        "to look past what is known (tests/soak: edits.py, portal.py, script.py)")  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="tell the story of every round")
    parser.add_argument("--shrink", action="store_true", help="tell failed rounds with as few steps as still fail")
    options = parser.parse_args()
    alone = options.rounds is not None or options.seed is not None or options.seconds or options.ledger
    if options.schedules is None:
        options.schedules = 0 if alone else SCHEDULES
    if options.rounds is None:
        options.rounds = 1_000_000 if options.seconds else ROUNDS
    options.seed = options.seed or 0
    options.rounds_with = {options.ledger or "sqlite": options.rounds}
    if not alone:
        options.rounds_with["git"] = GIT_ROUNDS
        options.rounds += GIT_ROUNDS
    return options


def main() -> int:
    """Run them all; 1 where one failed."""
    from soak.counting import told

    options = arguments()
    started = time.monotonic()
    whole = Tally()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for job in as_completed(submitted(pool, options)):
            part = job.result()
            whole.counts.update(part.counts)
            whole.failures += part.failures
            for story in part.stories:
                print(story, flush=True)
            print(f"{whole.counts['rounds']:,} of {options.rounds:,} rounds, {whole.counts['fault schedules']:,} of "
                  f"{options.schedules:,} schedules, {whole.failures} failures, {time.monotonic() - started:.0f} s",
                  file=sys.stderr, flush=True)  # fmt: skip
    seconds = time.monotonic() - started
    words = [
        f"{told([whole.counts])}",
        f"{whole.counts['fault schedules']:,} fault schedules",
        f"{whole.failures:,} rounds and schedules failed; {seconds:.0f} s on {os.cpu_count()} cores",
    ]
    print("soak: " + "\n  ".join(words))
    return 1 if whole.failures else 0


if __name__ == "__main__":
    sys.exit(main())
