"""What a push would do: three sides in, a plan out. Pure: no file, no request, no clock.

Each field of an item decides for itself; this is the whole table, row by row (`decide`):

    desired vs base | observed vs base               | verdict
    ----------------+--------------------------------+-----------------------------------------------
    same            | same                           | NOTHING
    moved           | same                           | SEND
    same            | moved                          | DRIFT     held: a person edited it in the panel
    moved           | moved, to the same value       | SETTLE    nothing to send; the base moves
    moved           | moved, elsewhere               | CONFLICT  held
    no base         | equal                          | ADOPT
    no base         | differs, but an older revision | SEND      nobody touched it since that revision
    no base         | differs                        | CONFLICT  held

and this is the table for an item as a whole:

    desired | base | observed | what becomes of it
    --------+------+----------+------------------------------------------------------------------
    yes     |  -   | no       | create, as a draft (held as unknown where a create may be under way)
    yes     | yes  | no       | held as gone (created again with `recreate`)
    yes     | any  | yes      | adopt, update or nothing, field by field
    no      | yes  | yes      | orphan: report, archive or delete, as `removed` says
    no      | yes  | no       | forgotten
    no      | no   | yes      | unmanaged: counted, never touched
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal

from kbsync.errors import PlanRefused
from kbsync.model import (
    ARTICLE_FIELDS,
    CATEGORY_FIELDS,
    Action,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Finding,
    Held,
    Kind,
    Manage,
    Observed,
    Pending,
    Plan,
    Reason,
    RemoteId,
    Status,
    Target,
    Value,
)
from kbsync.sync.match import Match, Matches, match_items

MACHINE_SLUG = re.compile(r"\d{9,}-")
"""A slug that the panel made: unix seconds and the title. Source: observed.md, section 4."""

STATUS_ACTIONS = {Status.PUBLISHED: Action.PUBLISH, Status.DRAFT: Action.UNPUBLISH, Status.ARCHIVED: Action.ARCHIVE}

EMPTY = (None, "", ())
"""Values over which nothing can be lost."""

REQUESTS = {Action.CREATE: 1, Action.ADOPT: 0, Action.DELETE: 3}
"""Requests of a change. What is updated is looked at once more before, so two; what is deleted also after."""


class Verdict(Enum):
    """What becomes of one field."""

    NOTHING = "nothing"
    SEND = "send"
    DRIFT = "drift"
    SETTLE = "settle"
    CONFLICT = "conflict"
    ADOPT = "adopt"


class Absent(Enum):
    """Stands where there is no base for a field; None is a value that a field may have."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


def decide(
    desired: Value | Status,
    base: Value | Status | Absent,
    observed: Value | Status,
    older: Collection[Value] = (),
) -> Verdict:
    """One field's verdict, by the table at the head of this module.

    Args:
        desired, base, observed: the field's values.
        older: values that older revisions of the source compile to, from git history.
    """
    if base is ABSENT:
        if desired == observed:
            return Verdict.ADOPT
        return Verdict.SEND if observed in older else Verdict.CONFLICT
    if desired == observed:
        return Verdict.NOTHING if desired == base else Verdict.SETTLE
    if observed == base:
        return Verdict.SEND
    return Verdict.DRIFT if desired == base else Verdict.CONFLICT


@dataclass(frozen=True, slots=True)
class Policy:
    """How far this plan may go; most of it is [push] of kbsync.toml.

    `overwrite` are the paths whose drift and conflicts the user wants overwritten. `can` are the profile's
    operations, `keeps` the fields it keeps of each kind. `whole` is False when a selector leaves sources out: then
    nothing is an orphan.
    """

    can: frozenset[str]
    keeps: Mapping[Kind, frozenset[str]]
    can_look: bool = True
    publish: bool = False
    live: Literal["update", "hold"] = "update"
    removed: Literal["report", "archive", "delete"] = "report"
    max_fraction: float = 0.1
    recreate: bool = False
    overwrite: frozenset[str] = frozenset()
    whole: bool = True
    default_locale: str = "en"
    requests_per_minute: float = 1200
    concurrency: int = 4
    latency_s: float = 0.03


@dataclass(slots=True)
class _Draft:
    """The plan while it is being made."""

    policy: Policy
    changes: list[Change] = field(default_factory=list)
    statuses: list[Change] = field(default_factory=list)
    removals: list[Change] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    settled: dict[tuple[Kind, RemoteId], Base] = field(default_factory=dict)
    forgotten: list[Base] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    unchanged: int = 0


History = Mapping[str, Mapping[str, Collection[Value]]]
"""By source path, by field: the values of older revisions."""


def build_plan(
    target: Target,
    desired: Iterable[Desired],
    observed: Iterable[Observed] | None,
    bases: Iterable[Base],
    *,
    policy: Policy,
    pending: Iterable[Pending] = (),
    history: History | None = None,
) -> Plan:
    """Decide everything.

    Args:
        target: whom the plan is for.
        desired: what the content tree wants.
        observed: what the portal holds, or None where it cannot be listed: then the ledger alone says.
        bases: what both sides last agreed on.
        policy: how far the plan may go.
        pending: requests whose answer nobody knows, and that looking could not settle.
        history: what older revisions of the sources compile to.

    Raises:
        PlanRefused: it would remove more than `max_fraction` of what is managed.
    """
    bases = list(bases)
    seen = [_as_observed(base) for base in bases] if observed is None else list(observed)
    matches = match_items(desired, seen, bases)
    renamed = _renamed_categories(matches)
    unknown = {(entry.kind, entry.locale, entry.slug) for entry in pending if entry.action == Action.CREATE}
    draft = _Draft(policy)
    for match in matches.matched:
        _decide_item(draft, match, renamed, unknown, (history or {}).get(match.desired.path, {}))
    if policy.whole:
        _decide_orphans(draft, matches, renamed)
    _warn_of_look_alikes(draft, matches)
    unmanaged = matches.unmanaged if observed is not None else ()
    plan = _assemble(target, draft, unmanaged, managed=len(bases))
    check_removals(plan, max_fraction=policy.max_fraction)
    return plan


def check_removals(plan: Plan, *, max_fraction: float) -> None:
    """Refuse a plan that would empty the help center.

    Args:
        plan: the plan to judge.
        max_fraction: share of the managed items that may go, 0.0 to 1.0.

    Raises:
        PlanRefused: the plan removes more than that.
    """
    removals = [change for change in plan.changes if _is_removal(change)]
    if len(removals) > plan.managed * max_fraction:
        raise PlanRefused(
            f"this plan removes {len(removals)} of {plan.managed} managed items; "
            f"[push] max_removals allows {max_fraction:.0%}",
            hint="is the content tree complete? If this is meant, raise max_removals in kbsync.toml for this once",
        )


def _is_removal(change: Change) -> bool:
    """A delete, or an archive that no source asks for: its path is not in the tree any more."""
    return change.action is Action.DELETE or (change.action is Action.ARCHIVE and not change.path)


def _as_observed(base: Base) -> Observed:
    return Observed(base.kind, base.remote_id, base.locale, base.slug, base.fields, base.status)


def _renamed_categories(matches: Matches) -> dict[tuple[str, str], str]:
    """Old slug to new, by locale: an article whose category gets another slug does not move."""
    return {
        (match.observed.locale, match.observed.slug): match.desired.slug
        for match in matches.matched
        if match.desired.kind == "category" and match.observed and match.observed.slug != match.desired.slug
    }


# --- one item ------------------------------------------------------------------------------------------------------


def _decide_item(
    draft: _Draft,
    match: Match,
    renamed: Mapping[tuple[str, str], str],
    unknown: Collection[tuple[Kind, str, str]],
    older: Mapping[str, Collection[Value]],
) -> None:
    desired, base, observed = match.desired, match.base, match.observed
    if desired.manage is Manage.FALSE:
        return
    if observed is None:
        _decide_missing(draft, desired, base, unknown)
    elif desired.manage is Manage.SEED and base is not None:
        draft.unchanged += 1
    else:
        _decide_present(draft, match, observed, renamed, older)


def _decide_missing(
    draft: _Draft, desired: Desired, base: Base | None, unknown: Collection[tuple[Kind, str, str]]
) -> None:
    if base is not None and not draft.policy.recreate:
        draft.held.append(
            _hold(
                desired,
                Reason.GONE,
                base.remote_id,
                (),
                "somebody deleted it on the portal: delete the source too, or make it "
                "again with `kbsync push --recreate`",
            )
        )
    elif (desired.kind, desired.locale, desired.slug) in unknown and not draft.policy.recreate:
        draft.held.append(
            _hold(
                desired,
                Reason.UNKNOWN,
                None,
                (),
                "a create was sent and its answer never came; look in the panel whether it is "
                "there, then run `kbsync push --recreate` if it is not",
            )
        )
    else:
        draft.changes.append(_create(desired, draft.policy))
        if draft.policy.publish and desired.status not in (None, Status.DRAFT):
            _decide_status(draft, desired, None, None)


def _create(desired: Desired, policy: Policy) -> Change:
    fields = _ours(desired, policy) | {
        name: value for name, value in desired.creation.items() if name not in desired.fields
    }
    changes = tuple(FieldChange(name, None, fields[name]) for name in _names(desired.kind) if name in fields)
    return Change(
        Action.CREATE,
        desired.kind,
        desired.locale,
        desired.slug,
        desired.path,
        None,
        desired.title,
        changes,
        status=Status.DRAFT if desired.kind == "article" else None,
    )


def _names(kind: Kind) -> tuple[str, ...]:
    return ARTICLE_FIELDS if kind == "article" else CATEGORY_FIELDS


def _ours(desired: Desired, policy: Policy) -> dict[str, Value]:
    """The fields that the source gives and the service keeps."""
    keeps = policy.keeps[desired.kind]
    return {name: value for name, value in desired.fields.items() if name in keeps}


def _decide_present(
    draft: _Draft,
    match: Match,
    observed: Observed,
    renamed: Mapping[tuple[str, str], str],
    older: Mapping[str, Collection[Value]],
) -> None:
    desired, base = match.desired, match.base
    there = _follow_rename(observed.fields, observed.locale, renamed)
    agreed = _follow_rename(base.fields, base.locale, renamed) if base else {}
    ours = _ours(desired, draft.policy)
    before = (len(draft.changes), len(draft.held), len(draft.statuses))
    # Nearly every item of nearly every plan is the same on all three sides, and its fields need no verdict.
    if base is None or base.path != desired.path or not _agree(ours, agreed, there):
        verdicts = {
            name: decide(value, agreed.get(name, ABSENT), there.get(name), older.get(name, ()))
            for name, value in ours.items()
        }
        if desired.path in draft.policy.overwrite:
            verdicts = {name: _overwritten(verdict) for name, verdict in verdicts.items()}
        _decide_fields(draft, match, observed, there, verdicts)
    if draft.policy.publish and desired.kind == "article" and desired.status is not None:
        _decide_status(draft, desired, observed, base)
    if before == (len(draft.changes), len(draft.held), len(draft.statuses)):
        draft.unchanged += 1


def _agree(ours: Fields, agreed: Fields, there: Fields) -> bool:
    return all(agreed.get(name, ABSENT) == value == there.get(name) for name, value in ours.items())


def _decide_fields(
    draft: _Draft, match: Match, observed: Observed, there: Fields, verdicts: Mapping[str, Verdict]
) -> None:
    """Turn verdicts into what is held, sent, adopted or settled."""
    desired, base = match.desired, match.base
    _hold_fields(draft, desired, observed, verdicts)
    sends = [name for name in _names(desired.kind) if verdicts.get(name) is Verdict.SEND]
    if "category" in sends and "position" in desired.fields and "position" not in sends:
        # The service gives a new position to what changes its category.
        sends.append("position")
    if sends:
        _update(draft, desired, observed, there, sends)
    elif base is None:
        if Verdict.CONFLICT not in verdicts.values():
            draft.changes.append(_adopt(desired, observed))
            draft.settled[observed.kind, observed.remote_id] = _agreed(desired, observed)
    else:
        agreeing = [name for name, verdict in verdicts.items() if verdict in {Verdict.ADOPT, Verdict.SETTLE}]
        if agreeing or base.path != desired.path:
            draft.settled[base.kind, base.remote_id] = _settled(base, desired, agreeing)


def _overwritten(verdict: Verdict) -> Verdict:
    return Verdict.SEND if verdict in {Verdict.DRIFT, Verdict.CONFLICT} else verdict


def _follow_rename(fields: Fields, locale: str, renamed: Mapping[tuple[str, str], str]) -> Fields:
    category = fields.get("category")
    if not renamed or not isinstance(category, str) or (locale, category) not in renamed:
        return fields
    return {**fields, "category": renamed[locale, category]}


def _update(draft: _Draft, desired: Desired, observed: Observed, there: Fields, sends: list[str]) -> None:
    live = observed.status is Status.PUBLISHED
    names = tuple(sends)
    if f"update_{desired.kind}" not in draft.policy.can:
        draft.held.append(
            _hold(
                desired,
                Reason.UNSUPPORTED,
                observed.remote_id,
                names,
                "this profile cannot update: change it in the panel by hand, or use the profile `chatwoot`",
            )
        )
    elif live and draft.policy.live == "hold":
        draft.held.append(
            _hold(
                desired,
                Reason.LIVE,
                observed.remote_id,
                names,
                'readers see it now and [push] live is "hold": set it to "update", or unpublish the article first',
            )
        )
    else:
        fields = tuple(FieldChange(name, there.get(name), desired.fields[name]) for name in names)
        draft.changes.append(
            Change(
                Action.UPDATE,
                desired.kind,
                desired.locale,
                desired.slug,
                desired.path,
                observed.remote_id,
                desired.title,
                fields,
                live,
            )
        )


def _adopt(desired: Desired, observed: Observed) -> Change:
    return Change(
        Action.ADOPT,
        desired.kind,
        desired.locale,
        desired.slug,
        desired.path,
        observed.remote_id,
        desired.title,
        live=observed.status is Status.PUBLISHED,
        status=observed.status,
    )


def _agreed(desired: Desired, observed: Observed) -> Base:
    """The base of an adopted item: what both sides hold alike, and what is empty there.

    A text that only the panel gave is nobody's agreement: a source that begins to give that field later meets a
    conflict and does not overwrite it. So it is with a status that the two do not share.
    """
    fields = {
        name: value
        for name, value in observed.fields.items()
        if desired.fields.get(name, ABSENT) == value or value in EMPTY
    }
    status = observed.status if observed.status == desired.status else None
    locale = observed.locale or desired.locale
    return Base(observed.kind, observed.remote_id, locale, observed.slug, desired.path, fields, status)


def _settled(base: Base, desired: Desired, names: Iterable[str]) -> Base:
    fields = {**base.fields, **{name: desired.fields[name] for name in names}}
    return replace(base, fields=fields, path=desired.path)


def _hold_fields(draft: _Draft, desired: Desired, observed: Observed, verdicts: Mapping[str, Verdict]) -> None:
    for verdict, reason in ((Verdict.DRIFT, Reason.DRIFT), (Verdict.CONFLICT, Reason.CONFLICT)):
        names = tuple(name for name in _names(desired.kind) if verdicts.get(name) is verdict)
        if names:
            draft.held.append(_hold(desired, reason, observed.remote_id, names, _hold_hint(desired, reason)))


def _hold_hint(desired: Desired, reason: Reason) -> str:
    said = "edited in the panel" if reason is Reason.DRIFT else "changed here and in the panel, differently"
    return f"{said}: put the edit into the source, or run `kbsync push --overwrite {desired.path}`"


def _hold(desired: Desired, reason: Reason, remote_id: RemoteId | None, fields: tuple[str, ...], hint: str) -> Held:
    return Held(
        reason, desired.kind, desired.locale, desired.slug, desired.path, remote_id, fields, hint, desired.title
    )


def _decide_status(draft: _Draft, desired: Desired, observed: Observed | None, base: Base | None) -> None:
    """The status decides for itself too, after the article is there, and only where `publish` is on.

    Without `observed` the article is about to be created, as a draft that both sides agree on.
    """
    wanted = desired.status
    assert wanted is not None
    there = observed.status if observed else Status.DRAFT
    agreed = (base.status if base else None) if observed else Status.DRAFT
    verdict = decide(wanted, ABSENT if agreed is None else agreed, there)
    remote_id = observed.remote_id if observed else None
    if desired.path in draft.policy.overwrite:
        verdict = _overwritten(verdict)
    if verdict is Verdict.SEND and "update_article" not in draft.policy.can:
        draft.held.append(
            _hold(
                desired,
                Reason.UNSUPPORTED,
                remote_id,
                ("status",),
                f"this profile cannot change a status: set it to {wanted} in the panel",
            )
        )
    elif verdict is Verdict.SEND:
        draft.statuses.append(
            Change(
                STATUS_ACTIONS[wanted],
                "article",
                desired.locale,
                desired.slug,
                desired.path,
                remote_id,
                desired.title,
                (FieldChange("status", there, wanted),),
                there is Status.PUBLISHED,
                wanted,
            )
        )
    elif verdict in {Verdict.DRIFT, Verdict.CONFLICT}:
        reason = Reason(verdict.value)
        draft.held.append(_hold(desired, reason, remote_id, ("status",), _hold_hint(desired, reason)))
    elif base is not None and base.status is not wanted:
        key = (base.kind, base.remote_id)
        draft.settled[key] = replace(draft.settled.get(key, base), status=wanted)


# --- what is not wanted ----------------------------------------------------------------------------------------------


def _decide_orphans(draft: _Draft, matches: Matches, renamed: Mapping[tuple[str, str], str]) -> None:
    left = {(item.locale, item.fields.get("category")) for item in _staying_articles(draft, matches)}
    for base, observed in matches.orphans:
        if observed is None:
            draft.forgotten.append(base)
        elif base.kind == "category" and (observed.locale, observed.slug) in left:
            _report_orphan(draft, base, "it still has articles in it")
        else:
            fields = _follow_rename(base.fields, base.locale, renamed)
            there = _follow_rename(observed.fields, observed.locale, renamed)
            _remove_orphan(draft, replace(base, fields=fields), replace(observed, fields=there))


def _staying_articles(draft: _Draft, matches: Matches) -> Iterable[Observed]:
    yield from (match.observed for match in matches.matched if match.observed and match.desired.kind == "article")
    yield from (item for item in matches.unmanaged if item.kind == "article")
    if draft.policy.removed != "delete":
        yield from (item for base, item in matches.orphans if item is not None and base.kind == "article")


def _remove_orphan(draft: _Draft, base: Base, observed: Observed) -> None:
    policy = draft.policy
    moved = tuple(
        name for name, value in base.fields.items() if name != "position" and observed.fields.get(name) != value
    )
    if policy.removed == "report" or (policy.removed == "archive" and base.kind == "category"):
        _report_orphan(draft, base, f'[push] removed = "{policy.removed}"')
    elif policy.removed == "archive" and observed.status is Status.ARCHIVED:
        draft.unchanged += 1
    elif moved:
        hint = "its source is gone, but somebody edited it in the panel: delete it there, or bring the source back"
        draft.held.append(
            Held(
                Reason.DRIFT, base.kind, base.locale, base.slug, base.path, base.remote_id, moved, hint, observed.title
            )
        )
    elif (policy.removed == "delete" and f"delete_{base.kind}" not in policy.can) or "update_article" not in policy.can:
        hint = f"this profile cannot {policy.removed}: do it in the panel"
        draft.held.append(
            Held(
                Reason.UNSUPPORTED,
                base.kind,
                base.locale,
                base.slug,
                base.path,
                base.remote_id,
                (),
                hint,
                observed.title,
            )
        )
    else:
        action = Action.DELETE if policy.removed == "delete" else Action.ARCHIVE
        status = None if action is Action.DELETE else Status.ARCHIVED
        fields = (
            (FieldChange("status", observed.status, Status.ARCHIVED),)
            if status
            else tuple(
                FieldChange(name, observed.fields[name], None) for name in _names(base.kind) if name in observed.fields
            )
        )
        draft.removals.append(
            Change(
                action,
                base.kind,
                base.locale,
                base.slug,
                "",
                base.remote_id,
                observed.title,
                fields,
                observed.status is Status.PUBLISHED,
                status,
            )
        )


def _report_orphan(draft: _Draft, base: Base, why: str) -> None:
    message = f"{base.kind} `{base.slug}` is managed and no longer in the tree; it stays on the portal ({why})"
    hint = 'delete it in the panel, or set removed = "archive" or "delete" in [push]'
    draft.warnings.append(Finding("KB501", "warning", base.path, 1, 1, message, hint))


def _warn_of_look_alikes(draft: _Draft, matches: Matches) -> None:
    """An article made in the panel that looks like one of ours; two of them would confuse readers."""
    machine_made = {item.title: item for item in matches.unmanaged if MACHINE_SLUG.match(item.slug)}
    for change in draft.changes:
        if change.action is Action.CREATE and change.kind == "article" and change.title in machine_made:
            other = machine_made[change.title]
            message = f"the portal already has an article with this title, made in the panel: `{other.slug}`"
            hint = f"add `aliases: [{other.slug}]` to take it over, or delete it in the panel"
            draft.warnings.append(Finding("KB502", "warning", change.path, 1, 1, message, hint))


# --- the whole -------------------------------------------------------------------------------------------------------


def _assemble(target: Target, draft: _Draft, unmanaged: tuple[Observed, ...], *, managed: int) -> Plan:
    first = draft.policy.default_locale
    order = {Action.ADOPT: 0, Action.CREATE: 1, Action.UPDATE: 1}

    def place(change: Change) -> tuple[object, ...]:
        return (
            change.kind != "category",
            order.get(change.action, 2),
            change.locale != first,
            change.locale,
            change.path,
        )

    # Categories go after the articles that were in them.
    removals = sorted(draft.removals, key=lambda change: (change.kind == "category", change.locale, change.slug))
    changes = (*sorted(draft.changes, key=place), *sorted(draft.statuses, key=place), *removals)
    requests = sum(REQUESTS.get(change.action, 2) for change in changes)
    return Plan(
        target,
        changes,
        tuple(draft.held),
        draft.unchanged,
        unmanaged,
        tuple(draft.settled.values()),
        tuple(draft.forgotten),
        tuple(draft.warnings),
        managed,
        requests,
        _seconds(requests, draft.policy),
    )


def _seconds(requests: int, policy: Policy) -> float:
    """How long so many requests take: the pace or the latency, whichever is slower."""
    paced = max(0.0, (requests - policy.concurrency) * 60 / policy.requests_per_minute)
    return round(max(paced, requests * policy.latency_s / policy.concurrency), 1)
