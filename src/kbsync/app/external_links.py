"""`kbsync lint --external`: check the links to other sites, and report which are dead and which are not clear."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.lint import in_order
from kbsync.lint.external import external_findings, find_external
from kbsync.lint.ignore import Severities
from kbsync.model import Finding
from kbsync.service.external import Checker, Verdict, by_reason
from kbsync.service.external_memory import load_memory, store_memory
from kbsync.words import count

MEMORY = "external.json"


def check_external(
    workspace: Workspace, reading: Reading, findings: Sequence[Finding], paths: Collection[str]
) -> tuple[Finding, ...]:
    """The findings, and one more for each dead link of these files; what is unsure is reported on stderr."""
    tree, settings = reading.compiler.tree, workspace.settings.lint
    links = list(find_external(tree, (path for path in tree.sources if path in paths)))
    urls = sorted({link.url for link in links})
    memory, now_s = workspace.state_folder / "cache" / MEMORY, time.time()
    known = load_memory(memory, now_s=now_s)
    unknown = [url for url in urls if url not in known]
    if unknown:
        workspace.session.note(f"Checking {count(len(unknown), 'external link')} …")
    new = Checker(private=settings.external_private).check(unknown)
    if new:
        store_memory(memory, known, new, now_s=now_s)
    verdicts = new | {url: Verdict(known[url].state, known[url].reason) for url in urls if url in known}
    workspace.session.note(counts_line(verdicts))
    found = Severities(settings).judge(external_findings(links, verdicts), tree.sources)
    return tuple(in_order([*findings, *found]))


def counts_line(verdicts: Mapping[str, Verdict]) -> str:
    """The counts in one line: `12 external links: 9 alive, 1 dead, 2 unsure (the answer is 403: 2)`."""
    states = [verdict.state for verdict in verdicts.values()]
    parts = [f"{states.count(state):,} {state}" for state in ("alive", "dead", "unsure") if state in states]
    if "unsure" in states:
        reasons = sorted(by_reason(verdicts).items(), key=lambda pair: -pair[1])
        parts[-1] += f" ({'; '.join(f'{reason}: {number:,}' for reason, number in reasons)})"
    if "private" in states:
        parts.append(f"{states.count('private'):,} on this machine or in a private network, not checked")
    return f"{count(len(states), 'external link')}{': ' if parts else ''}{', '.join(parts)}."
