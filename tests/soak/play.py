"""Playing a round, and making a failed one smaller."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from .judge import Violation
from .repository import Origin
from .rounds import Round
from .script import script_of
from .stage import BEGINNING, OPENINGS, Stage
from .truth import Truth


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a round."""

    seed: int
    story: tuple[str, ...]
    violations: tuple[Violation, ...]
    counts: Counter[str]

    @property
    def headlines(self) -> list[str]:
        """What went wrong, and how to see it again."""
        again = [f"  python bench/soak.py --seed {self.seed} --rounds 1 --verbose"] * bool(self.violations)
        return [f"seed {self.seed}: {violation}" for violation in self.violations] + again

    def __str__(self) -> str:
        return "\n".join([*self.headlines, *(f"  {line}" for line in self.story)])


def play(stage: Stage, seed: int, left_out: Collection[int] = ()) -> Result:
    """Carry out a round, or what is left of it; it ends with its first violations."""
    rng = random.Random(f"round {seed}")
    folder = stage.folder / "round"
    shutil.rmtree(folder, ignore_errors=True)
    number = seed % OPENINGS
    desk, truth = stage.begin(number)
    is_new, has_ledger = rng.random() < 0.1, rng.random() < 0.7
    if is_new:
        stage.empty()
        truth = Truth()
    stage.clock.now_s = BEGINNING + 10_000
    this = Round(stage, seed, folder, desk, truth, rng.choice(("report", "archive", "delete")),
                 rng.choice((1, 1, 1, 1, 1, 4)), Origin(folder / "origin"))  # fmt: skip
    this.commit()
    this.add_clone()
    if not is_new and has_ledger:
        this.clone.take_ledger(stage.open(number).ledger)
    this.calm = is_new or has_ledger
    begin = "an empty portal" if is_new else f"opening {number}, {'its' if has_ledger else 'no'} ledger"
    this.story.append(f"    {begin}, removed = {this.removed}, concurrency {this.concurrency}")
    this.story += [
        f"      U{a.uid} {a.path} ({a.portal_slug}) {a.status or 'no status'}" for a in desk.tree.articles.values()
    ]
    for place, step in enumerate(script_of(seed)):
        if place not in left_out and not this.violations:
            this.take(place, step)
    if not this.violations:
        this.end()
    this.counts["rounds"] += 1
    this.counts.update(f"violation: {violation.kind}" for violation in this.violations)
    return Result(seed, tuple(this.story), tuple(this.violations), this.counts)


def places_of(seed: int, steps: Collection[str]) -> set[int]:
    """Where a round takes steps of these names."""
    return {place for place, step in enumerate(script_of(seed)) if step in steps}


def shrink(stage: Stage, result: Result, left_out: Collection[int] = ()) -> Result:
    """The same violation in fewer steps: one step after the other is left out where it changes nothing about that."""
    kind, left_out = result.violations[0].kind, set(left_out)
    for place in reversed(range(len(script_of(result.seed)))):
        without = play(stage, result.seed, {*left_out, place})
        if any(violation.kind == kind for violation in without.violations):
            left_out.add(place)
            result = without
    return result
