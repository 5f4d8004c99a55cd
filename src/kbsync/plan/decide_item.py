"""What becomes of one desired item: created, adopted, updated, held, or left alone. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD, in_order
from kbsync.model import (
    DRAFTS,
    Action,
    Agreed,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Kind,
    Manage,
    Observed,
    Reason,
    Status,
)
from kbsync.plan.agreed import adoption, base_of, settled_base
from kbsync.plan.decide import ABSENT, EMPTY, HELD, Verdict, decide, overwritten, to_be_sent
from kbsync.plan.draft import NO_AUTHOR, Draft, Policy, follow_rename, hold
from kbsync.plan.hints import and_pending_hint, hold_hint, live_hint, push_alone
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import as_decided, without_alike
from kbsync.plan.staged import has_third_text
from kbsync.plan.statuses import decide_publication, is_timed
from kbsync.plan.unclear import lacks_category, waits_for_category, why_not_new


def decide_item(
    draft: Draft,
    match: Match,
    renamed: Mapping[tuple[str, str], str],
    unknown: Collection[tuple[Kind, str, str]],
) -> None:
    """Decide one item: created, adopted, updated, held, or left alone."""
    desired, base, observed = match.desired, match.base, match.observed
    if desired.manage is Manage.FALSE:
        return
    if observed is None:
        _decide_missing(draft, desired, base, unknown)
    elif desired.manage is Manage.SEED and base is not None:
        _decide_seed(draft, match, observed)
    else:
        _decide_present(draft, match, observed, renamed)


def _decide_seed(draft: Draft, match: Match, observed: Observed) -> None:
    """A seed is left alone once it was created; one that names a date or a release is not ready before that."""
    before = (len(draft.held), len(draft.statuses))
    was_published = match.base is not None and match.base.status is Status.PUBLISHED
    if is_timed(match.desired) and observed.status is Status.DRAFT and not was_published:
        decide_publication(draft, match, observed)
    if before == (len(draft.held), len(draft.statuses)):
        draft.unchanged += 1


def _decide_missing(
    draft: Draft, desired: Desired, base: Base | None, unknown: Collection[tuple[Kind, str, str]]
) -> None:
    again = push_alone(desired.path, ("--recreate", True))
    if base is not None and not draft.policy.recreate:
        if base.path != desired.path:
            # Else what takes the old name would be taken for it.
            draft.settled[base.kind, base.remote_id] = replace(base, path=desired.path)
        draft.held.append(
            hold(
                desired,
                Reason.GONE,
                base.remote_id,
                (),
                f"To let it go, delete the file too. To create it again, run `{again}`.",
            )
        )
    elif (desired.kind, desired.locale, desired.slug) in unknown and not draft.policy.recreate:
        draft.held.append(
            hold(
                desired,
                Reason.UNKNOWN,
                None,
                (),
                "An earlier push sent this but got no answer. Look for it in the panel. If it is not there, "
                f"run `{again}`.",
            )
        )
    elif not draft.policy.recreate and (hint := why_not_new(draft, desired)):
        draft.held.append(hold(desired, Reason.UNKNOWN, None, (), hint))
    elif waits_for_category(draft, desired) or lacks_category(draft, desired):
        hint = f"Its category `{desired.fields['category']}` needs your decision first."
        draft.held.append(hold(desired, Reason.UNKNOWN, None, (), hint))
    elif draft.policy.needs_author and not has_author(desired):
        draft.held.append(hold(desired, Reason.UNSUPPORTED, None, ("author",), NO_AUTHOR))
    else:
        draft.changes.append(_create(desired, draft.policy))
        if desired.kind == "article":
            decide_publication(draft, Match(desired, None, None), None)
        return
    if desired.kind == "category":
        draft.missing_categories.add((desired.locale, desired.slug))


def has_author(desired: Desired) -> bool:
    """Whether a create could say who wrote it, where anybody has to."""
    return desired.kind != "article" or bool(desired.fields.get("author") or desired.creation.get("author"))


def _create(desired: Desired, policy: Policy) -> Change:
    fields = dict(_ours(desired, policy)) | {
        name: value for name, value in desired.creation.items() if name not in desired.fields
    }
    changes = tuple(FieldChange(name, None, fields[name]) for name in in_order(desired.kind, fields))
    return Change(
        action=Action.CREATE,
        kind=desired.kind,
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        remote_id=None,
        title=desired.title,
        fields=changes,
        status=Status.DRAFT if desired.kind == "article" else None,
    )


def _ours(desired: Desired, policy: Policy) -> Fields:
    """The fields that the source gives and the service keeps."""
    keeps = policy.keeps.get(desired.kind)
    if keeps is None or desired.fields.keys() <= keeps:
        return desired.fields
    return {name: value for name, value in desired.fields.items() if name in keeps}


def _decide_present(
    draft: Draft,
    match: Match,
    observed: Observed,
    renamed: Mapping[tuple[str, str], str],
) -> None:
    desired, base = match.desired, match.base
    there = follow_rename(observed.fields, observed.locale, renamed)
    agreed = follow_rename(base.fields, base.locale, renamed) if base else {}
    ours = _ours(desired, draft.policy)
    if waits_for_category(draft, desired):
        ours = {name: value for name, value in ours.items() if name != "category"}
    before = (len(draft.changes), len(draft.held), len(draft.statuses))
    if desired.kind == "category" and (late := LATE & ours.keys()):
        ours, agreed, there = late_fields(draft, match, late, ours, (agreed, there))
    same_locale = observed.locale in ("", desired.locale)
    # Nearly every item of nearly every plan is the same on all three sides, and its fields need no verdict.
    plain = base is not None and base.path == desired.path and not base.is_decided and same_locale
    place = draft.places.get(desired.path)
    if place is not None:
        ours = {name: value for name, value in ours.items() if name != "position"}
        plain = plain and place.verdict is Verdict.NOTHING
    if not plain or not _agree(ours, agreed, there):
        if not same_locale:
            ours = {**ours, "locale": desired.locale}
            there = {**there, "locale": observed.locale}
            agreed = {**agreed, "locale": base.locale} if base else agreed
        _decide_values(draft, match, observed, (ours, agreed, there))
    if desired.kind == "article":
        decide_publication(draft, match, observed)
    if base is not None and base.is_decided:
        known = draft.settled.get((base.kind, base.remote_id), base)
        if (left := without_alike(known, desired, observed)) != known:
            draft.settled[base.kind, base.remote_id] = left
    if before == (len(draft.changes), len(draft.held), len(draft.statuses)):
        draft.unchanged += 1


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


def _agree(ours: Fields, agreed: Fields, there: Fields) -> bool:
    return ours.items() <= agreed.items() and ours.items() <= there.items()


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
    sends = [name for name in in_order(desired.kind, verdicts) if verdicts[name] is Verdict.SEND]
    effects = draft.policy.side_effects
    if verdicts.get("locale") is Verdict.SEND:
        sends += ["locale", *_also((effects.locale_follows,), desired, sends)]
    sends += _also(effects.overwrites(sends), desired, sends)
    moves = verdicts.get("locale") in HELD
    if sends and base is None and not moves:
        # What is alike on both sides is agreed on; what is sent will be.
        found = base_of(desired, observed)
        known = {name: value for name, value in found.fields.items() if name not in sends}
        draft.settled[observed.kind, observed.remote_id] = replace(found, fields=known)
    if sends:
        _update(draft, match, observed, there, {name: replaced.get(name) for name in sends})
    elif base is None:
        if Verdict.CONFLICT not in verdicts.values() and not moves:
            draft.changes.append(adoption(desired, observed))
            draft.settled.adopt(desired, observed)
        elif desired.kind == "portal":
            # There is only one, so it needs no adoption: each setting that is alike is agreed on.
            draft.settled.adopt(desired, observed)
    else:
        agreeing = [name for name, verdict in verdicts.items() if verdict in {Verdict.ADOPT, Verdict.SETTLE}]
        if agreeing or base.path != desired.path:
            draft.settled[base.kind, base.remote_id] = settled_base(base, desired, agreeing)


def _also(names: Iterable[str], desired: Desired, sends: Collection[str]) -> list[str]:
    """Those of some fields that the source gives and that are not sent yet."""
    return [name for name in names if name in desired.fields and name not in sends]


def _update(draft: Draft, match: Match, observed: Observed, there: Fields, sends: Mapping[str, Agreed | None]) -> None:
    """Send some fields; each with what was agreed on of it, where it overwrites an edit."""
    desired = match.desired
    live = observed.status is Status.PUBLISHED
    names = tuple(sends)
    if f"update_{desired.kind}" not in draft.policy.can:
        draft.held.append(
            hold(
                desired,
                Reason.UNSUPPORTED,
                observed.remote_id,
                names,
                "Change it in the panel by hand, or use the profile `chatwoot`.",
            )
        )
    elif live and _waits_for_consent(draft.policy, desired, names):
        held = hold(desired, Reason.LIVE, observed.remote_id, names, live_hint(desired.path), there)
        place = draft.places.get(desired.path)
        draft.held.append(place.worded(held) if place else held)
    else:
        wanted = {**desired.fields, "locale": desired.locale}
        fields = tuple(FieldChange(name, there.get(name), wanted[name], agreed=sends[name]) for name in names)
        if "locale" in names:
            fields = tuple(_with_locales(field, observed.locale, desired.locale) for field in fields)
        draft.changes.append(
            Change(
                action=Action.UPDATE,
                kind=desired.kind,
                locale=desired.locale,
                slug=desired.slug,
                path=desired.path,
                remote_id=observed.remote_id,
                title=desired.title,
                fields=fields,
                live=live,
                was=_former_path(draft, match, observed),
            )
        )


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
    return policy.live == "hold" and not is_staged and desired.path not in policy.consent


def _with_locales(field: FieldChange, before: str, after: str) -> FieldChange:
    """A category moves from one locale to another under its slug, which would read as no change at all."""
    if field.name != "category" or field.before != field.after:
        return field
    return replace(field, said=(f"{field.before} ({before})", f"{field.after} ({after})"))


def _hold_fields(
    draft: Draft, match: Match, observed: Observed, there: Fields, verdicts: Mapping[str, Verdict]
) -> None:
    desired, base = match.desired, match.base
    for verdict, reason in ((Verdict.DRIFT, Reason.DRIFT), (Verdict.CONFLICT, Reason.CONFLICT)):
        known = (*in_order(desired.kind, verdicts), "locale")
        names = tuple(name for name in known if verdicts.get(name) is verdict)
        if names:
            # Nothing was agreed on of what an adoption found different, or of a setting that is new in portal.toml.
            lacks = base is not None and not {*base.fields, "locale"} >= {*names}
            agreed = None if lacks and (desired.kind == "portal" or reason is Reason.DRIFT) else base
            hint = hold_hint(draft, match, reason, agreed)
            if not DRAFTS.keys().isdisjoint(names) and has_third_text(match):
                hint = and_pending_hint(desired.path, "" if agreed else draft.git.word)
            held = hold(desired, reason, observed.remote_id, names, hint, there, edited_s=observed.updated_at)
            place = draft.places.get(desired.path)
            draft.held.append(replace(place.of(held) if place else held, has_base=agreed is not None))


LATE = frozenset({"icon_color", LINK_FIELD})
"""Fields of categories that older versions of the service, and what kbsync recorded before, do not have."""


def late_fields(
    draft: Draft, match: Match, late: Collection[str], ours: Fields, sides: tuple[Fields, Fields]
) -> tuple[Fields, Fields, Fields]:
    """What we want, what was agreed on and what is there, where some fields are new to one of the sides.

    Over what is empty and was never recorded, nothing of a person's is written.
    """
    desired, (agreed, there) = match.desired, sides
    unknown = tuple(name for name in late if draft.is_seen and name not in there and name != LINK_FIELD)
    if unknown:
        remote_id = match.observed.remote_id if match.observed else None
        needs = max(draft.policy.lacks.get(name, "") for name in unknown)
        hint = "This version of the service does not have it. Delete it from the file."
        draft.held.append(hold(desired, Reason.UNSUPPORTED, remote_id, unknown, hint, needs=needs))
        ours = {name: value for name, value in ours.items() if name not in unknown}
    free = {name: there.get(name) for name in late if name not in agreed and there.get(name) in EMPTY}
    return ours, {**free, **agreed}, {**free, **there}
