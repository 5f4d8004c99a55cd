"""What git history proves of the values of one item. Pure."""

from __future__ import annotations

from kbsync.model import Base, Observed
from kbsync.plan.draft import Draft
from kbsync.plan.known import NO_PROOF, Proof
from kbsync.plan.match import Match
from kbsync.plan.order import ASIDE


def proof_of(draft: Draft, match: Match, observed: Observed) -> Proof:
    """What history proves of the portal's values, of the file itself or of the one that it continues."""
    former, proven = match.former, dict(draft.git.proof(match.desired.path, observed.remote_id))
    had_text = "content" in proven or (former is not None and former.fields.get("content") is not None)
    if match.is_stranger or (match.base is None and not had_text and _has_another_text(match, observed)):
        # An article with a text that no version of the file ever had may be a person's own.
        return NO_PROOF
    if observed.slug.endswith(ASIDE) or observed.slug in match.desired.aliases:
        proven["slug"] = True  # Only a push gives the one; the writer has named the other.
    if former is not None:
        status = former.status if former.status is observed.status else None
        agreed = {**former.fields, "status": status, "locale": former.locale or None}
        proven = {name: True for name, value in agreed.items() if value is not None} | proven
    if match.base is not None and not was_touched(match.base, observed):
        return {name: ours for name, ours in proven.items() if ours}
    return proven


def was_touched(base: Base, observed: Observed) -> bool:
    """Whether somebody was there since the base was recorded, and nothing that is recorded shows what for.

    Another clone may have pushed, and a person gone back to what this one has on record. What a person edited shows;
    views, and neighbours that move, leave the time as it is (docs/service.md, section 4).
    """
    if not base.touched_s or observed.updated_at <= base.touched_s:
        return False
    shown = all(observed.fields.get(name, value) == value for name, value in base.fields.items() if name != "status")
    return shown and base.status in (None, observed.status) and observed.locale in ("", base.locale)


def _has_another_text(match: Match, observed: Observed) -> bool:
    wanted = match.desired.fields.get("content")
    return wanted is not None and observed.fields.get("content") != wanted
