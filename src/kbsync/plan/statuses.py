"""The status of an article: it decides for itself, after the article is there, where `publish` is on. Pure.

Also: when an article is published that names a date or a release. Pure.

    the file says `published` and | the article             | what becomes of its publication
    ------------------------------+-------------------------+-----------------------------------------------------------
    `publish_on`, in the future   | was never published     | waits; texts go out as usual, into the draft
    `publish_on`, by now          | was never published     | decided as any other status, where these are decided
    `release`                     | was never published     | waits for `push --release` of that name, and for the date
    either                        | was published before    | decided as any other status: the keys have no effect

What is published by a date or a release goes out in one request with the others (`Change.together`). It is what the
files say, so an article stays behind while its text or its place needs a decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kbsync.config.moments import seconds_of
from kbsync.fields import LINK_FIELD
from kbsync.model import (
    Agreed,
    Base,
    Change,
    Desired,
    FieldChange,
    Held,
    Observed,
    Reason,
    Status,
    Unpublished,
    Waiting,
)
from kbsync.plan.decide import ABSENT, HELD, Verdict, decide, overwritten, to_be_sent
from kbsync.plan.draft import STATUS_ACTIONS, Draft, LeftDraft, hold
from kbsync.plan.hints import hold_hint, publish_hint, status_options
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import as_decided
from kbsync.plan.rules import TOO_LATE

if TYPE_CHECKING:
    from kbsync.plan.draft import Draft, Policy
    from kbsync.plan.match import Match

BESIDE = frozenset({"position", "author", "tags", "meta_title", "meta_description", LINK_FIELD})
"""Fields around an article. That somebody dragged it in the panel need not keep it from being published."""


def is_timed(desired: Desired) -> bool:
    """Whether the file says when the article is published."""
    return bool(desired.publish_on or desired.release) and desired.status is Status.PUBLISHED


def must_wait(draft: Draft, match: Match, observed: Observed | None) -> bool:
    """Whether the publication of an article has to wait; the plan says for what."""
    desired = match.desired
    if not is_timed(desired):
        return False
    until = _future(desired, draft.policy)
    if _was_published(match.base, observed):
        if until and observed is not None and observed.status is Status.PUBLISHED:
            message = "`publish_on` has no effect, because the article is already published."
            hint = "Delete the line, or unpublish the article."
            draft.warnings.append(TOO_LATE.finding(desired.path, 1, 1, message, hint))
        return False
    release = desired.release if desired.release != draft.policy.release else ""
    if until or release:
        draft.waiting.append(_waiting(desired, observed, until, release))
    return bool(until or release)


def is_known_draft(policy: Policy, desired: Desired, observed: Observed) -> bool:
    """Whether a draft of which nothing is on record is one that waits, and not one that somebody unpublished.

    Who names the release wants its drafts. A date publishes at that date or later: what was not touched since was not
    published before.
    """
    if not is_timed(desired) or observed.status is not Status.DRAFT:
        return False
    if policy.release:
        return desired.release == policy.release
    return bool(desired.publish_on) and 0 < observed.updated_at < _date_s(desired)


def must_be_decided(held: Held) -> bool:
    """Whether an article is not published before this is decided: it is about what readers come for."""
    return held.kind == "article" and not (held.fields and BESIDE.issuperset(held.fields))


def wait_for_decisions(draft: Draft, matched: Iterable[Match]) -> None:
    """Leave out of what is published together what is not yet as the files say."""
    held = {item.path for item in draft.held if must_be_decided(item)}
    late = {change.path for change in draft.statuses if change.together and change.path in held}
    if not late:
        return
    draft.statuses = [change for change in draft.statuses if change.path not in late]
    for match in matched:
        desired = match.desired
        if desired.path in late:
            until = _future(desired, draft.policy)
            draft.waiting.append(_waiting(desired, match.observed, until, desired.release))


def _was_published(base: Base | None, observed: Observed | None) -> bool:
    return Status.PUBLISHED in (observed.status if observed else None, base.status if base and observed else None)


def _future(desired: Desired, policy: Policy) -> str:
    """The date of an article, while it is not reached."""
    return desired.publish_on if desired.publish_on and _date_s(desired) > policy.now_s else ""


def _date_s(desired: Desired) -> float:
    return seconds_of(desired.publish_on)


def _waiting(desired: Desired, observed: Observed | None, until: str, release: str) -> Waiting:
    return Waiting(
        kind=desired.kind,
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        title=desired.title,
        remote_id=observed.remote_id if observed else None,
        until=until,
        release=release,
    )


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
