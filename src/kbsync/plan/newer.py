"""What a newer commit published is not put back by older files. Pure.

Each row of the ledger names the commit of the run that wrote it. In a ledger that others share, of an item whose commit
is not part of what is checked out:

    this plan would                                                    | what becomes of the item
    -------------------------------------------------------------------+-------------------------------------------
    send over a value that this file had until after that commit, and  | sent: the same commit under another name, as
        that the portal has as that run left it; or since before it    |   after a squash or a rebase
        was replaced here                                              |
    send something over any other value that is on record              | held as behind, all of it
    remove it, and this branch deleted its file after the article was  | removed
        last changed                                                   |
    remove it otherwise                                                | held as behind
    create what was published from here before, and has no row now     | held as behind
    record anything of it, or forget what has its file only there      | left on record
    ... on request (`--overwrite`, `--recreate`, `resolve --ours`)     | carried out

Where a run published a commit that continues what is checked out, this is a late run of old files: all of it is held.

A `git revert` is a newer commit, so what it puts back is sent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.model import Action, Base, Change, FieldChange, Held, Reason
from kbsync.plan.decide import ABSENT
from kbsync.plan.draft import Draft, held_of
from kbsync.plan.hints import push_alone
from kbsync.plan.known import NO_PROOF, Known, Newer, Node, by_node
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.reorder import node_of
from kbsync.plan.rules import FILE_GONE
from kbsync.plan.taken import leave_out

SHOWN_CHARS = 12
"""Of the id of a commit."""

PULL = "Run `git pull`, or merge that commit."


def hold_newer(draft: Draft, known: Known, matched: Iterable[Match]) -> None:
    """Hold all of each item that a newer commit published, and what is in a category that waits for that."""
    if not known.newer:
        return
    judge = _Judge.of(draft, known, matched)
    behind = _take_out(draft, judge)
    draft.held += [_held(judge.newer, changes) for changes in behind.values()]
    _hold_articles_of(draft, behind.values())
    draft.overruled += _decided(draft, judge)
    _keep_rows(draft, judge.newer)
    # Nothing can be published of what is not made.
    draft.unpublished[:] = [item for item in draft.unpublished if item.remote_id or item.path not in behind]
    _say_what_is_not_here(draft, judge)


def _take_out(draft: Draft, judge: _Judge) -> dict[Node | str, list[Change]]:
    """All changes of what is behind, by item; they leave the plan."""
    lists = (draft.changes, draft.statuses, draft.removals)
    older = {_name(change) for change in chain(*lists) if judge.is_older(change)}
    behind: dict[Node | str, list[Change]] = {}
    for changes in lists:
        for change in (change for change in changes if _name(change) in older):
            behind.setdefault(_name(change), []).append(change)
        changes[:] = [change for change in changes if _name(change) not in older]
    return behind


def _hold_articles_of(draft: Draft, behind: Iterable[Sequence[Change]]) -> None:
    """What would come into a category that waits to be made, or to get its slug, waits as well."""
    changes = (change for changes in behind for change in changes if change.kind == "category")
    waiting = {(change.locale, change.slug) for change in changes if "slug" in change.after}
    for change in [change for change in draft.changes if (change.locale, change.after.get("category")) in waiting]:
        hint = f"Its category `{change.after['category']}` needs your decision first."
        leave_out(draft, change, ("category",), Reason.UNKNOWN, hint)


def _keep_rows(draft: Draft, newer: Newer) -> None:
    """What a newer commit recorded stays on record: older files say nothing of who edited what since."""
    for node in newer.rows:
        draft.settled.pop(node, None)
    draft.forgotten[:] = [
        base
        for base in draft.forgotten
        if not newer.late and ((base.kind, base.remote_id) not in newer.rows or base.path in newer.deleted_s)
    ]
    if newer.late:
        draft.settled.clear()


class _Judge(msgspec.Struct, frozen=True):
    """Whether changes would put back what newer commits published."""

    draft: Draft
    newer: Newer
    bases: Mapping[Node, Base]
    changed_s: Mapping[Node, float]
    matches: Mapping[Node, Match]

    @classmethod
    def of(cls, draft: Draft, known: Known, matched: Iterable[Match]) -> _Judge:
        changed_s = {node: item.updated_at or math.inf for node, item in by_node(known.seen).items()}
        matches = {node_of(match): match for match in matched if match.observed}
        return cls(draft, known.newer, by_node(known.bases), changed_s, matches)

    def is_older(self, change: Change) -> bool:
        """Whether a change would put back what a newer commit published."""
        if (change.path or change.was) in self.draft.policy.overwrite or change.action is Action.ADOPT:
            return False
        if change.remote_id is None:
            return self._was_made_there(change)
        node = (change.kind, change.remote_id)
        if self.newer.late:
            return not self._is_decided(node, change)
        if node not in self.newer.rows:
            return False
        if change.is_removal:
            return not self.is_deleted_here(node, change.was)
        base = self.bases.get(node)
        return not all(_is_decided(base, field) or self._is_ours(node, base, field) for field in change.fields)

    def _is_decided(self, node: Node, change: Change) -> bool:
        return bool(change.fields) and all(_is_decided(self.bases.get(node), field) for field in change.fields)

    def _was_made_there(self, change: Change) -> bool:
        is_known = change.path in self.newer.left or bool(self.newer.late)
        return change.action is Action.CREATE and is_known and not self.draft.policy.recreate

    def is_deleted_here(self, node: Node, path: str) -> bool:
        """Whether this branch deleted the file of an item after the item was last changed."""
        return self.newer.deleted_s.get(path, -math.inf) >= self.changed_s.get(node, math.inf)

    def _is_ours(self, node: Node, base: Base | None, field: FieldChange) -> bool:
        """Whether the portal has a value that this file had until after that commit was made."""
        match = self.matches.get(node)
        known = proof_of(self.draft, match, match.observed) if match and match.observed else NO_PROOF
        if known.get(field.name) or base is None or match is None:
            return bool(known.get(field.name))
        ended_s = self.draft.git.ended_s.get((match.desired.path, base.remote_id), {}).get(field.name, -math.inf)
        is_left = base.fields.get(field.name, ABSENT) == field.before
        return is_left and self.newer.made_s.get(node, math.inf) < ended_s


def _decided(draft: Draft, judge: _Judge) -> Iterator[Held]:
    """What goes out although a newer commit published something else, because a person said so."""
    for change in draft.changes:
        if change.remote_id is None or (node := (change.kind, change.remote_id)) not in judge.newer.rows:
            continue
        fields = tuple(field for field in change.fields if _is_decided(judge.bases.get(node), field))
        if fields:
            held = _held(judge.newer, [replace(change, fields=fields)])
            if all((item.path, item.fields) != (held.path, held.fields) for item in draft.overruled):
                yield held


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
    commit = newer.late or (newer.left[path] if node is None else newer.rows[node])
    names = tuple(dict.fromkeys(field.name for field in fields))
    values = tuple(FieldChange(field.name, field.before, field.after, field.said) for field in fields)
    hint = f"{_published(newer, commit)} {_way(newer)} {_all_the_same(change, path)}"
    held = held_of(change, Reason.BEHIND, change.remote_id, names, hint, change.title, values)
    return replace(held, path=path, way=_way(newer))


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
    alone = push_alone(path, ("--overwrite", path))
    return f"If that commit was amended or squashed, or to send your version all the same, run `{alone}`."


def _say_what_is_not_here(draft: Draft, judge: _Judge) -> None:
    """A file that only a newer commit has is not gone."""
    newer, bases = judge.newer, judge.bases
    away = {
        bases[node].path: commit
        for node, commit in newer.rows.items()
        if node in bases and not judge.is_deleted_here(node, bases[node].path)
    }
    for place, finding in enumerate(draft.warnings):
        if finding.code == FILE_GONE.code and finding.path in away:
            message = finding.message.replace("is gone", "is not in this branch")
            hint = f"{_published(newer, away[finding.path])} {_way(newer)}"
            draft.warnings[place] = FILE_GONE.finding(finding.path, 1, 1, message, hint)
            draft.not_here[finding.path] = _way(newer)
