"""What this checkout would put back to an older version, because it lacks the commits that were published since. Pure.

Each run notes the commit whose files it published, and beside each base is the commit whose files had what is agreed
on, sent or found alike. Where a commit is not part of this checkout, what came with it is newer than these files:

    this plan would                                              | what becomes of it
    -------------------------------------------------------------+----------------------------------------------
    send a value that such a run replaced                        | held as behind
    ... and git knows the portal's value as one that this file   | sent: the same commit under another name, as
        had, and that the portal has not been touched since      |   after a rebase, and a newer one of ours
    ... on request (`--overwrite`, `resolve --ours`)             | sent
    send any value over one that came with such a commit, where  | held as behind: a person's edit that was pulled
        no run on record sent it from there                      |   there, an article that was adopted, or a run
                                                                 |   that is too old to be on record
    ... or where runs sent more on top of that since             | held as behind
    ... and git knows the portal's value as above                | sent
    ... and a clone without old commits does not know the commit | held as behind where the article was touched
                                                                 |   after what is checked out was committed
    send any value of what such a run changed, where its commit  | held as behind: these files are older,
        is made of this one                                      |   with values that may never have been published
    send another value                                           | sent: both branches changed it, and git will
                                                                 |   ask when they are merged
    ... of title and body, of an article that such a run created | held as behind: two branches may have added two
                                                                 |   articles at one path
    create an article for a file that such a run saw deleted or  | held as behind
        renamed                                                  |
    remove an article whose file such a run or commit had        | held as behind
    ... and a commit of this branch deleted that file, not       | sent: the same commit under another name, or
        before the article was last changed                      |   both branches deleted it
    send any value over one whose commit was not noted, where no | held as behind, unless git knows the portal's
        run on record is of a commit that is here, and older     |   value as above
        runs are not kept                                        |

A `git revert` is a newer commit, so what it puts back is sent.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from kbsync.command import command_line, quote
from kbsync.ledger.values import FORMER, NOT_COMMITTED
from kbsync.model import DRAFTS, Action, Base, Change, FieldChange, Held, Observed, Reason, Value
from kbsync.plan.decide import ABSENT
from kbsync.plan.draft import Draft
from kbsync.plan.known import Known, NewerRuns, Node
from kbsync.plan.rules import FILE_GONE

SHOWN_CHARS = 12
"""Of the id of a commit."""

TEXTS = frozenset({"title", "content"})
"""What is another in another article."""

BRANCHLESS = "No branch here has that commit, as after a squash merge."


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """The changes of one run that were carried out, and the commit of its files; "" of one that is part of this
    checkout. `is_ahead`: this checkout is part of that commit.
    """

    commit: str
    changes: Sequence[Change]
    is_ahead: bool = False


def newer_runs(runs: Iterable[PublishedRun], *, is_cut: bool = False) -> NewerRuns:
    """What runs of commits that are not here did, newest first. What a run of ours did since is ours again.

    Args:
        runs: the newest first.
        is_cut: whether older runs are not on record, and none on record is of a commit that is here.
    """
    replaced: dict[Node, dict[str, list[Value]]] = {}
    paths, gone, commits = dict[Node, str](), dict[str, str](), dict[Node, str]()
    ours, present, ahead = set[tuple[Node, str]](), set[str](), dict[Node, set[str]]()
    created = set[Node]()
    sent = set[tuple[Node, str, str]]()
    for run in runs:
        for change in reversed(run.changes):
            if change.remote_id is None:
                continue
            node: Node = (change.kind, change.remote_id)
            if run.commit:
                commits.setdefault(node, run.commit)
                paths.setdefault(node, change.path)
            else:
                paths.setdefault(node, "")
            if run.commit and change.was not in ("", change.path) and change.was not in present:
                gone.setdefault(change.was, run.commit)
            present.add(change.path)
            if run.commit and change.action is Action.CREATE and ours.isdisjoint((node, name) for name in TEXTS):
                created.add(node)
            for field in change.fields:
                if not run.commit:
                    ours.add((node, field.name))
                    continue
                sent.add((node, field.name, run.commit))
                if (node, field.name) not in ours:
                    replaced.setdefault(node, {}).setdefault(field.name, []).append(field.before)
                    if run.is_ahead:
                        ahead.setdefault(node, set()).add(field.name)
    return NewerRuns(replaced, paths, gone, commits, is_cut, ahead=ahead, created=created, sent=sent)


def hold_older(draft: Draft, known: Known) -> None:
    """Hold what would put back what the runs of newer commits changed."""
    newer = known.newer
    if not newer:
        return
    newer = _with_touched(_without_deleted(newer, known.seen), known.seen)
    bases = {(base.kind, base.remote_id): base for base in known.bases}
    for changes in (draft.changes, draft.statuses, draft.removals):
        changes[:] = [left for change in changes for left in _without_older(draft, newer, bases, change)]
    made = {change.path for change in draft.changes if change.action is Action.CREATE}
    refused = {item.path for item in draft.held if item.reason is Reason.BEHIND and item.remote_id is None} - made
    # Nothing can be published of what is not made.
    draft.statuses[:] = [change for change in draft.statuses if change.remote_id or change.path not in refused]
    draft.unpublished[:] = [item for item in draft.unpublished if item.remote_id or item.path not in refused]
    there = {path: newer.commits[node] for node, path in newer.paths.items() if node in newer.commits}
    for place, finding in enumerate(draft.warnings):
        if finding.code == FILE_GONE.code and finding.path in there:
            message = finding.message.replace("is gone", "is not in this branch")
            hint = _get(newer, there[finding.path], finding.path)
            draft.warnings[place] = FILE_GONE.finding(finding.path, 1, 1, message, hint)


def _without_deleted(newer: NewerRuns, seen: Iterable[Observed]) -> NewerRuns:
    """The same without the files that commits of this branch deleted, after the articles were last changed."""
    if not newer.deleted_s:
        return newer
    changed_s = {(item.kind, item.remote_id): item.updated_at or math.inf for item in seen}
    paths = {
        node: "" if newer.deleted_s.get(path, -math.inf) >= changed_s.get(node, math.inf) else path
        for node, path in newer.paths.items()
    }
    return dataclasses.replace(newer, paths=paths)


def _with_touched(newer: NewerRuns, seen: Iterable[Observed]) -> NewerRuns:
    """The same without doubt about what was touched since the commit that is checked out was made.

    What is agreed on of it came with a commit that is not here, and this one was there before the edit. Both times are
    in whole seconds: what happened in the same one may have been after it.
    """
    if not newer.unknown:
        return newer
    touched = {(item.kind, item.remote_id) for item in seen if item.updated_at >= newer.head_s}
    sources = {
        node: {name: commit for name, commit in known.items() if node in touched or commit not in newer.unknown}
        for node, known in newer.sources.items()
    }
    return dataclasses.replace(newer, missing=newer.missing | newer.unknown, sources=sources, unknown=frozenset())


def _without_older(draft: Draft, newer: NewerRuns, bases: Mapping[Node, Base], change: Change) -> Iterator[Change]:
    """The change without what is held of it; nothing where that is all of it."""
    node = _node(change)
    commit = newer.gone.get(change.path, "") if node is None else newer.commits.get(node, "")
    if change.path in draft.policy.overwrite or (node is None and draft.policy.recreate):
        yield change
    elif change.action is Action.CREATE and commit:
        _hold(draft, change, (), _gone_hint(newer, change, commit))
    elif change.is_removal and node is not None and newer.paths.get(node) == change.was:
        _hold(draft, change, (), f"{_published(commit, 'has its file')} {_get(newer, commit, change.was)}")
    elif node is None or change.is_removal:
        yield change
    else:
        base, proof = bases.get(node), draft.git.proof(change.path, node[1])
        is_another = _is_another(newer, node, change, proof)
        older = [
            field
            for field in change.fields
            if is_another
            or _is_beyond(newer, node, field)
            or (is_older(newer, node, field) and not proof.get(field.name) and not _is_published(change, field))
        ]
        decided = {field.name for field in older if base is not None and _is_decided(base, field)}
        ours = _held(change, [field for field in older if field.name in decided], "")
        if decided and ours not in draft.overruled:
            draft.overruled.append(ours)
        names = {field.name for field in older} - decided
        if "locale" in change.after and names:
            names = set(change.after)  # A move to another locale is one.
        if names:
            sources = [newer.source(node, name) for name in change.after if name in names]
            commit = next((source for source in sources if source in newer.missing), commit)
            hint = _other_hint(change, commit) if is_another else _hint(newer, change, commit)
            _hold(draft, change, [field for field in change.fields if field.name in names], hint)
        if left := tuple(field for field in change.fields if field.name not in names):
            yield replace(change, fields=left)


def _is_another(newer: NewerRuns, node: Node, change: Change, proof: Mapping[str, bool]) -> bool:
    """Whether two branches may have added two articles at one path; `proof` is git's word on the portal's values."""
    unknown = {field.name for field in change.fields if not proof.get(field.name)}
    return node in newer.created and unknown >= TEXTS


def is_older(newer: NewerRuns, node: Node, field: FieldChange) -> bool:
    """Whether a field would get a value that a run of a newer commit replaced, as far as the record goes back, or any
    value over one that came with a newer commit by no run on record.
    """
    commit = newer.source(node, field.name)
    if commit and commit not in newer.missing and commit not in newer.unknown:
        return False
    if commit in newer.missing:
        # What runs sent since may be made of an edit that was found alike, and that is not here either.
        come = {commit, newer.sources[node].get(field.name + FORMER, "")} & newer.missing
        if any((node, field.name, one) not in newer.sent for one in come):
            return True
    return (newer.is_cut and not commit) or field.after in newer.replaced.get(node, {}).get(field.name, ())


def _is_published(change: Change, field: FieldChange) -> bool:
    """Whether the edit that a field has pending is what readers get: nothing of it is put back."""
    live = next((name for name, pending in DRAFTS.items() if pending == field.name), "")
    return field.after is None and live in change.after and change.after[live] == field.before


def _is_beyond(newer: NewerRuns, node: Node, field: FieldChange) -> bool:
    """Whether a field was agreed on in files that were made of these."""
    return field.name in newer.ahead.get(node, ()) or newer.source(node, field.name) in newer.beyond


def _node(change: Change) -> Node | None:
    return None if change.remote_id is None else (change.kind, change.remote_id)


def _is_decided(base: Base, field: FieldChange) -> bool:
    """Whether a person decided to send this value over the one that the portal has."""
    return (
        base.overruled.get(field.name, ABSENT) == field.before
        and base.decided_for.get(field.name, field.after) == field.after
    )


def _published(commit: str, what: str) -> str:
    if commit == NOT_COMMITTED:
        return f"A clone whose files were not committed, perhaps this one, {what}."
    if not commit:
        return f"A commit that is not part of this branch {what}."
    return f"Commit {commit[:SHOWN_CHARS]}, which is not part of this branch, {what}."


def _get(newer: NewerRuns, commit: str, path: str) -> str:
    """How to get what a commit has of a file."""
    if commit == NOT_COMMITTED:
        return "If they are stashed here, run `git stash pop`; else commit them there, then run `git pull`."
    ways = newer.ways
    if commit in ways.branchless:
        # From any folder of the repository. Merging it would bring back what was squashed or thrown away.
        restore = f"git restore --source={commit[:SHOWN_CHARS]} -- {quote(f':/{ways.prefix}{path}')}"
        return f"{BRANCHLESS} To take its version of the file, run `{restore}`."
    if commit in ways.absent:
        fetch = f"git fetch {quote(ways.remote)} {commit}"
        return f"Run `git pull`. If no branch has that commit any more, `{fetch}` gets it; then run kbsync again."
    return "Run `git pull`, or merge that commit."


def _hint(newer: NewerRuns, change: Change, commit: str) -> str:
    overwrite = command_line("push", options=[("--overwrite", change.path)])
    return (
        f"{_published(commit, 'published what the portal has')} {_get(newer, commit, change.path)} To put back the "
        f"older version of your file, run `{overwrite}`."
    )


def _other_hint(change: Change, commit: str) -> str:
    overwrite = command_line("push", options=[("--overwrite", change.path)])
    return (
        f"{_published(commit, 'created this article, with another title and body')} If your file is a later version "
        f"of it, as after a squash merge, or is to replace it, run `{overwrite}`. If these are two articles, merge "
        "that commit, keep its file, and give yours another name."
    )


def _gone_hint(newer: NewerRuns, change: Change, commit: str) -> str:
    again = command_line("push", change.path, options=[("--recreate", True)])
    if commit in newer.ways.branchless:
        remove = f"git rm -- {quote(f':/{newer.ways.prefix}{change.path}')}"
        how = f"{BRANCHLESS} To delete the file here too, run `{remove}`."
    else:
        how = _get(newer, commit, change.path)
    return (
        f"{_published(commit, 'deleted or renamed this file')} {how} To create the {change.kind} all the same, run "
        f"`{again}`."
    )


def _hold(draft: Draft, change: Change, fields: Sequence[FieldChange], hint: str) -> None:
    draft.held.append(_held(change, fields, hint))


def _held(change: Change, fields: Sequence[FieldChange], hint: str) -> Held:
    return Held(
        reason=Reason.BEHIND,
        kind=change.kind,
        locale=change.locale,
        slug=change.slug,
        path=change.path or change.was,
        remote_id=change.remote_id,
        fields=tuple(field.name for field in fields),
        hint=hint,
        title=change.title,
        values=tuple(FieldChange(field.name, field.before, field.after, field.said) for field in fields),
    )
