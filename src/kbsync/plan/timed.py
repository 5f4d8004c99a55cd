"""When an article is published that names a date or a release. Pure.

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

from kbsync.config.moments import seconds_of
from kbsync.fields import LINK_FIELD
from kbsync.model import Base, Desired, Held, Observed, Status, Waiting
from kbsync.plan.rules import TOO_LATE

if TYPE_CHECKING:
    # Reports ask this module too, and need nothing of what makes plans.
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
