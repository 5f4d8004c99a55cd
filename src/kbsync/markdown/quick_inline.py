"""The HTML of text with simple marks only, without the parser: most paragraphs, items and cells are such.

What is not certain at sight is left to the parser: escapes, entities, raw HTML, superscript, links whose address needs
encoding, emphasis that is nested, touches a sign, or is within a word.
"""

import re

from kbsync.markdown.embeds import player
from kbsync.markdown.versions import Version

_PLAIN = r"[^\n\\`*_\[\]<&^!]"
_ADDRESS = "[A-Za-z0-9/._~#=:,%@+-]"
_CODE_INSIDE = r"(?<!`)`(?! )[^`\n*\[\]]++(?<! )`(?!`)"
_INSIDE = rf"(?:{_PLAIN}++|{_CODE_INSIDE})"


def _emphasis(marks: str) -> str:
    """Marks that can only open, text, and marks that can only close. What is beside them decides, on both sides."""
    marks = re.escape(marks)
    opened = rf"(?:(?<![^\n (]){marks}(?=[^\W_])|(?<![^\n ]){marks}(?=\S))"
    closed = rf"(?:(?<=[^\W_]){marks}(?=[ \n.,;:!?)]|\Z)|(?<=\S){marks}(?=[ \n]|\Z))"
    return f"{opened}{_INSIDE}++{closed}"


_KINDS = (
    rf"{_PLAIN}++",
    r"(?<![ \t])\n(?![ \t])",
    # A blank at both ends of code would be taken off.
    r"(?<!`)`(?! [^`\n]* `)[^`\n]++`(?!`)",
    _emphasis("**"),
    _emphasis("*"),
    rf"!\[{_PLAIN}++\]\({_ADDRESS}++\)",
    rf"\[{_INSIDE}++\]\((?:{_ADDRESS}|\?)++\)",
    r"!(?!\[)",
    r"&(?![#A-Za-z])",
    r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])",
)

_SIGNS = re.compile(r"[\n\\`*_\[\]<&^!]")
_SIMPLE = re.compile(f"(?:{'|'.join(_KINDS)})*+\\Z")
_MARKED = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*"
    r"|!\[(?P<alt>[^\]]+)\]\((?P<src>[^)]+)\)|\[(?P<words>[^\]]+)\]\((?P<href>[^)]+)\)"
)
_CODE = re.compile("`([^`]+)`")
_LINK = re.compile(r"\]\(([^)]*://[^)]*)\)")


def quick_inline(text: str, version: Version) -> str | None:
    """The HTML of the inside of a block, or None where the parser has to read it."""
    if not _SIGNS.search(text):
        return escape(text)
    if not _SIMPLE.match(text):
        return None
    if "://" in text and any(player(found[1], version) for found in _LINK.finditer(text)):
        return None
    return _MARKED.sub(_html, escape(text))


def _html(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "href":
            return f'<a href="{found["href"]}">{_with_code(found["words"])}</a>'
        case "src":
            return f'<img src="{found["src"]}" alt="{found["alt"]}" />'
        case "code":
            return f"<code>{found['code']}</code>"
        case kind:
            return f"<{kind}>{_with_code(found[kind or 0])}</{kind}>"


def _with_code(html: str) -> str:
    return _CODE.sub(r"<code>\1</code>", html) if "`" in html else html


def escape(text: str) -> str:
    """Text as HTML has it. For a text with other letters than ASCII, `str.translate` takes many times as long."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
