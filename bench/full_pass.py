"""What it costs to read every row of the list again, with and without the ETags of its pages.

    python bench/full_pass.py [--articles 10000] [--write]

The portal is `kbsync sandbox` in a process of its own; CPU is that of the reading process.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from process import measure
from sections import write_section
from worlds import PUSH, make_tree, sandbox

HEAD = "## Staged edits and order"
HELP = """The list shows neither every pending edit nor every reorder (docs/service.md, S105 and S124), so every row is
read again now and then. A page whose ETag is known comes as 304, without its 25 bodies. A page view (in `views`) or an
edit makes a page another one; an edit also moves all pages before its own.
"""


@dataclass(frozen=True)
class Cost:
    """One reading of the whole portal."""

    requests: int
    unchanged: int
    mib: float
    wall_s: float
    cpu_s: float

    def row(self, name: str) -> str:
        """Its line of the table."""
        return (
            f"| {name} | {self.requests:,} | {self.unchanged:,} | {self.mib:.1f} MiB "
            f"| {self.wall_s:.2f} s | {self.cpu_s:.2f} s |"
        )


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = make_tree(Path(name) / "tree", options.articles)
        with sandbox(folder) as portal:
            measure(PUSH, cwd=folder, environ=portal)
            rows = [cost.row(what) for what, cost in read_all(folder, portal)]
    table = "| | requests | of them 304 | bytes of bodies | wall | CPU |\n| --- | --- | --- | --- | --- | --- |\n"
    made = f"Made on {date.today()}: {options.articles:,} articles in 4 locales, single runs."
    text = f"{HEAD}\n\n{HELP}\n{table}" + "\n".join(rows) + f"\n\n{made}\n"
    if options.write:
        write_section(HEAD, text)
    print(text)


def read_all(folder: Path, portal: dict[str, str]) -> list[tuple[str, Cost]]:
    """The readings that are compared."""
    from kbsync.service.snapshot import Snapshot

    os.environ |= portal
    os.chdir(folder)
    whole: Snapshot = Snapshot("x")
    found = [("every row, nothing known", read(whole, full=True))]
    aged(whole)
    found.append(("every row, ETags known", read(whole)))
    found.append(("a listing while the rows are fresh", read(whole)))
    aged(whole, tags=False)
    found.append(("every row again, without ETags", read(whole)))
    return found


def aged(known: Any, *, tags: bool = True) -> None:
    """As if all rows had been read long ago."""
    for name, found in known.locales.items():
        kept = found.tags if tags else {}
        known.locales[name] = msgspec.structs.replace(found, whole_at=1, tags=kept)


class Counting:
    """A transport that adds up what came."""

    def __init__(self, transport: Any) -> None:
        self.transport, self.statuses, self.bytes = transport, list[int](), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def send(self, *words: Any, **named: Any) -> Any:
        """Pass a request on."""
        answer = self.transport.send(*words, **named)
        self.statuses.append(answer.status)
        self.bytes += len(answer.body)
        return answer


def read(known: Any, *, full: bool = False) -> Cost:
    """One listing of the portal."""
    from kbsync.app.session import Session
    from kbsync.app.workspace import Workspace

    session = Session()
    workspace = Workspace(session.read_settings(), session)
    with workspace.open_service() as service:
        plain: Any = service
        counting = plain.transport = Counting(plain.transport)
        began, cpu = time.monotonic(), time.process_time()
        info = service.fetch_portal()
        service.update(info.locales, known, full=full)
        service.observed(info.locales)
        took = (time.monotonic() - began, time.process_time() - cpu)
    return Cost(len(counting.statuses), counting.statuses.count(304), counting.bytes / 2**20, *took)


if __name__ == "__main__":
    main()
