"""What becomes of one desired item: created, adopted, updated, held, or left alone. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD, SideEffects, in_order
from kbsync.model import (
    DRAFTS,
    Action,
    Agreed,
    Base,
    Desired,
    FieldChange,
    Fields,
    Held,
    Kind,
    Manage,
    Observed,
    Reason,
    Status,
)
from kbsync.plan.agreed import base_of, settled_base
from kbsync.plan.decide import ABSENT, EMPTY, HELD, Verdict, decide, overwritten, to_be_sent
from kbsync.plan.draft import NO_AUTHOR, Draft, Policy, Renamed, change_of, follow_rename, hold
from kbsync.plan.hints import and_pending_hint, hold_hint, live_hint, push_alone, unknown_status_hint
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import as_decided, without_alike
from kbsync.plan.staged import has_third_text
from kbsync.plan.statuses import decide_publication, is_timed
from kbsync.plan.unclear import lacks_category, waits_for_category, why_not_new


def decide_item(draft: Draft, match: Match, renamed: Renamed, unknown: Collection[tuple[Kind, str, str]]) -> None:
    """Decide one item: created, adopted, updated, held, or left alone."""
    desired, base, observed = match.desired, match.base, match.observed
    if desired.manage is Manage.FALSE:
        return
    if observed is None:
        _decide_missing(draft, desired, base, unknown)
    elif observed.unknown_status:
        draft.held.append(hold(desired, Reason.UNKNOWN, observed.remote_id, ("status",), unknown_status_hint(observed)))
    elif desired.manage is Manage.SEED and base is not None:
        _decide_seed(draft, match, observed)
    else:
        _decide_present(draft, match, observed, renamed)


def _decide_seed(draft: Draft, match: Match, observed: Observed) -> None:
    """A seed is left alone once it was created; one that names a date or a release is not ready before that."""
    before = _number_decided(draft)
    was_published = match.base is not None and match.base.status is Status.PUBLISHED
    if is_timed(match.desired) and observed.status is Status.DRAFT and not was_published:
        decide_publication(draft, match)
    draft.unchanged += before == _number_decided(draft)


def _number_decided(draft: Draft) -> tuple[int, int, int]:
    """How much is decided so far: what adds nothing to that leaves its item unchanged."""
    return len(draft.changes), len(draft.held), len(draft.statuses)


def _decide_missing(
    draft: Draft, desired: Desired, base: Base | None, unknown: Collection[tuple[Kind, str, str]]
) -> None:
    held = _why_not_made(draft, desired, base, unknown)
    if held is None:
        fields = _fields_of_new(desired, draft.policy)
        status = Status.DRAFT if desired.kind == "article" else None
        draft.changes.append(change_of(desired, None, Action.CREATE, fields, status))
        if desired.kind == "article":
            decide_publication(draft, Match(desired, None, None))
        return
    draft.held.append(held)
    if base is not None and held.reason is Reason.GONE and base.path != desired.path:
        # Else what takes the old name would be taken for it.
        draft.settled[base.kind, base.remote_id] = replace(base, path=desired.path)
    if desired.kind == "category":
        draft.missing_categories.add((desired.locale, desired.slug))


def _why_not_made(
    draft: Draft, desired: Desired, base: Base | None, unknown: Collection[tuple[Kind, str, str]]
) -> Held | None:
    """What is not on the portal and is held; None where it is made."""
    if not draft.policy.recreate:
        again = push_alone(desired.path, ("--recreate", True))
        if base is not None:
            hint = f"To let it go, delete the file too. To create it again, run `{again}`."
            return hold(desired, Reason.GONE, base.remote_id, (), hint)
        if (desired.kind, desired.locale, desired.slug) in unknown:
            what = "An earlier push sent this but got no answer. Look for it in the panel."
            return hold(desired, Reason.UNKNOWN, None, (), f"{what} If it is not there, run `{again}`.")
        if hint := why_not_new(draft, desired):
            return hold(desired, Reason.UNKNOWN, None, (), hint)
    if waits_for_category(draft, desired) or lacks_category(draft, desired):
        hint = f"Its category `{desired.fields['category']}` needs your decision first."
        return hold(desired, Reason.UNKNOWN, None, (), hint)
    if draft.policy.needs_author and not has_author(desired):
        return hold(desired, Reason.UNSUPPORTED, None, ("author",), NO_AUTHOR)
    return None


def has_author(desired: Desired) -> bool:
    """Whether a create could say who wrote it, where anybody has to."""
    return desired.kind != "article" or bool(desired.fields.get("author") or desired.creation.get("author"))


def _fields_of_new(desired: Desired, policy: Policy) -> tuple[FieldChange, ...]:
    creation = {name: value for name, value in desired.creation.items() if name not in desired.fields}
    fields = {**policy.fields_of(desired), **creation}
    return tuple(FieldChange(name, None, fields[name]) for name in in_order(desired.kind, fields))


def _decide_present(draft: Draft, match: Match, observed: Observed, renamed: Renamed) -> None:
    desired, before = match.desired, _number_decided(draft)
    ours, agreed, there = _sides(draft, match, observed, renamed)
    _decide_values(draft, match, observed, (ours, agreed, there))
    if desired.kind == "article":
        decide_publication(draft, match)
    if match.base is not None and match.base.is_decided:
        _end_decisions(draft, match.base, desired, observed)
    draft.unchanged += before == _number_decided(draft)


def _sides(draft: Draft, match: Match, observed: Observed, renamed: Renamed) -> tuple[Fields, Fields, Fields]:
    """What we want, what was agreed on and what is there of the fields that decide for themselves; what is new to one
    of the sides may be held here."""
    desired, base = match.desired, match.base
    ours = _ours(draft, desired)
    agreed = follow_rename(base.fields, base.locale, renamed) if base else {}
    there = follow_rename(observed.fields, observed.locale, renamed)
    if desired.kind == "category" and (late := LATE & ours.keys()):
        ours, agreed, there = late_fields(draft, match, late, ours, (agreed, there))
    if observed.locale not in ("", desired.locale):
        ours, there = {**ours, "locale": desired.locale}, {**there, "locale": observed.locale}
        agreed = {**agreed, "locale": base.locale} if base else agreed
    return ours, agreed, there


def _ours(draft: Draft, desired: Desired) -> Fields:
    """What the source wants, without a category that is not clear yet, and a place that has its verdict already."""
    ours = draft.policy.fields_of(desired)
    if waits_for_category(draft, desired):
        ours = _without(ours, "category")
    return _without(ours, "position") if desired.path in draft.places else ours


def _without(fields: Fields, out: str) -> Fields:
    return {name: value for name, value in fields.items() if name != out}


def _end_decisions(draft: Draft, base: Base, desired: Desired, observed: Observed) -> None:
    """Nothing is left to decide where both sides hold the same by now."""
    known = draft.settled.get((base.kind, base.remote_id), base)
    if (left := without_alike(known, desired, observed)) != known:
        draft.settled[base.kind, base.remote_id] = left


def _decide_values(draft: Draft, match: Match, observed: Observed, sides: tuple[Fields, Fields, Fields]) -> None:
    """A verdict for each field of one item, and what follows; its place in an order has one already."""
    desired, base = match.desired, match.base
    ours, agreed, there = sides
    proof, place = proof_of(draft, match, observed), draft.places.get(desired.path)
    verdicts = {
        name: decide(value, agreed.get(name, ABSENT), there.get(name), proof.get(name)) for name, value in ours.items()
    }
    if place is not None:
        verdicts["position"] = place.verdict
    replaced = {name: overwritten(verdict, agreed.get(name, ABSENT)) for name, verdict in verdicts.items()}
    if desired.path in draft.policy.overwrite:
        verdicts = {name: to_be_sent(verdict) for name, verdict in verdicts.items()}
    elif base is not None and base.is_decided:
        verdicts = as_decided(draft, desired, base, verdicts, there, place)
    if "locale" in ours:
        verdicts = _with_its_locale(verdicts, desired, there, draft.policy.side_effects.locale_follows)
    _decide_fields(draft, match, observed, there, verdicts, replaced)


def _with_its_locale(
    verdicts: dict[str, Verdict], desired: Desired, there: Fields, decisive: str
) -> dict[str, Verdict]:
    """The locale and the field that decides it: one is held with the other."""
    other, locale = verdicts.get(decisive, Verdict.CONFLICT), verdicts["locale"]
    differs = decisive in desired.fields and there.get(decisive) != desired.fields[decisive]
    if differs and locale is Verdict.SEND and other is not Verdict.SEND:
        return {**verdicts, "locale": other if other in HELD else Verdict.CONFLICT}
    if other is Verdict.SEND and locale in HELD:
        return {**verdicts, decisive: locale}
    return verdicts


def _decide_fields(
    draft: Draft,
    match: Match,
    observed: Observed,
    there: Fields,
    verdicts: Mapping[str, Verdict],
    replaced: Mapping[str, Agreed | None],
) -> None:
    """Turn verdicts into what is held, sent, adopted or settled."""
    desired, base = match.desired, match.base
    _hold_fields(draft, match, observed, there, verdicts)
    sends = _sent(desired, verdicts, draft.policy.side_effects)
    moves = verdicts.get("locale") in HELD
    if sends:
        if base is None and not moves:
            # What is alike on both sides is agreed on; what is sent will be.
            found = base_of(desired, observed)
            known = {name: value for name, value in found.fields.items() if name not in sends}
            draft.settled[observed.kind, observed.remote_id] = replace(found, fields=known)
        _update(draft, match, observed, there, {name: replaced.get(name) for name in sends})
    elif base is None:
        _adopt(draft, desired, observed, differs=moves or Verdict.CONFLICT in verdicts.values())
    else:
        _settle(draft, desired, base, verdicts)


def _sent(desired: Desired, verdicts: Mapping[str, Verdict], effects: SideEffects) -> list[str]:
    """The fields that go out, those among them that the service would change along."""
    sends = [name for name in in_order(desired.kind, verdicts) if verdicts[name] is Verdict.SEND]
    if verdicts.get("locale") is Verdict.SEND:
        sends += ["locale", *_also((effects.locale_follows,), desired, sends)]
    return sends + _also(effects.overwrites(sends), desired, sends)


def _adopt(draft: Draft, desired: Desired, observed: Observed, *, differs: bool) -> None:
    """Both sides hold the same. There is only one portal, so of that each setting that is alike is agreed on."""
    if not differs:
        draft.changes.append(change_of(desired, observed, Action.ADOPT, status=observed.status))
    if not differs or desired.kind == "portal":
        draft.settled[observed.kind, observed.remote_id] = base_of(desired, observed)


def _settle(draft: Draft, desired: Desired, base: Base, verdicts: Mapping[str, Verdict]) -> None:
    """Nothing is sent: the base takes what both sides have by now, and where the file is."""
    agreeing = [name for name, verdict in verdicts.items() if verdict in {Verdict.ADOPT, Verdict.SETTLE}]
    if agreeing or base.path != desired.path:
        draft.settled[base.kind, base.remote_id] = settled_base(base, desired, agreeing)


def _also(names: Iterable[str], desired: Desired, sends: Collection[str]) -> list[str]:
    """Those of some fields that the source gives and that are not sent yet."""
    return [name for name in names if name in desired.fields and name not in sends]


def _update(draft: Draft, match: Match, observed: Observed, there: Fields, sends: Mapping[str, Agreed | None]) -> None:
    """Send some fields; each with what was agreed on of it, where it overwrites an edit."""
    desired, names = match.desired, tuple(sends)
    live = observed.status is Status.PUBLISHED
    if f"update_{desired.kind}" not in draft.policy.can:
        hint = "Change it in the panel by hand, or use the profile `chatwoot`."
        draft.held.append(hold(desired, Reason.UNSUPPORTED, observed.remote_id, names, hint))
    elif live and _waits_for_consent(draft.policy, desired, names):
        held = hold(desired, Reason.LIVE, observed.remote_id, names, live_hint(desired.path), there)
        place = draft.places.get(desired.path)
        draft.held.append(place.worded(held) if place else held)
    else:
        wanted = {**desired.fields, "locale": desired.locale}
        fields = tuple(FieldChange(name, there.get(name), wanted[name], agreed=sends[name]) for name in names)
        if "locale" in names:
            fields = tuple(_with_locales(field, observed.locale, desired.locale) for field in fields)
        change = change_of(desired, observed, Action.UPDATE, fields)
        draft.changes.append(replace(change, was=_former_path(draft, match, observed)))


def _former_path(draft: Draft, match: Match, observed: Observed) -> str:
    """Where the file was when the portal got what it holds; "" where it still is there, or that is not known."""
    path, git = match.desired.path, draft.git.former.get(match.desired.path, ())
    known = match.base or match.former
    then = (then.path for then in git if (then.locale, then.slug) == (observed.locale or then.locale, observed.slug))
    was = known.path if known is not None else next(then, path)
    return was if was != path else ""


def _waits_for_consent(policy: Policy, desired: Desired, names: Collection[str]) -> bool:
    """Whether readers would see a change that nobody agreed to; what is staged they do not see."""
    is_staged = policy.stage and desired.kind == "article" and not DRAFTS.keys().isdisjoint(names)
    return policy.keeps_from_readers(desired.path) and not is_staged


def _with_locales(field: FieldChange, before: str, after: str) -> FieldChange:
    """A category moves from one locale to another under its slug, which would read as no change at all."""
    if field.name != "category" or field.before != field.after:
        return field
    return replace(field, said=(f"{field.before} ({before})", f"{field.after} ({after})"))


def _hold_fields(
    draft: Draft, match: Match, observed: Observed, there: Fields, verdicts: Mapping[str, Verdict]
) -> None:
    desired, place = match.desired, draft.places.get(match.desired.path)
    known = (*in_order(desired.kind, verdicts), "locale")
    for verdict, reason in ((Verdict.DRIFT, Reason.DRIFT), (Verdict.CONFLICT, Reason.CONFLICT)):
        names = tuple(name for name in known if verdicts.get(name) is verdict)
        if not names:
            continue
        agreed = _base_of(match, names, reason)
        hint = hold_hint(draft, match, reason, agreed)
        if not DRAFTS.keys().isdisjoint(names) and has_third_text(match):
            hint = and_pending_hint(desired.path, "" if agreed else draft.git.word)
        held = hold(desired, reason, observed.remote_id, names, hint, there, edited_s=observed.updated_at)
        draft.held.append(replace(place.of(held) if place else held, has_base=agreed is not None))


def _base_of(match: Match, names: Collection[str], reason: Reason) -> Base | None:
    """What was agreed on of some fields: nothing of what an adoption found different, or of a setting that is new in
    portal.toml."""
    base = match.base
    if base is None or {*base.fields, "locale"} >= {*names}:
        return base
    return None if match.desired.kind == "portal" or reason is Reason.DRIFT else base


LATE = frozenset({"icon_color", LINK_FIELD})
"""Fields of categories that older versions of the service, and what kbsync recorded before, do not have."""


def late_fields(
    draft: Draft, match: Match, late: Set[str], ours: Fields, sides: tuple[Fields, Fields]
) -> tuple[Fields, Fields, Fields]:
    """What we want, what was agreed on and what is there, where some fields are new to one of the sides.

    Over what is empty and was never recorded, nothing of a person's is written.
    """
    desired, (agreed, there) = match.desired, sides
    unknown = tuple(late - there.keys() - {LINK_FIELD}) if draft.is_seen else ()
    if unknown:
        needs = max(draft.policy.lacks.get(name, "") for name in unknown)
        hint = "This version of the service does not have it. Delete it from the file."
        draft.held.append(hold(desired, Reason.UNSUPPORTED, match.remote_id, unknown, hint, needs=needs))
        ours = {name: value for name, value in ours.items() if name not in unknown}
    free = {name: there.get(name) for name in late if name not in agreed and there.get(name) in EMPTY}
    return ours, {**free, **agreed}, {**free, **there}
