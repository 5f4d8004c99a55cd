"""How translations are to their originals, on the pages of the preview. Looked up in the background."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kbsync.content.identity import Site
from kbsync.content.tree import Tree
from kbsync.fields import label_of
from kbsync.plan.freshness import Freshness, Translation
from kbsync.preview.word_diff import difference_html
from kbsync.site.writer_panel import WriterTranslation
from kbsync.words import count

FindDebts = Callable[[Tree, Site], Iterable[Translation]]
"""The state of every translation. May take long."""


@dataclass(frozen=True, slots=True)
class Debts:
    """What is known of translations.

    Args:
        known: those of which something is known, by the path of the translation.
        missing: those that are not there, by the path of the original and the locale.
        views: how often readers opened the originals, where that is known, by the paths of both.
    """

    known: dict[str, Translation] = field(default_factory=dict)
    missing: dict[tuple[str, str], Translation] = field(default_factory=dict)
    views: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[Translation]) -> Debts:
        """What was found."""
        debts = cls()
        for item in found:
            if item.views:
                debts.views.update({item.original: item.views, item.path: item.views})
            if item.state is Freshness.MISSING:
                debts.missing[item.original, item.locale] = item
            elif item.state in {Freshness.FRESH, Freshness.STALE}:
                debts.known[item.path] = item
        return debts

    def most_read_first(self, path: str) -> int:
        """Sorts what readers read most to the beginning, and leaves the order of the rest."""
        return -self.views.get(path, 0)

    def changed_since(self, before: Debts) -> Iterator[str]:
        """The paths of the files whose pages show something else than before."""
        for path in {*before.known, *self.known}:
            if (now := self.known.get(path)) != (earlier := before.known.get(path)):
                yield path
                yield from (item.original for item in (now, earlier) if item)
        yield from (original for original, _ in before.missing.keys() ^ self.missing.keys())


def translation_of_page(debt: Translation, url: str) -> WriterTranslation:
    """A translation with the words that changed in its original since."""
    changes = tuple((label_of(c.field), difference_html(c.before, c.after)) for c in debt.changes)
    return WriterTranslation(debt.locale, debt.state.value, url, debt.reason, changes, owed=_owed(debt))


def missing_translation(debt: Translation, words: int) -> WriterTranslation:
    """A translation that is to be made: its file, and how many words its original has."""
    owed = f"{count(words, 'word')} to translate." if words else ""
    return WriterTranslation(debt.locale, "missing", path=debt.path, owed=f"{owed} {_views(debt)}".strip())


def _owed(debt: Translation) -> str:
    new = sum((Counter(c.after.split()) - Counter(c.before.split())).total() for c in debt.changes)
    return f"{count(new, 'new or changed word')} to translate. {_views(debt)}".strip() if new else ""


def _views(debt: Translation) -> str:
    return f"The original was opened {count(debt.views, 'time')}." if debt.views else ""
