"""What `lint --fix` makes of front matter: quotes, dashes, statuses and lists whose meaning is sure. Pure.

A repair changes one place of the text. It counts only if the front matter then has this problem no more, and no other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from kbsync.content.apart import OPENING, Apart, head_of, take_apart
from kbsync.content.body import BOM
from kbsync.content.entries import Entry, FrontMatter
from kbsync.content.front_edit import LINES, scalar
from kbsync.content.frontmatter import JOINED_KEY
from kbsync.content.keys import ARTICLE_KEYS, CATEGORY_KEYS, LIST, NUMBER, TEXT, WORDS_ALLOWED, take_values
from kbsync.content.rules import (
    CURLY_QUOTES,
    CUT_OFF,
    NEVER_CLOSED,
    NOT_RECOGNIZED,
    NOT_YAML,
    UNKNOWN_KEY,
    UNKNOWN_STATUS,
    WRONG_TYPE,
)
from kbsync.content.source import Problem
from kbsync.content.unknown_keys import SAME_VALUE, slips
from kbsync.content.unrecognized import closed, recognized, unrecognized

DOUBLE, SINGLE = "“”„‟", "‘’‚‛"
_CURLY = re.compile(rf"[{DOUBLE}]([^{DOUBLE}\"\\\r\n]++)[{DOUBLE}]|[{SINGLE}]([^{SINGLE}\"\\\r\n]++)[{SINGLE}]")
_CURLY_VALUE = re.compile(rf"([ \t]*(?:-[ \t]+)?[\w-]+:[ \t]+|[ \t]*-[ \t]+)({_CURLY.pattern})([ \t]*)")
_CURLY_LIST = re.compile(rf"([\w-]+:[ \t]+\[)((?:{_CURLY.pattern}|[^\[\]{DOUBLE}{SINGLE}\"'#])+)(\][ \t]*)")
_PLAIN = re.compile(r"([\w-]+:[ \t]+)([^\s\"'\[{&*!|>#%@`][^#\r\n]*?)([ \t]*(?:#.*)?)")
_WORDS = re.compile(r"\w[\w ./+-]*")
_TOKEN = re.compile(r"[^\s,\[\]{}#\"']+")
_QUOTED_NUMBER = re.compile(r"([\w-]+:[ \t]+)[\"']([0-9]{1,9})[\"']([ \t]*(?:#.*)?)")

_TEXTS = frozenset({"title", "name", "description", "meta_title", "meta_description"})
"""Keys of which readers see the value."""

_MAY_BE_CUT = re.compile(r"^[^\n:]*+:[^\n]*? #[^\s#]", re.MULTILINE)
_CUT = re.compile(r"([\w-]+:[ \t]+)([^\s\"'\[{&*!|>%@`#][^\r\n]*?)[ \t]+(#[^\s#][^\r\n]*)")
SHOWN_CHARS = 40

WORDLESS = frozenset({"", "~", "null"})
"""What says nothing, and would be a word in quotes."""

LEAST_CHARS = 5
"""Letters of a status, from which on its beginning is enough."""


def keys_of(path: str) -> Mapping[str, str]:
    """The keys that kbsync reads in a file."""
    return CATEGORY_KEYS if path.rpartition("/")[2] == "_category.md" else ARTICLE_KEYS


def read_front(path: str, text: str, post: Apart) -> tuple[dict[str, Any], list[Problem]]:
    """The values in the front matter of a file, and what is wrong with it."""
    allowed, problems = keys_of(path), list(post.front.problems)
    if post.head in {"", BOM} and (misread := unrecognized(text, allowed)):
        problems.append(misread)
    values = take_values(post.front, allowed, problems)
    return values, [*problems, *curly_quotes(post.head, post.front), *cut_off(post.head, post.front)]


def front_problems(path: str, text: str) -> list[Problem]:
    """What is wrong with the front matter of a file."""
    return read_front(path, text, take_apart(text))[1]


def curly_quotes(head: str, front: FrontMatter) -> list[Problem]:
    """Values that are in curly quotes, which are part of them: YAML has others."""
    if not any(sign in head for sign in "“”„‘’‚"):
        return []
    lines = LINES.findall(head)
    message = "The value of `{}` is in curly quotes. YAML takes them for a part of the text."
    return [
        entry.problem(CURLY_QUOTES, message.format(key), 'Use straight quotes: `"`.')
        for key, entry in front.items()
        if any(_CURLY.fullmatch(part.text) for part in (entry, *entry.items))
        if _straight(_line(lines, entry.place.line))
    ]


def cut_off(head: str, front: FrontMatter) -> list[Problem]:
    """Titles and descriptions that go on behind ` #`, where a comment begins for YAML; `# ` is taken for a comment."""
    if not _MAY_BE_CUT.search(head):
        return []
    lines = LINES.findall(head)
    found = []
    for key, entry in front.items():
        match = _CUT.fullmatch(_line(lines, entry.place.line)) if key in _TEXTS else None
        if match and match[2] == entry.text:
            message = f"The value of `{key}` ends before `{match[3][:SHOWN_CHARS]}`: for YAML, ` #` begins a comment."
            found.append(entry.problem(CUT_OFF, message, "Put the value in quotes."))
    return found


def repaired(path: str, text: str, problem: Problem, known: Sequence[Problem] = (), lines: int = 0) -> str | None:
    """The text without a problem of its front matter; None where it is not sure what was meant.

    Args:
        path, text: of the file.
        problem: one of its problems.
        known: all of them, where they are known.
        lines: how many lines above were repaired only together with this one.
    """
    known = known or front_problems(path, text)
    repair = _REPAIRS.get(problem.code)
    if repair is None or len(known) > MOST_PROBLEMS:
        return None
    head = text if problem.code == NOT_RECOGNIZED.code else head_of(text)
    is_huge = len(head) > MOST_CHARS and problem.code not in {NEVER_CLOSED.code, NOT_RECOGNIZED.code}
    after = None if is_huge else repair(path, head, problem)
    if after is None or after == head or not _helps(path, after, problem, known, lines):
        return None
    return after + text[len(head) :]


def _helps(path: str, after: str, problem: Problem, known: Sequence[Problem], lines: int) -> bool:
    """Whether a problem is gone, and no other one came."""
    left = front_problems(path, after)
    before, now = (Counter(found.code for found in some) for some in (known, left))
    is_gone = now[problem.code] < before[problem.code] or _goes_with_the_next(path, after, problem, left, lines)
    is_worse = problem.code not in _HIDING and any(now[code] > before[code] for code in now)
    return is_gone and not is_worse and bool(OPENING.match(after))


def _goes_with_the_next(path: str, text: str, problem: Problem, left: Sequence[Problem], lines: int) -> bool:
    """Whether only a line below is no YAML now, and can be repaired, too: YAML is read to the first such line."""
    found = next((found for found in left if found.code == problem.code == NOT_YAML.code), None)
    if found is None or found.line <= problem.line or lines == MOST_LINES:
        return False
    return repaired(path, text, found, left, lines + 1) is not None


def repair_front(path: str, text: str, codes: Collection[str] | None) -> str:
    """The text with everything repaired that is sure.

    Args:
        path: of the file, below the content root.
        text: all of it.
        codes: what is to be repaired; None for everything.
    """
    whole, at, tried = text, 0, 0
    while tried < MOST_TRIED:
        known = front_problems(path, text)
        first, at = at, 0
        for number, problem in enumerate(known[first:], first):
            tried += 1
            after = repaired(path, text, problem, known) if codes is None or problem.code in codes else None
            if after is not None:
                # Those above stay as they are, unless this one hid what makes them clear: they have another turn.
                text, at = after, number
                break
        else:
            if first == 0:
                return text
    # What is begun here would go on the next time.
    return whole


MOST_CHARS = 5_000
"""Front matter beyond this is left alone, as each repair reads it again; so is one with more than `MOST_PROBLEMS`, or
with more than `MOST_LINES` below each other of which none can be read without the next."""

MOST_PROBLEMS, MOST_LINES, MOST_TRIED = 40, 10, 200


def _never_closed(_path: str, text: str, _: Problem) -> str | None:
    opening = OPENING.match(text)
    return closed(text, opening.end()) if opening else None


def _known(path: str, text: str, problem: Problem) -> str | None:
    """A key of kbsync in the place of one in other letter case, or of another tool's for the same."""
    front, allowed = take_apart(text).front, keys_of(path)
    key = next((key for key, entry in front.items() if _is_at(entry, problem)), "")
    ours = key.casefold() if key.casefold() in allowed else SAME_VALUE.get(key, "")
    if key == "title" and allowed is CATEGORY_KEYS:
        ours = "name"
    if not key or ours not in allowed or ours in front:
        return None
    return _with_line(text, problem, partial(_renamed, at=problem.column - 1, key=key, ours=ours))


def _renamed(line: str, *, at: int, key: str, ours: str) -> str | None:
    return line[:at] + ours + line[at + len(key) :] if line.startswith(f"{key}:", at) else None


def _is_at(entry: Entry, problem: Problem) -> bool:
    return (entry.place.line, entry.place.column) == (problem.line, problem.column)


def _readable(path: str, text: str, problem: Problem) -> str | None:
    """A line that YAML can read: in straight quotes, or without the spaces before its key."""
    lines = LINES.findall(text)
    key = _INDENTED.fullmatch(_line(lines, problem.line))
    if key and key[1] in keys_of(path) and _ONE_VALUE.fullmatch(_line(lines, problem.line - 1)):
        return _with_line(text, problem, lambda line: line.lstrip(" "))
    return _with_line(text, problem, lambda line: _straight(line) or _in_quotes(line) or _with_colon(line))


def _with_colon(line: str) -> str | None:
    """A title or description with a colon in it, in quotes."""
    found = _PLAIN_WORDS.fullmatch(line)
    if found is None or found[2] not in _TEXTS or ": " not in found[3]:
        return None
    is_sure = " #" not in found[3] and "\\" not in found[3] and not _LOST_LINE.search(found[3])
    return f"{found[1]}{scalar(found[3].rstrip())}" if is_sure else None


_LOST_LINE = re.compile(rf"\A(?:{'|'.join(sorted({*ARTICLE_KEYS, *CATEGORY_KEYS}))}): |{JOINED_KEY.pattern}")
"""The key of a line that somebody joined with the one above: `description: ...。license: MIT`."""

_PLAIN_WORDS = re.compile(r"(([\w-]+):[ \t]+)([^\s\"'\[{&*!|>%@`#?-][^\r\n]*)")


def _in_quotes(line: str) -> str | None:
    """A line whose value begins with a sign that YAML reserves."""
    found = _RESERVED.fullmatch(line)
    return f'{found[1]}"{found[2]}"{found[3]}' if found and " #" not in found[2] else None


_RESERVED = re.compile(r"((?:[\w-]+:[ \t]+)|[ \t]*-[ \t]+)([@`][^\"\\\r\n]*?)([ \t]*)")
_INDENTED = re.compile(r" +([\w-]+):[ \t]+[^\r\n]*")
_ONE_VALUE = re.compile(r"[\w-]+:[ \t]+[^\s|>][^\r\n]*")


def _uncut(_path: str, text: str, problem: Problem) -> str | None:
    """A line with all of its value in quotes."""

    def repair(line: str) -> str | None:
        found = _CUT.fullmatch(line)
        return f"{found[1]}{scalar(line[found.end(1) :].rstrip())}" if found else None

    return _with_line(text, problem, repair)


def _straight(line: str) -> str | None:
    """A line with straight quotes around its value, or around each in its list."""
    if found := _CURLY_VALUE.fullmatch(line):
        return f'{found[1]}"{found[3] or found[4]}"{found[5]}'
    if found := _CURLY_LIST.fullmatch(line):
        items = _CURLY.sub(lambda item: f'"{item[1] or item[2]}"', found[2])
        return f"{found[1]}{items}{found[5]}"
    return None


def _status(_path: str, text: str, problem: Problem) -> str | None:
    def repair(line: str) -> str | None:
        found = _VALUE.fullmatch(line)
        word = found and _status_of(found[3].strip().casefold())
        return f"{found[1]}{found[2]}{word}{found[2]}{found[4]}" if found and word else None

    return _with_line(text, problem, repair)


_VALUE = re.compile(r"(status:[ \t]+)([\"']?)([^\"'#\r\n]*?)\2([ \t]*(?:#.*)?)")


def _status_of(typed: str) -> str | None:
    """The status that somebody meant, where it is only one: misspelled in one place, or only begun."""
    words = WORDS_ALLOWED["status"]
    near = [word for word in words if typed == word or (len(typed) >= LEAST_CHARS - 1 and slips(typed, word) == 1)]
    if len(typed) >= LEAST_CHARS:
        near += [word for word in words if word.startswith(typed) and word not in near]
    return near[0] if len(near) == 1 else None


def _type(path: str, text: str, problem: Problem) -> str | None:
    """The text with a value of the type that its key wants."""
    allowed = keys_of(path)
    found = [
        (entry, part)
        for key, entry in take_apart(text).front.items()
        if key in allowed
        for part in (entry, *entry.items)
        if _is_at(part, problem)
    ]
    if not found:
        return None
    entry, part = found[0]
    repair = _typed(entry, part, allowed[entry.key])
    if repair is None or part.text.strip().lower() in WORDLESS or "\0" in part.text:
        return None
    return _with_line(text, problem, repair)


def _typed(entry: Entry, part: Entry, wanted: str) -> Repair | None:
    """What makes a line of one whose value has another type."""
    if part is not entry:
        return partial(_quoted_token, part=part)
    if wanted == NUMBER:
        return _unquoted
    is_single = wanted in {TEXT, LIST} and entry.tag not in {"list", "map"}
    return partial(_plain, wanted=wanted) if is_single else None


def _quoted_token(line: str, *, part: Entry) -> str | None:
    start = part.place.column - 1
    token = _TOKEN.match(line, start)
    if token is None or token[0] != part.text:
        return None
    return f'{line[:start]}"{token[0]}"{line[token.end() :]}'


def _unquoted(line: str) -> str | None:
    found = _QUOTED_NUMBER.fullmatch(line)
    return f"{found[1]}{found[2]}{found[3]}" if found else None


def _plain(line: str, *, wanted: str) -> str | None:
    """A plain value in quotes, or as a list."""
    found = _PLAIN.fullmatch(line)
    if found is None:
        return None
    if wanted == TEXT:
        return f'{found[1]}"{found[2]}"{found[3]}' if "\\" not in found[2] and '"' not in found[2] else None
    items = [item.strip() for item in found[2].split(",") if item.strip()]
    if not items or not all(map(_WORDS.fullmatch, items)):
        return None
    return f"{found[1]}[{', '.join(map(scalar, items))}]{found[3]}"


Repair = Callable[[str], str | None]
"""What makes another line of one, without its end; None where it is not sure what was meant."""


def _with_line(text: str, problem: Problem, repair: Repair) -> str | None:
    """The text with the line of a problem repaired."""
    lines = LINES.findall(text)
    if problem.line > len(lines):
        return None
    whole = lines[problem.line - 1]
    line = whole.rstrip("\r\n")
    bom = BOM if problem.line == 1 and line.startswith(BOM) else ""
    after = repair(line.removeprefix(bom))
    if after is None:
        return None
    lines[problem.line - 1] = bom + after + whole[len(line) :]
    return "".join(lines)


def _line(lines: Sequence[str], number: int) -> str:
    """A line without its end; they count from 1."""
    return lines[number - 1].rstrip("\r\n") if number <= len(lines) else ""


_REPAIRS: Mapping[str, Callable[[str, str, Problem], str | None]] = {
    NOT_RECOGNIZED.code: lambda path, text, _: recognized(text, keys_of(path)),
    NEVER_CLOSED.code: _never_closed,
    NOT_YAML.code: _readable,
    UNKNOWN_KEY.code: _known,
    CURLY_QUOTES.code: lambda _, text, problem: _with_line(text, problem, _straight),
    CUT_OFF.code: _uncut,
    UNKNOWN_STATUS.code: _status,
    WRONG_TYPE.code: _type,
}

REPAIRABLE = frozenset(_REPAIRS)

_HIDING = frozenset({NOT_RECOGNIZED.code, NEVER_CLOSED.code, NOT_YAML.code})
"""Problems that hide others: without them, those are seen."""
