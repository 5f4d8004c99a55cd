"""RESULTS.md is written by several: each keeps the others' sections."""

from __future__ import annotations

import re
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
SOAK, FUZZ = "## Soak", "## Fuzz"


def found_section(text: str, head: str) -> str:
    """The section below a heading, the heading included, or nothing."""
    found = re.search(rf"^{re.escape(head)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def with_section(text: str, head: str, new: str) -> str:
    """The text with this section in the place of the former, or at its end."""
    former = found_section(text, head)
    return text.replace(former, new + "\n" * former.endswith("\n\n")) if former else f"{text.rstrip()}\n\n{new}"


def write_section(head: str, new: str) -> None:
    """Put a section into RESULTS.md."""
    text = RESULTS.read_text("utf-8") if RESULTS.exists() else "# Results\n"
    RESULTS.write_text(with_section(text, head, new), "utf-8")
