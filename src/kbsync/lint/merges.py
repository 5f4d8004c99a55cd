"""What a merge left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.content.merge_marks import HINT, MARKER, message_of
from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page
from kbsync.model import Rule
from kbsync.patterns import Pattern

UNFINISHED_MERGE = Rule("KB212", "Unfinished merge", "error")
LIKE_A_MARKER = Rule("KB215", "Line that looks like the beginning of an unfinished merge")

OF_A_TOOL = Pattern(r"<{7} ?(?:HEAD|your file|ours|Updated upstream)?\r?$")
"""How git and kbsync begin a conflict; anything else may be what somebody wrote on the portal."""

REST = Pattern(r"^(?:={7}\r?$|>{7} |>{7}\r?$)", re.MULTILINE)


@finds(UNFINISHED_MERGE, LIKE_A_MARKER)
def check_merges(page: Page) -> Iterator[Mark]:
    """One finding for each conflict, and one for each end of a conflict that has lost its beginning."""
    text = page.text
    if "<<<<<<<" not in page.signs and ">>>>>>>" not in page.signs:
        return
    is_open = False
    for match in MARKER.finditer(text):
        if page.is_code(match.start()):
            continue
        begins = match[0].startswith("<")
        if begins and not REST.search(text, match.end()) and not OF_A_TOOL.match(line := _line(text, match.start())):
            message = f"This line looks like the beginning of a merge that is not finished: `{line.strip()}`."
            yield Mark(LIKE_A_MARKER, match.start(), message, "Delete the line if a merge left it, or ignore KB215.")
        elif begins or not is_open:
            yield Mark(UNFINISHED_MERGE, match.start(), message_of(match[0]), HINT)
        is_open = begins


def _line(text: str, start: int) -> str:
    return text[start:].partition("\n")[0]
