"""Which translations are stale or missing, and the words that changed since. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kbsync.fields import label_of
from kbsync.model import visible
from kbsync.plan.freshness import Freshness, TextChange, Translation, by_locale, changed_words
from kbsync.report.body_diff import Body, word_lines
from kbsync.report.escape import inert
from kbsync.report.json_types import OwedEntry
from kbsync.report.style import Style
from kbsync.words import count

Changes = Sequence[TextChange]

MOST_OWED = 5
"""Translations to make that `status` shows; it is one screen."""

BY_HISTORY = (
    "{number} without `translated_from`: their last edit in git counts as the translation, which may be wrong. "
    "`kbsync translate --done` with a path records it."
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
    return inert("".join(f"{line}\n" for line in lines))


def _item_lines(item: Translation, style: Style) -> Iterator[str]:
    color = "red" if item.state == Freshness.MISSING else "yellow"
    owed = "" if item.state == Freshness.MISSING else owed_words(item)
    mark = " (machine)" if item.is_machine else ""
    yield from style.wrapped(
        f"{visible(item.path)}  {style.paint(item.state, color)}{mark}{owed and f', {owed}'}", hang=2
    )
    if item.reason and not item.by_history:
        yield from style.wrapped(f"    {item.reason}")
    for change in item.changes:
        yield from _change_lines(change, style)


def _change_lines(change: TextChange, style: Style) -> Iterator[str]:
    yield f"    {label_of(change.field)}:"
    yield from word_lines(Body(change.before, change.after), style, indent=6)


def owed_words(item: Translation) -> str:
    """How many words of the original are new or other: `12 words changed in en/billing/refunds.md`."""
    if not item.changes:
        return ""
    return f"{_words(changed_words(item.changes))} in {visible(item.original)}"


def _words(number: int) -> str:
    return f"{count(number, 'word')} changed" if number else "word order or punctuation changed"


def owed_lines(items: Sequence[OwedEntry], changes: Mapping[str, Changes], style: Style) -> Iterator[str]:
    """The translations to make or renew, for a screen that is about more than that.

    Args:
        items: in their order.
        changes: what changed in the originals, by the path of the translation, where that is shown.
        style: the screen.
    """
    order = ", most read first" if any(item.views for item in items) else ""
    yield style.paint(f"To translate{order}", "bold")
    shown = items if style.verbose else items[:MOST_OWED]
    for item in shown:
        parts: list[str] = [item.state]
        parts += [_words(item.words)] if item.words is not None else []
        parts += [count(item.views, "view")] if item.views else []
        yield from style.wrapped(f"  {visible(item.path)}  {', '.join(parts)}", hang=2)
        for change in changes.get(item.path, ()):
            yield from _change_lines(change, style)
    if len(items) > len(shown):
        yield from style.wrapped(
            f"  … and {len(items) - len(shown):,} more (-v shows all, with the words that changed)"
        )
