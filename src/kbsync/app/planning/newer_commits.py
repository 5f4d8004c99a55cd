"""What newer commits than these files published, out of a ledger that others share, and git."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from pathlib import Path

from kbsync.app.workspace import Workspace
from kbsync.history.commits import contained, continues, files_at, head, is_shallow, last_changes
from kbsync.history.search import SHALLOW
from kbsync.ledger import Ledger
from kbsync.ledger.values import Source
from kbsync.model import Base
from kbsync.plan.known import NOTHING_NEWER, Newer, Node

MOST_PUSHES = 20
"""Of which it is looked up what they renamed and deleted, the newest. A ledger in git has no more."""

CARRIED_OUT = frozenset({"done", "settled"})


def read_newer(
    workspace: Workspace, bases: Iterable[Base], arrived: Mapping[int, Base | None], created: Collection[str]
) -> Newer:
    """What runs of commits published that are not part of what is checked out.

    Args:
        workspace: the project. An SQLite ledger is this folder's own: nothing in it is newer.
        bases: on record.
        arrived: entries of the journal that crashed, with what the portal turned out to have.
        created: the files whose articles and categories a plan would create.
    """
    if not workspace.shares_ledger or not workspace.has_ledger():
        return NOTHING_NEWER
    root, key = workspace.content_root, workspace.target.key
    here = head(root)
    with closing(workspace.open_ledger(looking=True)) as ledger:
        rows = _rows(ledger, key, arrived)
        pushes = ledger.pushes(key, most=MOST_PUSHES)
        sources = {*rows.values(), *(source for _, source in pushes)}
        away = _not_here(root, here, sources, workspace.session.note)
        if not away:
            return NOTHING_NEWER
        left = _left(ledger, pushes, away)
        # Only a run that recorded something has published: others may have been begun in vain.
        published = {*rows.values()}
        for run, source in pushes:
            published |= {source for entry in ledger.entries(run) if entry.state in CARRIED_OUT}
    newest = max((source for source in sources if source.commit in away), key=_age).commit
    left |= dict.fromkeys(_published_before(root, published, away, created), newest)
    by_others = {node: source for node, source in rows.items() if source.commit in away}
    return Newer(
        {node: source.commit for node, source in by_others.items()},
        {node: source.made_s for node, source in by_others.items()},
        left,
        _deleted_here(root, (base for base in bases if (base.kind, base.remote_id) in by_others)),
        next((source.commit for _, source in pushes if source.commit in away and continues(root, source.commit)), ""),
        is_blind=not here.commit,
    )


def _rows(ledger: Ledger, key: str, arrived: Mapping[int, Base | None]) -> dict[Node, Source]:
    """The commit of each row, and of what crashed and turned out to have arrived."""
    sent = {entry: base for entry, base in arrived.items() if base is not None}
    sources = ledger.sources_of(sent).items()
    return dict(ledger.sources(key)) | {(sent[entry].kind, sent[entry].remote_id): one for entry, one in sources}


def _deleted_here(root: Path, bases: Iterable[Base]) -> dict[str, int]:
    """When the files of these rows were deleted here, in seconds since 1970."""
    paths = {base.path for base in bases if base.path and base.kind != "portal"}
    gone = {path for path in paths if not os.path.lexists(root / path)}
    return last_changes(root, gone) if gone else {}


def _age(source: Source) -> tuple[int, str]:
    return source.made_s, source.commit


def _published_before(
    root: Path, sources: Iterable[Source], away: Collection[str], created: Collection[str]
) -> frozenset[str]:
    """The files that a run of these commits has published before, and that have no row any more: a newer run of others
    renamed or removed them.
    """
    here = [source for source in sources if source.commit and source.commit not in away]
    return files_at(root, max(here, key=_age).commit, created) if here and created else frozenset()


def _not_here(root: Path, here: Source, sources: Iterable[Source], note: Callable[[str], None]) -> frozenset[str]:
    """The commits that are not part of what is checked out; in a shallow clone those that are not older."""
    made_s = {source.commit: source.made_s for source in sources if source.commit not in ("", here.commit)}
    away = made_s.keys() - contained(root, made_s) if made_s else frozenset[str]()
    if away and is_shallow(root):
        note(f"kbsync cannot tell which commits are newer than your files, but by their dates. {SHALLOW}")
        return frozenset(commit for commit in away if made_s[commit] >= here.made_s)
    return frozenset(away)


def _left(ledger: Ledger, pushes: Iterable[tuple[int, Source]], away: frozenset[str]) -> dict[str, str]:
    """By path of a file that runs of some commits deleted or renamed, and no later run had again, the commit."""
    found: dict[str, str] = {}
    present: set[str] = set()
    oldest = min((run for run, source in pushes if source.commit in away), default=0)
    for run, source in pushes:
        for entry in ledger.entries(run) if run >= oldest > 0 else ():
            change = entry.change
            if entry.state not in CARRIED_OUT:
                continue
            if source.commit in away and change.was not in ("", change.path) and change.was not in present:
                found.setdefault(change.was, source.commit)
            present.add(change.path)
    return found
