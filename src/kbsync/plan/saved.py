"""A plan in a file, to be read by people today and carried out, exactly so, later. No token, no path of a machine.

It names the tree and the settings that it was made of. Carried out from another tree or with other settings it would be
another plan, so it is refused as a whole; where the portal moved on since, it is refused change by change. What the
ledger says is done already is left out, so that a plan whose push was interrupted can be carried out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import msgspec

from kbsync import __version__
from kbsync.errors import PlanRefused
from kbsync.model import LINK_FIELD, Action, Base, Change, Desired, Kind, Pending, Plan, RemoteId, Target, Value
from kbsync.plan.draft import Policy
from kbsync.plan.evidence import Key, key_of

SCHEMA = "kbsync.saved-plan/1"
SNIFF = b'{"schema":"kbsync.saved-plan/'
AGAIN = "make a new one with `kbsync plan --out FILE`"


class Saved(msgspec.Struct, frozen=True):
    """What the file holds. `tree` and `settings` are digests; `ledger` names what was recorded when it was made.

    `pictures` has, by source and key, the addresses that pictures had by then.
    """

    schema: str
    kbsync: str
    tree: str
    settings: str
    ledger: str
    plan: Plan
    pictures: dict[str, dict[str, str]] = {}


def tree_digest(target: Target, desired: Iterable[Desired]) -> str:
    """Name a compiled content tree, for one portal."""
    return _digest((target, sorted(desired, key=lambda item: (item.kind, item.path))))


def settings_digest(policy: Policy) -> str:
    """Name the settings that decide what a plan does; how fast it is carried out is no part of it."""
    decisive = replace(policy, requests_per_minute=0, concurrency=0, latency_s=0)
    return _digest({name: _plain(getattr(decisive, name)) for name in Policy.__slots__})


def ledger_digest(bases: Iterable[Base], unknown: Iterable[Pending] = ()) -> str:
    """Name what a ledger says of a portal, and the requests whose answer nobody knows."""
    agreed = sorted(bases, key=lambda base: (base.kind, str(base.remote_id)))
    return _digest((agreed, sorted(entry.entry for entry in unknown)))


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def _digest(value: Any) -> str:
    return blake2b(msgspec.json.encode(value, order="deterministic"), digest_size=16).hexdigest()


def save_plan(plan: Plan, *, tree: str, settings: str, ledger: str, pictures: dict[str, dict[str, str]]) -> bytes:
    """The file of a plan."""
    kept = replace(plan, unmanaged=())
    return (
        msgspec.json.encode(
            Saved(
                SCHEMA,
                __version__,
                tree,
                settings,
                ledger,
                kept,
                {path: known for path, known in pictures.items() if known},
            )
        )
        + b"\n"
    )


def is_saved_plan(data: bytes) -> bool:
    """Whether a file begins as a saved plan does, of whatever version."""
    return data.startswith(SNIFF)


@dataclass(frozen=True, slots=True)
class Now:
    """What a saved plan is held against: portal, tree and settings (digests), and what the ledger says.

    `bases` are judged by the portal already; `unknown` are requests that nobody can judge.
    """

    target: Target
    tree: str
    settings: str
    bases: Sequence[Base]
    unknown: Sequence[Pending] = ()


def read_plan(data: bytes, name: str) -> Saved:
    """What a file holds.

    Args:
        data: the file.
        name: what it is called, for messages.

    Raises:
        PlanRefused: it is damaged, or of another version.
    """
    try:
        saved = msgspec.json.decode(data, type=Saved)
    except msgspec.DecodeError as exc:
        raise PlanRefused(f"{name}: this saved plan is damaged or of another kbsync: {exc}", hint=AGAIN) from exc
    if saved.schema != SCHEMA:
        raise PlanRefused(f"{name}: a plan of schema {saved.schema}; this kbsync carries out {SCHEMA}", hint=AGAIN)
    return saved


def still_open(saved: Saved, plan: Plan, name: str, now: Now) -> tuple[Plan, int]:
    """The plan of a file, as it may be carried out now, and how many of its changes are done already.

    Args:
        saved: what the file holds.
        plan: its plan, with the bodies named as they would be sent now.
        name: what it is called, for messages.
        now: how things are.

    Raises:
        PlanRefused: it is of another portal, tree or settings, or knows nothing of a create that may have been carried
            out.
    """
    _check(saved, name, now)
    if saved.ledger == ledger_digest(now.bases, now.unknown):
        return plan, 0
    _check_unknown(plan, name, now.unknown)
    plan = _only_new(plan, now.bases)
    return plan, len(saved.plan.sent) - len(plan.sent)


def _check(saved: Saved, name: str, now: Now) -> None:
    if saved.plan.target != now.target:
        there, here = saved.plan.target, now.target
        raise PlanRefused(
            f"{name}: the plan is for portal `{there.portal}` {there.place} ({there.profile}), "
            f"and the settings name `{here.portal}` {here.place} ({here.profile})",
            hint="use the same kbsync.toml and --env as for the plan",
        )
    if saved.tree != now.tree:
        raise PlanRefused(
            f"{name}: the content tree is not the one that was planned; nothing was sent",
            hint=f"check out the commit of the plan, or {AGAIN}",
        )
    if saved.settings != now.settings:
        raise PlanRefused(f"{name}: the settings are not those of the plan; nothing was sent", hint=AGAIN)


def _check_unknown(plan: Plan, name: str, unknown: Iterable[Pending]) -> None:
    keys = {key_of(entry.kind, entry.locale, entry.slug) for entry in unknown if entry.action == Action.CREATE}
    twice = [change for change in plan.changes if change.action is Action.CREATE and _key(change) in keys]
    if twice:
        raise PlanRefused(
            f"{name}: `{twice[0].slug}` was sent since and nobody knows whether it was made ({len(twice)} such); "
            "nothing was sent",
            hint=f"look in the panel; then {AGAIN}, with --recreate if it is not there",
        )


def _only_new(plan: Plan, bases: Sequence[Base]) -> Plan:
    """The plan where another push has recorded something since: what it settled then may be out of date."""
    record = _Record.of(plan, bases)
    changes = tuple(change for change in plan.changes if not record.has(change))
    done = {change.path for change in plan.changes} - {change.path for change in changes}
    warnings = tuple(finding for finding in plan.warnings if finding.path not in done)
    return replace(plan, changes=changes, warnings=warnings, settled=(), forgotten=())


@dataclass(frozen=True, slots=True)
class _Record:
    """What the ledger says, to be asked whether a change is done.

    `slugs` are those that articles and categories end with: one that swaps its slug steps aside on the way.
    """

    by_id: Mapping[tuple[Kind, RemoteId | None], Base]
    by_path: Mapping[tuple[Kind, str], Base]
    keys: frozenset[Key]
    slugs: Mapping[tuple[Kind, RemoteId | None], Value]

    @classmethod
    def of(cls, plan: Plan, bases: Sequence[Base]) -> _Record:
        return cls(
            {(base.kind, base.remote_id): base for base in bases},
            {(base.kind, base.path): base for base in bases if base.path},
            frozenset(key_of(base.kind, base.locale, base.slug) for base in bases),
            {
                (change.kind, change.remote_id): change.after["slug"]
                for change in plan.changes
                if "slug" in change.after
            },
        )

    def has(self, change: Change) -> bool:
        """Whether nothing is left of a change."""
        if change.action is Action.ADOPT:
            return True
        if change.action is Action.UPLOAD:
            return False  # Those that are done were taken out.
        if change.action is Action.CREATE:
            return _key(change) in self.keys
        base = self.by_id.get((change.kind, change.remote_id)) or self.by_path.get((change.kind, change.path))
        if change.action is Action.DELETE:
            return (change.kind, change.remote_id) not in self.by_id
        return base is not None and self._agrees(base, change)

    def _agrees(self, base: Base, change: Change) -> bool:
        known = {**base.fields, "locale": base.locale, "status": base.status, "slug": base.slug}
        wanted = change.after
        if "slug" in wanted:
            wanted["slug"] = self.slugs[change.kind, change.remote_id]
        if original := self.by_path.get(("article", str(wanted.get(LINK_FIELD, "")))):
            wanted[LINK_FIELD] = original.remote_id
        return all(name in known and known[name] == value for name, value in wanted.items())


def _key(change: Change) -> Key:
    return key_of(change.kind, change.locale, change.slug)
