"""Block rules of the portal's parser that markdown-it-py words otherwise: headings and raw HTML.

The difference is mostly what counts as blank: for cmark-gfm 0.29 four ASCII characters, for markdown-it-py every
Unicode space, so that it would lose a no-break space at the end of a title.
"""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import fence as stock_fence

from kbsync.markdown.html_syntax import CLOSING_TAG, OPENING_TAG

BLANKS = "\t\n\r "
"""What cmark-gfm strips from the ends of a text."""

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+$")

_BLOCK_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|"
    "dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|"
    "legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|section|source|title|summary|"
    "table|tbody|td|tfoot|th|thead|tr|track|ul"
)
_LITERAL_NAMES = "script|pre|style|textarea"
_ANY_TAG = re.compile(rf"(?:{OPENING_TAG}|{CLOSING_TAG})[ \t\f]*$")
_NEVER = re.compile(r"(?!)")
_HTML_STARTS = (
    (
        re.compile(rf"<(?:{_LITERAL_NAMES})(?:[ \t\v\f>]|$)", re.I),
        re.compile(rf"</(?:{_LITERAL_NAMES})>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_NAMES})(?:[ \t\v\f]|/?>|$)", re.I), _NEVER),
)
"""How raw HTML begins and in which line it ends; the last kind ends at a blank line. Source: CommonMark 0.29, 4.6."""


STARTS = frozenset("`~>*-_+<#0123456789")
"""How a line begins that may be more than a paragraph: a fence, a quote, a rule, a list, raw HTML or a heading."""


def is_plain(state: StateBlock, line: int) -> bool:
    """Whether no block but a paragraph can begin with this line, which is neither blank nor indented like code."""
    return state.src[state.bMarks[line] + state.tShift[line]] not in STARTS


def line_text(state: StateBlock, line: int) -> str:
    """One line without its indentation and line end."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def push_inline(state: StateBlock, tag: str, content: str, lines: tuple[int, int]) -> None:
    """Add a heading or paragraph of the given text, which stands in the lines [first, after the last)."""
    name = "paragraph" if tag == "p" else "heading"
    state.push(f"{name}_open", tag, 1).map = list(lines)
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, list(lines), []
    state.push(f"{name}_close", tag, -1)


def heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`# Title #`."""
    text = line_text(state, start)
    found = _HEADING.match(text)
    if not found or state.is_code_block(start):
        return False
    if not silent:
        state.line = start + 1
        push_inline(state, f"h{len(found[1])}", heading_text(text[found.end() :]), (start, start + 1))
    return True


def heading_text(line: str) -> str:
    """What a heading says: the rest of its line without the hashes that may close it."""
    text = line.rstrip(BLANKS)
    return (_CLOSING_HASHES.sub("", text) if text.endswith("#") else text).strip(BLANKS)


def fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A fence; where a tab reaches into its indentation, its lines lose a column for each character there."""
    columns = state.sCount[start]
    if "\t" in state.src[state.bMarks[start] : state.bMarks[start] + state.tShift[start]]:
        state.sCount[start] = min(columns, state.blkIndent + _indent_chars(state, start))
    found = columns - state.blkIndent < 4 and stock_fence(state, start, end, silent)
    state.sCount[start] = columns
    return found


def _indent_chars(state: StateBlock, line: int) -> int:
    """Count the blanks after the container's own indentation; a tab across its edge counts as one."""
    column, chars = 0, 0
    for place in range(state.bMarks[line], state.bMarks[line] + state.tShift[line]):
        column += 4 - (column + state.bsCount[line]) % 4 if state.src[place] == "\t" else 1
        chars += column > state.blkIndent
    return chars


def html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Raw HTML up to its closing mark or a blank line, whatever kind it is."""
    text = line_text(state, start)
    if not text.startswith("<") or state.is_code_block(start):
        return False
    closing = next((closing for opening, closing in _HTML_STARTS if opening.match(text)), None)
    if closing is None:
        if not _ANY_TAG.match(text) or (silent and _goes_on(state, start)):
            return False
        closing = _NEVER
    if not silent:
        state.line = _html_end(state, start, end, closing)
        token = state.push("html_block", "", 0)
        token.map = [start, state.line]
        token.content = state.getLines(start, state.line, state.blkIndent, True)
    return True


def _goes_on(state: StateBlock, line: int) -> bool:
    """Say whether a lone unknown tag is part of the paragraph above; one that left the list item is not."""
    return state.parentType in ("paragraph", "reference") and state.sCount[line] >= state.blkIndent


def _html_end(state: StateBlock, start: int, end: int, closing: re.Pattern[str]) -> int:
    for line in range(start, end):
        blank = state.isEmpty(line)
        if blank and closing is _NEVER:
            return line
        if not blank and line > start and state.sCount[line] < state.blkIndent:
            return line
        if closing.search(line_text(state, line)):
            return line + 1
    return end
