"""Inline rules of the portal's parser where markdown-it-py follows a later CommonMark or is less literal.

Also: what our inline rules note of a text while they read it, beside what markdown-it-py keeps.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token
from markdown_it.utils import EnvType

from kbsync.markdown.entities import ENTITY, character, decode_entities
from kbsync.markdown.html_syntax import MARKUP, TAG

PLAIN = re.compile(r"[^\n\\`*_\[\]<&]+")
"""A text without a sign that begins or ends anything: no rule does more than take it as it is."""


@dataclass(slots=True)
class Notes:
    """Things that stand whichever bracket is being tried: all of them were met in the order of the text.

    `code_ends` has the place behind each run of backticks and the code that it begins, if it does; `last_runs` the last
    known run of each length, `all_runs_known` whether the text was searched to its end for one. `endless` has the
    place of the first comment, declaration and so on that never ends; `links` where links begin, in
    ascending order; `words_ends` the place of the bracket that closes each opening one, or -1.
    """

    code_ends: dict[int, int] = field(default_factory=dict)
    last_runs: dict[int, int] = field(default_factory=dict)
    all_runs_known: bool = False
    endless: dict[str, int] = field(default_factory=dict)
    links: list[int] = field(default_factory=list)
    words_ends: dict[int, int] = field(default_factory=dict)


class NotedState(StateInline):
    """The state of one text, with notes."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self.notes = Notes()


class NotingParser(ParserInline):
    """The inline parser, which gives each text a state with notes."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        if PLAIN.fullmatch(src):
            # Most cells and many items. What the rules would make of it, without asking each at every sign.
            tokens.append(Token("text", "", 0, content=src))
            return tokens
        state = NotedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def notes_of(state: StateInline) -> Notes:
    """The notes on the text of a state; every state of `NotingParser` has them."""
    assert isinstance(state, NotedState)
    return state.notes


_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9.+-]{1,31}:[^\0-\x20<>]*)>")
_NAME_PART = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"<([a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_NAME_PART}(?:\.{_NAME_PART})*)>")
_RUN = re.compile("`+")
_MAX_BACKTICKS = 80
"""Longer runs never begin code. Source: cmark-gfm 0.29."""
_SILENCED = {"<!--": ("<!--", "<![", "<!")}
_SPACES = frozenset("\t\n\f\r \u00a0\u1680\u202f\u205f\u3000") | {chr(code) for code in range(0x2000, 0x200B)}


def newline(state: StateInline, silent: bool) -> bool:
    """A line end: two blanks before it make a hard break, and blanks around it vanish."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        hard = state.src.endswith("  ", 0, state.pos)
        state.pending = state.pending.rstrip("\t ")
        state.push("hardbreak" if hard else "softbreak", "br", 0)
    state.pos += 1
    while state.pos < state.posMax and state.src[state.pos] in " \t":
        state.pos += 1
    return True


def code(state: StateInline, silent: bool) -> bool:
    """Code between runs of as many backticks.

    The portal's parser remembers the last run of each length once it looked for one in vain, and while it goes on, it
    remembers only the last one that it came by: after "``" that stays open, every second pair of backticks is text.
    """
    text, start = state.src, state.pos
    if text[start] != "`":
        return False
    opened = _RUN.match(text, start)
    inside = opened.end() if opened else start
    # A waiting bracket had this read ahead, in the order of the text: what was found then stands.
    ends = notes_of(state).code_ends
    end = ends[start] if start in ends else ends.setdefault(start, _code_end(state, start, inside))
    if not silent and end == inside:
        state.pending += text[start:inside]
    elif not silent:
        content = text[inside : end - (inside - start)].replace("\n", " ")
        stripped = content[1:-1] if content[0] == content[-1] == " " and content.strip(" ") else content
        token = state.push("code_inline", "code", 0)
        token.markup, token.content = text[start:inside], stripped
    state.pos = end
    return True


def _code_end(state: StateInline, start: int, inside: int) -> int:
    """Find where the code ends whose backticks stand in `start:inside`; where none does, only these are taken."""
    length, notes = inside - start, notes_of(state)
    if length > _MAX_BACKTICKS or (notes.all_runs_known and notes.last_runs.get(length, 0) <= inside):
        return inside
    for run in _RUN.finditer(state.src, inside):
        found = run.end() - run.start()
        if found <= _MAX_BACKTICKS:
            notes.last_runs[found] = run.start()
        if found == length:
            return run.end()
    notes.all_runs_known = True
    return inside


def escape(state: StateInline, silent: bool) -> bool:
    """A backslash: before punctuation it makes a plain character of it, before a line end a break."""
    if state.src[state.pos] != "\\":
        return False
    after = state.src[state.pos + 1 : min(state.pos + 2, state.posMax)]
    escaped = bool(after) and isMdAsciiPunct(ord(after))
    if not silent and after == "\n":
        state.push("hardbreak", "br", 0)
    elif not silent:
        token = state.push("text_special", "", 0)
        token.content, token.info = after if escaped else "\\", "escape"
    state.pos += 2 if escaped or after == "\n" else 1
    return True


def entity(state: StateInline, silent: bool) -> bool:
    """`&copy;`, `&#169;`, `&#xA9;`."""
    found = ENTITY.match(state.src, state.pos, state.posMax)
    if not found or (text := character(found[1])) is None:
        return False
    if not silent:
        token = state.push("text_special", "", 0)
        token.content, token.markup, token.info = text, found[0], "entity"
    state.pos = found.end()
    return True


def autolink(state: StateInline, silent: bool) -> bool:
    """`<https://example.com>` and `<me@example.com>`; entities inside are resolved."""
    if state.src[state.pos] != "<":
        return False
    url = _AUTOLINK.match(state.src, state.pos, state.posMax)
    found = url or _EMAIL.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        address = decode_entities(found[1])
        state.push("link_open", "a", 1).attrs = {"href": address if url else f"mailto:{address}"}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def html_inline(state: StateInline, silent: bool) -> bool:
    """A tag, a comment or another piece of raw HTML inside a line."""
    if state.src[state.pos] != "<":
        return False
    found = _raw_html(state)
    if not found:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _raw_html(state: StateInline) -> re.Match[str] | None:
    """Match what begins here. After one that never ends the portal's parser looks for no more of its kind.

    A comment that never ends silences everything that begins with `<!`.
    """
    text, place = state.src, state.pos
    markup = next((markup for markup in MARKUP if text.startswith(markup.start, place)), None)
    if markup is None:
        return TAG.match(text, place, state.posMax)
    endless = notes_of(state).endless
    if place > endless.get(markup.start, place):
        return None
    found = markup.whole.match(text, place, state.posMax)
    if not found and markup.begun.match(text, place):
        for start in _SILENCED.get(markup.start, (markup.start,)):
            endless.setdefault(start, place)
    return found


def emphasis(state: StateInline, silent: bool) -> bool:
    """Note a run of `*` or `_`; which of them pair up is decided by markdown-it-py afterwards."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    opens, closes = _flanking(state, state.pos, end)
    for _ in range(state.pos, end):
        state.push("text", "", 0).content = marker
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(marker), end - state.pos, place, -1, opens, closes))
    state.pos = end
    return True


def _flanking(state: StateInline, start: int, end: int) -> tuple[bool, bool]:
    """Say whether a run of markers may open, and whether it may close emphasis."""
    before = state.src[start - 1] if start > 0 else "\n"
    after = state.src[end] if end < state.posMax else "\n"
    left = after not in _SPACES and (not _is_punctuation(after) or before in _SPACES or _is_punctuation(before))
    right = before not in _SPACES and (not _is_punctuation(before) or after in _SPACES or _is_punctuation(after))
    if state.src[start] == "*":
        return left, right
    return left and (not right or _is_punctuation(before)), right and (not left or _is_punctuation(after))


@cache
def _is_punctuation(char: str) -> bool:
    """Symbols such as `€` or an emoji are not punctuation, unlike in later versions of CommonMark."""
    return isMdAsciiPunct(ord(char)) or unicodedata.category(char).startswith("P")
