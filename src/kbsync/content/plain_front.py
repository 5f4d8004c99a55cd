"""Front matter as nearly everybody writes it, read line by line: `key: value`, lists, and text in a block below a key.

A tenth of what YAML costs, and the very same entries: what is not certainly one of these forms is left to YAML, which
also finds everything that is wrong (`frontmatter.py`). A property test compares the two.
"""

from __future__ import annotations

import re

from kbsync.content.entries import MAX_BYTES, Entry, FrontMatter
from kbsync.content.source import Place

_NEVER = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
"""What no line may have: control characters, tabs among them, and what only YAML takes for the end of a line. Asked
once of a block: in the patterns below it would cost three times as much as all the rest of them."""

_QUOTED = r"\"([^\"\\\n]*)\"|'([^'\n]*)'"
_FIRST = r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]"
_WORDS = rf"({_FIRST}[^:#\n]*(?:(?::(?![ \n])|(?<! )#)[^:#\n]*+)*)"
"""A value without quotes: no sign of YAML's own at its beginning, no `: ` and no ` #` in it."""

_LINE = re.compile(rf"([A-Za-z_][A-Za-z0-9_-]{{0,99}}):(?: +(?:{_QUOTED}|{_WORDS}|([>|]-?)|(\[.*\])))? *\n")
_ITEM = re.compile(rf"( *)- +(?:{_QUOTED}|{_WORDS}) *\n")
_IN_BRACKETS = re.compile(rf" *(?:{_QUOTED}|([A-Za-z0-9_](?:[\w./ -]*[\w./-])?)) *(?:,(?! *\])|(?=\]))")
_BLOCK = re.compile(r"( +)[^\s][^\n]*\n(?:\1[^\s][^\n]*+\n)*(?![ \n])")
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_MAY_MEAN = frozenset("+-.0123456789<=~")
"""How values without quotes begin that YAML may take for something else than a text, apart from some words."""

_WORDS_OF = {"null": "null", "true": "bool", "false": "bool", "yes": "bool", "no": "bool", "on": "bool", "off": "bool"}
_TAGS = {form: tag for word, tag in _WORDS_OF.items() for form in (word, word.capitalize(), word.upper())}

_SKIPPED = re.compile(r"(?:#[^\n]*)?\n")


def read_plain(block: str) -> FrontMatter | None:
    """The entries of a block; None where YAML has to read it.

    Args:
        block: the characters as they are; its first line is the file's second.
    """
    if len(block) > MAX_BYTES:
        return None
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    if _NEVER.search(block):
        return None
    front = FrontMatter()
    at, line = 0, 2
    while at < len(block):
        if match := _LINE.match(block, at):
            entry, end = _entry(match, line)
            if entry is None or entry.key in front:
                return None
            front[entry.key] = entry
        elif match := _SKIPPED.match(block, at):
            end = match.end()
        else:
            return None
        line += block.count("\n", at, end)
        at = end
    return front


def _entry(match: re.Match[str], line: int) -> tuple[Entry | None, int]:
    """The entry that begins in a line, None where YAML has to read it; and where it ends."""
    key, doubly, singly, words, style, listed = match.groups()
    place, end = Place(line, 1), match.end()
    if words is not None:
        words = words.rstrip(" ")
        return Entry(key, place, _tag_of(words), words), end
    if doubly is not None or singly is not None:
        return Entry(key, place, "str", doubly if singly is None else singly), end
    if style is not None:
        text = _BLOCK.match(match.string, end)
        return (Entry(key, place, "str", _text_of(text, style)), text.end()) if text else (None, end)
    if listed is not None:
        return _in_brackets(match, key, place), end
    items, end = _items(match.string, end, line + 1, key)
    return (Entry(key, place, "list", items=items) if items else Entry(key, place, "null")), end


def _tag_of(words: str) -> str:
    """The short YAML type of a value without quotes."""
    if words[0] not in _MAY_MEAN:
        return _TAGS.get(words, "str")
    if _NUMBER.fullmatch(words):
        return "int"
    # Loaded here: dates and fractions are for YAML to recognize, and few files have any.
    from kbsync.content.frontmatter import tag_of_words

    return tag_of_words(words)


def _text_of(block: re.Match[str], style: str) -> str:
    lines = [line[len(block[1]) :] for line in block[0].split("\n")[:-1]]
    return (" " if style[0] == ">" else "\n").join(lines) + ("" if style.endswith("-") else "\n")


def _in_brackets(line: re.Match[str], key: str, place: Place) -> Entry | None:
    """A list on the line of its key; None where YAML has to read it."""
    text, column = line[6], line.start(6) - line.start() + 1
    found: list[Entry] = []
    at, end = 1, len(text) - 1
    while at < end:
        match = _IN_BRACKETS.match(text, at)
        if match is None:
            if text[at:end].strip(" "):
                return None
            break
        number = match.lastindex or 0
        tag = _tag_of(match[number]) if number == 3 else "str"
        start = match.start(number) - (number < 3)
        found.append(Entry(key, Place(place.line, column + start), tag, match[number]))
        at = match.end()
    return Entry(key, place, "list", items=tuple(found))


def _items(block: str, at: int, line: int, key: str) -> tuple[tuple[Entry, ...], int]:
    """The items of a list, a line each from here on, all indented alike; and where they end."""
    found: list[Entry] = []
    indent: str | None = None
    while (match := _ITEM.match(block, at)) and indent in {None, match[1]}:
        indent = match[1]
        number = match.lastindex or 0
        text = match[number].rstrip(" ") if number == 4 else match[number]
        place = Place(line + len(found), match.start(number) - (number < 4) - at + 1)
        found.append(Entry(key, place, _tag_of(text) if number == 4 else "str", text))
        at = match.end()
    return tuple(found), at
