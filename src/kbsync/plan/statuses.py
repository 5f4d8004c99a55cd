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

from msgspec.structs import replace

from kbsync.config.moments import seconds_of
from kbsync.fields import LINK_FIELD
from kbsync.model import Agreed, Base, Desired, FieldChange, Held, Observed, Reason, Status, Unpublished, Waiting
from kbsync.plan.decide import ABSENT, HELD, Verdict, decide, overwritten, to_be_sent
from kbsync.plan.draft import STATUS_ACTIONS, Draft, LeftDraft, Policy, agreed_status, change_of, hold
from kbsync.plan.hints import hold_hint, publish_hint, status_options
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import as_decided
from kbsync.plan.rules import TOO_LATE

BESIDE = frozenset({"position", "author", "tags", "meta_title", "meta_description", LINK_FIELD})
"""Fields around an article. That somebody dragged it in the panel need not keep it from being published."""


def is_timed(desired: Desired) -> bool:
    """Whether the file says when the article is published."""
    return bool(desired.publish_on or desired.release) and desired.status is Status.PUBLISHED


def must_wait(draft: Draft, match: Match) -> bool:
    """Whether the publication of an article has to wait; the plan says for what."""
    desired, observed = match.desired, match.observed
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
        draft.waiting.append(_waiting(match, until, release))
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
    return bool(desired.publish_on) and 0 < observed.updated_at < seconds_of(desired.publish_on)


def must_be_decided(held: Held) -> bool:
    """Whether an article is not published before this is decided: it is about what readers come for."""
    return held.kind == "article" and not (held.fields and BESIDE.issuperset(held.fields))


def wait_for_decisions(draft: Draft, matched: Iterable[Match]) -> None:
    """Leave out of what is published together what is not yet as the files say."""
    held = {item.path for item in draft.held if must_be_decided(item)}
    late = {change.path for change in draft.statuses if change.together} & held
    if not late:
        return
    draft.statuses = [change for change in draft.statuses if change.path not in late]
    for match in matched:
        if match.desired.path in late:
            draft.waiting.append(_waiting(match, _future(match.desired, draft.policy), match.desired.release))


def _was_published(base: Base | None, observed: Observed | None) -> bool:
    return Status.PUBLISHED in (observed.status if observed else None, base.status if base and observed else None)


def _future(desired: Desired, policy: Policy) -> str:
    """The date of an article, while it is not reached."""
    return desired.publish_on if desired.publish_on and seconds_of(desired.publish_on) > policy.now_s else ""


def _waiting(match: Match, until: str, release: str) -> Waiting:
    desired = match.desired
    return Waiting(
        kind=desired.kind,
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        title=desired.title,
        remote_id=match.remote_id,
        until=until,
        release=release,
    )


def decide_publication(draft: Draft, match: Match) -> None:
    """The status where it is decided now, and else what is left of it; see `decide_status`."""
    desired, observed, waits = match.desired, match.observed, must_wait(draft, match)
    is_new_draft = observed is None and desired.status is Status.DRAFT
    if draft.policy.publish and not waits and desired.status is not None and not is_new_draft:
        decide_status(draft, match, desired.status)
    elif observed is not None and came_back(desired, observed, match.base) and "update_article" in draft.policy.can:
        set_status(draft, match, Status.DRAFT)
    if not waits:
        note_unpublished(draft, match)


def decide_status(draft: Draft, match: Match, wanted: Status) -> None:
    """The status decides for itself too, after the article is there, and only where `publish` is on.

    What is about to be created is a draft, and both sides agree on that.
    """
    desired, base = match.desired, match.base
    verdict, replaced = _verdict(draft, match, match.observed, wanted) if match.observed else (Verdict.SEND, None)
    if verdict is Verdict.SEND and "update_article" not in draft.policy.can:
        hint = f"Set the status to {wanted} in the panel."
        draft.held.append(hold(desired, Reason.UNSUPPORTED, match.remote_id, ("status",), hint))
    elif verdict is Verdict.SEND:
        set_status(draft, match, wanted, replaced)
    elif verdict in HELD and match.observed:
        _hold_status(draft, match, match.observed, Reason(verdict.value))
    elif base is not None and base.status is not wanted:
        key = (base.kind, base.remote_id)
        draft.settled[key] = replace(draft.settled.get(key, base), status=wanted)


def _verdict(draft: Draft, match: Match, observed: Observed, wanted: Status) -> tuple[Verdict, Agreed | None]:
    """The verdict about a status, and what had been agreed on where it overwrites somebody's."""
    desired, base, there = match.desired, match.base, observed.status
    agreed = agreed_status(base)
    if agreed is ABSENT and is_known_draft(draft.policy, desired, observed):
        agreed = Status.DRAFT
    verdict = decide(wanted, agreed, there, proof_of(draft, match, observed).get("status"))
    replaced = overwritten(verdict, agreed)
    if desired.path in draft.policy.overwrite:
        verdict = to_be_sent(verdict)
    elif base is not None and base.is_decided:
        verdict = as_decided(draft, desired, base, {"status": verdict}, {"status": there})["status"]
    return verdict, replaced


def _hold_status(draft: Draft, match: Match, observed: Observed, reason: Reason) -> None:
    known = None if agreed_status(match.base) is ABSENT else match.base
    hint = hold_hint(draft, match, reason, known, status_options(draft.policy))
    there, edited_s = {"status": observed.status}, observed.updated_at
    draft.held.append(hold(match.desired, reason, observed.remote_id, ("status",), hint, there, edited_s=edited_s))


def note_unpublished(draft: Draft, match: Match) -> None:
    """An article stays a draft although its file says `published`, where this plan leaves statuses alone."""
    desired, policy = match.desired, draft.policy
    if policy.publish or desired.kind != "article" or "update_article" not in policy.can:
        return
    if desired.status is Status.PUBLISHED and (match.observed is None or match.observed.status is Status.DRAFT):
        draft.unpublished.append(LeftDraft(desired, match.remote_id))


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


def set_status(draft: Draft, match: Match, wanted: Status, agreed: Agreed | None = None) -> None:
    there = match.observed.status if match.observed else Status.DRAFT
    field = FieldChange("status", there, wanted, agreed=agreed)
    change = change_of(match.desired, match.observed, STATUS_ACTIONS[wanted], (field,), wanted)
    together = wanted is Status.PUBLISHED and is_timed(match.desired)
    draft.statuses.append(replace(change, together=together))


def came_back(desired: Desired, observed: Observed, base: Base | None) -> bool:
    """Whether this is an article that was archived because its source was gone, and now there is one again."""
    archived = Status.ARCHIVED
    return base is not None and base.status is archived is observed.status and desired.status is not archived
