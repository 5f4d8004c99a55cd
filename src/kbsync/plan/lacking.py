"""What the version of the service does not take, held before anything of it is sent. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Action, Reason
from kbsync.plan.draft import Draft
from kbsync.plan.hints import needs_version_hint
from kbsync.plan.taken import leave_out

NO_BODY = "Write something below the front matter, or upgrade the service."


def hold_blank(draft: Draft) -> None:
    """Hold articles without a body where the service takes none (docs/service.md, S117): it would refuse each."""
    blank = draft.policy.blank
    if not blank:
        return
    needs = draft.policy.lacks.get("empty_drafts", "")
    hint = needs_version_hint(draft.policy, "takes no articles without a body", NO_BODY)
    for change in [change for change in draft.changes if change.path in blank and "content" in change.after]:
        if change.kind == "article" and change.action in {Action.CREATE, Action.UPDATE}:
            leave_out(draft, change, "content", Reason.UNSUPPORTED, hint)
            draft.held[-1] = replace(draft.held[-1], needs=needs)
