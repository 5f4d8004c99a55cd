"""`lint --baseline`: findings that a file knows are only counted, and every other one fails.

A finding is known by its file, its code and the text of its line: what moves up or down with its line stays known, and
what moves with its file to another name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from kbsync.command import command_line
from kbsync.errors import UsageError
from kbsync.files import read_within, write_whole
from kbsync.model import Finding

SCHEMA = "kbsync.baseline/1"
MOST_BYTES = 200_000_000
DIGEST_BYTES = 6
LETTERS = 8
"""Letters and digits of a line that is hardly twice in a tree by chance."""

Read = Callable[[str], str | None]
"""The text of a source by its path, None where it cannot be had."""

Key = tuple[str, str, str]
"""Path, code, digest of the line."""


class _File(msgspec.Struct):
    """The file: path, code, digest of the line, how many."""

    schema: str
    findings: dict[str, dict[str, dict[str, int]]]


class _Known(NamedTuple):
    """A finding, what it is known by, and whether its line has enough words to be known in another file."""

    finding: Finding
    key: Key
    has_words: bool


@dataclass(frozen=True, slots=True)
class Files:
    """The files that are there `today`; `renamed` gives what git knows of those that are gone: each one's new name."""

    today: Collection[str]
    renamed: Callable[[Collection[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """Findings that a baseline does not know, and how many it knows; `gone` are those it knows and nothing has."""

    new: tuple[Finding, ...]
    known: int
    gone: int


def write_baseline(path: Path, findings: Iterable[Finding], read: Read) -> int:
    """Write a file that knows these findings; how many.

    Raises:
        UsageError: it cannot be written.
    """
    numbers = Counter(item.key for item in _keys(findings, read))
    known: dict[str, dict[str, dict[str, int]]] = {}
    for (place, code, line), number in sorted(numbers.items()):
        known.setdefault(place, {}).setdefault(code, {})[line] = number
    text = msgspec.json.format(msgspec.json.encode(_File(SCHEMA, known)), indent=1)
    try:
        write_whole(path, text + b"\n")
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {exc.strerror}.", hint="Give the path of another file.") from exc
    return numbers.total()


def compare_with(path: Path, findings: Iterable[Finding], read: Read, files: Files) -> BaselineResult:
    """Which of these findings a baseline does not know.

    Raises:
        UsageError: it cannot be read, or is no baseline.
    """
    left = _read_baseline(path)
    new: list[_Known] = []
    known = 0
    for item in _keys(findings, read):
        if _take(left, item.key):
            known += 1
        else:
            new.append(item)
    gone = {place for (place, _, _), number in left.items() if number} - {*files.today} if new else set()
    if gone:
        found = _in_renamed(new, left, gone, files)
        known += len(new) - len(found)
        new = found
    return BaselineResult(tuple(item.finding for item in new), known, left.total())


def _take(left: Counter[Key], key: Key) -> bool:
    """Whether a finding is one of those that are left; each covers one."""
    is_known = left[key] > 0
    left[key] -= is_known
    return is_known


def _in_renamed(new: Iterable[_Known], left: Counter[Key], gone: Collection[str], files: Files) -> list[_Known]:
    """Those that no file that is gone had: each finding of one covers one, in the file that it was renamed to.

    Of the files of which git knows no rename, the text of the line decides, where it has words: an empty line or `---`
    is in any file.
    """
    names = files.renamed(gone)
    olds: dict[str, list[str]] = {}
    for old, name in names.items():
        olds.setdefault(name, []).append(old)
    anywhere: dict[tuple[str, str], list[str]] = {}
    for (place, code, line), number in left.items():
        if number and place in gone and place not in names:
            anywhere.setdefault((code, line), []).append(place)
    found = []
    for item in new:
        place, code, line = item.key
        at = [*olds.get(place, ()), *(anywhere.get((code, line), ()) if item.has_words else ())]
        if not any(_take(left, (old, code, line)) for old in at):
            found.append(item)
    return found


def _read_baseline(path: Path) -> Counter[Key]:
    hint = f"`{command_line('lint', options=[('--write-baseline', path)])}` writes it."
    try:
        file = msgspec.json.decode(read_within(path, MOST_BYTES), type=_File)
    except OSError as exc:
        raise UsageError(f"The baseline {path} cannot be read: {exc.strerror}.", hint=hint) from exc
    except msgspec.DecodeError as exc:
        raise UsageError(f"{path} is not a baseline.", hint=hint) from exc
    if file.schema != SCHEMA:
        raise UsageError(f"{path} is not a baseline that this version reads.", hint=hint)
    return Counter(
        {
            (place, code, line): number
            for place, codes in file.findings.items()
            for code, lines in codes.items()
            for line, number in lines.items()
        }
    )


def _keys(findings: Iterable[Finding], read: Read) -> Iterable[_Known]:
    """Each finding with what it is known by; findings come file by file, so each is read once."""
    place, lines = None, [""]
    for finding in findings:
        if finding.path != place:
            place = finding.path
            lines = (read(place) or "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        digest = blake2b(line.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).hexdigest()
        has_words = sum(map(str.isalnum, line)) >= LETTERS
        yield _Known(finding, (finding.path, finding.code, digest), has_words)
