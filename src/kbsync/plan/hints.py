"""What a person can do about a field that is held. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.command import Option, command_line
from kbsync.model import Base, Reason
from kbsync.plan.draft import Draft
from kbsync.plan.match import Match


def hold_hint(draft: Draft, match: Match, reason: Reason, base: Base | None, options: Sequence[Option] = ()) -> str:
    """What to do about a field of which `base` is None where the two sides never agreed on it.

    With the options without which the commands would not look at the field.
    """
    desired = match.desired
    overwrite = command_line("push", options=[*options, ("--overwrite", desired.path)])
    said = "edited in the panel" if reason is Reason.DRIFT else "changed here and in the panel, differently"
    if match.is_stranger:
        said = f"the {desired.kind} was deleted in the panel, and another one made with its slug"
    elif base is None and reason is Reason.DRIFT:
        said = (
            "the portal has the value of an older version of this file, and the article was touched after the newer "
            "version was committed: somebody may have gone back to it"
        )
    elif base is None:
        if draft.git.word:
            return f"whose value the portal has is not known, for {draft.git.word}; or run `{overwrite}`"
        said = f"the portal's {desired.kind} has a value that this file never had, as far as the ledger and git know"
    resolve = command_line("resolve", desired.path, options=options)
    return f"{said}: put the edit into the source, or run `{overwrite}`; `{resolve}` shows both and asks"
