"""What a person can do about a field that is held. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.command import Option, command_line
from kbsync.model import Base, Desired, Reason
from kbsync.plan.draft import Draft


def hold_hint(draft: Draft, desired: Desired, reason: Reason, base: Base | None, options: Sequence[Option] = ()) -> str:
    """What to do; with the options without which the commands would not look at the field."""
    overwrite = command_line("push", options=[*options, ("--overwrite", desired.path)])
    said = "edited in the panel" if reason is Reason.DRIFT else "changed here and in the panel, differently"
    if base is None and reason is Reason.DRIFT:
        said = (
            "the portal has the value of an older version of this file, and the article was touched after the newer "
            "version was committed: somebody may have gone back to it"
        )
    elif base is None:
        said = (
            f"the portal's {desired.kind} has another value, and nothing on record "
            "(no row of the ledger, no older revision in git) shows that kbsync wrote it"
        )
        if draft.git.word:
            return f"whose value the portal has is not known, for {draft.git.word}; or run `{overwrite}`"
    resolve = command_line("resolve", desired.path, options=options)
    return f"{said}: put the edit into the source, or run `{overwrite}`; `{resolve}` shows both and asks"
