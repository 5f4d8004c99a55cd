"""What `lint --fix` does to one file: the edits that the rules give with their findings, if they certainly help.

Pure: bytes in, bytes out. Every byte that is not part of a finding stays, and fixing twice is fixing once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs

from kbsync.content.apart import take_apart
from kbsync.content.body import spliced
from kbsync.content.front_edit import LINES, set_value
from kbsync.content.front_repair import REPAIRABLE, repair_front, repaired
from kbsync.content.identity import title_of
from kbsync.content.inspection import Body
from kbsync.content.parse import parse_source
from kbsync.content.rules import HIDES_KEYS
from kbsync.content.source import Problem, Source
from kbsync.errors import ContentError
from kbsync.lint.body_checks import marks_of
from kbsync.lint.fix_rounds import FixRound, Rounds, apart, is_better
from kbsync.lint.ignore import Ignored
from kbsync.lint.page import Mark
from kbsync.lint.structure import NO_TITLE, lacks_title
from kbsync.markdown.offsets import Places
from kbsync.patterns import Pattern

MOST_CHARS = 500_000
"""Characters of attempts for one file: of thousands of findings that harm each other, each would be tried alone."""

NEAR_TOP = 1_000
_MISPLACED = Pattern(r"(?:\A|[\r\n])title[ \t]*[:=]", re.IGNORECASE)
"""A title in what was meant as front matter: another one would only hide that."""

MOST_TITLE_CHARS = 200
"""A heading that is longer is rather a paragraph."""

MOST_JUDGED_CHARS = 200_000
"""The same while a file is checked, which is done for every file."""

AT_LEAST = 2
"""So often a text of any length is looked at."""


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
    body, source = _body_of(path, data)
    if body is None:
        return data
    if (codes is None or NO_TITLE.code in codes) and lacks_title(source):
        data = _titled(path, data.decode(), body).encode()
    head, _, content = take_apart(data.decode())
    file = _File(path, head, codes)
    rounds = Rounds(content, file.look(content), file.look, max(MOST_CHARS, AT_LEAST * len(content))).run()
    # What is only begun would go on the next time.
    return (head + (rounds.text if rounds.is_whole else content)).encode()


def _titled(path: str, text: str, body: Body) -> str:
    """A text with the words of its first heading, or else of its file's name, as its title."""
    if _MISPLACED.search(body.text[:NEAR_TOP]):
        return text
    words = (" ".join(heading.text.split()) for heading in body.scan.headings)
    title = next((text for text in words if 0 < len(text) <= MOST_TITLE_CHARS), "") or title_of(path)
    try:
        return set_value(text, "title", title) if title else text
    except ContentError:
        return text


def that_can_be_fixed(body: Body, marks: Sequence[Mark]) -> list[Mark]:
    """The findings of a body, without the edits of those that `fix_text` would leave as they are."""
    front = "status: draft" if body.title is None else f"title: {json.dumps(body.title)}"
    file = _File(body.path, f"---\n{front}\n---\n", None)
    chars = max(MOST_JUDGED_CHARS, AT_LEAST * len(body.text))
    seen = FixRound(list(marks), [mark for mark in marks if mark.edits])
    left = Rounds(body.text, seen, file.look, chars).run().left(marks)
    return [structs.replace(mark, edits=()) if stays else mark for mark, stays in zip(marks, left, strict=True)]


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
    if NO_TITLE.code in codes and lacks_title(source):
        at = source.place("title")
        changed = _lines_changed(data.decode(), _titled(path, data.decode(), body))
        of_front[NO_TITLE.code, at.line, at.column] = (changed,)
    head, _, content = take_apart(data.decode())
    file, places = _File(path, head, codes), Places(content)

    def place(at: int) -> tuple[int, int]:
        return body.first_line + places.line(at) - 1, places.column(at)

    return of_front | {
        (mark.code, *place(mark.at)): tuple(
            Replacement(*place(edit.start), *place(edit.end), edit.text) for edit in mark.edits
        )
        for mark in _harmless(file, content)
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
    marks, wanted = file.look(text)
    for code in sorted({mark.code for mark in wanted}):
        of_code = [mark for mark in wanted if mark.code == code]
        together = apart(of_code)
        # What helps all at once helps each: most texts are looked at once, not once for each finding.
        agreed = together if _helps(file, text, marks, together) else []
        yield from agreed
        yield from (mark for mark in of_code if mark not in agreed and _helps(file, text, marks, [mark]))


def _helps(file: _File, text: str, before: Sequence[Mark], chosen: Sequence[Mark]) -> bool:
    return is_better(before, chosen, file.look(spliced(text, [edit for mark in chosen for edit in mark.edits])).marks)


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

    def look(self, text: str) -> FixRound:
        """What the rules find when this is the body."""
        body, source = _body_of(self.path, (self.head + text).encode())
        marks = marks_of(body) if body else []
        wanted = [mark for mark in marks if mark.edits and (self.codes is None or mark.code in self.codes)]
        if source.ignores or source.lint_ignore:
            ignored, places, above = Ignored(source.ignores, source.lint_ignore), Places(text), self.head.count("\n")
            wanted = [mark for mark in wanted if not ignored.has(mark.code, above + places.line(mark.at))]
        return FixRound(marks, wanted)
