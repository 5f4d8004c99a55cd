"""What `lint --fix` does to one file: the edits that the rules give with their findings, if they certainly help.

Pure: bytes in, bytes out. Every byte that is not part of a finding stays, and fixing twice is fixing once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbsync.content.front_edit import LINES
from kbsync.content.front_repair import REPAIRABLE, repair_front, repaired
from kbsync.content.inspection import Body
from kbsync.content.parse import parse_source
from kbsync.content.post import dumps, read_post
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Problem, Source
from kbsync.lint.body_checks import marks_of
from kbsync.lint.ignore import is_ignored
from kbsync.lint.page import Edit, Mark
from kbsync.lint.raw_html import PLACEHOLDER
from kbsync.markdown.offsets import Places

MAX_ROUNDS = 100
"""What one fix uncovers (a word behind a placeholder that hid the line) is fixed in the next round; a real file needs
three or four."""

MOST_CHARS = 2_000_000
"""Characters of attempts for one file: of thousands of findings that harm each other, each would be tried alone."""

UNCOVERING = PLACEHOLDER.code
"""Fixing it shows what was lost before, and with it other findings. No other fix may bring any."""


def fix_text(path: str, data: bytes, codes: Collection[str] | None = None) -> bytes:
    """Fix what can be fixed without asking, and is not ignored (`<!-- kbsync-ignore CODE -->`).

    Args:
        path: relative to the content root, with forward slashes.
        data: the file's bytes.
        codes: what to fix; None for everything.

    Returns:
        The bytes as they should be; the same if there is nothing to fix, or the file cannot be read.
    """
    try:
        data = repair_front(path, data.decode(), codes).encode()
    except UnicodeDecodeError:
        return data
    if _body_of(path, data)[0] is None:
        return data
    post = read_post(data.decode())
    file, tries = _File(path, post.head, codes), _Tries(MOST_CHARS)
    for _ in range(MAX_ROUNDS):
        fixed = _one_round(file, post.content, tries)
        if fixed == post.content:
            break
        post.content = fixed
    return dumps(post).encode()


class Replacement(NamedTuple):
    """Put `text` in the place of what is there. Lines and columns of the file count from 1; the end is left out."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


Place = tuple[str, int, int]
"""Where a finding is in its file: code, line, column."""


def replacements(path: str, data: bytes, codes: Collection[str]) -> Mapping[Place, tuple[Replacement, ...]]:
    """What would fix each finding of a file on its own: those that `fix_text` would fix in its first round.

    Args:
        path: relative to the content root, with forward slashes.
        data: the file's bytes.
        codes: what is to be fixed.
    """
    body, source = _body_of(path, data)
    of_front = _of_front(path, data.decode(errors="replace"), source, codes) if REPAIRABLE & set(codes) else {}
    if body is None:
        return of_front
    post = read_post(data.decode())
    file, places = _File(path, post.head, codes), Places(post.content)

    def place(at: int) -> tuple[int, int]:
        return body.first_line + places.line(at) - 1, places.column(at)

    return of_front | {
        (mark.code, *place(mark.at)): tuple(
            Replacement(*place(edit.start), *place(edit.end), edit.text) for edit in mark.edits
        )
        for mark in _harmless(file, post.content)
    }


def _of_front(path: str, text: str, source: Source, codes: Collection[str]) -> dict[Place, tuple[Replacement, ...]]:
    """The same for the front matter: whole lines, as a repair changes them."""
    repairs = {
        (problem.code, problem.line, problem.column): repaired(path, text, problem)
        for problem in source.problems
        if problem.code in REPAIRABLE and problem.code in codes
    }
    return {place: (_lines_changed(text, after),) for place, after in repairs.items() if after is not None}


def _lines_changed(before: str, after: str) -> Replacement:
    """The lines from the first to the last that is another."""
    old, new = LINES.findall(before), LINES.findall(after)
    least = min(len(old), len(new))
    head = next((at for at in range(least) if old[at] != new[at]), least)
    tail = next((at for at in range(least - head) if old[-1 - at] != new[-1 - at]), least - head)
    return Replacement(head + 1, 1, len(old) - tail + 1, 1, "".join(new[head : len(new) - tail]))


def _harmless(file: _File, text: str) -> Iterator[Mark]:
    """The findings that can be fixed in this text, each by its own edits."""
    marks = file.marks(text)
    wanted = file.wanted(text, marks)
    for code in sorted({mark.code for mark in wanted}):
        of_code = [mark for mark in wanted if mark.code == code]
        together = _apart(of_code)
        # What helps all at once helps each: most texts are looked at once, not once for each finding.
        agreed = together if _helps(file, text, marks, together) else []
        yield from agreed
        yield from (mark for mark in of_code if mark not in agreed and _helps(file, text, marks, [mark]))


def _helps(file: _File, text: str, before: Sequence[Mark], chosen: Sequence[Mark]) -> bool:
    return _is_better(before, chosen, file.marks(_apply(text, [edit for mark in chosen for edit in mark.edits])))


def _body_of(path: str, data: bytes) -> tuple[Body | None, Source]:
    """The body as the rules see it, and what else the file says."""
    found: list[Body] = []

    def keep(body: Body) -> list[Problem]:
        found.append(body)
        return []

    source = parse_source(path, data, inspect=keep)
    # Where the front matter cannot be read it is not known where the body begins.
    if not found or any(problem.code in HIDES_KEYS for problem in source.problems):
        return None, source
    return found[0], source


@dataclass(frozen=True, slots=True)
class _File:
    """What of a file stays, everything before its body, and which codes are to be fixed in that."""

    path: str
    head: str
    codes: Collection[str] | None

    def marks(self, text: str) -> list[Mark]:
        """What the rules find when this is the body."""
        body, _ = _body_of(self.path, (self.head + text).encode())
        return marks_of(body) if body else []

    def wanted(self, text: str, marks: Iterable[Mark]) -> list[Mark]:
        """Those of the rules' marks that are to be fixed."""
        _, source = _body_of(self.path, (self.head + text).encode())
        first = self.head.count("\n") + 1
        return [
            mark
            for mark in marks
            if mark.edits
            and (self.codes is None or mark.code in self.codes)
            and not is_ignored(mark.rule.finding(self.path, first + text.count("\n", 0, mark.at), 1, ""), source)
        ]


@dataclass(slots=True)
class _Tries:
    """How many characters may still be looked at."""

    chars: int


def _one_round(file: _File, text: str, tries: _Tries) -> str:
    """The text with all findings of one code fixed; another code's places have moved then, and wait for the next."""
    marks = file.marks(text)
    wanted = file.wanted(text, marks)
    for code in sorted({mark.code for mark in wanted}):
        fixed = _fixed(file, text, marks, [mark for mark in wanted if mark.code == code], tries)
        if fixed != text:
            return fixed
    return text


def _fixed(file: _File, text: str, before: Sequence[Mark], wanted: Sequence[Mark], tries: _Tries) -> str:
    """The text with these findings fixed, or with as many of them as do no harm; the same if none helps."""
    if tries.chars <= 0:
        return text
    tries.chars -= len(text)
    chosen = _apart(wanted)
    after = _apply(text, [edit for mark in chosen for edit in mark.edits])
    if _is_better(before, chosen, file.marks(after)):
        return after
    if len(chosen) == 1:
        return text
    half = len(chosen) // 2
    left = _fixed(file, text, before, chosen[:half], tries)
    return left if left != text else _fixed(file, text, before, chosen[half:], tries)


def _apart(marks: Sequence[Mark]) -> list[Mark]:
    """Those whose edits do not touch each other; an inner list of an inner list waits for the next round."""
    chosen: list[Mark] = []
    end = -1
    for mark in sorted(marks, key=lambda mark: mark.edits[0].start):
        if mark.edits[0].start > end:
            chosen.append(mark)
            end = mark.edits[-1].end
    return chosen


def _apply(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*pieces, text[at:]))


def _is_better(before: Sequence[Mark], fixed: Sequence[Mark], after: Sequence[Mark]) -> bool:
    """Whether what was to be fixed is gone, and nothing else came."""
    there = {(mark.code, mark.at) for mark in after}
    moved = 0
    for mark in fixed:
        before_it = sum(len(edit.text) - (edit.end - edit.start) for edit in mark.edits if edit.end <= mark.at)
        if (mark.code, mark.at + moved + before_it) in there:
            return False
        moved += sum(len(edit.text) - (edit.end - edit.start) for edit in mark.edits)
    new, old = Counter(mark.code for mark in after), Counter(mark.code for mark in before)
    return fixed[0].code == UNCOVERING or all(new[code] <= old[code] for code in new)
