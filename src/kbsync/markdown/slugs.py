"""Slugs made of names: lower case, hyphens, no accents."""

import re
import unicodedata

from kbsync.markdown.anchors import CONTRACTION, in_ascii

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
