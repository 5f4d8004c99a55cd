"""Play writers and people in the panel against each other: `bench/both_ways.py FIRST COUNT [STEPS]`, from the root.

Ends with 1 if anything was wrong, and prints the story of the first such game.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from soak.both_ways import play

STEPS = 50
VERSIONS = ("4.16.2", "4.16.2", "4.10.0")


def main(arguments: list[str]) -> int:
    """Play some games."""
    first, count, *rest = map(int, arguments)
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            game = play(Path(folder), seed, *rest or [STEPS], version=VERSIONS[seed % len(VERSIONS)])
        if game.wrong:
            print("\n".join(game.story), f"Game {seed}: {', '.join(game.wrong)}", sep="\n")
            return 1
    print(f"{count} games, nothing lost and nothing twice")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
