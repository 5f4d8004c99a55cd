"""Signs of Markdown extensions that the portal prints: emoji names, marked words and changes, keys, names of blocks.

Formulas are in `formulas.py`. Each pattern begins with a plain character, so that nearly all texts are passed in a
moment; only where one is found, the prose is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page
from kbsync.model import Rule
from kbsync.patterns import Pattern

EXTENSION = Rule("KB422", "Sign of a Markdown extension")

EMOJI = {
    "+1": "👍", "-1": "👎", "100": "💯", "arrow_right": "➡️", "bell": "🔔", "book": "📖", "books": "📚", "boom": "💥",
    "bug": "🐛", "bulb": "💡", "calendar": "📅", "clap": "👏", "computer": "💻", "construction": "🚧", "email": "📧",
    "exclamation": "❗", "eyes": "👀", "fire": "🔥", "gear": "⚙️", "gift": "🎁", "heart": "❤️",
    "heavy_check_mark": "✔️", "information_source": "ℹ️", "key": "🔑", "link": "🔗", "lock": "🔒", "mag": "🔍",
    "memo": "📝", "no_entry": "⛔", "ok_hand": "👌", "package": "📦", "pencil": "📝", "point_right": "👉",
    "pushpin": "📌", "question": "❓", "rocket": "🚀", "rotating_light": "🚨", "slightly_smiling_face": "🙂",
    "smile": "😄", "smiley": "😃", "sparkles": "✨", "star": "⭐", "tada": "🎉", "thumbsup": "👍", "wave": "👋",
    "warning": "⚠️", "white_check_mark": "✅", "wink": "😉", "wrench": "🔧", "x": "❌", "zap": "⚡",
}  # fmt: skip
"""The names that writers use most. Source: github.com/github/gemoji."""

_EMOJI = Pattern(r":(?<![\w:/.`'\"-]:)([a-z][a-z0-9_-]*[a-z0-9]|x|100|\+1|-1):(?![\w:`])")
_MARKED = Pattern(r"==(?<![A-Za-z0-9_=<>!{]==)(?=[^\s=])[^=\n]*(?<=[^\s=<>!])==(?![A-Za-z0-9_=])")
_KEYS = Pattern(r"\+\+(?<![\w+{]\+\+)[A-Za-z0-9\"_-]++(?:\+[A-Za-z0-9\"_-]++)*+\+\+(?![\w+])")
_SNIPPET = Pattern(r"-8<-{1,3}(?:[ \t]+[\"'][^\"'\n]+[\"']|(?=[ \t\r]*$))", re.MULTILINE)
_ABBREVIATION = r"(?<=\*\[)(?<![^\s>]\*\[)[^\[\]\n]+\]:[ \t]+(?=\S)"
_TOC = r"[Tt][Oo][Cc]"
_CONTENTS = rf"(?:{_TOC}\](?<![^\s>@]\[...\])(?=[ \t\r]*$)|\[[_*]?{_TOC}[_*]?\]\](?![(\[]))"
_BRACKET = Pattern(rf"\[(?:{_ABBREVIATION}|{_CONTENTS})", re.MULTILINE)

_BLOCK_ID = Pattern(
    r"\^(?<!\S\^)(?:[0-9a-f]{6}|[A-Za-z][A-Za-z0-9-]*+)(?<!\^[A-Za-z])"
    r"(?=[ \t\r]*(?:\Z|\n[ \t>]*(?:\r?\n|\Z|[-*+][ \t]|\d{1,9}[.)][ \t])))"
)
"""The name of a block in Obsidian, at its end; one letter alone is rather an exponent."""

_CRITIC = ("++", "++"), ("--", "--"), ("~~", "~~"), ("==", "=="), (">>", "<<")


def _of_critic(begins: str, ends: str) -> Pattern:
    """`{++words++}` of CriticMarkup; `{{--words--}}` is a template."""
    first, last = re.escape(begins), re.escape(ends)
    return Pattern(rf"\{{{first}(?<!\{{\{{{first})(?=[^{{}}\n]{{3,}})[^{{}}\n]{{1,500}}+(?<={last})\}}(?!\}})")


def _emoji(match: re.Match[str]) -> tuple[str, str]:
    if sign := EMOJI.get(match[1]):
        return f"`{match[0]}` does not become an emoji: the portal prints the name.", f"Write `{sign}`."
    return f"`{_short(match[0])}` is not replaced: the portal prints it.", "Write the emoji itself, or delete it."


def _marked(match: re.Match[str]) -> tuple[str, str]:
    return "Text between `==` is not highlighted: the portal prints the signs.", "Use bold: `**words**`."


def _keys(match: re.Match[str]) -> tuple[str, str]:
    return f"`{_short(match[0])}` does not become keys: the portal prints the `++`.", "Put the keys in backticks."


def _block_id(match: re.Match[str]) -> tuple[str, str]:
    message = f"`{_short(match[0])}` does not name this paragraph: the portal prints it."
    return message, "Delete it. A link can lead to a heading: `[words](path.md#heading)`."


def _critic(match: re.Match[str]) -> tuple[str, str]:
    if match[0].startswith("{>>"):
        return f"`{_short(match[0])}` is not hidden: the portal prints it.", "Delete it, or put the note into the text."
    message = f"`{_short(match[0])}` is a change that is still marked: the portal prints the marks."
    return message, "Keep the words that readers are to see, without the marks."


def _snippet(match: re.Match[str]) -> tuple[str, str]:
    return "This line does not include a file: the portal prints it.", "Write here what the file says."


def _bracket(match: re.Match[str]) -> tuple[str, str]:
    if ":" not in match[0]:
        message = f"`{match[0]}` does not become a table of contents: the portal prints it."
        return message, "Delete it: the portal makes a table of contents itself."
    message = f"`*{_short(match[0].rstrip())}` explains nothing: the portal prints this line."
    return message, "Explain the abbreviation in the text, and delete the line."


_ROLE = Pattern(r"\{(?<![^\s(\[>*_,;:/-]\{)[A-Za-z][\w:+-]{0,40}\}(?=`)")
_LABEL = Pattern(r"\((?<![^\n>\s]\()[A-Za-z][\w:./ -]{0,100}\)=(?=[ \t\r]*$)", re.MULTILINE)
_CITATION = Pattern(r"\[(?:[^\[\]\n@]{1,40} )?-?@[A-Za-z][\w:.-]{0,60}\d{4}[a-z]?(?=[\],;])[^\[\]\n]*\](?![\[(])")

_CROSS = Pattern(r"@(?<![\w@/.]@)(?:eq|fig|lst|sec|tbl):[A-Za-z][\w-]*")
_CITED = Pattern(r"@[A-Za-z][\w:.-]{0,60}\d[a-z]?[\],;]")
"""Most `@` belong to addresses and names of packages."""


@finds(EXTENSION)
def check_sphinx(page: Page) -> Iterator[Mark]:
    """Roles, labels and citations of MyST, Sphinx and Pandoc: `{ref}`name``, `(name)=`, `[@doe2020]`."""
    for sign, pattern, message, hint in _OF_SPHINX:
        if sign in page.signs and (pattern is not _CITATION or _CITED.search(page.text)):
            for match in pattern.finditer(page.text):
                if is_text(page, match.start()) and (pattern is not _LABEL or _begins_line(page, match.start())):
                    yield Mark(EXTENSION, match.start(), message.format(_short(match[0])), hint)


def _begins_line(page: Page, place: int) -> bool:
    return not page.text[page.line_start(place) : place].strip(" \t>")


_OF_SPHINX = (
    (
        "}`",
        _ROLE,
        "`{}` belongs to another tool: the portal prints it.",
        "Delete it, or write a link: `[words](path.md)`.",
    ),
    (
        ")=",
        _LABEL,
        "`{}` names nothing: the portal prints this line.",
        "Delete it: headings have anchors from their words.",
    ),
    (
        "@",
        _CITATION,
        "`{}` does not become a reference: the portal prints it.",
        "Write the name of the source, or a link.",
    ),
    (
        "@",
        _CROSS,
        "`{}` does not become a number: the portal prints it.",
        "Write what it refers to, or a link to its heading.",
    ),
)
"""What the punctuation of a text with the sign has at least, the sign, and what to say of it."""

_EMOJI_SIGNS = Pattern(r":[-+_]*+:")
"""What the punctuation of a text with the name of an emoji has."""


Words = Callable[[re.Match[str]], tuple[str, str]]

_SIGNS: tuple[tuple[str, Pattern, Words], ...] = (
    (":", _EMOJI, _emoji),
    ("==", _MARKED, _marked),
    ("++", _KEYS, _keys),
    ("<-", _SNIPPET, _snippet),
    ("[", _BRACKET, _bracket),
    ("^", _BLOCK_ID, _block_id),
)
"""What the punctuation of a text with the sign has at least, the pattern of the sign, and what to say of one. What it
has at least begins with a character that few texts have, where there is one."""

_IN_BRACES: tuple[tuple[str, Pattern, Words], ...] = tuple(
    (f"{{{begins}", _of_critic(begins, ends), _critic) for begins, ends in _CRITIC
)
"""The same of signs with a brace, which few texts have."""

_MORE_OF: Mapping[str, Callable[[Page], object]] = {
    ":": lambda page: _EMOJI_SIGNS.search(page.signs),
    "[": lambda page: page.has_loose_brackets,
}
"""What else is asked, where what a text has at least is a character that nearly all have."""

MAX_SHOWN = 40


@finds(EXTENSION)
def check_extensions(page: Page) -> Iterator[Mark]:
    """Each sign that is in the text."""
    signs = page.signs
    for least, pattern, say in _SIGNS + _IN_BRACES if "{" in signs else _SIGNS:
        # A single character is looked for ten times as fast as two.
        if least[0] not in signs or least not in signs or (least in _MORE_OF and not _MORE_OF[least](page)):
            continue
        if page.has(pattern):
            for match in pattern.finditer(page.text):
                if is_text(page, match.start()):
                    yield Mark(EXTENSION, match.start(), *say(match))


def is_text(page: Page, place: int) -> bool:
    """Whether readers see the character there as it is written."""
    return not page.is_code(place) and page.prose.text[place] == page.text[place]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"
