"""What a section aims at and what it found: every section ends with which aims were met and which were not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Aim:
    """One aim.

    Args:
        what: the figure, as a person would call it.
        found: what was measured; None where it could not be.
        bound: what it should be `most`, or `least`.
        why: why it was not measured, or where the time goes.
    """

    what: str
    found: float | None
    bound: float
    side: Literal["most", "least"] = "most"
    why: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the figure is on the right side of its bound."""
        if self.found is None:
            return False
        return self.found <= self.bound if self.side == "most" else self.found >= self.bound

    @property
    def line(self) -> str:
        """One item of a list."""
        aim = f"aim: at {self.side} {self.bound:g}"
        if self.found is None:
            return f"- **not measured**: {self.what} ({aim}): {self.why}"
        word = "met" if self.is_met else "**missed**"
        return f"- {word}: {self.what}: {self.found:.2f} ({aim}){f'. {self.why}' if self.why else ''}"


def verdicts(aims: Iterable[Aim]) -> list[str]:
    """The end of a section."""
    return ["", *(aim.line for aim in aims)]
