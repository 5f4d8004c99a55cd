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
    wanted = match.desired.fields.get("content")
    has_our_text = wanted is None or observed.fields.get("content") == wanted
    if match.is_stranger or not (_is_known(match, proven) or has_our_text):
        # An article with a text that no version of the file ever had may be a person's own.
        return NO_PROOF
    if observed.slug.endswith(ASIDE) or observed.slug in match.desired.aliases:
        proven["slug"] = True  # Only a push gives the one; the writer has named the other.
    return proven if former is None else {**_proven_by(former, observed), **proven}


def _is_known(match: Match, proven: Proof) -> bool:
    """Whether more than names tie the two together."""
    had_text = match.former is not None and match.former.fields.get("content") is not None
    return match.base is not None or "content" in proven or had_text or match.is_alike


def _proven_by(former: Base, observed: Observed) -> Proof:
    """What the file that this one continues last agreed to."""
    status = former.status if former.status is observed.status else None
    agreed = {**former.fields, "status": status, "locale": former.locale or None}
    return {name: True for name, value in agreed.items() if value is not None}
