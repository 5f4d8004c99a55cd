"""Whether a translation still renders its original: decided by content, never by dates. Pure.

the original is the file that was translated, byte for byte                      fresh
nothing that is translated is different, word by word                            fresh
it differs, and each commit that changed it since is marked `[minor]`            fresh
it differs                                                                       stale, with the words
the file that was translated is not in this clone                                stale, difference unknown
`translated_from` is not there: the same by the last edit in git's history       by history
neither `translated_from` nor history                                            unknown
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

MINOR = "[minor]"
"""In the subject of a commit: what it changes need not be translated again."""

Texts = Mapping[str, str]
"""What is translated of an article, by field; fields without a text are left out."""


class Freshness(StrEnum):
    """How a translation is to its original."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    UNKNOWN = "unknown"


class Edit(NamedTuple):
    """A minor commit changed the original: the ids of the file before and after, "" where there was none."""

    before: str
    after: str


class TextChange(NamedTuple):
    """A field of the original whose words are others than those that were translated."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One article in one other locale.

    Args:
        locale: of the translation.
        original: path of the original.
        path: of the translation; where it is missing, where it would be.
        state: fresh, stale, missing or unknown.
        reason: a sentence, where the state needs one.
        changes: what changed in the original since; empty where that is not known.
        by_history: `translated_from` is not there, so the last edit in git's history counts as the translation.
        is_machine: a program translated it, and no person has checked it since.
        views: how often readers opened the original, where that is known.
    """

    locale: str
    original: str
    path: str
    state: Freshness
    reason: str = ""
    changes: tuple[TextChange, ...] = ()
    by_history: bool = False
    is_machine: bool = False
    views: int | None = None


WORD = re.compile(r"\w++(?:['’]\w++)*+")


def changes_between(before: Texts, after: Texts) -> tuple[TextChange, ...]:
    """The fields whose words differ; spaces and line breaks are no words."""
    names = dict.fromkeys((*after, *before))
    pairs = ((name, before.get(name, ""), after.get(name, "")) for name in names)
    return tuple(TextChange(*pair) for pair in pairs if pair[1].split() != pair[2].split())


def changed_words(changes: Iterable[TextChange]) -> int:
    """How many words are new or gone, whichever are more; 0 where only their order or what is between them changed.

    Punctuation, and the lines and hyphens of a table, are no words.
    """
    new = gone = 0
    for change in changes:
        before, after = Counter(WORD.findall(change.before)), Counter(WORD.findall(change.after))
        new, gone = new + (after - before).total(), gone + (before - after).total()
    return max(new, gone)


def only_minor(before: Texts, after: Texts, edits: Iterable[Edit], texts: Mapping[str, Texts]) -> bool:
    """Whether steps that need no translation lead from one text to the other: `edits` are those in git's history.

    `texts` is what is translated, by the ids that these name; ids that could not be read are left out.
    """
    steps: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    keys = {oid: _key(found) for oid, found in texts.items()}
    for edit in edits:
        if edit.before in keys and edit.after in keys:
            steps.setdefault(keys[edit.after], set()).add(keys[edit.before])
    goal, coming = _key(before), [_key(after)]
    seen = set(coming)
    while coming:
        at = coming.pop()
        if at == goal:
            return True
        coming += (new := steps.get(at, set()) - seen)
        seen |= new
    return False


def _key(texts: Texts) -> tuple[str, ...]:
    return tuple(f"{name} {' '.join(text.split())}" for name, text in sorted(texts.items()) if text.split())


def most_read_first(translations: Iterable[Translation], views: Mapping[str, int]) -> tuple[Translation, ...]:
    """In order of what readers read most, by the path of the original; where that is not known, or is the same, as they
    were."""
    known = (replace(item, views=views.get(item.original)) for item in translations)
    return tuple(sorted(known, key=lambda item: -(item.views or 0)))


def by_locale(translations: Sequence[Translation]) -> dict[str, dict[Freshness, int]]:
    """How many of each state, for every locale; states that are nowhere count 0."""
    counts: dict[str, dict[Freshness, int]] = {}
    for item in translations:
        found = counts.setdefault(item.locale, dict.fromkeys(Freshness, 0))
        found[item.state] += 1
    return counts
