"""RESULTS.md is written by several: each keeps the others' sections."""

from __future__ import annotations

import re
from collections.abc import Iterable
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


NOTE = re.compile(r"^\*\*Not measured on .*\n?", re.MULTILINE)


def with_note(section: str, note: str) -> str:
    """A section with a line at its end that says why its figures are of before; the former line of that kind goes."""
    return f"{NOTE.sub('', section).rstrip()}\n\n{note}\n"


REPRODUCED = 0.15
"""How far a figure may be from the one of the run before."""

FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?) (s|ms|MiB)\b")


def marked(former: str, lines: Iterable[str]) -> list[str]:
    """Lines of a section, each row of a table with a mark where a figure differs by more than that from the former.

    Rows are compared with those of the same name (the first cells up to the first figure), on the same machine.
    """
    before = {_name(line): _figures(line) for line in former.splitlines() if line.startswith("| ")}
    return [_marked(line, before.get(_name(line), [])) if line.startswith("| ") else line for line in lines]


def _marked(line: str, before: list[float]) -> str:
    now = _figures(line)
    off = [
        f"{old:g} before, {new:g} now"
        for old, new in zip(before, now, strict=False)
        if max(old, new) > (1 + REPRODUCED) * min(old, new)
    ]
    return f"{line.removesuffix('|').rstrip()} **not reproduced**: {'; '.join(off)} |" if off else line


def _name(line: str) -> str:
    cells = line.split("|")[1:]
    figures = (at for at, cell in enumerate(cells) if FIGURE.search(cell) or "%" in cell)
    return "|".join(cell.strip() for cell in cells[: next(figures, 1)])


def _figures(line: str) -> list[float]:
    plain = line.partition("**not reproduced**")[0]
    return [float(number.replace(",", "")) for number, _ in FIGURE.findall(plain)]


def write_section(head: str, new: str) -> None:
    """Put a section into RESULTS.md."""
    text = RESULTS.read_text("utf-8") if RESULTS.exists() else "# Results\n"
    RESULTS.write_text(with_section(text, head, new), "utf-8")
