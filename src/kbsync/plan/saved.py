"""A plan in a file, to be read by people today and carried out later. No token, no path of a machine.

It names the tree and the settings that it was made of: with others it is refused as a whole. Everything else in the
file is only compared (`plan/replan.py`), because files can be changed on their way: what is carried out is a new plan,
with the options that the file names. Where people share a key, a signature shows that the file was not changed.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import structs

from kbsync import __version__
from kbsync.command import command_line
from kbsync.errors import PlanRefused
from kbsync.model import Base, Desired, Pending, Plan, Target
from kbsync.plan.draft import Policy

SCHEMA = "kbsync.saved-plan/3"
SNIFF = re.compile(rb'\s*\{\s*"schema"\s*:\s*"kbsync\.saved-plan/')

KEY = "KBSYNC_PLAN_KEY"
"""The environment variable with the key of the signatures."""

SIGNED_WITH = "hmac-sha256:"

AT_ONCE = 1_000
"""Items that are encoded at once, where there may be a hundred thousand."""


class PlanRequest(msgspec.Struct, frozen=True):
    """What the command line asked for. Selectors with a path are as seen from the content root."""

    selectors: tuple[str, ...] = ()
    overwrite: tuple[str, ...] = ()
    recreate: bool = False
    publish: bool = False
    live: tuple[str, ...] = ()
    allow_removals: int | None = None
    stage: bool = False
    publish_staged: bool = False
    release: str = ""
    now: str = ""


class Saved(msgspec.Struct, frozen=True):
    """What the file holds. `tree` and `settings` are digests; `ledger` names what was recorded when it was made."""

    schema: str
    kbsync: str
    tree: str
    settings: str
    ledger: str
    asked: PlanRequest
    plan: Plan
    signature: str = ""


class _Head(msgspec.Struct, frozen=True):
    """What the files of all versions have."""

    schema: str


def tree_digest(target: Target, desired: Iterable[Desired]) -> str:
    """Name a compiled content tree, for one portal."""
    return _digest_with_list(target, sorted(desired, key=lambda item: (item.kind, item.path)))


def settings_digest(policy: Policy) -> str:
    """Name the settings that decide what a plan does; the pace and the clock are not part of it."""
    decisive = structs.replace(policy, requests_per_minute=0, concurrency=0, latency_s=0, now_s=0)
    return _digest({name: _plain(getattr(decisive, name)) for name in Policy.__struct_fields__})


def ledger_digest(bases: Iterable[Base], unknown: Iterable[Pending] = ()) -> str:
    """Name what a ledger says of a portal, and the requests with an unknown result."""
    agreed = sorted(bases, key=lambda base: (base.kind, str(base.remote_id)))
    return _digest((agreed, sorted(entry.entry for entry in unknown)))


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def _digest(value: Any) -> str:
    return blake2b(_encoded(value), digest_size=16).hexdigest()


def _digest_with_list(first: Any, some: Sequence[Any]) -> str:
    """The same as `_digest((first, some))`, without the whole list encoded at once."""
    name = blake2b(b"[" + _encoded(first) + b",[", digest_size=16)
    for start in range(0, len(some), AT_ONCE):
        # A list without its brackets, and with a comma before it.
        name.update((b"," if start else b"") + _encoded(some[start : start + AT_ONCE])[1:-1])
    name.update(b"]]")
    return name.hexdigest()


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def save_plan(plan: Plan, asked: PlanRequest, *, tree: str, settings: str, ledger: str, key: str = "") -> bytes:
    """The file of a plan, signed where there is a key."""
    kept = structs.replace(plan, unmanaged=(), settled=tuple(plan.settled), unpublished=tuple(plan.unpublished))
    data = msgspec.json.encode(Saved(SCHEMA, __version__, tree, settings, ledger, asked, kept))
    if key:
        saved = msgspec.json.decode(data, type=Saved)
        data = msgspec.json.encode(structs.replace(saved, signature=_signature(saved, key)))
    return data + b"\n"


def _signature(saved: Saved, key: str) -> str:
    """Of all that is read of the file; how the file is laid out does not matter."""
    data = msgspec.json.encode(structs.replace(saved, signature=""))
    return SIGNED_WITH + hmac.digest(key.encode("utf-8", "surrogateescape"), data, "sha256").hex()


def is_saved_plan(data: bytes) -> bool:
    """Whether a file begins as a saved plan does, of whatever version."""
    return SNIFF.match(data) is not None


class Here(msgspec.Struct, frozen=True):
    """What a saved plan is made for: portal, tree and settings (digests)."""

    target: Target
    tree: str
    settings: str


def read_plan(data: bytes, name: str, *, key: str = "") -> Saved:
    """What a file holds; `name` is what messages call it, `key` that of the signature, "" where none is asked for.

    Raises:
        PlanRefused: it is damaged, of another version, or not signed with the key.
    """
    try:
        head = msgspec.json.decode(data, type=_Head)
        saved = msgspec.json.decode(data, type=Saved) if head.schema == SCHEMA else None
    except (msgspec.DecodeError, RecursionError) as exc:
        # Without the word itself: it may be a stranger's.
        reason = re.sub(r"Invalid enum value '.*'(?= - at )", "Unknown word", str(exc), flags=re.DOTALL)
        message = f"{name}: This saved plan is damaged, or was made by another version of kbsync: {reason}."
        raise PlanRefused(message, hint=_again(name)) from exc
    if saved is None:
        raise PlanRefused(f"{name}: The plan has schema {head.schema}. This kbsync needs {SCHEMA}.", hint=_again(name))
    if key and not hmac.compare_digest(saved.signature.encode(), _signature(saved, key).encode()):
        what = "was changed after it was signed, or was signed with another key" if saved.signature else "is not signed"
        hint = f"Make a new one where {KEY} has the same value, or unset {KEY} to push without a signature."
        raise PlanRefused(f"{name}: This saved plan {what}. Nothing was sent.", hint=hint)
    return saved


def check_plan(saved: Saved, name: str, here: Here) -> None:
    """Refuse a plan that is of another portal, tree or settings.

    Raises:
        PlanRefused: it is.
    """
    check_target(saved, name, here.target)
    if saved.tree != here.tree:
        message = f"{name}: Your files have changed since the plan was made. Nothing was sent."
        raise PlanRefused(message, hint=f"Check out the commit that was planned. Or: {_again(name)}")
    if saved.settings != here.settings:
        message = f"{name}: The settings have changed since the plan was made. Nothing was sent."
        raise PlanRefused(message, hint=_again(name))


def check_target(saved: Saved, name: str, ours: Target) -> None:
    """Refuse a plan that is of another portal.

    Raises:
        PlanRefused: it is.
    """
    there = saved.plan.target
    if there != ours:
        raise PlanRefused(
            f"{name}: The plan is for portal `{there.portal}` {there.place} ({there.profile}), "
            f"but the settings name `{ours.portal}` {ours.place} ({ours.profile}).",
            hint="Use the same kbsync.toml and --env as for the plan.",
        )


def _again(name: str) -> str:
    return f"Make a new one with `{command_line('plan', options=[('--out', name)])}`."
