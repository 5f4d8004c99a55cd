"""Where a command spends its time, as a tree of text: of the process itself, and of its children.

    python bench/flame.py -- kbsync lint -q
    python bench/flame.py --times 3 --first 'rm -rf .kbsync' --out cold.txt -- kbsync lint -q

py-spy (`pip install py-spy`, looked for on the PATH) takes the samples, each of the thread that holds the interpreter:
threads that only wait are left out, on a busy machine too, and so is what C code does without the interpreter (reading
and writing files and sockets, SQLite); `--all-threads` has these as well. What other C code does counts for the Python
function that calls it; children that are no Python, such as git, have CPU but no samples. Shares are of the samples of
the process, or of its children. They compare with those of another command only beside the CPU of both, which is
printed without what sampling costs.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from process import Run, measure, use_bytecode

RATE = 250
"""Samples a second: a process of half a second gives more than a hundred."""

Stack = tuple[str, ...]
"""Functions with their files, the outermost one first."""

HERE, CHILDREN = "the process itself", "its children"
PROCESS = re.compile(r'process \d+:"[^"]*"$')
LINE = re.compile(r":\d+\)$")
NO_PY_SPY = "py-spy is not on the PATH. Install it with `pip install py-spy`, best in an environment of its own."


@dataclass
class Node:
    """A function below one that calls it: samples in it and below it, and in it alone."""

    name: str
    samples: int = 0
    own: int = 0
    below: dict[str, Node] = field(default_factory=dict)


def stacks_of(raw: Iterable[str]) -> dict[str, Counter[Stack]]:
    """Samples of py-spy's raw format, apart for the process itself and for its children.

    Lines of one function are one place, and what Python does to import a module is left out: it counts for the module
    that imports.
    """
    found: dict[str, Counter[Stack]] = {HERE: Counter(), CHILDREN: Counter()}
    for line in raw:
        text, _, samples = line.rstrip("\n").rpartition(" ")
        frames = text.split(";")
        processes = sum(1 for frame in frames if PROCESS.match(frame))
        stack = tuple(LINE.sub(")", frame) for frame in frames if not PROCESS.match(frame) and "<frozen " not in frame)
        found[CHILDREN if processes > 1 else HERE][stack] += int(samples)
    return found


def tree_of(stacks: Counter[Stack]) -> Node:
    """All stacks as one tree; its root has no name."""
    root = Node("")
    for stack, samples in stacks.items():
        node = root
        node.samples += samples
        for frame in stack:
            node = node.below.setdefault(frame, Node(frame))
            node.samples += samples
        node.own += samples
    return root


def lines_of(root: Node, *, cut: float, most: int, width: int) -> tuple[list[str], float]:
    """The tree with the share of each function, from the largest down, and the cut that gave so many lines.

    Args:
        root: what `tree_of` made; its samples are 100 %.
        cut: what has less percent than that is left out; more where the tree would have too many lines.
        most: lines.
        width: characters of a line.
    """
    while len(found := [*_lines(root, root.samples, cut, 0)]) > most:
        cut += 0.5
    return [_within(line, width) for line in found], cut


def _lines(node: Node, total: int, cut: float, depth: int) -> Iterator[str]:
    for child in sorted(node.below.values(), key=lambda node: (-node.samples, node.name)):
        if child.samples * 100 < cut * total:
            continue
        chain = [child, *_chain(child, total, cut)]
        names = " > ".join([*(_function(step.name) for step in chain[:-1]), chain[-1].name])
        own = sum(step.own for step in chain)
        yield f"{child.samples * 100 / total:5.1f} {own * 100 / total:5.1f}  {'  ' * depth}{names}"
        yield from _lines(chain[-1], total, cut, depth + 1)


def _chain(node: Node, total: int, cut: float) -> Iterator[Node]:
    """What follows on the same line: functions that do nearly all that the one before them does."""
    while node.below:
        largest = max(node.below.values(), key=lambda node: node.samples)
        if (node.samples - largest.samples) * 100 >= cut * total / 2 or largest.samples * 100 < cut * total:
            return
        yield largest
        node = largest


def _function(frame: str) -> str:
    """The name of a function without its file; of a module that is imported, the file is the name."""
    name, _, file = frame.partition(" (")
    return file.removesuffix(")") if name == "<module>" else name


def _within(line: str, width: int) -> str:
    """A line without the middle of its chain where it is too long: first and last function say most."""
    if len(line) <= width:
        return line
    steps = line.split(" > ")
    while len(steps) > 2 and len(" > ".join([steps[0], "..", *steps[2:]])) > width:
        del steps[1]
    short = " > ".join([steps[0], "..", *steps[2:]]) if len(steps) > 2 else line
    return short if len(short) <= width else f"{short[: width - 2]}.."


def report(raw: Iterable[str], *, cut: float, most: int, width: int) -> list[str]:
    """Both trees below their heads; lines go by the samples of each, ten at least."""
    parts = stacks_of(raw)
    total = sum(stacks.total() for stacks in parts.values())
    lines = []
    for name, stacks in parts.items():
        if samples := stacks.total():
            tree, used = lines_of(tree_of(stacks), cut=cut, most=max(10, most * samples // total), width=width)
            head = f"  all  self  (percent; function, file; below {used:g} % left out)"
            lines += [f"{name}: {samples:,} samples", head, *tree, ""]
    return lines


def record(command: Sequence[str], first: str, times: int, options: Sequence[str]) -> tuple[list[str], list[Run]]:
    """Samples of so many runs, and as many runs without py-spy, in turn; any exit code is fine, linters have many."""
    program = shutil.which("py-spy")
    if program is None:
        raise SystemExit(NO_PY_SPY)
    raw: list[str] = []
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "raw.txt"
        spy = [program, "record", "--rate", str(RATE), "--format", "raw", "--subprocesses", *options]
        spy += ["--output", str(file), "--"]
        for _ in range(times):
            for words in ([*spy, *command], [*command]):
                subprocess.run(shlex.split(first), check=True) if first else None
                run = measure(words, cwd=Path.cwd(), ok=range(-64, 256), whole_tree=True)
            runs.append(run)
            raw += file.read_text("utf-8").splitlines()
    return raw, runs


def cpu_of(run: Run, times: int) -> str:
    """What the run that took least used, and how much of that the process itself, to the nearest look at it."""
    own = f", {run.clock[-1][1]:.2f} s of it the process itself" if run.clock else ""
    return f"CPU without sampling, least of {times}: {run.cpu_s:.2f} s{own}"


def main() -> None:
    """Record a command, or read what py-spy recorded elsewhere; print the trees."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=1, help="runs, whose samples are added up")
    parser.add_argument("--first", default="", metavar="COMMAND", help="run before each, such as 'rm -rf .kbsync'")
    parser.add_argument("--all-threads", action="store_true", help="also without the interpreter; on a quiet machine")
    parser.add_argument("--cut", type=float, default=2.0, help="percent below which a function is left out")
    parser.add_argument("--lines", type=int, default=45)
    parser.add_argument("--width", type=int, default=110)
    parser.add_argument("--raw", nargs="+", type=Path, metavar="FILE", help="made by `py-spy record --format raw`")
    parser.add_argument("--out", type=Path, help="write here instead of printing")
    parser.add_argument("command", nargs="*", help="behind --")
    args = parser.parse_args()
    use_bytecode()
    if bool(args.raw) == bool(args.command):
        parser.error("give either a command behind --, or files with --raw")
    head = []
    if args.raw:
        raw = [line for file in args.raw for line in file.read_text("utf-8").splitlines()]
    else:
        raw, runs = record(args.command, args.first, args.times, [] if args.all_threads else ["--gil"])
        head = [shlex.join(args.command), cpu_of(min(runs, key=lambda run: run.cpu_s), args.times), ""]
    text = "\n".join([*head, *report(raw, cut=args.cut, most=args.lines, width=args.width)])
    if args.out:
        args.out.write_text(text, "utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
