"""What must be true at the end of a round, after pushes in peace: everything is there once, or a plan says why not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kbsync.errors import ExitCode

from .judge import Violation
from .portal import Shown
from .repository import Clone
from .runs import Run
from .tree import Article, Tree
from .truth import PERSON, Truth
from .writing import mark_in

LINK = re.compile(r"\]\(/hc/[^/]+/articles/([^)#?]+)\)")
KNOT = "unknown"
"""Of a knot that is held, not every source need be named."""


@dataclass(frozen=True, slots=True)
class End:
    """The last push, the plan after it, and the portal. `calm`: nothing happened that a person must decide.

    `is_rewritten`: the commits that the ledger began with have other names here, as after a rebase of everything. What
    git then cannot follow, such as a file whose old path another one took, may be held as behind.
    """

    tree: Tree
    clone: Clone
    push: Run
    plan: Run
    shown: Mapping[int, Shown]
    removed: str
    calm: bool
    is_rewritten: bool = False

    @property
    def reasons(self) -> dict[str, set[str]]:
        """Why things are held, by path."""
        found: dict[str, set[str]] = {}
        for held in self.plan.held:
            found.setdefault(held["path"], set()).add(held["reason"])
        return found

    @property
    def is_knotted(self) -> bool:
        return any(held["reason"] == KNOT for held in self.plan.held)


def judge_end(truth: Truth, end: End) -> list[Violation]:
    """Everything that is not as it should be."""
    if not end.plan.report:
        return [Violation("no plan", end.plan.told)]
    found = [*_plan(end), *_holds(end)]
    for uid, source in sorted(end.tree.articles.items()):
        ids = truth.articles_of(uid, dict(end.shown))
        if len(ids) > 1:
            found.append(Violation("second article", f"{source.path} is {', '.join(str(end.shown[i]) for i in ids)}"))
        elif not ids and source.path not in end.reasons and not end.is_knotted:
            found.append(Violation("missing", f"{source.path} has no article, and nothing says why"))
        elif ids:
            found += _differences(truth, end, source, end.shown[ids[0]])
    return [*found, *_strangers(truth, end)]


def _plan(end: End) -> Iterator[Violation]:
    sent = [change for change in end.plan.changes if change["action"] != "adopt"]
    if sent:
        shown = [f"{change['action']} {change['path'] or change['slug']}" for change in sent]
        yield Violation("unsettled", f"after two pushes in peace (exit {end.push.code}) there is left: {shown[:4]}")
    held = bool(end.plan.held)
    if end.plan.code != (ExitCode.HELD if held else ExitCode.DONE):
        yield Violation("exit code", f"plan ended with {end.plan.code}, held: {held}")
    if not sent and {_key(h) for h in end.plan.held} != {_key(h) for h in end.push.held}:
        yield Violation("plan and push differ", f"{end.plan.held} {end.push.held}")


def _key(held: dict[str, object]) -> tuple[object, ...]:
    return held["reason"], held["path"], held["slug"], tuple(held["fields"])  # type: ignore[arg-type]


def _holds(end: End) -> Iterator[Violation]:
    """Nothing need be held in calm, but a knot, and what waits for the slugs of a knot or of an orphan that stays."""
    waits = any("belongs to article" in held["hint"] for held in end.plan.held)
    for held in [] if end.is_knotted or waits else end.plan.held:
        if end.calm and not (end.is_rewritten and held["reason"] == "behind"):
            yield Violation("held for nothing", f"{held['path'] or held['slug']} {held['reason']} {held['fields']}")


def _differences(truth: Truth, end: End, source: Article, there: Shown) -> Iterator[Violation]:
    """What the portal shows otherwise than its source says; fine where the plan holds it."""
    if source.path in end.reasons or end.is_knotted:
        return
    category = end.tree.category_of(source)
    # Of a category whose slug is held the articles stay in it, under its old slug.
    home = "" if category is None or category.path in end.reasons else category.portal_slug
    wanted = {
        "slug": (source.portal_slug, there.slug),
        "title": (source.title, there.title),
        "locale": (source.locale, there.locale),
        "category": (home or there.category, there.category),
    }
    if source.status:
        wanted["status"] = (source.status, there.status)
    if source.description:
        wanted["description"] = (source.description, there.description)
    for name, (ours, theirs) in wanted.items():
        if ours != theirs:
            yield Violation("wrong " + name, f"{source.path} says {ours!r}, and the portal has {there}: {theirs!r}")
    if source.words not in there.content:
        yield Violation("wrong text", f"{source.path} is U{source.uid}R{source.rev}: {mark_in(there.content)}")
    elif (links := LINK.findall(there.content)) != end.tree.linked_slugs(source):
        yield Violation("wrong links", f"{source.path}: {links} instead of {end.tree.linked_slugs(source)}")


def _strangers(truth: Truth, end: End) -> Iterator[Violation]:
    """Articles of sources that are gone: deleted or archived where that is asked for and known, or spoken of."""
    for remote_id, item in end.shown.items():
        owner = truth.owner.get(remote_id, PERSON)
        if owner == PERSON or owner in end.tree.articles or end.removed == "report":
            continue
        done = end.removed == "archive" and item.status == "archived"
        if not done and remote_id in end.clone.paths and not _is_told(end.plan, item):
            yield Violation("orphan stays", f"{item} has no source; removed = {end.removed}, and the plan is silent")


def _is_told(plan: Run, item: Shown) -> bool:
    said = [*plan.held, *plan.report.get("findings", [])]
    return any(found.get("remote_id") == item.id or item.slug in str(found) for found in said)
