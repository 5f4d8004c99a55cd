"""The lines that a merge leaves where two versions of a text could not be joined, and what to say of them."""

from __future__ import annotations

import re

MARKER = re.compile(r"^(?:<{7} |>{7} |<{7}\r?$|>{7}\r?$)", re.MULTILINE)

HINT = "Keep one version, and delete the lines with `<<<<<<<`, `=======` and `>>>>>>>`."


def message_of(marker: str) -> str:
    """What a finding says of one of them."""
    return f"A merge left its marker `{marker.strip()}` here, with two versions of the text."
