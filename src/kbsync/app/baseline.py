"""`lint --baseline`: findings that a file knows are only counted, and every other one fails.

A finding is known by its file, its code and the text of its line: what moves up or down with its line stays known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from kbsync.command import command_line
from kbsync.errors import UsageError
from kbsync.files import read_within, write_whole
from kbsync.model import Finding

SCHEMA = "kbsync.baseline/1"
MOST_BYTES = 200_000_000
DIGEST_BYTES = 6

Read = Callable[[str], str | None]
"""The text of a source by its path, None where it cannot be had."""

Key = tuple[str, str, str]
"""Path, code, digest of the line."""


class _File(msgspec.Struct):
    """The file: path, code, digest of the line, how many."""

    schema: str
    findings: dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True, slots=True)
class Compared:
    """Findings that a baseline does not know, and how many it knows; `gone` are those it knows and nothing has."""

    new: tuple[Finding, ...]
    known: int
    gone: int


def write_baseline(path: Path, findings: Iterable[Finding], read: Read) -> int:
    """Write a file that knows these findings; how many.

    Raises:
        UsageError: it cannot be written.
    """
    numbers = Counter(key for _, key in _keys(findings, read))
    known: dict[str, dict[str, dict[str, int]]] = {}
    for (place, code, line), number in sorted(numbers.items()):
        known.setdefault(place, {}).setdefault(code, {})[line] = number
    text = msgspec.json.format(msgspec.json.encode(_File(SCHEMA, known)), indent=1)
    try:
        write_whole(path, text + b"\n")
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {exc.strerror}.", hint="Give the path of another file.") from exc
    return numbers.total()


def compare_with(path: Path, findings: Iterable[Finding], read: Read) -> Compared:
    """Which of these findings a baseline does not know.

    Raises:
        UsageError: it cannot be read, or is no baseline.
    """
    left = _read_baseline(path)
    new = []
    known = 0
    for finding, key in _keys(findings, read):
        if left[key] > 0:
            left[key] -= 1
            known += 1
        else:
            new.append(finding)
    return Compared(tuple(new), known, left.total())


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


def _keys(findings: Iterable[Finding], read: Read) -> Iterable[tuple[Finding, Key]]:
    """Each finding with what it is known by; findings come file by file, so each is read once."""
    place, lines = None, [""]
    for finding in findings:
        if finding.path != place:
            place = finding.path
            lines = (read(place) or "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        digest = blake2b(line.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).hexdigest()
        yield finding, (finding.path, finding.code, digest)
