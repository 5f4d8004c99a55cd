"""Tags, comments and the rest of raw HTML as cmark-gfm 0.29 recognises them: ASCII spaces only."""

import re
from dataclasses import dataclass

_BLANK = r"[ \t\v\f\r\n]"
_VALUE = r"""(?:[^ \t\r\n\v\f"'=<>`\0]++|'[^'\0]*+'|"[^"\0]*+")"""
_ATTRIBUTE = rf"{_BLANK}++[a-zA-Z_:][a-zA-Z0-9:._-]*+(?:{_BLANK}*+={_BLANK}*+{_VALUE})?"

OPENING_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*+{_BLANK}*/?>"
CLOSING_TAG = rf"</[A-Za-z][A-Za-z0-9-]*{_BLANK}*>"
_COMMENT = r"<!---?>|<!--(?:[^-\0]|-[^-\0]|--[^>\0])*+-->"
_INSTRUCTION = r"<\?(?:[^?>\0]|\?[^>\0]|>)*+\?>"
_DECLARATION = rf"<![A-Z]++{_BLANK}++[^>\0]*+>"
_CDATA = r"<!\[CDATA\[(?:[^\]\0]|\][^\]\0]|\]\][^>\0])*+\]\]>"

TAG = re.compile(f"{OPENING_TAG}|{CLOSING_TAG}")


@dataclass(frozen=True, slots=True)
class Markup:
    """Raw HTML that is not a tag: what it begins with, from where on it needs an end, and all of it."""

    start: str
    begun: re.Pattern[str]
    whole: re.Pattern[str]


MARKUP = (
    Markup("<!--", re.compile("<!--"), re.compile(_COMMENT)),
    Markup("<![", re.compile(r"<!\[CDATA\["), re.compile(_CDATA)),
    Markup("<!", re.compile(f"<![A-Z]+{_BLANK}+"), re.compile(_DECLARATION)),
    Markup("<?", re.compile(r"<\?[^\0]"), re.compile(_INSTRUCTION)),
)
"""In this order: the first start that fits decides."""


def is_comment(html: str) -> bool:
    """Whether a comment inside a line is one for the portal; else it prints all of it."""
    return MARKUP[0].whole.fullmatch(html) is not None
