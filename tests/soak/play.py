"""Playing a round, and making a failed one smaller."""

import random
import shlex
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
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
    without: tuple[str, ...] = ()
    ledger: str = "sqlite"

    @property
    def headlines(self) -> list[str]:
        """What went wrong, and how to see it again."""
        command = ["python", "bench/soak.py", "--seed", str(self.seed), "--rounds", "1", "--verbose"]
        command += ["--ledger", self.ledger] if self.ledger != "sqlite" else []
        command += [word for step in self.without for word in ("--without", step)]
        again = [f"  {shlex.join(command)}"] * bool(self.violations)
        return [f"seed {self.seed}: {violation}" for violation in self.violations] + again

    def __str__(self) -> str:
        return "\n".join([*self.headlines, *(f"  {line}" for line in self.story)])


def play(stage: Stage, seed: int, without: Sequence[str] = (), left_out: Collection[int] = ()) -> Result:
    """Carry out a round; it ends with its first violations.

    Args:
        stage: where; it is put back to the round's beginning first.
        seed: what the round is made of.
        without: steps of these names are left out.
        left_out: and those at these places of the script.
    """
    this = _begin(stage, seed)
    for place, step in enumerate(script_of(seed)):
        if step not in without and place not in left_out and not this.violations:
            this.take(place, step)
    if not this.violations:
        this.end()
    this.counts["rounds"] += 1
    this.counts.update(f"violation: {violation.kind}" for violation in this.violations)
    return Result(seed, tuple(this.story), tuple(this.violations), this.counts, tuple(without), stage.ledger)


def _begin(stage: Stage, seed: int) -> Round:
    rng = random.Random(f"round {seed}")
    number = seed % OPENINGS
    desk, truth = stage.begin(number)
    is_new, has_ledger = rng.random() < 0.1, rng.random() < 0.7
    if is_new:
        stage.empty()
        truth = Truth()
    stage.clock.now_s = BEGINNING + 10_000
    folder = stage.folder / "round"
    shutil.rmtree(folder, ignore_errors=True)
    removed, concurrency = rng.choice(("report", "archive", "delete")), rng.choice((1, 1, 1, 1, 1, 4))
    opening = stage.open(number)
    known = not is_new and has_ledger
    remote = stage.a_remote(folder / "remote.git", opening.remote if known else None)
    this = Round(stage, seed, folder, desk, truth, removed, concurrency, Origin(folder / "origin"), remote)
    this.commit()
    this.add_clone()
    if known and remote is None:
        this.clone.take_ledger(opening.ledger)
    elif known:
        this.clone.know(opening.ledger)
    this.calm = is_new or has_ledger
    this.is_rewritten = known and remote is not None
    begin = "an empty portal" if is_new else f"opening {number}, {'its' if has_ledger else 'no'} ledger"
    this.story.append(f"    {begin}, removed = {removed}, concurrency {concurrency}")
    for item in desk.tree.articles.values():
        this.story.append(f"      U{item.uid} {item.path} ({item.portal_slug}) {item.status or 'no status'}")
    return this


def shrink(stage: Stage, result: Result) -> Result:
    """The same violation in fewer steps: one step after the other is left out where it changes nothing about that."""
    kind, left_out = result.violations[0].kind, set[int]()
    for place in reversed(range(len(script_of(result.seed)))):
        fewer = play(stage, result.seed, result.without, {*left_out, place})
        if any(violation.kind == kind for violation in fewer.violations):
            left_out.add(place)
            result = fewer
    return result
