"""How CommonMark writes characters that it would otherwise read as syntax: escapes and entities."""

import re
from html.entities import html5

NAMES_CHARS = 32
"""The longest entity name the portal's parser looks for, `&` and `;` not counted."""

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_ENTITY = rf"&(#[xX][0-9a-fA-F]{{1,6}}|#[0-9]{{1,7}}|[A-Za-z][A-Za-z0-9]{{1,{NAMES_CHARS - 1}}});"
ENTITY = re.compile(_ENTITY)
_WRITTEN = re.compile(rf"\\({_PUNCTUATION})|{_ENTITY}")


def decode(written: str) -> str:
    """Resolve backslash escapes and entities, as in a destination, a title or a fence's info."""
    if "\\" not in written and "&" not in written:
        return written
    return _WRITTEN.sub(lambda found: found[1] or character(found[2]) or found[0], written)


def decode_entities(written: str) -> str:
    """Resolve entities only, as in an autolink, where a backslash is a backslash."""
    return ENTITY.sub(lambda found: character(found[1]) or found[0], written) if "&" in written else written


def character(name: str) -> str | None:
    """The text that `&name;` stands for, or None where the portal prints it as it is written.

    Numbers that are no character give U+FFFD, control characters give themselves (cmark-gfm 0.29).
    """
    if not name.startswith("#"):
        return html5.get(f"{name};")
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    broken = code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF
    return "\ufffd" if broken else chr(code)
