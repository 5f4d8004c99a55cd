"""The articles of each category as links, made once for all pages that list those beside them.

The page of an article lists the nearest of its category. In a large tree these are most of what a page is made of, and
nearly the same for all pages of the category, so a job only says where its part of the list begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbsync.preview.index import BESIDE, CategoryKey
from kbsync.site.pages import Link, Navigation


class Part(NamedTuple):
    """The part of a category's list that is beside an article: its first place, and the place of the article."""

    category: CategoryKey
    first: int
    at: int


@dataclass(frozen=True, slots=True)
class CategoryList:
    """All articles of a category in order."""

    heading: Link
    links: tuple[Link, ...]

    def beside(self, part: Part) -> Navigation:
        """What the page of an article shows of it."""
        return Navigation(self.heading, marked(self.links[part.first : part.first + BESIDE], part.at - part.first))


def marked(links: Sequence[Link], at: int) -> tuple[Link, ...]:
    """Links with one of them marked as the present page."""
    return (*links[:at], replace(links[at], mark="current"), *links[at + 1 :])
