"""Which translations are stale or missing, and the words that changed since. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kbsync.fields import label_of
from kbsync.model import visible
from kbsync.plan.freshness import Freshness, Translation, by_locale
from kbsync.report.body_diff import Body, word_lines
from kbsync.report.style import Style
from kbsync.words import count

BY_HISTORY = (
    "{number} without `translated_from`: their last edit in git counts as the translation, which may be wrong. "
    "`kbsync translated` with a path records it."
)


def translations_text(items: Sequence[Translation], all_items: Sequence[Translation], style: Style) -> str:
    """What is owed, each with its words; then the numbers of each language.

    Args:
        items: what is shown.
        all_items: what is counted.
        style: the screen.
    """
    lines = [line for item in items for line in (*_item_lines(item, style), "")]
    for locale, states in by_locale(all_items).items():
        numbers = ", ".join(f"{number:,} {state}" for state, number in states.items())
        lines += style.wrapped(f"{locale}: {numbers}.", hang=2)
    guessed = sum(1 for item in all_items if item.by_history)
    if guessed:
        lines += style.wrapped(BY_HISTORY.format(number=f"{guessed:,}"))
    return "".join(f"{line}\n" for line in lines)


def _item_lines(item: Translation, style: Style) -> Iterator[str]:
    color = "red" if item.state == Freshness.MISSING else "yellow"
    where = "" if item.state == Freshness.MISSING else f" {owed_words(item)}"
    mark = " (machine)" if item.is_machine else ""
    yield from style.wrapped(f"{visible(item.path)}  {style.paint(item.state, color)}{mark}{where}", hang=2)
    if item.reason and not item.by_history:
        yield from style.wrapped(f"    {item.reason}")
    for change in item.changes:
        yield f"    {label_of(change.field)}:"
        yield from word_lines(Body(change.before, change.after), style, indent=6)


def owed_words(item: Translation) -> str:
    """How many words of the original are new or other: `12 words changed in en/billing/refunds.md`."""
    if not item.changes:
        return ""
    from collections import Counter

    new = sum((Counter(c.after.split()) - Counter(c.before.split())).total() for c in item.changes)
    gone = sum((Counter(c.before.split()) - Counter(c.after.split())).total() for c in item.changes)
    verb = "changed" if max(new, gone) else "moved"
    return f"{count(max(new, gone), 'word')} {verb} in {visible(item.original)}"
