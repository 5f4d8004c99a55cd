"""What a newer commit published is not put back by older files. Pure.

Each row of the ledger names the commit of the run that wrote it. In a ledger that others share, of an item whose commit
is not part of what is checked out:

    this plan would                                                    | what becomes of the item
    -------------------------------------------------------------------+-------------------------------------------
    send a value that this file had, as git knows, where the article   | sent: the same commit under another name, as
        was not touched since that value was replaced here             |   after a squash or a rebase
    send something over any other value                                | held as behind, all of it
    remove it, and this branch deleted its file after the article was  | removed
        last changed                                                   |
    remove it otherwise                                                | held as behind
    create it again, where such a run deleted or renamed its file      | held as behind
    record something of what is held, or forget what has its file      | left on record
        only there                                                     |
    ... on request (`--overwrite`, `--recreate`, `resolve --ours`)     | carried out

A `git revert` is a newer commit, so what it puts back is sent.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.model import Action, Base, Change, FieldChange, Held, Reason
from kbsync.plan.decide import ABSENT
from kbsync.plan.draft import Draft
from kbsync.plan.hints import push_alone
from kbsync.plan.known import Known, Newer, Node
from kbsync.plan.rules import FILE_GONE

SHOWN_CHARS = 12
"""Of the id of a commit."""

PULL = "Run `git pull`, or merge that commit."


def hold_newer(draft: Draft, known: Known) -> None:
    """Hold all of each item that a newer commit published."""
    newer = known.newer
    if not newer:
        return
    bases = {(base.kind, base.remote_id): base for base in known.bases}
    changed_s = {(item.kind, item.remote_id): item.updated_at or math.inf for item in known.seen}
    lists = (draft.changes, draft.statuses, draft.removals)
    older = {_name(change) for change in chain(*lists) if _is_older(draft, newer, bases, changed_s, change)}
    behind: dict[Node | str, list[Change]] = {}
    for changes in lists:
        for change in changes:
            if (name := _name(change)) in older:
                behind.setdefault(name, []).append(change)
        changes[:] = [change for change in changes if _name(change) not in older]
    draft.held += [_held(newer, changes) for changes in behind.values()]
    draft.overruled += _decided(draft, newer, bases)
    _keep_rows(draft, newer, older)
    # Nothing can be published of what is not made.
    draft.unpublished[:] = [item for item in draft.unpublished if item.remote_id or item.path not in older]
    _say_what_is_not_here(draft, newer, bases, changed_s)


def _keep_rows(draft: Draft, newer: Newer, older: Collection[Node | str]) -> None:
    """What is held keeps its row, and the commit of that; so does what has its file in a newer commit alone."""
    for name in older:
        if isinstance(name, tuple):
            draft.settled.pop(name, None)
    draft.forgotten[:] = [
        base
        for base in draft.forgotten
        if (base.kind, base.remote_id) not in newer.rows or base.path in newer.deleted_s
    ]


def _is_older(
    draft: Draft, newer: Newer, bases: Mapping[Node, Base], changed_s: Mapping[Node, float], change: Change
) -> bool:
    """Whether a change would put back what a newer commit published."""
    if (change.path or change.was) in draft.policy.overwrite:
        return False
    if change.remote_id is None:
        return change.action is Action.CREATE and change.path in newer.left and not draft.policy.recreate
    node = (change.kind, change.remote_id)
    if node not in newer.rows:
        return False
    if change.is_removal:
        return not _is_deleted_here(newer, change.was, changed_s.get(node, math.inf))
    proof, base = draft.git.proof(change.path, change.remote_id), bases.get(node)
    return any(not proof.get(field.name) and not _is_decided(base, field) for field in change.fields)


def _decided(draft: Draft, newer: Newer, bases: Mapping[Node, Base]) -> Iterator[Held]:
    """What goes out although a newer commit published something else, because a person said so."""
    for change in draft.changes:
        if change.remote_id is None or (node := (change.kind, change.remote_id)) not in newer.rows:
            continue
        fields = tuple(field for field in change.fields if _is_decided(bases.get(node), field))
        if fields:
            held = _held(newer, [replace(change, fields=fields)])
            if all((item.path, item.fields) != (held.path, held.fields) for item in draft.overruled):
                yield held


def _is_deleted_here(newer: Newer, path: str, changed_s: float) -> bool:
    return newer.deleted_s.get(path, -math.inf) >= changed_s


def _is_decided(base: Base | None, field: FieldChange) -> bool:
    """Whether a person decided to send this value over the one that the portal has."""
    return (
        base is not None
        and base.overruled.get(field.name, ABSENT) == field.before
        and base.decided_for.get(field.name, field.after) == field.after
    )


def _name(change: Change) -> Node | str:
    return change.path if change.remote_id is None else (change.kind, change.remote_id)


def _held(newer: Newer, changes: Sequence[Change]) -> Held:
    change, path = changes[0], changes[0].path or changes[0].was
    fields = () if change.action is Action.CREATE else tuple(field for each in changes for field in each.fields)
    node = (change.kind, change.remote_id) if change.remote_id is not None else None
    commit = newer.left[path] if node is None else newer.rows[node]
    return Held(
        reason=Reason.BEHIND,
        kind=change.kind,
        locale=change.locale,
        slug=change.slug,
        path=path,
        remote_id=change.remote_id,
        fields=tuple(dict.fromkeys(field.name for field in fields)),
        hint=f"{_published(newer, commit)} {_way(newer)} {_all_the_same(change, path)}",
        title=change.title,
        values=tuple(FieldChange(field.name, field.before, field.after, field.said) for field in fields),
        way=_way(newer),
    )


def _published(newer: Newer, commit: str) -> str:
    whether = "which git cannot compare with your files" if newer.is_blind else "which is not part of this branch"
    return f"The portal has a newer version than your files, of commit {commit[:SHOWN_CHARS]}, {whether}."


def _way(newer: Newer) -> str:
    return "Run kbsync in a git clone of these files, with git installed." if newer.is_blind else PULL


def _all_the_same(change: Change, path: str) -> str:
    if change.action is Action.CREATE:
        return f"To create the {change.kind} all the same, run `{push_alone(path, ('--recreate', True))}`."
    if change.is_removal:
        overwrite = command_line("push", options=[("--overwrite", path)])
        return f"To {change.action} the {change.kind} all the same, run `{overwrite}`, which sends all else that waits."
    return f"To send your version all the same, run `{push_alone(path, ('--overwrite', path))}`."


def _say_what_is_not_here(
    draft: Draft, newer: Newer, bases: Mapping[Node, Base], changed_s: Mapping[Node, float]
) -> None:
    """A file that only a newer commit has is not gone."""
    away = {
        bases[node].path: commit
        for node, commit in newer.rows.items()
        if node in bases and not _is_deleted_here(newer, bases[node].path, changed_s.get(node, math.inf))
    }
    for place, finding in enumerate(draft.warnings):
        if finding.code == FILE_GONE.code and finding.path in away:
            message = finding.message.replace("is gone", "is not in this branch")
            hint = f"{_published(newer, away[finding.path])} {_way(newer)}"
            draft.warnings[place] = FILE_GONE.finding(finding.path, 1, 1, message, hint)
            draft.not_here[finding.path] = _way(newer)
