"""Writes the help center's page of codes, from the rules and their explanations: `make codes`.

python tools/codes.py            writes what follows the heading `## All codes`; what is above it stays
python tools/codes.py --check    changes nothing, and ends with 1 if the page is not as it would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from kbsync.lint.explanations import PAGE
from kbsync.lint.sections import section_of
from kbsync.report.rules import RULES

ENGLISH = Path(__file__).resolve().parent.parent / "content" / "en" / PAGE
HEAD = "## All codes\n"
TO_ARTICLES = "../"
"""From the folder of the page to that of its locale."""


def page_of(text: str) -> str:
    """The page as it should be, from the page as it is."""
    head, _, _ = text.partition(HEAD)
    sections = "\n".join(section_of(rule, see=TO_ARTICLES) for rule in RULES.values())
    return f"{head}{HEAD}\n{sections}"


def main(arguments: list[str]) -> None:
    """Write the page, or end with 1 if it would change."""
    before = ENGLISH.read_text("utf-8")
    after = page_of(before)
    if "--check" not in arguments:
        ENGLISH.write_text(after, "utf-8")
    elif before != after:
        sys.exit(f"{ENGLISH.name} is out of date. Run `make codes`.")


if __name__ == "__main__":
    main(sys.argv[1:])
