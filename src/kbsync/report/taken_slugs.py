"""The slugs that another portal of the service has, in a few lines of a plan. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kbsync.model import Held, visible
from kbsync.report.style import Style

NAMED_SLUGS = 10
"""Slugs that are named in a line."""


def elsewhere_lines(held: Sequence[Held], style: Style) -> list[str]:
    """These slugs together: what to do is the same for many of them."""
    lines: list[str] = []
    for todo in dict.fromkeys(item.elsewhere for item in held if item.elsewhere):
        slugs = [visible(_slug_of(item)) for item in held if item.elsewhere == todo]
        lines += style.wrapped(f"  {_sentence(slugs, verbose=style.verbose)}", hang=4)
        lines += style.wrapped(f"      {visible(todo)}", colour="dim")
    return lines


def _sentence(slugs: Sequence[str], *, verbose: bool) -> str:
    belong = "1 slug belongs" if len(slugs) == 1 else f"{len(slugs):,} slugs belong"
    shown = slugs if verbose else slugs[:NAMED_SLUGS]
    left = len(slugs) - len(shown)
    more = f" … and {left:,} more (-v lists them all)" if left else ""
    return f"{belong} to another portal of this service: {', '.join(shown)}{more}."


def _slug_of(item: Held) -> str:
    """The slug that a held item is to get."""
    return next((str(field.after) for field in item.values if field.name == "slug"), item.slug)
