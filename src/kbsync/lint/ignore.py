"""Which findings count, and at which level: comments, front matter and kbsync.toml can ignore, raise and lower them.

A finding that is an error by its rule stays one: the service would refuse the article, or something would be lost.
In kbsync.toml the longest code counts: `KB301` before `KB3`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from kbsync.config import LintSettings, Verdict
from kbsync.content.rules import USELESS_IGNORE
from kbsync.content.source import Ignore, Source
from kbsync.errors import ConfigError
from kbsync.lint.explanations import codes
from kbsync.lint.finds import MOST
from kbsync.model import Finding
from kbsync.patterns import Pattern
from kbsync.words import similar, suggestion

CODE = Pattern(r"KB[0-9]{1,3}")
SHORTEST = len("KB1")
"""Characters of the shortest beginning of a code."""

ALIKE = str.maketrans("OIL", "011")
"""Letters that are taken for digits."""

ALL_CODES = "`kbsync lint --rules` lists the codes."
FIRM = "This is an error: it cannot be ignored or lowered."


@lru_cache(maxsize=1_000)
def codes_of(word: str) -> list[str]:
    """The codes of a word that is a code or the beginning of some: `KB401`, `KB40`, `KB4`."""
    return [code for code in codes() if code.startswith(word)] if CODE.fullmatch(word) else []


def near(word: str) -> str:
    """One thing to do about a word that is not a code."""
    typed = word.upper().translate(ALIKE)
    # Of five characters, four: `KB999` has only the letters and one digit in common with any code.
    known = similar(typed, codes(), most=len(codes()), cutoff=0.7)
    if not known:
        return ALL_CODES
    # Codes are read from the left: `KB30x` is rather KB301 than KB310.
    best = max(known, key=lambda code: sum(typed.startswith(code[: end + 1]) for end in range(len(code))))
    return suggestion(best)


class Severities(msgspec.Struct, frozen=True):
    """Knows what kbsync.toml says about each code.

    Args:
        settings: the table [lint].
    """

    settings: LintSettings
    _known: dict[str, Verdict | None] = msgspec.field(default_factory=dict)

    def judge(self, findings: Iterable[Finding], sources: Mapping[str, Source]) -> Iterator[Finding]:
        """The findings that count, each at the level that it has in this project."""
        path: str | None = None
        ignored_here = NOTHING
        for finding in findings:
            if finding.path != path:
                # Findings of a file come together: a look-up for each of tens of thousands costs.
                path = finding.path
                source = sources.get(path)
                ignored_here = Ignored(source.ignores, source.lint_ignore) if source else NOTHING
            verdict = self._verdict(finding.code)
            ignored = verdict == "off" or ignored_here.has(finding.code, finding.line)
            if finding.level == "error":
                softer = ignored or verdict == "warning"
                yield replace(finding, hint=f"{finding.hint} {FIRM}".lstrip()) if softer else finding
            elif not ignored:
                yield replace(finding, level="error") if verdict == "error" else finding

    def _verdict(self, code: str) -> Verdict | None:
        if code not in self._known:
            verdicts: dict[str, Verdict] = {**dict.fromkeys(self.settings.ignore, "off"), **self.settings.levels}
            words = [word for word in verdicts if code.startswith(word)]
            self._known[code] = verdicts[max(words, key=len)] if words else None
        return self._known[code]


class Ignored:
    """What a source itself ignores. A line may have thousands of comments.

    Args:
        comments: those that ignore something in one line.
        everywhere: codes, or the beginnings of some, that its front matter ignores.
    """

    def __init__(self, comments: Iterable[Ignore], everywhere: Iterable[str] = ()) -> None:
        self._everywhere = frozenset(everywhere)
        self._in_line: dict[int, set[str]] = {}
        for ignore in comments:
            self._in_line.setdefault(ignore.covers, set()).add(ignore.code)

    def has(self, code: str, line: int) -> bool:
        """Whether a finding of a code in a line is ignored."""
        if not (self._everywhere or self._in_line):
            return False
        words = self._in_line.get(line, self._everywhere)
        beginnings = [code[:end] for end in range(SHORTEST, len(code) + 1)]
        return any(word in words or word in self._everywhere for word in beginnings)


NOTHING = Ignored(())


def check_ignores(sources: Iterable[Source]) -> Iterator[Finding]:
    """Each code that a comment or a front matter ignores is the code of a rule, or the beginning of one."""
    for source in sources:
        unknown = [ignore for ignore in source.ignores if not codes_of(ignore.code)]
        for number, ignore in enumerate(unknown):
            # No more of them are shown, and to find a code that looks like one takes long.
            hint = near(ignore.code) if number < MOST else ALL_CODES
            yield _unknown(source, ignore.code, (ignore.line, ignore.column), hint)
        for word in source.lint_ignore:
            if not codes_of(word):
                place = source.place("lint_ignore")
                yield _unknown(source, word, (place.line, place.column), near(word))


def _unknown(source: Source, word: str, place: tuple[int, int], hint: str) -> Finding:
    return USELESS_IGNORE.finding(source.path, *place, f"The code `{word[:60]}` does not exist.", hint)


def check_codes(settings: LintSettings, where: Callable[[str], str]) -> None:
    """Refuse a code in kbsync.toml that does not exist.

    Args:
        settings: the table [lint].
        where: gives the place at which a key of it is written.

    Raises:
        ConfigError: with file, line, key and a suggestion.
    """
    for key, words in (("ignore", settings.ignore), ("levels", settings.levels)):
        for word in words:
            if not codes_of(word):
                raise ConfigError(f"{where(key)}: The code `{word}` does not exist.", hint=near(word))
