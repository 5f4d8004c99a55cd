"""Rounds of fixes of one text: what helps stays, what would bring another finding is left. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbsync.content.body import spliced
from kbsync.lint.foreign import CALLOUT
from kbsync.lint.page import Edit, Mark
from kbsync.lint.raw_html import PLACEHOLDER

MAX_ROUNDS = 100
"""What one fix uncovers (a word behind a placeholder that hid the line) is fixed in the next round; a real file needs
three or four."""

UNCOVERING = frozenset({PLACEHOLDER.code, CALLOUT.code})
"""Fixing it shows what was lost or code before, and with it other findings. No other fix may bring any."""


class FixRound(NamedTuple):
    """What the rules find in a text, in its order, and which of that is to be fixed."""

    marks: list[Mark]
    wanted: list[Mark]


@dataclass(slots=True)
class Rounds:
    """A text on its way, and what is found in it now.

    `chars` is how many characters may be looked at: of thousands of findings that harm each other, each would be tried
    alone. `applied` are the edits of each round, by their places in the text before it; `fixed` are the codes of these.
    `is_whole` is that all was tried, before the characters were spent.
    """

    text: str
    seen: FixRound
    look: Callable[[str], FixRound]
    chars: int
    spent: int = 0
    is_whole: bool = True
    applied: list[list[Edit]] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)

    def run(self) -> Rounds:
        """Fix until nothing is left that can be fixed."""
        for _ in range(MAX_ROUNDS):
            # Another code's places have moved after a fix, and wait for the next round.
            if not any(self._fix(self._of(code)) for code in sorted({mark.code for mark in self.seen.wanted})):
                return self
        self.is_whole = False
        return self

    def _of(self, code: str) -> list[Mark]:
        return [mark for mark in self.seen.wanted if mark.code == code]

    def _fix(self, wanted: Sequence[Mark]) -> bool:
        """Fix these findings, or as many of them as do no harm; whether one is."""
        code = wanted[0].code
        if self.spent >= self.chars:
            self.is_whole = False
            return False
        self.spent += len(self.text)
        chosen = apart(wanted)
        edits = [edit for mark in chosen for edit in mark.edits]
        text = spliced(self.text, edits)
        after = self.look(text)
        if is_better(self.seen.marks, chosen, after.marks):
            self.text, self.seen = text, after
            self.applied.append(edits)
            self.fixed.add(code)
            return True
        if len(chosen) == 1:
            return False
        half = len(chosen) // 2
        return self._fix(chosen[:half]) or self._fix(chosen[half:])

    def left(self, marks: Sequence[Mark]) -> list[bool]:
        """Whether each of the first text's findings is there still; they are in the order of the text.

        Where the characters were spent before anything of a code was fixed, it is not known what can be: none is left.
        """
        places = [mark.at for mark in marks]
        for edits in self.applied:
            places = _moved(places, edits)
        still = {(mark.code, mark.at) for mark in self.seen.marks if not self._is_unknown(mark.code)}
        return [(mark.code, place) in still for mark, place in zip(marks, places, strict=True)]

    def _is_unknown(self, code: str) -> bool:
        return code not in self.fixed and not self.is_whole


def _moved(places: Sequence[int], edits: Sequence[Edit]) -> list[int]:
    """Where places are after edits; both are in the order of the text."""
    moved: list[int] = []
    shift = at = 0
    for place in places:
        while at < len(edits) and edits[at].end <= place:
            shift += len(edits[at].text) - (edits[at].end - edits[at].start)
            at += 1
        moved.append(place + shift)
    return moved


def apart(marks: Sequence[Mark]) -> list[Mark]:
    """Those whose edits do not touch each other; an inner list of an inner list waits for the next round."""
    chosen: list[Mark] = []
    end = -1
    for mark in sorted(marks, key=lambda mark: mark.edits[0].start):
        if mark.edits[0].start > end:
            chosen.append(mark)
            end = mark.edits[-1].end
    return chosen


def is_better(before: Sequence[Mark], fixed: Sequence[Mark], after: Sequence[Mark]) -> bool:
    """Whether what was to be fixed is gone, and nothing else came."""
    there = {(mark.code, mark.at) for mark in after}
    moved = 0
    for mark in fixed:
        before_it = sum(len(edit.text) - (edit.end - edit.start) for edit in mark.edits if edit.end <= mark.at)
        if (mark.code, mark.at + moved + before_it) in there:
            return False
        moved += sum(len(edit.text) - (edit.end - edit.start) for edit in mark.edits)
    return fixed[0].code in UNCOVERING or Counter(mark.code for mark in after) <= Counter(mark.code for mark in before)
