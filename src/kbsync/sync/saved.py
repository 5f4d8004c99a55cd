"""A plan in a file, to be read by people today and carried out, exactly so, later. No token, no path of a machine.

It names the tree and the settings that it was made of. Carried out from another tree or with other settings it would be
another plan, so it is refused as a whole; where the portal moved on since, it is refused change by change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import msgspec

from kbsync import __version__
from kbsync.errors import PlanRefused
from kbsync.model import Action, Base, Desired, Plan, Target
from kbsync.sync.draft import Policy
from kbsync.sync.match import key_of

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


def ledger_digest(bases: Iterable[Base]) -> str:
    """Name what a ledger says of a portal."""
    return _digest(sorted(bases, key=lambda base: (base.kind, str(base.remote_id))))


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


def load_plan(data: bytes, name: str, *, target: Target, tree: str, settings: str, bases: Iterable[Base]) -> Saved:
    """What a file holds, with the plan as it may be carried out now.

    Args:
        data: the file.
        name: what it is called, for messages.
        target: the portal of now.
        tree, settings: digests of now.
        bases: what the ledger says now.

    Raises:
        PlanRefused: it is damaged, of another version, portal, tree or settings.
    """
    try:
        saved = msgspec.json.decode(data, type=Saved)
    except msgspec.DecodeError as exc:
        raise PlanRefused(f"{name}: this saved plan is damaged or of another kbsync: {exc}", hint=AGAIN) from exc
    if saved.schema != SCHEMA:
        raise PlanRefused(f"{name}: a plan of schema {saved.schema}; this kbsync carries out {SCHEMA}", hint=AGAIN)
    if saved.plan.target != target:
        there, here = saved.plan.target, target
        raise PlanRefused(
            f"{name}: the plan is for portal `{there.portal}` at {there.base_url} ({there.profile}), "
            f"and the settings name `{here.portal}` at {here.base_url} ({here.profile})",
            hint="use the same kbsync.toml and --env as for the plan",
        )
    if saved.tree != tree:
        raise PlanRefused(
            f"{name}: the content tree is not the one that was planned; nothing was sent",
            hint=f"check out the commit of the plan, or {AGAIN}",
        )
    if saved.settings != settings:
        raise PlanRefused(f"{name}: the settings are not those of the plan; nothing was sent", hint=AGAIN)
    bases = list(bases)
    if saved.ledger == ledger_digest(bases):
        return saved
    return msgspec.structs.replace(saved, plan=_only_new(saved.plan, bases))


def _only_new(plan: Plan, bases: Iterable[Base]) -> Plan:
    """The plan where another push has recorded something since: what it settled then may be out of date."""
    managed = {key_of(base.kind, base.locale, base.slug) for base in bases}
    changes = tuple(
        change
        for change in plan.changes
        if change.action is not Action.ADOPT
        and not (change.action is Action.CREATE and key_of(change.kind, change.locale, change.slug) in managed)
    )
    return replace(plan, changes=changes, settled=(), forgotten=())
