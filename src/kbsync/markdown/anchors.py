"""The ids that the portal's page script gives to the headings of an article.

Also: slugs made of names: lower case, hyphens, no accents.
"""

import re
import unicodedata
from functools import lru_cache

from kbsync.markdown.transliteration import LETTERS, MARKS, PAIRS

PLAIN = re.compile(r"[a-z0-9_-]+")
"""What is a slug as it stands."""

_LIGATURES = {"œ": "oe", "Œ": "OE"}
"""Two letters that are one for Unicode and for the table of anchors."""

_OTHERS = re.compile(r"[^a-z0-9_]+")


def made_slug(name: str) -> str:
    """A slug out of the name of a file or the words of a title.

    `Été à Paris` becomes `ete-a-paris`. A name with letters that cannot be written in ASCII, such as Japanese ones,
    stays as it is: without them little of it would be left.
    """
    if PLAIN.fullmatch(name):
        return name
    words = CONTRACTION.sub("", in_ascii("".join(map(_without_accent, unicodedata.normalize("NFC", name)))).lower())
    if any(letter.isalpha() for letter in words if not letter.isascii()):
        return name
    return _OTHERS.sub("-", words).strip("-") or name


def _without_accent(letter: str) -> str:
    """`u` for `ü`, unlike in anchors, where it is `ue`: only some languages write it so."""
    parts = unicodedata.normalize("NFKD", _LIGATURES.get(letter, letter))
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return plain if plain.isascii() else letter


ANCHORED_LEVELS = range(1, 4)
"""Headings of these levels get an id, deeper ones none. Source: docs/service.md, section 9."""

_HUMP = re.compile("(?<=[A-Z]{2})(?=[0-9])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-rt-z])")
"""Where words part: `fooBar`, `API2`, `XMLHttp`, but not `APIs`. Looking to both sides only: slugify's own four
patterns, which match the words themselves, take seconds for a heading of one long word."""

CONTRACTION = re.compile(r"(?<=[a-z0-9])'(?=[ts](?:[\s\ufeff]|\Z))")
"""The straight apostrophe of `what's` and `don't`; the curved one parts words."""

_ASCII_SIGNS = str.maketrans({"&": " and ", "^": "", "`": ""})
_SEPARATORS = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=4096)
def heading_anchor(text: str) -> str:
    """Give the id of a heading with this text as a reader sees it (`spans.Heading.text`).

    Equal headings get equal ids, without a counter, and a heading in a script that cannot be written in ASCII
    gets an empty one: neither can be linked to. The rule is that of @sindresorhus/slugify 2.2.1.
    """
    return _SEPARATORS.sub("-", CONTRACTION.sub("", _HUMP.sub(" ", in_ascii(text)).lower())).strip("-")


def in_ascii(text: str) -> str:
    """Write letters of other scripts in ASCII where there is a way, and take marks off the others."""
    if text.isascii():
        return text.translate(_ASCII_SIGNS)
    text = unicodedata.normalize("NFC", text)
    for pair, written in PAIRS.items():
        text = text.replace(pair, written)
    return unicodedata.normalize("NFD", text.translate(LETTERS)).translate(MARKS)
