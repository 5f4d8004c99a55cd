"""The status of an article: it decides for itself, after the article is there, where `publish` is on. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Agreed, Base, Change, Desired, FieldChange, Observed, Reason, Status, Unpublished
from kbsync.plan.decide import ABSENT, HELD, Verdict, decide, overwritten, to_be_sent
from kbsync.plan.decisions import as_decided
from kbsync.plan.draft import STATUS_ACTIONS, Draft, LeftDraft, hold
from kbsync.plan.hints import hold_hint, publish_hint, status_options
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.timed import is_known_draft, is_timed, must_wait


def decide_publication(draft: Draft, match: Match, observed: Observed | None) -> None:
    """The status where it is decided now, and else what is left of it; see `decide_status`."""
    desired, waits = match.desired, must_wait(draft, match, observed)
    is_new_draft = observed is None and desired.status is Status.DRAFT
    if draft.policy.publish and not waits and desired.status is not None and not is_new_draft:
        decide_status(draft, match, observed)
    elif observed is not None and came_back(desired, observed, match.base) and "update_article" in draft.policy.can:
        set_status(draft, desired, observed, Status.DRAFT)
    if not waits:
        note_unpublished(draft, desired, observed)


def decide_status(draft: Draft, match: Match, observed: Observed | None) -> None:
    """The status decides for itself too, after the article is there, and only where `publish` is on.

    Without `observed` the article is about to be created, as a draft that both sides agree on.
    """
    desired, base = match.desired, match.base
    wanted = desired.status
    assert wanted is not None
    there = observed.status if observed else Status.DRAFT
    agreed = (base.status if base else None) if observed else Status.DRAFT
    if agreed is None and observed is not None and is_known_draft(draft.policy, desired, observed):
        agreed = Status.DRAFT
    remote_id = observed.remote_id if observed else None
    proof = proof_of(draft, match, observed).get("status") if observed else None
    verdict = decide(wanted, ABSENT if agreed is None else agreed, there, proof)
    replaced = overwritten(verdict, ABSENT if agreed is None else agreed)
    if desired.path in draft.policy.overwrite:
        verdict = to_be_sent(verdict)
    elif base is not None and base.is_decided:
        verdict = as_decided(draft, desired, base, {"status": verdict}, {"status": there})["status"]
    if verdict is Verdict.SEND and "update_article" not in draft.policy.can:
        draft.held.append(
            hold(
                desired,
                Reason.UNSUPPORTED,
                remote_id,
                ("status",),
                f"Set the status to {wanted} in the panel.",
            )
        )
    elif verdict is Verdict.SEND:
        set_status(draft, desired, observed, wanted, replaced)
    elif verdict in HELD:
        reason = Reason(verdict.value)
        known = base if base is not None and base.status is not None else None
        hint = hold_hint(draft, match, reason, known, status_options(draft.policy))
        edited_s = observed.updated_at if observed else 0
        draft.held.append(hold(desired, reason, remote_id, ("status",), hint, {"status": there}, edited_s=edited_s))
    elif base is not None and base.status is not wanted:
        key = (base.kind, base.remote_id)
        draft.settled[key] = replace(draft.settled.get(key, base), status=wanted)


def note_unpublished(draft: Draft, desired: Desired, observed: Observed | None) -> None:
    """An article stays a draft although its file says `published`, where this plan leaves statuses alone."""
    status = observed.status if observed else Status.DRAFT
    if draft.policy.publish or desired.kind != "article" or "update_article" not in draft.policy.can:
        return
    if desired.status is Status.PUBLISHED and status is Status.DRAFT:
        draft.unpublished.append(LeftDraft(desired, observed.remote_id if observed else None))


def unpublished(left: Unpublished | LeftDraft) -> Unpublished:
    """An article that stays a draft, as a plan lists it; of an earlier plan, as that listed it."""
    if isinstance(left, Unpublished):
        return left
    desired = left.desired
    return Unpublished(
        kind=desired.kind,
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        title=desired.title,
        remote_id=left.remote_id,
        hint=publish_hint(desired.path),
    )


def set_status(
    draft: Draft, desired: Desired, observed: Observed | None, wanted: Status, agreed: Agreed | None = None
) -> None:
    there = observed.status if observed else Status.DRAFT
    draft.statuses.append(
        Change(
            action=STATUS_ACTIONS[wanted],
            kind="article",
            locale=desired.locale,
            slug=desired.slug,
            path=desired.path,
            remote_id=observed.remote_id if observed else None,
            title=desired.title,
            fields=(FieldChange("status", there, wanted, agreed=agreed),),
            live=there is Status.PUBLISHED,
            status=wanted,
            together=wanted is Status.PUBLISHED and is_timed(desired),
        )
    )


def came_back(desired: Desired, observed: Observed, base: Base | None) -> bool:
    """Whether this is an article that was archived because its source was gone, and now there is one again."""
    archived = Status.ARCHIVED
    return base is not None and base.status is archived is observed.status and desired.status is not archived
