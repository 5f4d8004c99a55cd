"""What the service does differently from version to version. Code asks these facts and never compares versions."""

from __future__ import annotations

import msgspec


class Facts(msgspec.Struct, frozen=True):
    """What is so in one version of the service. Whether it has an operation is another question: `can`.

    Args:
        stages_edits: the edit of a live article can wait in the panel (docs/service.md, S105 to S116).
        empty_drafts: an article that is not published may have no body (docs/service.md, S117).
        atomic_reorder: a reorder is one transaction, renumbers its categories and answers with all positions
            (docs/service.md, S123 to S126).
        public_markdown: a published article can be read at its address with `.md` (docs/service.md, S144).
    """

    stages_edits: bool = False
    empty_drafts: bool = False
    atomic_reorder: bool = False
    public_markdown: bool = False


FACTS = Facts.__struct_fields__
"""The names of all facts, as a profile's table [since] writes them."""
