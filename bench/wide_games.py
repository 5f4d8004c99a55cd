"""Play the wide game: `bench/wide_games.py FIRST COUNT [STEPS]`, from the root.

Each game that ends with something wrong is played again with fewer steps, until none can be left out; its story goes
into a file of the folder that KBSYNC_GAMES names, or to stdout.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from soak.wide import WIDER, Wide, play

VERSIONS = ("4.16.2", "4.16.2", "4.10.0", "4.16.2", "4.19.0")
LEDGERS = ("sqlite", "git", "sqlite", "none")


def main() -> int:
    """Play some games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--kinds", default=",".join(WIDER))
    parser.add_argument("--without", default="")
    parser.add_argument("--stories", type=Path, default=Path(tempfile.gettempdir()) / "games")
    parser.add_argument("--patience", type=int, default=100, help="seconds to make a game smaller")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--all", action="store_true", help="go on after the first")
    args = parser.parse_args()
    args.stories.mkdir(exist_ok=True, parents=True)
    bad = 0
    for seed in range(args.first, args.first + args.count):
        started = time.monotonic()
        game = once(seed, args, [int(place) for place in args.without.split(",") if place])
        took = time.monotonic() - started
        if not game.wrong:
            print(f"{seed}: well, {took:.1f} s", flush=True)
            continue
        bad += 1
        print(f"{seed}: {', '.join(game.wrong)}, {took:.1f} s", flush=True)
        if args.shrink:
            game = shrunk(seed, args, game)
        (args.stories / f"{seed}.txt").write_text("\n".join([*game.story, f"Game {seed}: {', '.join(game.wrong)}"]))
        if not args.all:
            return 1
    print(f"{args.count} games, {bad} with something wrong")
    return 1 if bad else 0


def once(seed: int, args: argparse.Namespace, left_out: list[int]) -> Wide:
    """A game."""
    version, ledger = VERSIONS[seed % len(VERSIONS)], LEDGERS[seed % len(LEDGERS)]
    with tempfile.TemporaryDirectory() as folder:
        return play(Path(folder), seed, args.steps, version, ledger, args.kinds.split(","), left_out)


def shrunk(seed: int, args: argparse.Namespace, game: Wide) -> Wide:
    """The game with as few steps as still end in the same kind of wrong."""
    kind, out, size = game.wrong[0].split(":")[0], [*range(game.place + 1, args.steps)], max(game.place // 2, 1)
    until = time.monotonic() + args.patience
    while size and time.monotonic() < until:
        for first in range(0, args.steps, size):
            more = [*out, *(place for place in range(first, min(first + size, args.steps)) if place not in out)]
            if len(more) == len(out):
                continue
            smaller = once(seed, args, more) if time.monotonic() < until else game
            if smaller is not game and any(wrong.split(":")[0] == kind for wrong in smaller.wrong):
                game, out = smaller, more
        size //= 2
    print(f"  {seed} without {','.join(map(str, sorted(out)))}", flush=True)
    return game


if __name__ == "__main__":
    sys.exit(main())
