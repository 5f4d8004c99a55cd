"""The ids that the portal's page script gives to the headings of an article."""

import re
import unicodedata
from functools import lru_cache

from kbsync.markdown.transliteration import LETTERS, MARKS, VOWEL_SIGNS

ANCHORED_LEVELS = range(1, 4)
"""Headings of these levels get an id, deeper ones none. Source: docs/service.md, section 9."""

_HUMPS = tuple(
    re.compile(between)
    for between in (
        "(?<=[A-Z]{2})(?=[0-9])",
        "(?<=[a-z0-9])(?=[A-Z]{2})",
        "(?<=[a-z0-9])(?=[A-Z])",
        "(?<=[A-Z])(?=[A-Z][a-z0-9])",
    )
)
"""Where words part, one rule after the other. Looking to both sides only: slugify's own patterns, which match the words
themselves, take seconds for a heading of one long word."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=4096)
def heading_anchor(text: str) -> str:
    """Give the id of a heading with this text as a reader sees it (`spans.Heading.text`).

    Equal headings get equal ids, without a counter, and a heading in a script that cannot be written in ASCII
    gets an empty one: neither can be linked to. The rule is that of @sindresorhus/slugify 1.1.0, which words such as
    `fooBar` (`foo-bar`) and `API2` (`api-2`) come from.
    """
    text = unicodedata.normalize("NFC", text)
    for sign, letter in VOWEL_SIGNS.items():
        text = text.replace(sign, letter)
    text = MARKS.sub("", text.translate(LETTERS))
    for hump in _HUMPS:
        text = hump.sub(" ", text)
    return _SEPARATORS.sub("-", text.lower()).strip("-")
