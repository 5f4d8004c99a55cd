"""What a push may do to the portal, and what it may not. Judged by what the portal shows before and after."""

import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kbsync.errors import ExitCode

from .portal import GUARDED, Shown
from .repository import Clone
from .runs import HUNG, Run
from .tree import Article, Tree
from .truth import PERSON, Truth
from .writing import mark_in, owner_of_title

OURS_TO_END = {ExitCode.DONE, ExitCode.HELD}
"""How a push in peace ends."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that must not be; `kind` is the same for all of its sort."""

    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


@dataclass(frozen=True, slots=True)
class Occasion:
    """A push, and what was allowed to it.

    removed: what becomes of orphans. overwritten: the paths given to `--overwrite`. is_part: a file was named, whose
    slug may still be another's. faults, killed: how it was disturbed.
    """

    tree: Tree
    clone: Clone
    run: Run
    before: Mapping[int, Shown]
    after: Mapping[int, Shown]
    removed: str
    overwritten: frozenset[str] = frozenset()
    recreate: bool = False
    is_part: bool = False
    faults: bool = False
    killed: bool = False

    @property
    def is_disturbed(self) -> bool:
        return self.faults or self.killed


def judge_push(truth: Truth, here: Occasion) -> list[Violation]:
    """Everything that was wrong about a push. Ownership of new and inherited articles is learned on the way."""
    loose = truth.loose(here.tree, dict(here.before), here.clone)
    found = [*_vanished(truth, here, loose), *_created(truth, here, loose)]
    for remote_id in sorted(here.before.keys() & here.after.keys()):
        old, new = here.before[remote_id], here.after[remote_id]
        if old != new:
            found += _changed(truth, here, loose, old, new)
    return [*found, *judge_run(here)]


def _guarded(truth: Truth, here: Occasion, item: Shown) -> list[str]:
    """The fields of an article that people wrote, and that this clone had no reason to take for its own."""
    source = here.tree.articles.get(truth.owner.get(item.id, PERSON))
    if source is not None and source.path in here.overwritten:
        return []
    if truth.owner.get(item.id) == PERSON and item.slug in _slugs_of_overwritten(truth, here):
        return []
    # A ledger of some time ago may have that very value as the one that was agreed on.
    known = here.clone.bases.get(item.id, {})
    return [name for name, value in truth.guarded.get(item.id, {}).items()
            if getattr(item, name) == value != known.get(name)]  # fmt: skip


def _slugs_of_overwritten(truth: Truth, here: Occasion) -> set[str]:
    """The slugs, of now and of the last push, of sources that are to be sent whatever the portal has."""
    named = [item for item in here.tree.articles.values() if item.path in here.overwritten]
    last = [truth.settled[item.uid] for item in named if item.uid in truth.settled]
    return {item.portal_slug for item in (*named, *last)}


def _guarded_from_deletion(truth: Truth, here: Occasion, item: Shown) -> list[str]:
    """The same; a status that its source left to people keeps nothing from going with the source."""
    source = truth.settled.get(truth.owner.get(item.id, PERSON))
    left = source is not None and not source.status
    return [name for name in _guarded(truth, here, item) if not (left and name == "status")]


def _vanished(truth: Truth, here: Occasion, loose: set[int]) -> Iterator[Violation]:
    told = {change["remote_id"] for change in here.run.changes if change["action"] == "delete"}
    for remote_id in sorted(here.before.keys() - here.after.keys()):
        item, owner = here.before[remote_id], truth.owner.get(remote_id, PERSON)
        source = here.tree.articles.get(owner)
        if owner == PERSON:
            yield Violation("person's article deleted", f"{item}")
        elif source is not None and remote_id not in truth.left and owner not in loose:
            yield Violation("living article deleted", f"{item} is {source.path}")
        elif guarded := _guarded_from_deletion(truth, here, item):
            yield Violation("person's edit deleted", f"{item}: {', '.join(guarded)}")
        if here.removed != "delete":
            yield Violation("deleted unasked", f"{item}, with removed = {here.removed}")
        if here.run.report and remote_id not in told:
            yield Violation("unreported", f"{item} was deleted, and no change says so")


def _created(truth: Truth, here: Occasion, loose: set[int]) -> Iterator[Violation]:
    for remote_id in sorted(here.after.keys() - here.before.keys()):
        item = here.after[remote_id]
        mark = mark_in(item.content)
        source = here.tree.articles.get(mark[0]) if mark else None
        if mark is None or source is None:
            yield Violation("article of no source", f"{item} was made")
            truth.owner[remote_id] = mark[0] if mark else PERSON
            continue
        prior = [key for key in truth.articles_of(source.uid, dict(here.before) | dict(here.after)) if key != remote_id]
        if prior and source.uid in loose:
            truth.left.update(prior)
        elif prior:
            others = ", ".join(str(here.after.get(key) or here.before[key]) for key in prior)
            yield Violation("second article", f"{item} was made for {source.path}, which is {others}")
        elif truth.leads_to_gone(source.uid, here.tree, here.clone) and not here.recreate:
            yield Violation("recreated", f"{item} was made again for {source.path}; a person had deleted it")
        truth.owner[remote_id] = source.uid


def _changed(truth: Truth, here: Occasion, loose: set[int], old: Shown, new: Shown) -> Iterator[Violation]:
    owner = truth.owner.get(new.id, PERSON)
    goes = here.removed == "archive" and new.status == "archived" and owner not in here.tree.articles
    for name in (_guarded_from_deletion if goes else _guarded)(truth, here, old):
        # A category of that slug in another locale is what both sides want.
        if getattr(new, name) != getattr(old, name) and (name, old.category) != ("category_id", new.category):
            shown = f"{getattr(old, name)!r:.60} -> {getattr(new, name)!r:.60}"
            yield Violation("person's edit overwritten", f"{old}: {name}: {shown}")
    mark, titled = mark_in(new.content), owner_of_title(new.title)
    for what, owner in (("text", mark[0] if mark and old.content != new.content else None),
                        ("title", titled if old.title != new.title else None)):  # fmt: skip
        if owner is not None and owner != truth.owner.get(new.id):
            if _may_inherit(truth, here, loose, old, owner):
                truth.owner[new.id] = owner
                truth.left.discard(new.id)
            else:
                theirs = truth.owner.get(new.id)
                yield Violation(f"another's {what}", f"{old} is U{theirs}'s and shows U{owner}'s: {new}")
    if old.status != new.status and (wrong := _wrong_status(truth, here, loose, new)):
        yield Violation("wrong status", f"{old} -> {new.status}: {wrong}")
    told = {change["remote_id"] for change in here.run.changes}
    if here.run.report and new.id not in told and _writes(old, new):
        yield Violation("unreported", f"{old} -> {new}: no change says so")


def _writes(old: Shown, new: Shown) -> bool:
    """Whether the article itself was written; the name of its category is the category's."""
    return (*(getattr(old, name) for name in GUARDED), old.slug, old.description) != (
        *(getattr(new, name) for name in GUARDED), new.slug, new.description)  # fmt: skip


def _may_inherit(truth: Truth, here: Occasion, loose: set[int], old: Shown, uid: int) -> bool:
    """Whether an article may become another source's: its own is gone, and that one stands, or stood, where it was.

    A person's may where people let it be overwritten, which is judged elsewhere.
    """
    source, owner = here.tree.articles.get(uid), truth.owner.get(old.id, PERSON)
    if source is None:
        return False
    if owner == PERSON:
        named = source.path in here.overwritten and old.slug in _slugs_of_overwritten(truth, here)
        return named or source.portal_slug == old.slug
    is_free = owner not in here.tree.articles or owner in loose or old.id in truth.left
    has_own = [key for key in truth.articles_of(uid, dict(here.before)) if key != old.id]
    if not is_free or (has_own and uid not in loose):
        return False
    truth.left.update(has_own)
    former, stood = truth.settled.get(owner), {source.path, *truth.stood.get(uid, ())}
    theirs = {*truth.stood.get(owner, ()), *([former.path] if former is not None else [])}
    return source.portal_slug == old.slug or bool(theirs & stood)


def _wrong_status(truth: Truth, here: Occasion, loose: set[int], new: Shown) -> str:
    owner = truth.owner.get(new.id, PERSON)
    source: Article | None = here.tree.articles.get(owner)
    if new.status == "archived" and here.removed == "archive" and owner in loose:
        return ""  # Nothing leads from its source to it, so it is an orphan to this clone.
    if source is None or new.id in truth.left:
        allowed = {"archived"} if here.removed == "archive" else set()
        return "" if new.status in allowed else "no source asks for that"
    if new.status == source.status or (new.status == "draft" and not source.status):
        return ""
    return f"{source.path} says {source.status or 'nothing'}"


def judge_offline(truth: Truth, here: Occasion) -> Iterator[Violation]:
    """Whether a plan from the ledger alone makes again what it has on record, where file or git lead to that."""
    made = {change["path"] for change in here.run.changes if change["action"] == "create"}
    for item in here.tree.articles.values():
        known = [key for key in truth.articles_of(item.uid, dict(here.before)) if key in here.clone.paths]
        led = any(here.clone.paths[key] == item.path for key in known) or not (
            here.clone.shallow or item.uid in truth.broken or item.uid not in truth.settled
        )
        if (
            item.path in made
            and known
            and led
            and item.uid not in truth.loose(here.tree, dict(here.before), here.clone)
        ):
            yield Violation("second article offline", f"{item.path} is {here.before[known[0]]}")


def judge_run(here: Occasion) -> Iterator[Violation]:
    """Whether a command ended as it must, and told the truth about it."""
    run = here.run
    where = f"`kbsync {' '.join(run.arguments)}` ended with {run.code}"
    if here.killed and run.code in {-signal.SIGKILL, -signal.SIGINT}:
        return
    if "Traceback" in run.err or run.code in {ExitCode.BUG, HUNG}:
        yield Violation("traceback", f"{where}: {run.err[-600:]}")
        return
    for held in run.held:
        if len(held["hint"].split()) < 4:
            yield Violation("wordless hold", f"{held}")
    if not run.report:
        if not here.is_disturbed:
            yield Violation("no report", f"{where}: {run.err[-400:]}")
        return
    if run.report["findings"] and run.code == ExitCode.FINDINGS:
        yield Violation("refused tree", f"{where}: {run.report['findings'][:3]}")
    words = {change.get("outcome") for change in run.changes}
    clean = not run.held and words <= {"done", None}
    refused = here.faults and run.code == ExitCode.LEDGER  # Before anything was sent: there are no outcomes.
    if (run.code == ExitCode.DONE) != clean and not refused:
        yield Violation("exit code", f"{where}; held: {len(run.held)}, outcomes: {sorted(map(str, words))}")
    if not here.is_disturbed and run.code not in (OURS_TO_END | ({ExitCode.PARTLY_FAILED} if here.is_part else set())):
        errors = {change.get("error") for change in run.changes if change.get("error")}
        yield Violation("failed without a cause", f"{where}: {sorted(errors)[:3]} {run.err[-300:]}")
