"""How translations are to their originals, on the pages of the preview. Looked up in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kbsync.content.identity import Site
from kbsync.content.tree import Tree
from kbsync.fields import label_of
from kbsync.plan.freshness import Freshness, Translation
from kbsync.preview.word_diff import difference_html
from kbsync.site.pages import WriterTranslation

FindDebts = Callable[[Tree, Site], Iterable[Translation]]
"""The state of every translation. May take long."""


def known_debts(found: Iterable[Translation]) -> dict[str, Translation]:
    """Those of which something is known, by the path of the translation."""
    return {item.path: item for item in found if item.state in {Freshness.FRESH, Freshness.STALE}}


def translation_of_page(debt: Translation, url: str) -> WriterTranslation:
    """A translation with the words that changed in its original since."""
    changes = tuple((label_of(c.field), difference_html(c.before, c.after)) for c in debt.changes)
    return WriterTranslation(debt.locale, debt.state.value, url, debt.reason, changes)
