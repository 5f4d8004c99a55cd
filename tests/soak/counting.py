"""What rounds did, in words."""

from collections import Counter
from collections.abc import Iterable, Mapping

DONE = {
    "rounds": "rounds",
    "runs: push": "pushes",
    "kills": "kills",
    "stops": "stops",
    "faults": "faults",
    "panel edits": "panel edits",
    "clones": "clones",
    "refusals": "ledgers refused",
    "disks lost": "disks lost",
    "ledgers lost or stale": "ledgers lost or stale",
}


def told(counts: Iterable[Mapping[str, int]]) -> str:
    """How much was done, what was held at the end of rounds, and what was wrong."""
    whole: Counter[str] = Counter()
    for some in counts:
        whole.update(some)
    done = ", ".join(f"{whole[name]:,} {words}" for name, words in DONE.items())
    held, wrong = _of(whole, "held: "), _of(whole, "violation: ")
    return f"{done}; held at the end: {held or 'nothing'}; violations: {wrong or 'none'}"


def _of(whole: Counter[str], head: str) -> str:
    found = [(name.removeprefix(head), number) for name, number in whole.most_common() if name.startswith(head)]
    return ", ".join(f"{number:,} {name}" for name, number in found)
