"""The steps of a round, drawn from its seed."""

import random
from collections.abc import Mapping

from .edits import EDITS
from .portal import ACTS

PUSHES: Mapping[str, int] = {
    "push": 12,
    "push one": 3,
    "push --overwrite": 2,
    "push --recreate": 1,
    "push, faults": 5,
    "push, killed": 2,
    "push, stopped": 1,
}
CLONES: Mapping[str, int] = {
    "lose the ledger": 3,
    "stale ledger": 3,
    "other clone": 4,
    "fresh clone": 3,
    "shallow clone": 2,
}


def script_of(seed: int) -> list[str]:
    """The steps of a round."""
    rng = random.Random(f"script {seed}")

    def draw(weights: Mapping[str, int]) -> str:
        return rng.choices([*weights], [*weights.values()])[0]

    edits = {name: weight for name, (_, weight) in EDITS.items()}
    acts = {name: weight for name, (_, weight) in ACTS.items()}
    steps: list[str] = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        if rng.random() < 0.3:
            steps.append(draw(acts))
        for _ in range(rng.choice((1, 1, 2))):
            steps += [draw(edits) for _ in range(rng.choice((1, 1, 2, 3)))]
            steps.append("commit")
        if rng.random() < 0.12:
            steps.append("squash")
        if rng.random() < 0.3:
            steps.append(draw(acts))
        if rng.random() < 0.35:
            steps.append(draw(CLONES))
        if rng.random() < 0.15:
            steps.append(rng.choice(("plan", "plan, offline")))
        steps.append(draw(PUSHES))
    return steps
