"""What is to be asked before a plan can be made: of git, and of the portal's texts (`texts.py`). Pure.

what is open                                             | who is asked
---------------------------------------------------------+---------------------------------------------------
a source without an article                              | git: what was this file before?
a source that only its slug ties to an article, or no    | git: both that, and whether the portal's values are
row of the ledger                                        | those of an older revision
a knot in which the ledger does not know every article   | git: both
an article without a source that no ledger knows         | git: was its file deleted?
a knot; a source and an article that are both left; a    | the portal: how alike are the bodies?
new source with the text that another one gave up        |
a conflict of a field                                    | git: is the portal's value that of an older revision?
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from kbsync.model import Desired, Held, Kind, Manage, Observed, Plan, Reason, RemoteId, Status, Value
from kbsync.plan.assign import Edge
from kbsync.plan.evidence import GIT, Evidence
from kbsync.plan.known import Known, Node, by_node
from kbsync.plan.match import Weighed
from kbsync.plan.orphans import MACHINE_SLUG
from kbsync.plan.texts import by_name_alone

MAYBE_OURS = frozenset({Reason.CONFLICT, Reason.BEHIND})
"""What is held, unless the portal has a value that an older revision of the file had."""


class Question(msgspec.Struct, frozen=True):
    """What git is asked of one source: do the portal's values in `observed` come from older revisions?

    `former`: it matters what else the file was.
    """

    desired: Desired
    observed: tuple[Observed, ...] = ()
    former: bool = False


class Questions(msgspec.Struct, frozen=True):
    """What git is asked, all at once.

    `candidates` are the articles that a source may turn out to be; `deleted` says that they may also be those of files
    that are gone. `statuses` says whether theirs matter too.
    """

    sources: tuple[Question, ...] = ()
    candidates: tuple[Observed, ...] = ()
    deleted: bool = False
    statuses: bool = True

    def __bool__(self) -> bool:
        return bool(self.sources) or self.deleted


def questions_for(weighed: Weighed, *, publish: bool = True) -> Questions:
    """What git is asked before anything is matched.

    Without `publish` no status is decided: it is the panel's, and asking for it would only cost.
    """
    there = tuple(article.observed for article in weighed.index.nodes.values() if article.observed)
    # A list with gaps does not prove that something is missing.
    kinds = {item.kind for item in there} if weighed.index.known.complete else {"article", "category"}
    knots, loose = _knots(weighed), dict(by_name_alone(weighed))
    sources = []
    for path in weighed.scales.found:
        item, node, knot = weighed.items[path], weighed.assignment.found.get(path), knots.get(path, frozenset())
        if item.manage is Manage.TRUE and (path in loose or _is_open(weighed, item, node, knot, kinds)):
            asked = item if publish else replace(item, status=None)
            sources.append(Question(asked, _seen(weighed, path, knot), former=True))
    return Questions(tuple(sources), there, _is_any_left(weighed), statuses=publish)


def _knots(weighed: Weighed) -> dict[str, frozenset[Edge]]:
    """What hangs together with a source: others that could be the same article, or only the one that it is."""
    found = {path: frozenset({(path, node)}) for path, node in weighed.assignment.found.items()}
    return found | {path: knot for knot in weighed.contested() for path, _ in knot}


def _seen(weighed: Weighed, path: str, knot: Iterable[Edge]) -> tuple[Observed, ...]:
    seen = (weighed.index.nodes[node].observed for other, node in knot if other == path)
    return tuple(item for item in seen if item is not None)


def _is_open(weighed: Weighed, item: Desired, node: Node | None, knot: frozenset[Edge], kinds: Collection[str]) -> bool:
    """Whether it is open which article a source is: none ties it to one, or only its slug, or not all have a row."""
    is_single = item.kind in kinds if node is None else weighed.index.nodes[node].base is None
    return is_single or (len(knot) > 1 and any(weighed.index.nodes[other].base is None for _, other in knot))


def _is_any_left(weighed: Weighed) -> bool:
    """Whether an article without a source, which no ledger knows, may be that of a file that was deleted."""
    left = (weighed.index.nodes[node] for node in (*weighed.without_source(), *_renamed(weighed)))
    strangers = (article.observed for article in left if article.base is None and article.observed)
    return any(item.kind == "category" or not MACHINE_SLUG.match(item.slug) for item in strangers)


def _renamed(weighed: Weighed) -> Iterator[Node]:
    """The articles with another slug and another text than their sources: they may be those of files that are gone."""
    for path, node in weighed.assignment.found.items():
        article, said = weighed.index.nodes[node], weighed.scales.found.get(path, {}).get(node, {})
        is_sure = said.get(Evidence.GIT, 0.0) >= GIT and Evidence.TEXT in said
        if article.base is None and weighed.items[path].slug not in article.slugs and not is_sure:
            yield node


def differing(desired: Desired, observed: Observed) -> dict[str, Value]:
    """The portal's values of the fields that a source gives and that differ there."""
    found = {
        name: observed.fields.get(name) for name, value in desired.fields.items() if observed.fields.get(name) != value
    }
    if desired.kind == "article" and desired.status is not None and observed.status is not desired.status:
        found["status"] = observed.status
    if observed.locale not in ("", desired.locale):
        found["locale"] = observed.locale
    return found


def open_questions(plan: Plan, desired: Iterable[Desired], known: Known, *, publish: bool = True) -> Questions:
    """What git is asked of a plan's conflicts, where it was not asked yet. A seed is left alone once it was made.

    `publish` as in `questions_for`.
    """
    asked = [held for held in plan.held if _may_be_older(held, known)]
    if not asked or known.observed is None:
        return Questions()
    there: Mapping[tuple[Kind, RemoteId | None], Observed] = dict(by_node(known.observed).items())
    sources = {item.path: item for item in desired if item.manage is not Manage.SEED}
    given, found = _statuses(asked), {}
    for held in asked:
        if held.path in sources:
            item = sources[held.path]
            item = replace(item, status=given.get(held.path, item.status) if publish else None)
            found[held.path] = Question(item, (there[held.kind, held.remote_id],))
    return Questions(tuple(found.values()))


def _may_be_older(held: Held, known: Known) -> bool:
    """Whether git was not asked yet of something that the portal may have of an older revision."""
    if held.reason not in MAYBE_OURS or held.remote_id is None:
        return False
    return (held.path, held.remote_id) not in known.git.proofs


def _statuses(asked: Iterable[Held]) -> dict[str, Status]:
    """By path: a file that says nothing of it gets a status all the same where it came back."""
    values = ((held.path, value) for held in asked for value in held.values if value.name == "status")
    return {path: Status(value.after) for path, value in values if isinstance(value.after, str)}
