"""The portal itself, as portal.toml wants it: each setting decides for itself, as a field of an article does. Pure.

It is one item that is always there: never created, never removed, and not matched, for nothing else could be meant.
Its popular items are ids on the portal, and paths in the file; a path stays one where the item is still to be made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import structs
from msgspec.structs import replace

from kbsync.fields import config_key, in_order, is_popular
from kbsync.model import (
    Action,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Held,
    Kind,
    Observed,
    Reason,
    RemoteId,
    Status,
    Value,
)
from kbsync.plan.decide import EMPTY
from kbsync.plan.decide_item import decide_item
from kbsync.plan.draft import Draft, hold
from kbsync.plan.hints import needs_version_hint
from kbsync.plan.known import Node, Proof
from kbsync.plan.match import Match
from kbsync.plan.result import with_empties
from kbsync.plan.rules import TOO_MANY_POPULAR

SHOWN: Mapping[str, int] = {"popular_categories": 3, "popular_articles": 6}
"""How many of them a home page shows. Source: docs/service.md, S137."""

NOT_RECORDED = "The ledger has no record of these settings yet. Plan without `--offline` to compare them."

BY_HAND = "kbsync does not change this file, copy the portal's value into it yourself"

KIND_OF: Mapping[str, Kind] = {"popular_categories": "category", "popular_articles": "article"}

Names = Mapping[Node | str, str]
"""What people call an article or category of the portal, or one that a path means: a category by its slug, an article
by the path of its file, or by its slug where it has none."""


class PortalSides(msgspec.Struct, frozen=True):
    """The portal on its three sides.

    Args:
        desired: what portal.toml says, with ids as far as they are known (`with_ids`).
        base: of the ledger.
        observed: None where the portal was not looked at.
        known_keys: the keys of its config that this version of the service has.
        locales: those that the portal allows.
        names: of all that may be popular.
        is_recorded: `observed` is what the ledger has on record, and no more is known.
    """

    desired: Desired
    base: Base | None
    observed: Observed | None
    known_keys: frozenset[str] = frozenset()
    locales: tuple[str, ...] = ()
    names: Names = msgspec.field(default_factory=dict)
    is_recorded: bool = False


def as_recorded(sides: PortalSides | None) -> PortalSides | None:
    """The portal as the last run left it, where it is not looked at."""
    if sides is None or sides.base is None:
        return sides
    base, hidden = sides.base, sides.desired.fields.get("draft_locales")
    observed = Observed(
        kind="portal", remote_id=base.remote_id, locale="", slug=base.slug, fields=base.fields, status=Status.PUBLISHED
    )
    return structs.replace(
        sides,
        observed=observed,
        known_keys=frozenset(map(config_key, sides.desired.fields)),
        locales=hidden if isinstance(hidden, tuple) else (),
        is_recorded=True,
    )


def with_ids(desired: Desired, found: Mapping[str, Node]) -> Desired:
    """The portal with the ids of its popular items, as far as they are on the portal; `found` is by source path."""

    def known(value: Value) -> Value:
        paths = value if isinstance(value, tuple) else ()
        return tuple(str(found[path][1]) if path in found else path for path in paths)

    fields = {name: known(value) if is_popular(name) else value for name, value in desired.fields.items()}
    return replace(desired, fields=fields)


def decide_portal(draft: Draft, sides: PortalSides) -> None:
    """Plan what becomes of the portal, last of all: what it shows first may be made by this very plan."""
    desired, observed = sides.desired, sides.observed
    if observed is None:
        draft.held.append(_not_seen(draft, sides))
        return
    if "show_portal" not in draft.policy.can:
        # What is not looked at again right before is not written.
        draft.policy = structs.replace(draft.policy, can=draft.policy.can - {"update_portal"})
    _warn_of_many(draft, desired)
    left = _hold_impossible(draft, sides, observed)
    if not left:
        return
    held, changes = len(draft.held), len(draft.changes)
    observed = with_empties(observed, left)
    draft.git = structs.replace(draft.git, proofs={**draft.git.proofs, **_free(sides, observed, left)})
    decide_item(draft, Match(replace(desired, fields=left), sides.base, observed), {}, ())
    draft.held[held:] = [_named(item, sides) for item in draft.held[held:]]
    draft.kept = [_named(item, sides) for item in draft.kept]
    draft.overruled = [_named(item, sides) for item in draft.overruled]
    draft.changes[changes:] = [part for change in draft.changes[changes:] for part in _parts(change, sides.names)]


def _free(sides: PortalSides, observed: Observed, names: Iterable[str]) -> Mapping[tuple[str, RemoteId], Proof]:
    """Over what is empty nothing of a person's is written, as if history had proven it."""
    known = sides.base.fields if sides.base else {}
    free = {name: True for name in names if name not in known and observed.fields[name] in EMPTY}
    return {(sides.desired.path, observed.remote_id): free}


def _not_seen(draft: Draft, sides: PortalSides) -> Held:
    names = in_order("portal", sides.desired.fields)
    if "update_portal" in draft.policy.can:
        return hold(sides.desired, Reason.UNKNOWN, None, names, NOT_RECORDED)
    hint = "Change them in the panel by hand, or use the profile `chatwoot`."
    return hold(sides.desired, Reason.UNSUPPORTED, None, names, hint)


Refused = tuple[Reason, Collection[str], str, str]
"""Settings that cannot be as the file wants them: why, which, what to do, and the version of the service with them."""


def _hold_impossible(draft: Draft, sides: PortalSides, observed: Observed) -> Fields:
    """Hold the settings that cannot be as the file wants them; the others."""
    left = dict(sides.desired.fields)
    for find in (_not_recorded, _not_known, _not_allowed, _not_made):
        reason, wrong, hint, needs = find(draft, sides, observed, left)
        if names := in_order("portal", wrong):
            there = None if hint == NOT_RECORDED else with_empties(observed, names).fields
            item = hold(sides.desired, reason, observed.remote_id, names, hint, there, needs=needs)
            draft.held.append(_named(item, sides))
            left = {name: value for name, value in left.items() if name not in names}
    return left


def _not_recorded(draft: Draft, sides: PortalSides, observed: Observed, left: Fields) -> Refused:
    names = left.keys() - observed.fields.keys() if sides.is_recorded else ()
    return Reason.UNKNOWN, names, NOT_RECORDED, ""


def _not_known(draft: Draft, sides: PortalSides, observed: Observed, left: Fields) -> Refused:
    names = [name for name in left if (key := config_key(name)) and key not in sides.known_keys]
    needs = max((draft.policy.lacks.get(config_key(name), "") for name in names), default="")
    hint = "This version of the service does not have these. Delete them from the file."
    if needs:
        way_out = "Delete them from the file, or upgrade the service."
        hint = needs_version_hint(draft.policy, "has no such settings", way_out)
    return Reason.UNSUPPORTED, names, hint, needs


def _not_allowed(draft: Draft, sides: PortalSides, observed: Observed, left: Fields) -> Refused:
    hidden = left.get("draft_locales")
    missing = [locale for locale in hidden if locale not in sides.locales] if isinstance(hidden, tuple) else []
    hint = f"The portal does not have the language `{missing[0]}`. Add it in the panel first." if missing else ""
    return Reason.UNSUPPORTED, ("draft_locales",) if missing else (), hint, ""


def _not_made(draft: Draft, sides: PortalSides, observed: Observed, left: Fields) -> Refused:
    made = {change.path for change in draft.changes if change.action is Action.CREATE}
    lost = {name: [path for path in _unresolved(name, left[name]) if path not in made] for name in left}
    names = [name for name, paths in lost.items() if paths]
    first = lost[names[0]][0] if names else ""
    hint = f"`{first}` is not on the portal, and this plan does not create it. Push that file first."
    return Reason.UNKNOWN, names, hint, ""


def _warn_of_many(draft: Draft, desired: Desired) -> None:
    for name in in_order("portal", desired.fields):
        value = desired.fields[name]
        root, _, locale = name.partition(".")
        if root in SHOWN and isinstance(value, tuple) and len(value) > SHOWN[root]:
            what = "categories" if root == "popular_categories" else "articles"
            message = f"[popular.{locale}] has {len(value)} {what}. The home page shows the first {SHOWN[root]}."
            draft.warnings.append(TOO_MANY_POPULAR.finding(desired.path, 1, 1, message, "Delete the others."))


def _parts(change: Change, names: Names) -> list[Change]:
    """What is popular goes by itself, after the rest: it may wait for an article that cannot be made."""
    shown = [_shown(field, names) for field in change.fields]
    plain = tuple(field for field in shown if not is_popular(field.name))
    popular = tuple(field for field in shown if is_popular(field.name))
    if not plain or not popular:
        return [replace(change, fields=plain or popular)]
    return [replace(change, fields=plain), replace(change, fields=popular, turn=1)]


def _shown(field: FieldChange, names: Names) -> FieldChange:
    if not is_popular(field.name):
        return field
    said = (", ".join(_words(field.name, field.before, names)), ", ".join(_words(field.name, field.after, names)))
    return replace(field, said=said)


def _words(name: str, value: Value, names: Names) -> tuple[str, ...]:
    """Popular items as people know them."""
    kind = KIND_OF[name.partition(".")[0]]
    found = value if isinstance(value, tuple) else ()
    return tuple(names.get(item, item) if item.endswith(".md") else _name_of(kind, item, names) for item in found)


def _name_of(kind: Kind, item: str, names: Names) -> str:
    ids: tuple[RemoteId, ...] = (int(item), item) if item.isdigit() else (item,)
    return next((names[kind, known] for known in ids if (kind, known) in names), f"{kind} {item}")


def _named(item: Held, sides: PortalSides) -> Held:
    """What is held of the portal, in words for people; nothing is sent of its values."""
    if item.kind != "portal":
        return item
    values = tuple(
        FieldChange(v.name, _words(v.name, v.before, sides.names), _words(v.name, v.after, sides.names))
        if is_popular(v.name)
        else v
        for v in item.values
    )
    return replace(item, values=values)


# --- while a plan is carried out -------------------------------------------------------------------------------------


def _unresolved(name: str, value: Value) -> list[str]:
    return [path for path in value if path.endswith(".md")] if is_popular(name) and isinstance(value, tuple) else []


def is_waiting(change: Change) -> bool:
    """Whether the portal shall show what was still to be made when this was planned, and has no id yet."""
    return change.kind == "portal" and any(_unresolved(field.name, field.after) for field in change.fields)


def with_made(change: Change, made: Mapping[tuple[Kind, str], RemoteId]) -> Change:
    """A change of the portal with the ids of what was made meanwhile, by kind and source path."""
    if not is_waiting(change):
        return change

    def known(field: FieldChange) -> FieldChange:
        if not _unresolved(field.name, field.after) or not isinstance(field.after, tuple):
            return field
        kind = KIND_OF[field.name.partition(".")[0]]
        return replace(field, after=tuple(str(made.get((kind, item), item)) for item in field.after))

    return replace(change, fields=tuple(map(known, change.fields)))
