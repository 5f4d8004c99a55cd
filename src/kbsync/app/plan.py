"""The steps that plan and push share: read, look, recover, learn, decide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import structs

from kbsync.app.elsewhere import look_up_new_slugs
from kbsync.app.newer_runs import Newer, lost_files, note_possible, read_newer
from kbsync.app.options import (
    PlanOptions,
    at_its_pace,
    check_selected,
    chosen,
    named,
    note_left_out,
    overwritten,
    policy_of,
    push_command,
    with_unwritten,
)
from kbsync.app.push_result import TooManyRemovals
from kbsync.app.reading import Reading, keep_slugs
from kbsync.app.sides import Peek, Portal, Recorded, observe
from kbsync.app.workspace import Workspace
from kbsync.errors import NotFound, PlanRefused
from kbsync.ledger import Ledger
from kbsync.markdown.uploaded import by_key, host_of
from kbsync.model import Base, Desired, Plan, RemoteId, Target, Value, digest, name_body
from kbsync.plan.build import build_plan
from kbsync.plan.draft import Policy
from kbsync.plan.former import has_first_name, renamed_where_desired, renamed_where_observed
from kbsync.plan.known import Known, Node
from kbsync.plan.match import Weighed, weigh
from kbsync.plan.questions import Questions, open_questions, questions_for
from kbsync.plan.recover import Recovery, settle_pending
from kbsync.plan.texts import bodies_to_compare, compared, place_of
from kbsync.plan.translation_links import with_originals
from kbsync.push.uploads import ImageAddresses, plan_uploads

if TYPE_CHECKING:
    from kbsync.content.compile import Compiler
    from kbsync.plan.portal_settings import PortalSides
    from kbsync.plan.pull import Records
    from kbsync.service.contract import Service

Item = TypeVar("Item", Desired, Base)

MOST_READ = 100
"""Articles without a source whose texts are read, to find out whether they were renamed; a locale's move is read whole,
however large it is, for what is not recognised is made a second time."""

MOST_ROUNDS = 3
"""So often bodies are compared, each time those that the last time made doubtful."""


class Planned(msgspec.Struct, frozen=True):
    """A plan, what a push needs beside it, what was seen of the portal, and where its images are.

    `reading` is the tree with the slugs that its articles have on this portal; `weighed` says which file is which
    article. `desired` is what was planned, with ids of the portal in the place of paths. `behind` is the commit of the
    last push, where that is not part of this checkout.
    """

    plan: Plan
    reading: Reading
    recovery: Recovery
    portal: Portal
    addresses: ImageAddresses
    weighed: Weighed
    desired: tuple[Desired, ...] = ()
    behind: str = ""


def make_plan(
    workspace: Workspace,
    reading: Reading,
    service: Service,
    record: Recorded,
    options: PlanOptions,
    peek: Peek | None = None,
    *,
    max_age_s: int = 0,
) -> Planned:
    """Look at the portal and decide.

    Args:
        workspace: settings and profile.
        reading: a tree without errors.
        service: the portal.
        record: of the ledger.
        options: of the command line.
        peek: what was asked of the portal just now.
        max_age_s: how long ago all rows of the portal may have been read, for who looks again before anything is sent.
    """
    bases: Sequence[Base] = record.bases
    full = options.full
    portal = observe(workspace, service, reading.desired, bases, full=full, peek=peek, max_age_s=max_age_s)
    known_slugs = (item.slug for item in (*bases, *(portal.items or ())) if item.kind == "article")
    reading = keep_slugs(workspace, reading, known_slugs)
    addresses = ImageAddresses.of(record.images, portal.items or (), host_of(service.base_url))
    if portal.items is None:
        bases = renamed_where_desired(bases, reading.desired, partial(was_named, reading.compiler, addresses))
    else:
        bases = renamed_where_observed(bases, portal.items)
    desired = chosen(workspace, reading.desired, options)
    effects = service.side_effects
    recovery = settle_pending(record.pending, bases, portal.everything, complete=portal.complete, effects=effects)
    overwrite = overwritten(workspace, reading.desired, record.bases, options)
    consent = named(workspace, reading.desired, options.live, options.here)
    check_selected(workspace, options, desired, overwrite, consent)
    policy = with_unwritten(at_its_pace(policy_of(workspace, options, overwrite, consent), service), reading)
    note_left_out(workspace, service, desired)
    known = Known(portal.items, without_portal(recovery.bases), recovery.unknown, complete=portal.complete)
    weighed = learn(workspace, reading, service, known, publish=policy.publish)
    known = weighed.index.known
    sides = _Sides(workspace.target, desired, recovery.bases, portal, policy)
    plan, wanted = sides.decide(weighed, known)
    lost = lost_files(plan, recovery.bases)
    arrived = {entry for entry, base in recovery.settled.items() if base is not None}
    newer = Newer()
    if plan.sent or lost:
        newer = read_newer(workspace, reading.compiler.tree, plan, lost, arrived=arrived)
    note_possible(workspace, plan, newer)
    pulled = _pulled(workspace) if _moves_places(plan) else {}
    if newer.certain or pulled:
        known = structs.replace(known, newer=newer.certain, pulled=pulled)
        plan, wanted = sides.decide(weighed, known)
    if questions := open_questions(plan, without_portal(desired), known, publish=policy.publish):
        known = ask(workspace, reading, known, questions)
        weighed = weigh(without_portal(reading.desired), known)
        plan, wanted = sides.decide(weighed, known)
    if elsewhere := look_up_new_slugs(workspace, reading, service, plan, anew=options.full):
        known = structs.replace(known, elsewhere=elsewhere)
        plan, wanted = sides.decide(weighed, known)
    plan = plan_uploads(plan, reading.compiler, addresses, policy, per_hour=workspace.uploads_per_hour)
    plan = judged(with_way_out(plan, workspace, options), workspace, reading)
    plan = _with_pulled(plan, workspace)
    plan = structs.replace(plan, version=service.version)
    return Planned(plan, reading, recovery, portal, addresses, weighed, wanted, newer.last)


def _moves_places(plan: Plan) -> bool:
    """Whether a plan sends an order, or asks about one."""
    return any("position" in change.after for change in plan.changes) or any("position" in h.fields for h in plan.held)


def _pulled(workspace: Workspace) -> Records:
    """What this clone has pulled; few plans depend on it."""
    from kbsync.app.pull_record import load_records

    return load_records(workspace)


def _with_pulled(plan: Plan, workspace: Workspace) -> Plan:
    """The plan with hints that know what this clone has pulled."""
    if not plan.held:
        return plan
    from kbsync.plan.pulled_before import with_pulled_hints

    records = _pulled(workspace)
    return structs.replace(plan, held=with_pulled_hints(plan.held, records)) if records else plan


class _Sides(msgspec.Struct, frozen=True):
    """What a plan is made from, whatever more is learned of which file is which article."""

    target: Target
    desired: Sequence[Desired]
    bases: Sequence[Base]
    portal: Portal
    policy: Policy

    def decide(self, weighed: Weighed, known: Known) -> tuple[Plan, tuple[Desired, ...]]:
        """The plan, and what was planned: with ids of the portal in the place of paths."""
        itself = sides_of_portal(self.desired, self.bases, weighed, self.portal)
        linked = with_originals(without_portal(self.desired), weighed)
        plan = build_plan(self.target, linked, known, policy=self.policy, weighed=weighed, portal=itself)
        return plan, (*linked, *([itself.desired] if itself else []))


def without_portal(items: Sequence[Item]) -> Sequence[Item]:
    """The articles and categories: the portal itself is not matched with anything."""
    return [item for item in items if item.kind != "portal"] if any(item.kind == "portal" for item in items) else items


def sides_of_portal(
    desired: Sequence[Desired], bases: Sequence[Base], weighed: Weighed, portal: Portal | None
) -> PortalSides | None:
    """The portal itself on its three sides; None where it has no file, or was not chosen."""
    if not any(item.kind == "portal" for item in desired):
        return None
    from kbsync.app.portal_item import portal_sides

    return portal_sides(desired, bases, weighed, portal)


def with_way_out(plan: Plan, workspace: Workspace, options: PlanOptions) -> Plan:
    """A plan that, where it is refused, names the command that carries it out all the same."""
    if plan.refused is None:
        return plan
    allowing = structs.replace(options, allow_removals=plan.refused.removals)
    command = push_command(workspace.session, allowing)
    hint = f"Check that no files are missing. To remove them all, run `{command}`."
    return structs.replace(plan, refused=structs.replace(plan.refused, hint=hint))


def check_removals(plan: Plan) -> None:
    """Refuse to carry out a plan that would empty the help center.

    Raises:
        TooManyRemovals: it would.
    """
    if plan.refused is not None:
        raise TooManyRemovals(plan, plan.refused.message, hint=plan.refused.hint)


def learn(workspace: Workspace, reading: Reading, service: Service | None, known: Known, *, publish: bool) -> Weighed:
    """All evidence of which source is which article; git and texts are asked only where something is open.

    Where the ledger alone says what the portal holds, there are no texts: `service` may be None.
    """
    items = without_portal(reading.desired)
    weighed = weigh(items, known)
    if questions := questions_for(weighed, publish=publish):
        weighed = weigh(items, ask(workspace, reading, known, questions))
    if service is None or known.observed is None:
        return weighed
    asked: set[tuple[str, Node]] = set()
    for _ in range(MOST_ROUNDS):
        # A pair whose bodies gave no evidence is not read again.
        pairs = [pair for pair in bodies_to_compare(weighed) if pair not in asked]
        if not pairs:
            break
        asked.update(pairs)
        # What was compared may leave an article without a source, whose text another file has by now.
        alike = {**weighed.index.known.likeness, **compare_bodies(reading, service, weighed, pairs)}
        weighed = weigh(items, structs.replace(weighed.index.known, likeness=alike))
    return weighed


def was_named(compiler: Compiler, addresses: ImageAddresses, path: str, name: Value) -> bool:
    """Whether a ledger may have named the body of a source so, before images were compared by what is in them."""
    if not has_first_name(name) and not any(compiler.uploaded(path)):
        return False
    text = compiler.content_of(path, lambda key: addresses.known.get(key, ""))
    return name in (digest(text), name_body(text))


def ask(workspace: Workspace, reading: Reading, known: Known, questions: Questions) -> Known:
    """What is known once git has answered. Where it took too long it is not asked again."""
    if known.git.gave_up:
        return known
    # Loaded here: most plans have nothing to ask.
    from kbsync.history.base import ask_git

    word = ask_git(reading.compiler, questions, memory=workspace.memory, slow=workspace.session.note)
    return structs.replace(known, git=known.git.and_then(word))


def compare_bodies(
    reading: Reading, service: Service, weighed: Weighed, pairs: Sequence[tuple[str, Node]]
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
        return by_key(service.read_article(node[1], locale=locale)[1] or "")
    except NotFound:
        return None


def judged(plan: Plan, workspace: Workspace, reading: Reading) -> Plan:
    """The plan with those of its warnings that count here.

    Raises:
        PlanRefused: kbsync.toml calls one of them an error.
    """
    if not plan.warnings:
        return plan
    from kbsync.lint.ignore import Severities

    judge = Severities(workspace.settings.lint)
    warnings = tuple(judge.judge(plan.warnings, reading.compiler.tree.sources))
    refused = [f"{finding.path}: {finding.message}" for finding in warnings if finding.level == "error"]
    if refused:
        more = f" And {len(refused) - 1:,} more." if len(refused) > 1 else ""
        code = next(finding.code for finding in warnings if finding.level == "error")
        raise PlanRefused(
            f"{code} is set to `error` in this project. {refused[0]}{more}",
            hint=f"Fix it, add `lint_ignore: [{code}]` to the file, or change [lint] levels.",
        )
    return structs.replace(plan, warnings=warnings)


def check_first_push(workspace: Workspace, ledger: Ledger, *, allowed: bool) -> None:
    """Without a list and without a ledger nothing says what is on the portal already.

    Raises:
        PlanRefused: the ledger is empty, and `--first-push` was not given.
    """
    if not workspace.profile.can_list and ledger.is_empty(workspace.target.key) and not allowed:
        raise PlanRefused(
            f"The profile `{workspace.profile.name}` cannot list the portal, and there is no ledger yet. "
            "Articles that are there already would be created a second time.",
            hint="If this is the first push to the portal, run `kbsync push --first-push`. If not, restore the ledger.",
        )
