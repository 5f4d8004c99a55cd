"""What this checkout would put back to an older version, because it lacks the commits that were published since. Pure.

Each run notes the commit whose files it published, and beside each base is the commit whose files had what is agreed
on, sent or found alike. Where a commit is not part of this checkout, what came with it is newer than these files:

    this plan would                                              | what becomes of it
    -------------------------------------------------------------+----------------------------------------------
    send a value that such a run replaced, or that was agreed on | held as behind
        before it                                                |
    ... and git knows the portal's value as one that this file   | sent: the same commit under another name, as
        had, and that the portal has not been touched since      |   after a rebase, and a newer one of ours
    ... on request (`--overwrite`, `resolve --ours`)             | sent
    send any value over one that came with such a commit, where  | held as behind: a person's edit that was pulled
        no run on record sent it from there                      |   there, an article that was adopted, or a run
                                                                 |   that is too old to be on record
    ... or where runs sent more on top of that since             | held as behind
    ... and the portal's value is empty, of an article that a    | sent: that file had none when it was made
        run on record created from that commit                   |
    ... and git knows the portal's value as above                | sent
    ... and a clone without old commits does not know the commit | held as behind where the article was touched
                                                                 |   after what is checked out was committed
    send any value of what such a run changed, where its commit  | held as behind: these files are older,
        is made of this one                                      |   with values that may never have been published
    send another value                                           | sent: both branches changed it, and git will
                                                                 |   ask when they are merged
    ... of a body that links to an article whose file such a     | held as behind: that link would lead nowhere
        commit has, and this branch not                          |
    ... of title and body, of an article that such a run created | held as behind, its status too: two branches may
                                                                 |   have added two articles at one path
    create an article for a file that such a run saw deleted or  | held as behind
        renamed                                                  |
    remove an article whose file such a run or commit had        | held as behind
    ... on request (`--overwrite` with the path of that file)    | removed
    ... and a commit of this branch deleted that file, not       | sent: the same commit under another name, or
        before the article was last changed                      |   both branches deleted it
    send any value over one whose commit was not noted, where no | held as behind, unless git knows the portal's
        run on record is of a commit that is here, and older     |   value as above
        runs are not kept                                        |

A `git revert` is a newer commit, so what it puts back is sent.

What was published of a file that was not committed is of a commit that no other clone has: there is a mark with the id
of its clone in the place of one. That clone has it, unless its file is as it was before a pull, which was stashed or
thrown away then. Once a push finds the same values in a commit made since, that takes the place of the mark. What a CI
job makes of the files of its commit, and then sends, is of that commit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import structs
from msgspec.structs import replace

from kbsync.command import command_line, quote
from kbsync.ledger.values import FORMER, NOT_COMMITTED
from kbsync.model import Action, Base, Change, FieldChange, Held, Observed, Reason, Value
from kbsync.plan.decide import ABSENT, EMPTY
from kbsync.plan.draft import Draft
from kbsync.plan.hints import push_alone
from kbsync.plan.known import Known, NewerRuns, Node
from kbsync.plan.rules import FILE_GONE

SHOWN_CHARS = 12
"""Of the id of a commit."""

TEXTS = frozenset({"title", "content"})
"""What is another in another article."""

BRANCHLESS = "No branch here has that commit, as after a squash merge."


class PublishedRun(msgspec.Struct, frozen=True):
    """The changes of one run that were carried out, and the commit of its files; "" of one that is part of this
    checkout. A change of a file that was not committed has its own. `is_ahead`: this checkout is part of that commit.
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
            commit = change.source_commit or run.commit
            if commit:
                commits.setdefault(node, commit)
                paths.setdefault(node, change.path)
            else:
                paths.setdefault(node, "")
            if commit and change.was not in ("", change.path) and change.was not in present:
                gone.setdefault(change.was, commit)
            present.add(change.path)
            if commit and change.action is Action.CREATE:
                sent.add((node, "", commit))
            if commit and change.action is Action.CREATE and ours.isdisjoint((node, name) for name in TEXTS):
                created.add(node)
            for field in change.fields:
                if not commit:
                    ours.add((node, field.name))
                    continue
                sent.add((node, field.name, commit))
                if (node, field.name) not in ours:
                    replaced.setdefault(node, {}).setdefault(field.name, []).extend(
                        (field.before, *(field.agreed or ()))
                    )
                    if run.is_ahead:
                        ahead.setdefault(node, set()).add(field.name)
    return NewerRuns(replaced, paths, gone, commits, is_cut, ahead=ahead, created=created, sent=sent)


def hold_older(draft: Draft, known: Known) -> None:
    """Hold what would put back what the runs of newer commits changed."""
    newer = known.newer
    if not newer:
        return
    newer = _with_touched(_without_deleted(newer, known.seen), known.seen)
    bases, others = {(base.kind, base.remote_id): base for base in known.bases}, set[Node]()
    for changes in (draft.changes, draft.statuses, draft.removals):
        changes[:] = [left for change in changes for left in _without_older(draft, newer, bases, change, others)]
    made = {change.path for change in draft.changes if change.action is Action.CREATE}
    refused = {item.path for item in draft.held if item.reason is Reason.BEHIND and item.remote_id is None} - made
    # Nothing can be published of what is not made.
    draft.statuses[:] = [change for change in draft.statuses if change.remote_id or change.path not in refused]
    draft.unpublished[:] = [item for item in draft.unpublished if item.remote_id or item.path not in refused]
    there = {path: newer.commits[node] for node, path in newer.paths.items() if node in newer.commits}
    for place, finding in enumerate(draft.warnings):
        if finding.code == FILE_GONE.code and finding.path in there:
            commit = there[finding.path]
            message = finding.message.replace("is gone", "is not in this branch")
            way = _get(newer, commit, finding.path)
            hint = f"{_published(newer, commit, 'has its file')} {way}"
            draft.warnings[place] = FILE_GONE.finding(finding.path, 1, 1, message, hint)
            draft.not_here[finding.path] = _alone(newer, commit, "has its file", way)


def _without_deleted(newer: NewerRuns, seen: Iterable[Observed]) -> NewerRuns:
    """The same without the files that commits of this branch deleted, after the articles were last changed."""
    if not newer.deleted_s:
        return newer
    changed_s = {(item.kind, item.remote_id): item.updated_at or math.inf for item in seen}
    paths = {
        node: "" if newer.deleted_s.get(path, -math.inf) >= changed_s.get(node, math.inf) else path
        for node, path in newer.paths.items()
    }
    return structs.replace(newer, paths=paths)


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
    return structs.replace(newer, missing=newer.missing | newer.unknown, sources=sources, unknown=frozenset())


def _without_older(
    draft: Draft, newer: NewerRuns, bases: Mapping[Node, Base], change: Change, others: set[Node]
) -> Iterator[Change]:
    """The change without what is held of it; nothing where that is all of it.

    `others` are the items that may be another article: of these, what comes later is held too, such as a status.
    """
    node = _node(change)
    commit = newer.gone.get(change.path, "") if node is None else newer.commits.get(node, "")
    if (change.path or change.was) in draft.policy.overwrite or (node is None and draft.policy.recreate):
        yield change
    elif change.action is Action.CREATE and commit:
        way = _alone(newer, commit, "deleted or renamed this file", _follow(newer, change, commit))
        _hold(draft, change, (), _gone_hint(newer, change, commit), way)
    elif change.is_removal and node is not None and newer.paths.get(node) == change.was:
        way = _get(newer, commit, change.was)
        overwrite = command_line("push", options=[("--overwrite", change.was)])
        hint = (
            f"{_published(newer, commit, 'has its file')} {way} To {change.action} the {change.kind} all the same, "
            f"run `{overwrite}`, which sends everything else that waits, too."
        )
        _hold(draft, change, (), hint, _alone(newer, commit, "has its file", way))
    elif node is None or change.is_removal:
        yield change
    else:
        base, proof = bases.get(node), draft.git.proof(change.path, node[1])
        is_another = node in others or _is_another(newer, node, change, proof)
        older = [
            field
            for field in change.fields
            if is_another
            or _is_beyond(newer, node, field)
            or (field.name == "content" and _lacks_target(newer, change.path))
            or (is_older(newer, node, field) and not proof.get(field.name))
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
            fields = [field for field in change.fields if field.name in names]
            hint, way = _hint_and_way(newer, change, commit, names, is_another=is_another)
            others.update({node} if is_another else ())
            _hold(draft, change, fields, hint, way)
        if left := tuple(field for field in change.fields if field.name not in names):
            yield replace(change, fields=left)


def _hint_and_way(
    newer: NewerRuns, change: Change, commit: str, names: Collection[str], *, is_another: bool
) -> tuple[str, str]:
    """What to do about fields that are held, and how to get what is newer."""
    if "content" in names and (target := _lacks_target(newer, change.path)):
        there = next(newer.commits[node] for node, path in newer.paths.items() if path == target)
        return _link_hint(newer, change, there, target)
    hint = _other_hint(newer, change, commit) if is_another else _hint(newer, change, commit)
    return hint, _alone(newer, commit, "published it", _get(newer, commit, change.path))


def _lacks_target(newer: NewerRuns, path: str) -> str:
    """The path of a file that this one links to, and that only a newer commit has; "" where there is none."""
    target = newer.links.get(path, "")
    has_it = (there == target and node in newer.commits for node, there in newer.paths.items())
    return target if target and any(has_it) else ""


def _is_another(newer: NewerRuns, node: Node, change: Change, proof: Mapping[str, bool]) -> bool:
    """Whether two branches may have added two articles at one path; `proof` is git's word on the portal's values."""
    unknown = {field.name for field in change.fields if not proof.get(field.name)}
    return node in newer.created and unknown >= TEXTS and not all(newer.is_here(node, name) for name in TEXTS)


def is_older(newer: NewerRuns, node: Node, field: FieldChange) -> bool:
    """Whether a field would get a value that a run of a newer commit replaced, as far as the record goes back, or any
    value over one that came with a newer commit by no run on record.
    """
    if newer.is_here(node, field.name):
        return False
    commit = newer.source(node, field.name)
    if commit in newer.missing:
        # What runs sent since may be made of an edit that was found alike, and that is not here either.
        come = {commit, newer.sources[node].get(field.name + FORMER, "")} & newer.missing
        if not all(_was_sent(newer, node, field, one) for one in come):
            return True
    return (newer.is_cut and not commit) or field.after in newer.replaced.get(node, {}).get(field.name, ())


def _was_sent(newer: NewerRuns, node: Node, field: FieldChange, commit: str) -> bool:
    """Whether a run on record sent the portal's value from a commit, or created the article there without one."""
    is_new = field.before in EMPTY and (node, "", commit) in newer.sent
    return is_new or (node, field.name, commit) in newer.sent


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


def _published(newer: NewerRuns, commit: str, what: str) -> str:
    if commit.startswith(NOT_COMMITTED):
        whose = "This clone" if _is_own(newer, commit) else "Another clone"
        return f"{whose} {what}, from a file that was not committed."
    if not commit:
        return f"A commit that is not part of this branch {what}."
    return f"Commit {commit[:SHOWN_CHARS]}, which is not part of this branch, {what}."


def _is_own(newer: NewerRuns, commit: str) -> bool:
    return bool(newer.clone) and commit.endswith(newer.clone)


def _get(newer: NewerRuns, commit: str, path: str) -> str:
    """How to get what a commit has of a file."""
    if commit.startswith(NOT_COMMITTED):
        if _is_own(newer, commit):
            return "If that file is stashed, run `git stash pop`."
        return "Once it is committed and pushed there, run `git pull`."
    ways = newer.ways
    if commit in ways.branchless:
        # From any folder of the repository. Merging it would bring back what was squashed or thrown away.
        restore = f"git restore --source={commit[:SHOWN_CHARS]} -- {quote(f':/{ways.prefix}{path}')}"
        return f"{BRANCHLESS} To take its version of the file, run `{restore}`."
    if commit in ways.absent:
        fetch = f"git fetch {quote(ways.remote)} {commit}"
        return f"Run `git pull`. If no branch has that commit any more, `{fetch}` gets it; then run kbsync again."
    return "Run `git pull`, or merge that commit."


def _alone(newer: NewerRuns, commit: str, what: str, way: str) -> str:
    """A way for a list that says only that a newer commit has it: of a file that was not committed, also who has it."""
    return f"{_published(newer, commit, what)} {way}" if commit.startswith(NOT_COMMITTED) else way


def _hint(newer: NewerRuns, change: Change, commit: str) -> str:
    overwrite = push_alone(change.path, ("--overwrite", change.path))
    published = _published(newer, commit, "published what the portal has")
    return (
        f"{published} {_get(newer, commit, change.path)} To put back the older version of your file, run `{overwrite}`."
    )


def _other_hint(newer: NewerRuns, change: Change, commit: str) -> str:
    overwrite = push_alone(change.path, ("--overwrite", change.path))
    created = _published(newer, commit, "created this article, with another title and body")
    if commit.startswith(NOT_COMMITTED):
        return (
            f"{created} If your file is a later version of that one, run `{overwrite}`. If these are two articles, "
            "give your file another name."
        )
    return (
        f"{created} If your file is a later version of it, as after a squash merge, or is to replace it, run "
        f"`{overwrite}`. If these are two articles, merge that commit, keep its file, and give yours another name."
    )


def _link_hint(newer: NewerRuns, change: Change, commit: str, target: str) -> tuple[str, str]:
    overwrite = push_alone(change.path, ("--overwrite", change.path))
    lacks = f"Your file links to `{target}`, which is not in this branch."
    there, way = _published(newer, commit, "has that file"), _get(newer, commit, target)
    hint = f"{lacks} {there} {way} To send your text all the same, run `{overwrite}`."
    return hint, _alone(newer, commit, "has what it links to", way)


def _gone_hint(newer: NewerRuns, change: Change, commit: str) -> str:
    again = push_alone(change.path, ("--recreate", True))
    gone = _published(newer, commit, "deleted or renamed this file")
    return f"{gone} {_follow(newer, change, commit)} To create the {change.kind} all the same, run `{again}`."


def _follow(newer: NewerRuns, change: Change, commit: str) -> str:
    """How to delete or rename a file as a commit did."""
    if commit in newer.ways.branchless:
        remove = f"git rm -- {quote(f':/{newer.ways.prefix}{change.path}')}"
        return f"{BRANCHLESS} To delete the file here too, run `{remove}`."
    return _get(newer, commit, change.path)


def _hold(draft: Draft, change: Change, fields: Sequence[FieldChange], hint: str, way: str) -> None:
    draft.held.append(replace(_held(change, fields, hint), way=way))


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
