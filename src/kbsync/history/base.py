"""The base out of git history, where no ledger has one: an older revision that compiles to what the portal holds.

Such a revision proves that nobody touched the value since, so ours may go out. It proves nothing else: history turns a
conflict into a change to send and never the other way, and it is asked for the fields of these conflicts alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from kbsync.content.compile import Compiler
from kbsync.history.blobs import Blobs
from kbsync.history.git import GitFailed, Repository
from kbsync.history.search import Search
from kbsync.model import Base, Desired, Held, Kind, Manage, Observed, Plan, Reason, RemoteId, Value
from kbsync.plan.build import History
from kbsync.plan.decide import EMPTY
from kbsync.plan.draft import follow_rename
from kbsync.plan.match import match_items

SHALLOW = (
    "the clone is shallow: fetch the whole history (`fetch-depth: 0` in GitHub Actions, `GIT_DEPTH: 0` in GitLab, "
    "`git fetch --unshallow`)"
)

Key = tuple[Kind, RemoteId | None]


@dataclass(frozen=True, slots=True)
class Question:
    """Whether older revisions of a source compile to what the portal holds.

    `values` are the portal's, by field; `planned` are the same as the plan compares them, where an article's category
    has followed the category to its new slug.
    """

    path: str
    values: Mapping[str, Value]
    planned: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Past:
    """What history proves. `word` says why it could not say all: what is wrong, a colon, what to do; or ""."""

    history: History
    word: str = ""


def open_questions(
    plan: Plan, desired: Sequence[Desired], observed: Sequence[Observed] | None, bases: Sequence[Base]
) -> list[Question]:
    """The conflicts of a plan that a base could settle.

    An empty value proves nothing, for every item begins with it; and a seed is left alone once it was made.
    """
    conflicts = [held for held in plan.held if held.reason is Reason.CONFLICT]
    if not conflicts or observed is None:
        return []
    agreed: dict[Key, Base] = {(base.kind, base.remote_id): base for base in bases}
    there: dict[Key, Observed] = {(item.kind, item.remote_id): item for item in observed}
    seeds = {item.path for item in desired if item.manage is Manage.SEED}
    asked = [
        (held.path, there[held.kind, held.remote_id], values)
        for held in conflicts
        if held.path not in seeds and (values := _values(held, agreed, there))
    ]
    renamed = _renamed(desired, observed, bases) if any("category" in values for _, _, values in asked) else {}
    return [Question(path, values, follow_rename(values, item.locale, renamed)) for path, item, values in asked]


def _values(held: Held, agreed: Mapping[Key, Base], there: Mapping[Key, Observed]) -> dict[str, Value]:
    """The held fields that no base knows, as the portal has them."""
    key = (held.kind, held.remote_id)
    base, item = agreed.get(key), there.get(key)
    known = base.fields if base else {}
    # A status is left out: every article was a draft once, so an older revision cannot tell a person's unpublishing.
    fields = item.fields if item else {}
    return {name: fields[name] for name in held.fields if name not in known and fields.get(name) not in EMPTY}


def _renamed(
    desired: Sequence[Desired], observed: Sequence[Observed], bases: Sequence[Base]
) -> dict[tuple[str, str], str]:
    """Old slug to new of each category, by locale. Source: the same in `plan/build.py`, for all items."""
    matches = match_items(
        [item for item in desired if item.kind == "category"],
        [item for item in observed if item.kind == "category"],
        [base for base in bases if base.kind == "category"],
    )
    return {
        (match.observed.locale, match.observed.slug): match.desired.slug
        for match in matches.matched
        if match.observed and match.observed.slug != match.desired.slug
    }


def ask_history(
    compiler: Compiler,
    questions: Iterable[Question],
    *,
    environ: Mapping[str, str] = os.environ,
    program: str = "git",
) -> Past:
    """Ask git. Whatever is wrong with the repository, it only says less.

    Args:
        compiler: of the tree as it is now.
        questions: what nobody else knows.
        environ: what git may need of the environment; what leads it elsewhere is left out.
        program: the git to run.
    """
    asked = {question.path: question for question in questions}
    search, word = None, ""
    try:
        repository = Repository(compiler.tree.root, environ, program=program)
        word = SHALLOW if repository.is_shallow else ""
        blobs = Blobs(repository)
        search = Search(compiler, repository, blobs, {path: asked[path].values for path in asked})
        try:
            search.run()
        finally:
            blobs.close()
    except GitFailed as exc:
        word = word or str(exc)
    found = search.found if search else {}
    history = {path: {name: (asked[path].planned[name],) for name in names} for path, names in found.items()}
    return Past(history, word)


def former_slugs(compiler: Compiler, paths: Iterable[str], *, program: str = "git") -> dict[str, set[str]]:
    """The slugs that sources had at older commits, under whatever name of their file; only those that are others today.

    Nothing where git cannot say.
    """
    found: dict[str, set[str]] = {}
    with suppress(GitFailed):
        repository = Repository(compiler.tree.root, program=program)
        with closing(Blobs(repository)) as blobs:
            for path, slug in Search(compiler, repository, blobs, {path: {} for path in paths}).slugs():
                if slug != compiler.site.articles[path].slug:
                    found.setdefault(path, set()).add(slug)
    return found


def tell_why(plan: Plan, questions: Iterable[Question], word: str) -> Plan:
    """The plan with hints that say why history could not settle its conflicts."""
    asked = {question.path: question.values for question in questions}

    def told(held: Held) -> Held:
        if held.reason is not Reason.CONFLICT or asked.get(held.path, {}).keys().isdisjoint(held.fields):
            return held
        hint = f"whose value the portal has is not known, for {word}; or run `kbsync push --overwrite {held.path}`"
        return replace(held, hint=hint)

    return replace(plan, held=tuple(map(told, plan.held))) if word else plan
