"""Which findings count, and at which level: what comments, front matter and kbsync.toml say of them. Pure.

A finding that a rule calls an error stays one, whatever they say: the service would refuse the article, or something
would be lost. Of what kbsync.toml says the longest code counts: `KB301` before `KB3`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kbsync.config import LintSettings, Verdict
from kbsync.content.source import Source
from kbsync.errors import ConfigError
from kbsync.model import Finding
from kbsync.words import similar, suggestion

CODE = re.compile(r"KB[0-9]{1,3}")
ALIKE = str.maketrans("OIL", "011")
"""Letters that are taken for digits."""

FIRM = "an error stays an error: nothing can ignore or lower it"


def meant_by(word: str) -> list[str]:
    """The codes that a word means, which is a code or the beginning of some: `KB401`, `KB40`, `KB4`."""
    # Loaded here: most trees ignore nothing, and the rules' explanations are long.
    from kbsync.lint.rules import RULES

    return [code for code in RULES if code.startswith(word)] if CODE.fullmatch(word) else []


def near(word: str) -> str:
    """One thing to do about a word that means no code."""
    from kbsync.lint.rules import RULES

    typed = word.upper().translate(ALIKE)
    known = similar(typed, RULES, most=len(RULES))
    if not known:
        return "`kbsync lint --rules` lists the codes"
    # Codes are read from the left: `KB30x` is rather KB301 than KB310.
    best = max(known, key=lambda code: sum(typed.startswith(code[: end + 1]) for end in range(len(code))))
    return suggestion(best)


@dataclass(frozen=True, slots=True)
class Judge:
    """Knows what kbsync.toml says of each code.

    Args:
        settings: the table [lint].
    """

    settings: LintSettings
    _known: dict[str, Verdict | None] = field(default_factory=dict)

    def judge(self, findings: Iterable[Finding], sources: Mapping[str, Source]) -> Iterator[Finding]:
        """The findings that count, each at the level that it has in this project."""
        for finding in findings:
            verdict = self._verdict(finding.code)
            ignored = verdict == "off" or is_ignored(finding, sources.get(finding.path))
            if finding.level == "error":
                softer = ignored or verdict == "warning"
                yield replace(finding, hint=f"{finding.hint} ({FIRM})".lstrip()) if softer else finding
            elif not ignored:
                yield replace(finding, level="error") if verdict == "error" else finding

    def _verdict(self, code: str) -> Verdict | None:
        if code not in self._known:
            said: dict[str, Verdict] = {**dict.fromkeys(self.settings.ignore, "off"), **self.settings.levels}
            words = [word for word in said if code.startswith(word)]
            self._known[code] = said[max(words, key=len)] if words else None
        return self._known[code]


def is_ignored(finding: Finding, source: Source | None) -> bool:
    """Whether the source itself, with a comment or a key of its front matter, says that this is meant."""
    if source is None or not (source.ignores or source.lint_ignore):
        return False
    if any(word and finding.code.startswith(word) for word in source.lint_ignore if CODE.fullmatch(word)):
        return True
    return any(
        ignore.covers == finding.line and CODE.fullmatch(ignore.code) and finding.code.startswith(ignore.code)
        for ignore in source.ignores
    )


def check_ignores(sources: Iterable[Source]) -> Iterator[Finding]:
    """Each code that a comment or a front matter ignores is the code of a rule, or the beginning of one."""
    for source in sources:
        for ignore in source.ignores:
            if not meant_by(ignore.code):
                yield _unknown(source, ignore.code, ignore.line, ignore.column)
        for word in source.lint_ignore:
            if not meant_by(word):
                place = source.place("lint_ignore")
                yield _unknown(source, word, place.line, place.column)


def _unknown(source: Source, word: str, line: int, column: int) -> Finding:
    return Finding("KB120", "warning", source.path, line, column, f"`{word[:60]}` is the code of no rule", near(word))


def check_codes(settings: LintSettings, where: Callable[[str], str]) -> None:
    """Refuse a code in kbsync.toml that no rule has.

    Args:
        settings: the table [lint].
        where: gives the place at which a key of it is written.

    Raises:
        ConfigError: with file, line, key and what was probably meant.
    """
    for key, words in (("ignore", settings.ignore), ("levels", settings.levels)):
        for word in words:
            if not meant_by(word):
                raise ConfigError(f"{where(key)}: `{word}` is the code of no rule", hint=near(word))
