"""What a push costs where another portal of the service has 15 % of the slugs, beside one where none is taken. By hand.

python bench/slugs_elsewhere.py [--articles 300] [--times 3] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sections import write_section
from worlds import KBSYNC, UNPACED, at

from kbsync.sandbox import Fault, PortalSetup, Sandbox, Setup, UserSetup, running

HEAD = "## Slugs of another portal"
LATENCY_S = 0.05
SHARE = 0.15
AIM = 1.3
SETUP = Setup(
    portals=(PortalSetup("handbook", "Handbook", ("en",), "en"), PortalSetup("other", "Other", ("en",), "en")),
    users=(UserSetup(1, "Ada Admin", "ada@example.com", "administrator", "any-token"),),
)


@dataclass(frozen=True)
class Cost:
    """Of one push: requests, all of them, and the time of the whole process."""

    requests: int
    wall_s: float


def make_tree(folder: Path, base_url: str, articles: int) -> list[str]:
    """A project with so many articles in one category; their slugs."""
    slugs = [f"article-{number:04}" for number in range(articles)]
    guide = folder / "content" / "en" / "guide"
    guide.mkdir(parents=True)
    config = f'[service]\nbase_url = "{base_url}"\nportal = "handbook"\n[content]\nlocales = ["en"]\n'
    (folder / "kbsync.toml").write_text(config)
    (guide / "_category.md").write_text("---\nname: Guide\n---\n")
    for slug in slugs:
        (guide / f"{slug}.md").write_text(f"---\ntitle: {slug}\n---\n" + "Some words. " * 80 + "\n")
    return slugs


def push(articles: int, disturb: Callable[[Sandbox, list[str]], None]) -> Cost:
    """One first push against a sandbox that takes 50 ms for every answer."""
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name, running(Path(name) / "s.db", SETUP) as sandbox:
        folder = Path(name) / "project"
        disturb(sandbox, make_tree(folder, sandbox.base_url, articles))
        sandbox.faults.add(Fault("latency", seconds=LATENCY_S, times=None))
        environ = os.environ | UNPACED | at(sandbox.base_url, "any-token")
        start_s = time.perf_counter()
        command = [*KBSYNC, "push", "-q", "--format", "json"]
        done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
        wall_s = time.perf_counter() - start_s
        assert json.loads(done.stdout)["schema"] == "kbsync.push/1", done.stderr
        return Cost(sandbox.faults.number, wall_s)


def spread(slugs: list[str]) -> list[str]:
    """15 % of the slugs, all over the tree."""
    return slugs[:: round(1 / SHARE)][: round(len(slugs) * SHARE)]


def taken(sandbox: Sandbox, slugs: list[str]) -> None:
    """Another portal has some of them."""
    for slug in spread(slugs):
        sandbox.panel.create("other", "Theirs", "theirs", slug=slug)


def nothing(sandbox: Sandbox, slugs: list[str]) -> None:
    """No slug is taken."""


def section(articles: int, times: int) -> str:
    """The pairs, one after the other, and their ratios."""
    rows, ratios = [], []
    for number in range(1, times + 1):
        clean, other = push(articles, nothing), push(articles, taken)
        ratio = (other.requests / clean.requests, other.wall_s / clean.wall_s)
        ratios.append(ratio)
        rows.append(
            f"| {number} | {clean.requests:,} in {clean.wall_s:.1f} s | {other.requests:,} in {other.wall_s:.1f} s "
            f"| {ratio[0]:.2f} | {ratio[1]:.2f} |"
        )
    requests, wall = (statistics.median(column) for column in zip(*ratios, strict=True))
    delay = f"{LATENCY_S * 1000:.0f} ms"
    head = f"""{HEAD}

Made by `bench/slugs_elsewhere.py`: first pushes of {articles:,} articles, 4 requests at once, to a sandbox that takes
{delay} for every answer. Another portal has 15 % of the slugs. Requests are all that the service got; the look-ups of
100 new slugs are among them.

| pair | no slug taken | 15 % taken | requests | wall |
| --- | --- | --- | --- | --- |
"""
    result = f"**{requests:.2f}** times the requests and **{wall:.2f}** times the time"
    return head + "\n".join(rows) + f"\n\nMedian: {result} of a push without such slugs. Aim: {AIM}.\n"


def main() -> None:
    """Measure, and write the section if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    asked = parser.parse_args()
    text = section(asked.articles, asked.times)
    print(text)
    if asked.write:
        write_section(HEAD, text)


if __name__ == "__main__":
    main()
