"""Real documentation through both parsers: is the HTML cmark-gfm's, are the links and spans right? By hand.

    python bench/parity.py FOLDER...           every *.md, *.mdx and *.markdown below, one line a folder
    python bench/parity.py --reduce FOLDER...  each page that differs, reduced to the lines that make it differ

A page is read without its front matter, and without carets and video links, which are the portal's own. The HTML is
that of each version of the portal; the wrapper that 4.16 puts around a table is taken off again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.markdown.versions import KNOWN, Version

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "markdown"))

HTML = "html "
"""Before the version of the portal whose HTML is wrong."""

KINDS = {".md", ".mdx", ".markdown"}
MOST_BYTES = 400_000
SLOW_S = 1.0


@dataclass(slots=True)
class Verdict:
    """What became of one page; each list names what is wrong in a word."""

    path: Path
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def pages(folder: Path) -> Iterator[Path]:
    """Every page below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in KINDS and path.is_file() and 0 < path.stat().st_size < MOST_BYTES:
            yield path


def text_of(path: Path) -> str:
    """A page's Markdown, without front matter and what only the portal has."""
    from cmark import without_the_portals_own

    from kbsync.content.post import read_post

    return without_the_portals_own(read_post(path.read_bytes().decode("utf-8", "replace")).content)


def judge(path: Path) -> Verdict:
    """Hold one page against the oracles."""
    from cmark import agrees
    from links import spans_are_wrong

    text = text_of(path)
    started = time.perf_counter()
    verdict = Verdict(path, [HTML + str(version) for version in KNOWN if not agrees(text, version)])
    verdict.wrong += spans_are_wrong(text)
    verdict.seconds = time.perf_counter() - started
    return verdict


def reduced(text: str, differs: Callable[[str], bool]) -> str:
    """The fewest lines, and then characters, that still differ."""
    for parts in (text.splitlines(keepends=True), None):
        pieces = parts if parts is not None else list(text)
        size = max(len(pieces) // 2, 1)
        while size:
            place = 0
            while place < len(pieces):
                rest = pieces[:place] + pieces[place + size :]
                if differs("".join(rest)):
                    pieces = rest
                else:
                    place += size
            size //= 2
        text = "".join(pieces)
    return text


def reduce_page(verdict: Verdict) -> str:
    """One page that differs, as little of it as still does."""
    from cmark import agrees
    from links import spans_are_wrong

    kind = verdict.wrong[0]

    def differs(text: str) -> bool:
        if kind.startswith(HTML):
            return not agrees(text, Version.of(kind.removeprefix(HTML)))
        return kind in spans_are_wrong(text)

    return f"{verdict.path} {verdict.wrong}: {reduced(text_of(verdict.path), differs)!r}"


def main() -> int:
    """Judge every folder; 1 where a page differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--reduce", action="store_true")
    options = parser.parse_args()
    everything: list[Verdict] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for folder in options.folders:
            verdicts = list(pool.map(judge, pages(folder), chunksize=8))
            everything += verdicts
            print(line(str(folder), verdicts), flush=True)
        wrong = [verdict for verdict in everything if verdict.wrong]
        for told in pool.map(reduce_page, wrong) if options.reduce else (f"{v.path} {v.wrong}" for v in wrong):
            print(told, flush=True)
    print(line("all", everything))
    return 1 if wrong else 0


def line(name: str, verdicts: list[Verdict]) -> str:
    """What is said of one folder."""
    html = sum(any(wrong.startswith(HTML) for wrong in verdict.wrong) for verdict in verdicts)
    spans = sum(any(not wrong.startswith(HTML) for wrong in verdict.wrong) for verdict in verdicts)
    slowest = max(verdicts, key=lambda verdict: verdict.seconds, default=Verdict(Path()))
    share = 100 * (1 - html / len(verdicts)) if verdicts else 100.0
    slow = f", slowest {slowest.seconds:.2f} s {slowest.path}" if slowest.seconds > SLOW_S else ""
    return f"{name}: {len(verdicts)} pages, {html} differ in HTML ({share:.2f} % equal), {spans} in spans{slow}"


if __name__ == "__main__":
    sys.exit(main())
