"""Texts that the service does not take, or readers shall not get, held before anything of them is sent. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Action, Reason, name_body
from kbsync.plan.draft import Draft
from kbsync.plan.hints import needs_version_hint, unfinished_hint
from kbsync.plan.taken import leave_out

NO_BODY = "Write something below the front matter, or upgrade the service."
LIVE_NO_BODY = (
    "Readers see this article, and the service takes no published article without a body. Write something below the "
    "front matter, or unpublish the article first."
)
EMPTY = name_body("")


def hold_blank(draft: Draft) -> None:
    """Hold articles without a body where the service takes none (docs/service.md, S117): it would refuse each."""
    policy = draft.policy
    hint = needs_version_hint(policy, "takes no articles without a body", NO_BODY)
    for change in [change for change in draft.changes if "content" in change.after]:
        if change.kind != "article" or change.action not in {Action.CREATE, Action.UPDATE}:
            continue
        if change.path in policy.blank:
            leave_out(draft, change, ("content",), Reason.UNSUPPORTED, hint)
            draft.held[-1] = replace(draft.held[-1], needs=policy.lacks.get("empty_drafts", ""))
        elif change.live and change.after["content"] == EMPTY:
            leave_out(draft, change, ("content",), Reason.UNSUPPORTED, LIVE_NO_BODY)


def hold_unfinished(draft: Draft) -> None:
    """Hold what is not written or translated yet of articles that readers see, whatever status their files ask for."""
    unfinished = draft.policy.unfinished
    for change in [change for change in draft.changes if change.live and change.path in unfinished]:
        names = tuple(name for name in unfinished[change.path] if name in change.after)
        if names and change.kind == "article" and change.action is Action.UPDATE:
            leave_out(draft, change, names, Reason.UNFINISHED, unfinished_hint(change.path))
