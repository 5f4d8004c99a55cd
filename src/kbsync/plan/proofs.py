"""What git history proves of the values of one item. Pure."""

from __future__ import annotations

from kbsync.model import Observed
from kbsync.plan.draft import Draft
from kbsync.plan.known import NO_PROOF, Proof
from kbsync.plan.match import Match
from kbsync.plan.order import ASIDE


def proof_of(draft: Draft, match: Match, observed: Observed) -> Proof:
    """What history proves of the portal's values, of the file itself or of the one that it continues."""
    former, proven = match.former, dict(draft.git.proof(match.desired.path, observed.remote_id))
    had_text = "content" in proven or (former is not None and former.fields.get("content") is not None)
    is_known = match.base is not None or had_text or match.is_alike
    if match.is_stranger or (not is_known and _has_another_text(match, observed)):
        # An article with a text that no version of the file ever had may be a person's own.
        return NO_PROOF
    if observed.slug.endswith(ASIDE) or observed.slug in match.desired.aliases:
        proven["slug"] = True  # Only a push gives the one; the writer has named the other.
    if former is not None:
        status = former.status if former.status is observed.status else None
        agreed = {**former.fields, "status": status, "locale": former.locale or None}
        proven = {name: True for name, value in agreed.items() if value is not None} | proven
    return proven


def _has_another_text(match: Match, observed: Observed) -> bool:
    wanted = match.desired.fields.get("content")
    return wanted is not None and observed.fields.get("content") != wanted
