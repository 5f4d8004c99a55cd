"""Putting new destinations into a Markdown text and leaving every other character as it was."""

import re
from collections.abc import Iterable

from kbsync.markdown.constructs import Target
from kbsync.markdown.entities import ENTITY

_URI = re.compile(r"[A-Za-z][A-Za-z0-9.+-]{1,31}:[^\0-\x20<>\x7f]*")
_NAME_PART = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_NAME_PART}(?:\.{_NAME_PART})*")
_NEEDS_ANGLES = re.compile(r"[ \0-\x1f\x7f]|^$")
_MAY_BEGIN_HTML = re.compile(r"[!?/]|[A-Za-z][A-Za-z0-9-]*(?:[ /]|$)")
_MAY_BEGIN_BLOCK = re.compile(r"(?:#{1,6}|[-+*]|=+|\*+|_+|:?-+:?|[0-9]{1,9}[.)])$|~~~")
_OPEN_TAG = re.compile(r"<[A-Za-z/!?]")
_CAN_END_A_TAG = re.compile(r"""[ "'=]""")
_CAN_END_CODE = re.compile(r"[`<>]")
_PARENTHESES = re.compile(r"[()]")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_LINE_END = re.compile(r"[\r\n]")


def rewrite(text: str, replacements: Iterable[tuple[Target, str]]) -> str:
    """Give the text with other destinations.

    Args:
        text: the text that was scanned.
        replacements: targets of `scan(text)`, each at most once, with what the reader's browser shall get.
            A target with its own destination stays as it is written.

    An autolink that cannot say its new destination, as a relative path, becomes a link with the same words.

    Raises:
        ValueError: two replacements overlap, or one lies outside the text.
    """
    pieces, place = [], 0
    for target, destination in sorted(replacements, key=lambda pair: pair[0].start):
        if destination == target.destination:
            continue
        start, end, written = _written(text, target, destination)
        if not place <= start <= end <= len(text):
            raise ValueError(f"replacement at {start}:{end} overlaps another or lies outside the text")
        pieces += [text[place:start], written]
        place = end
    return "".join((*pieces, text[place:]))


def _written(text: str, target: Target, destination: str) -> tuple[int, int, str]:
    """What to put in the place of which characters."""
    if target.kind == "autolink":
        return _autolink(text, target, destination)
    if text[target.start - 1 : target.start] == "<" and text[target.end : target.end + 1] == ">":
        return target.start, target.end, _angled(text, target.start - 1, _escaped(destination))
    return target.start, target.end, _bare(text, target.start, destination)


def _autolink(text: str, target: Target, destination: str) -> tuple[int, int, str]:
    address = destination.removeprefix("mailto:")
    if address != destination and _EMAIL.fullmatch(address) and "mailto:" not in text[target.start : target.end]:
        return target.start, target.end, address
    # Inside an autolink nothing can be escaped but an ampersand; a pipe would part a table's cells.
    if _URI.fullmatch(destination) and not _CAN_END_CODE.search(destination) and "|" not in destination:
        return target.start, target.end, _no_entities(destination)
    words = re.sub(r"[!-/:-@\[-`{-~]", r"\\\g<0>", target.text)
    return target.start - 1, target.end + 1, f"[{words}]({_bare(text, target.start, destination)})"


def _bare(text: str, place: int, destination: str) -> str:
    """Write a destination that stands in no angle brackets yet; it gets them where it has blanks."""
    escaped = _escaped(destination)
    if _in_open_tag(text, place):
        # `<x` further up waits for its end: angle brackets here, blanks or quotes could be taken for it.
        escaped = _CAN_END_A_TAG.sub(_entity, escaped)
    if _NEEDS_ANGLES.search(escaped):
        return f"<{_angled(text, place, escaped)}>"
    if _MAY_BEGIN_BLOCK.match(escaped) and _heads_line(text, place):
        escaped = _entity_first(escaped)
    return escaped if _balanced(destination) else _PARENTHESES.sub(r"\\\g<0>", escaped)


def _angled(text: str, place: int, escaped: str) -> str:
    """Write a destination for the angle brackets that open at `place`; at a line's head `<p>` would begin raw HTML."""
    return _entity_first(escaped) if _MAY_BEGIN_HTML.match(escaped) and _heads_line(text, place) else escaped


def _heads_line(text: str, place: int) -> bool:
    """Say whether nothing but blanks and marks of quotes stands before a place in its line."""
    line = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    return not text[line:place].strip(" \t>")


def _entity_first(escaped: str) -> str:
    return f"&#{ord(escaped[0])};{escaped[1:]}"


def _in_open_tag(text: str, place: int) -> bool:
    paragraph = text.rfind("\n\n", 0, place) + 1
    return bool(_OPEN_TAG.search(text, max(paragraph, text.rfind(">", 0, place)), place))


def _escaped(destination: str) -> str:
    """Write a destination so that it means itself, with or without angle brackets around it.

    Backticks and angle brackets become entities: with a stray partner further up they would outrank the link.
    """
    escaped = _no_entities(_BACKSLASH.sub(r"\\\\", destination)).replace("|", "\\|")
    return _CAN_END_CODE.sub(_entity, _LINE_END.sub(_entity, escaped))


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def _no_entities(destination: str) -> str:
    """Keep what looks like an entity from being read as one; other ampersands stay as they are."""
    return ENTITY.sub(r"&amp;\1;", destination)


def _balanced(destination: str) -> bool:
    depth = 0
    for parenthesis in _PARENTHESES.findall(destination):
        depth += 1 if parenthesis == "(" else -1
        if not 0 <= depth < 32:
            return False
    return depth == 0
