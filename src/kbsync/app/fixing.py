"""`lint --fix` until nothing is left: in memory, so that `--diff` shows what is written, and each file is written once.

Front matter that is repaired shows what is to be fixed in the text below it, and a fixed link what is wrong with its
anchor: so the tree is checked again, with the new texts in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from kbsync.app.dead_links import Explained, explain_dead_links
from kbsync.app.fix import Fix, fixes_of
from kbsync.app.lint import Selection
from kbsync.app.reading import Reading, with_texts
from kbsync.app.workspace import Workspace
from kbsync.lint.fixes import fix_text
from kbsync.lint.tree_fixes import TreeFixes
from kbsync.model import Finding

MOST_ROUNDS = 5
"""The front matter, the text below it, what other files see of both; one more finds nothing."""


def all_fixes(workspace: Workspace, selection: Selection) -> list[Fix]:
    """Everything that can be fixed safely in the files that were asked for, each with its bytes before and after."""
    fixes: dict[str, Fix] = {}
    reading, findings, dead = selection.reading, selection.findings, selection.dead
    for _ in range(MOST_ROUNDS):
        held = {path: fix.after for path, fix in fixes.items()}
        found = {fix.path: fix for fix in _one_round(reading, findings, dead, held)}
        if not found:
            break
        fixes |= {path: replace(fix, before=fixes.get(path, fix).before) for path, fix in found.items()}
        reading = with_texts(workspace, reading, {path: fix.after for path, fix in found.items()})
        dead = explain_dead_links(reading, dead)
        findings = tuple(item for item in dead.findings if item.path in selection.paths)
    return [fix for fix in fixes.values() if fix.after != fix.before]


def _one_round(
    reading: Reading, findings: Iterable[Finding], dead: Explained, held: Mapping[str, bytes]
) -> Iterator[Fix]:
    tree = reading.compiler.tree
    of_tree = TreeFixes(tree, reading.compiler.site, dead.moved)

    def rewrite(path: str, data: bytes, codes: Collection[str]) -> bytes:
        return fix_text(path, of_tree.fix(path, data, codes), codes)

    return fixes_of(tree, findings, rewrite, held)
