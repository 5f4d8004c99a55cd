"""The checks of one article: its text alone says whether the rules are kept.

Every changed file is looked at, thousands on a first run. So a check first asks something cheap of the whole text, and
only a suspicion costs more.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from kbsync.content.inspection import Body
from kbsync.lint import (
    addresses,
    fill_ins,
    foreign,
    headings,
    leftovers,
    merges,
    nesting,
    raw_html,
    references,
    same_page,
    tables,
)
from kbsync.lint.fill_ins import components, templates, touches
from kbsync.lint.finds import Check, checks_of
from kbsync.lint.page import Mark, Page, Span, covering

BODY_CHECKS: tuple[Check[Page, Mark], ...] = checks_of(
    merges,
    raw_html,
    foreign,
    references,
    fill_ins,
    leftovers,
    addresses,
    headings,
    same_page,
    nesting,
    tables,
)

AFTER_MERGES = tuple(check for check in BODY_CHECKS if check is not merges.check_merges)

TAGS = frozenset({raw_html.RAW_HTML.code, raw_html.PLACEHOLDER.code})
OF_VALUES = frozenset({foreign.MDX.code, addresses.BARE_ADDRESS.code})


def marks_of(body: Body) -> list[Mark]:
    """Everything that the rules find in a body, in the order of the text."""
    page = Page(body)
    if marks := list(merges.check_merges(page)):
        # A line of `=======` reads as the underline of a heading: until the merge is finished, no other finding
        # about such a text is reliable.
        return marks
    signs = page.signs
    marks = [mark for check in AFTER_MERGES if check.sign in signs for mark in check.find(page)]
    marks.sort(key=lambda mark: (mark.at, mark.code))
    return list(_outside_of_others(body.text, marks)) if marks and "{" in body.text else marks


def _outside_of_others(text: str, marks: list[Mark]) -> Iterator[Mark]:
    """What is in there is the other tool's: an edit of ours would break it, and its tags are not raw HTML."""
    filled_in, of_mdx = templates(text), components(text)
    for mark in marks:
        is_tag = mark.code in TAGS and (_is_inside(filled_in, mark.at) or _is_inside(of_mdx, mark.at))
        if not is_tag and not _is_part(of_mdx, mark):
            is_theirs = _breaks(filled_in, mark) or _breaks(of_mdx, mark)
            yield structs.replace(mark, edits=()) if is_theirs else mark


def _breaks(spans: list[Span], mark: Mark) -> bool:
    """Whether an edit would change what belongs to another tool, and is not the one that takes all of that away."""
    return mark.code != fill_ins.TEMPLATE.code and touches(spans, mark)


def _is_inside(spans: list[Span], place: int) -> bool:
    """Whether a tag is inside of what belongs to another tool. One that is all of that is dropped like any other."""
    span = covering(spans, place)
    return span is not None and span[0] < place


def _is_part(components: list[Span], mark: Mark) -> bool:
    """Whether a finding is about a value of a tag that is reported as a whole."""
    return mark.code in OF_VALUES and _is_inside(components, mark.at)
