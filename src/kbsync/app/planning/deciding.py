"""How a plan comes about: it is decided, and what is open is asked, until nothing is.

    while there is a question:              # the first of QUESTIONS that this plan leaves open
        sides = sides with its answer       # each is asked once; texts up to three times, each pair once
    plan = build_plan(sides)                # pure

    question   | asked where                                      | of whom              | an answer changes
    -----------+--------------------------------------------------+----------------------+---------------------------
    history    | it is open which file is which article           | git                  | who is who
    texts      | two bodies may be those of one article           | the portal           | who is who
    newer      | something is sent or recorded, or has no file    | shared ledger, git   | what is held as behind
    revisions  | a value of the portal may be an older one of ours| git                  | what is held
    slugs      | a slug is new                                    | the portal           | what is held

Which question comes first is their order here: what decides who is who comes before anything is decided.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from kbsync.app.planning.newer_commits import read_newer
from kbsync.app.portal_item import portal_sides
from kbsync.app.reading import Reading
from kbsync.app.sides import Portal
from kbsync.app.workspace import Workspace
from kbsync.config import Settings
from kbsync.errors import NotFound
from kbsync.history.search import ask_git
from kbsync.markdown.anchors import PLAIN, made_slug
from kbsync.markdown.uploaded import by_key
from kbsync.memory import Kind
from kbsync.model import Action, Base, Change, Desired, Plan, RemoteId, Target
from kbsync.plan.build import build_plan
from kbsync.plan.draft import Policy
from kbsync.plan.known import Known, Node
from kbsync.plan.match import Weighed, weigh
from kbsync.plan.portal_settings import as_recorded
from kbsync.plan.questions import Questions, open_questions, questions_for
from kbsync.plan.recover import Recovery
from kbsync.plan.rules import FILE_GONE
from kbsync.plan.taken import new_slug
from kbsync.plan.texts import bodies_to_compare, compared, place_of
from kbsync.plan.translation_links import with_originals
from kbsync.service.snapshot import FRESH_S

if TYPE_CHECKING:
    from kbsync.service.client import Service

Item = TypeVar("Item", Desired, Base)

Pair = tuple[str, Node]
"""A source, and an article that it may be."""

MOST_READ = 100
"""Articles without a source whose texts are read, to find out whether they were renamed; a locale's move is read whole,
however large it is, for what is not recognised is made a second time."""

MATCHING = frozenset({"git", "likeness"})
"""What is known of who is who."""


class Sides(msgspec.Struct, frozen=True, dict=True):
    """What a plan is made from.

    Args:
        target: whom the plan is for.
        desired: what is planned, the portal itself among it.
        bases: of the ledger, the portal's among them.
        portal: as it was looked at; None where it was not, and is as the last run left it.
        policy: how far the plan may go.
        known: what portal, ledger and git say.
        weighed: which file is which article, as far as that is known.
    """

    target: Target
    desired: Sequence[Desired]
    bases: Sequence[Base]
    portal: Portal | None
    policy: Policy
    known: Known
    weighed: Weighed

    def knowing(self, found: Mapping[str, Any]) -> Sides:
        """The same, with an answer."""
        if not found:
            return self
        known = structs.replace(self.known, **found)
        is_of_matching = not MATCHING.isdisjoint(found)
        weighed = weigh(self.weighed.items.values(), known) if is_of_matching else self.weighed
        return structs.replace(self, known=known, weighed=weighed)

    @cached_property
    def wanted(self) -> tuple[Desired, ...]:
        """What is planned, with ids of the portal in the place of paths."""
        itself = [self._itself.desired] if self._itself else []
        return (*with_originals(without_portal(self.desired), self.weighed), *itself)

    @cached_property
    def plan(self) -> Plan:
        """What a push would do, as far as is known."""
        items = without_portal(self.wanted)
        return build_plan(self.target, items, self.known, policy=self.policy, weighed=self.weighed, portal=self._itself)

    @cached_property
    def _itself(self) -> Any:
        if not any(item.kind == "portal" for item in self.desired):
            return None
        found = portal_sides(self.desired, self.bases, self.weighed, self.portal)
        return as_recorded(found) if self.portal is None else found


def without_portal(items: Sequence[Item]) -> Sequence[Item]:
    """The articles and categories: the portal itself is not matched with anything."""
    return [item for item in items if item.kind != "portal"] if any(item.kind == "portal" for item in items) else items


def decide(sides: Sides, world: World) -> Sides:
    """Ask what is open until nothing is; the plan is that of what comes back."""
    while (found := world.answer(sides)) is not None:
        sides = sides.knowing(found)
    return sides


@dataclass(slots=True)
class World:
    """Whoever can answer. Without a `service` the portal is not asked, nor is it said what it holds.

    Args:
        workspace, reading: the project and its tree.
        recovery: what became of the requests without a recorded answer.
        service: the portal.
        anew: whether what was looked up a moment ago is looked up again.
    """

    workspace: Workspace
    reading: Reading
    recovery: Recovery
    service: Service | None = None
    anew: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    compared: set[Pair] = field(default_factory=set)

    def answer(self, sides: Sides) -> Mapping[str, Any] | None:
        """The answer to the first question that is open, by fields of `Known`; None where none is."""
        for kind in QUESTIONS:
            if self.asked[kind.name] < kind.most and (question := kind.open(self, sides)):
                self.asked[kind.name] += 1
                return kind.answer(self, sides, question)
        return None


class Question(NamedTuple):
    """A kind of question: what of a plan leaves it open, who answers, and how often it is asked."""

    name: str
    open: Callable[[World, Sides], Any]
    answer: Callable[[World, Sides, Any], Mapping[str, Any]]
    most: int = 1


def _of_history(world: World, sides: Sides) -> Questions | None:
    return questions_for(sides.weighed, publish=sides.policy.publish)


def _of_revisions(world: World, sides: Sides) -> Questions | None:
    if sides.known.git.gave_up:
        return None  # It would take too long again.
    wanted = without_portal(sides.desired)
    return open_questions(sides.plan, wanted, sides.known, publish=sides.policy.publish)


def _ask_git(world: World, sides: Sides, questions: Questions) -> Mapping[str, Any]:
    note = world.workspace.session.note
    word = ask_git(world.reading.compiler, questions, slow=note)
    return {"git": sides.known.git.and_then(word)}


def _of_texts(world: World, sides: Sides) -> list[Pair]:
    if world.service is None or sides.known.observed is None:
        return []
    # A pair whose bodies gave no evidence is not read again.
    return [pair for pair in bodies_to_compare(sides.weighed) if pair not in world.compared]


def _compare(world: World, sides: Sides, pairs: Sequence[Pair]) -> Mapping[str, Any]:
    assert world.service is not None
    world.compared.update(pairs)
    # What was compared may leave an article without a source, whose text another file has by now.
    return {"likeness": {**sides.known.likeness, **compare_bodies(world.reading, world.service, sides.weighed, pairs)}}


def _of_newer(world: World, sides: Sides) -> bool:
    plan = sides.plan
    lost = any(finding.code == FILE_GONE.code for finding in plan.warnings)
    return world.workspace.shares_ledger and bool(lost or plan.sent or plan.settled or plan.forgotten)


def _read_newer(world: World, sides: Sides, question: bool) -> Mapping[str, Any]:
    created = [change.path for change in sides.plan.changes if change.action is Action.CREATE]
    newer = read_newer(world.workspace, world.recovery.bases, world.recovery.settled, created)
    return {"newer": newer} if newer else {}


def _of_slugs(world: World, sides: Sides) -> bool:
    return world.service is not None and any(new_slug(change) for change in sides.plan.changes)


def _look_up(world: World, sides: Sides, question: bool) -> Mapping[str, Any]:
    assert world.service is not None
    found = look_up_new_slugs(world.workspace, world.reading, world.service, sides.plan, anew=world.anew)
    return {"elsewhere": found} if found else {}


QUESTIONS = (
    Question("history", _of_history, _ask_git),
    Question("texts", _of_texts, _compare, most=3),
    Question("newer", _of_newer, _read_newer),
    Question("revisions", _of_revisions, _ask_git),
    Question("slugs", _of_slugs, _look_up),
)


def compare_bodies(
    reading: Reading, service: Service, weighed: Weighed, pairs: Sequence[Pair]
) -> dict[tuple[str, RemoteId], float]:
    """How alike the bodies of some sources and articles are. What the tree has too is not asked of the portal."""
    ours = {path: reading.compiler.content_of(path) for path in dict.fromkeys(path for path, _ in pairs)}
    of_digest = {weighed.items[path].fields.get("content"): text for path, text in ours.items()}
    theirs: dict[Node, str] = {}
    read = 0
    for path, node in pairs:
        if node not in theirs:
            some = weighed.index.nodes[node].some
            text = of_digest.get(some.fields.get("content"))
            moved = place_of(weighed.index.nodes[node].path) == place_of(path)
            if text is None and (moved or read < MOST_READ):
                text, read = _body_of(service, node, some.locale), read + (not moved)
            if text is not None:
                theirs[node] = text
    return compared(weighed, pairs, ours, theirs)


def _body_of(service: Service, node: Node, locale: str) -> str | None:
    """A body as the portal holds it; None where somebody deleted the article since it was listed."""
    try:
        return by_key(service.read_article(node[1], locale=locale).text or "")
    except NotFound:
        return None


UNNOTED = 100
"""Look-ups, a request each, that nobody waits for long enough to wonder."""

Kept = dict[str, float]
"""By slug that another portal had: when that was seen, in seconds since 1970."""

TAKEN: Kind[Kept] = Kind("elsewhere", Kept)
"""By the key of the portal."""


def look_up_new_slugs(
    workspace: Workspace, reading: Reading, service: Service, plan: Plan, *, anew: bool = False
) -> Mapping[str, str]:
    """The new slugs of a plan that another portal has, each with what a person can do; `anew`: whatever was kept."""
    changes = {slug: change for change in plan.changes if (slug := new_slug(change))}
    now_s = time.time()
    kept = {} if anew else _load(workspace, now_s)
    asked = [slug for slug in changes if slug not in kept]
    if len(asked) > UNNOTED:
        workspace.session.note(f"Looking up {len(asked):,} new slugs: another portal of the service may have them.")
    found = service.slugs_elsewhere(asked)
    known = {**kept, **dict.fromkeys(found, now_s)}
    if found or anew:
        workspace.memory.put(TAKEN, {workspace.target.key: known})
    return {slug: _what_to_do(workspace.settings, reading, change) for slug, change in changes.items() if slug in known}


def _load(workspace: Workspace, now_s: float) -> Kept:
    """The slugs that another portal had a short while ago."""
    found = workspace.memory.get(TAKEN, workspace.target.key) or {}
    return {slug: seen_s for slug, seen_s in found.items() if 0 <= now_s - seen_s <= FRESH_S}


def _what_to_do(settings: Settings, reading: Reading, change: Change) -> str:
    source = reading.compiler.tree.sources.get(change.path)
    if settings.content.slug_prefix or (source is not None and source.slug):
        return "Write another `slug:` into the file."
    portal = made_slug(settings.service.portal)
    prefix = f"{portal}-" if PLAIN.fullmatch(portal) else "help-"
    return f'Set `slug_prefix = "{prefix}"` under [content] in kbsync.toml, or write another `slug:` into the file.'
