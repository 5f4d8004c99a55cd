"""Sources that are an article under another name: the old file is gone, a new one has nearly the same text. Pure.

A rename is never guessed between equals: where two old texts are about as near to a new one, or two new ones to an old
one, none is taken, and the plan says so.

A file that kept its place below the folder of its locale, and nearly its text, while that folder is another one, is a
locale move (`git mv content/pt content/pt_BR`): slugs out of file names end with the locale, so they tell nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kbsync.model import Base, Desired, Finding, RemoteId
from kbsync.plan.match import Matches

NEAR = 0.6
"""The share of words that two texts have in common from which one counts as the other. git's own is 0.5, of lines."""

AHEAD = 0.1
"""By how much the nearest must be nearer than the next."""

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Strays:
    """Articles that a plan would make, and managed ones whose source is gone: some of these may be those."""

    new: tuple[Desired, ...]
    old: tuple[Base, ...]


@dataclass(frozen=True, slots=True)
class Renames:
    """Which new source is which old article, by path; `doubtful` are findings where it could be several."""

    found: Mapping[str, RemoteId]
    doubtful: tuple[Finding, ...] = ()


def strays_of(matches: Matches) -> Strays:
    """What may have been renamed. A source without a counterpart only counts where an article lost its own."""
    old = tuple(base for base, seen in matches.orphans if base.kind == "article" and seen is not None)
    locales, places = {base.locale for base in old}, {place_of(base) for base in old}
    unmatched = (match.desired for match in matches.matched if match.base is None and match.observed is None)
    new = tuple(
        item for item in unmatched if item.kind == "article" and (item.locale in locales or place_of(item) in places)
    )
    return Strays(new, old) if old and new else Strays((), ())


def place_of(item: Desired | Base) -> str:
    """Where a source lies below the folder of its locale."""
    return item.path.partition("/")[2]


def movers_of(strays: Strays) -> set[RemoteId]:
    """The old articles that another locale has a new source for at the same place; few texts or many, all are read."""
    places = {(place_of(item), item.locale) for item in strays.new}
    elsewhere: dict[str, set[str]] = {}
    for place, locale in places:
        elsewhere.setdefault(place, set()).add(locale)
    return {base.remote_id for base in strays.old if elsewhere.get(place_of(base), set()) - {base.locale}}


def find_renames(strays: Strays, texts: Mapping[str, str], former: Mapping[RemoteId, str]) -> Renames:
    """Which of the new sources are old articles.

    Args:
        strays: both sides.
        texts: bodies of the new ones, by path.
        former: bodies of the old ones, by id.
    """
    words = {path: _words(text) for path, text in texts.items()}
    former_words = {remote_id: _words(text) for remote_id, text in former.items()}
    near = [
        (likeness(words[item.path], former_words[base.remote_id], item.title == base.fields.get("title")), item, base)
        for item in strays.new
        for base in strays.old
        if item.path in words
        and base.remote_id in former_words
        and (item.locale == base.locale or place_of(item) == place_of(base))
    ]
    near = [candidate for candidate in near if candidate[0] >= NEAR]
    found = {item.path: base.remote_id for score, item, base in near if not _rivals(score, item, base, near)}
    return Renames(found, tuple(_doubts(near, found)))


def likeness(new: Counter[str], old: Counter[str], same_title: bool) -> float:
    """How much of two texts is the same, 0.0 to 1.0; a text of a few words says little, unless the title agrees."""
    most = max(new.total(), old.total())
    if most < 8 and not same_title:
        return 0.0
    share = (new & old).total() / most if most else 1.0
    return min(1.0, share + (AHEAD if same_title else 0.0))


def _words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.casefold()))


def _rivals(score: float, item: Desired, base: Base, near: Iterable[tuple[float, Desired, Base]]) -> list[Base]:
    return [
        other
        for likely, rival, other in near
        if (rival.path == item.path) != (other.remote_id == base.remote_id) and likely > score - AHEAD
    ]


def _doubts(near: list[tuple[float, Desired, Base]], found: Mapping[str, RemoteId]) -> Iterator[Finding]:
    taken = set(found.values())
    doubtful: dict[str, list[str]] = {}
    for _, item, base in near:
        if item.path not in found and base.remote_id not in taken:
            doubtful.setdefault(item.path, []).append(base.slug)
    for path, slugs in doubtful.items():
        names = ", ".join(f"`{slug}`" for slug in sorted(slugs))
        message = f"this may be a renamed article ({names}), but it could be several; it is planned as a new one"
        hint = f"if it is one of them, name it in the front matter: `aliases: [{sorted(slugs)[0]}]`"
        yield Finding("KB505", "warning", path, 1, 1, message, hint)
