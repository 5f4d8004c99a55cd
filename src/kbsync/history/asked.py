"""What is asked of each file, and what is known of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from kbsync.history.trail import Text
from kbsync.model import Fields, Observed, RemoteId, Value
from kbsync.plan.questions import Question


@dataclass(slots=True)
class Pair:
    """One file and one article that it may be: the portal's values that no revision had so far."""

    observed: Observed
    open: dict[str, Value]
    found: dict[str, bool] = field(default_factory=dict)

    def note(self, name: str, until_s: int) -> None:
        """A revision had this value, and was replaced then."""
        ours = self.observed.updated_at <= until_s
        self.found[name] = self.found.get(name, False) or ours
        if ours:
            del self.open[name]

    @property
    def is_settled(self) -> bool:
        """Whether each value is known for that of a revision."""
        return self.open.keys() <= self.found.keys()


@dataclass(slots=True)
class File:
    """What is asked of one file, and what is known so far.

    `question` is None for one that is gone; then `gave` is what its last revision gave, and `looked` how many of
    its texts were read.
    """

    question: Question | None
    pairs: dict[RemoteId, Pair] = field(default_factory=dict)
    former: dict[tuple[str, str, str], int] = field(default_factory=dict)
    newest: Text | None = None
    gave: Fields = field(default_factory=dict)
    looked: int = 0
    done: bool = False

    def wants(self) -> set[str]:
        """The fields that are still to be found."""
        return {name for pair in self.pairs.values() for name in pair.open}

    def outlines(self) -> set[str]:
        """Those of the bodies that are still to be found; none where one of them is not known."""
        found = {pair.observed.outline for pair in self.pairs.values() if "content" in pair.open}
        return set() if "" in found else found
