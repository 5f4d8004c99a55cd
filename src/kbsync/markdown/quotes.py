"""Block quotes of the portal's parser. markdown-it-py takes a `>` for a mark however far it is indented."""

from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.rules_block import StateBlock


class _Row(NamedTuple):
    """Where a line begins and how far it is indented, as the parser's state keeps it."""

    begin: int
    shift: int
    columns: int
    base: int

    @classmethod
    def of(cls, state: StateBlock, line: int) -> "_Row":
        return cls(state.bMarks[line], state.tShift[line], state.sCount[line], state.bsCount[line])

    def put(self, state: StateBlock, line: int) -> None:
        state.bMarks[line], state.tShift[line], state.sCount[line], state.bsCount[line] = self


def quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`> text`, with the lines below that go on with its last paragraph without a mark."""
    if not _is_marked(state, start):
        return False
    if silent:
        return True
    parent, limit, indent = state.parentType, state.lineMax, state.blkIndent
    state.parentType = "blockquote"
    rows = list(_enter_lines(state, start, end))
    state.blkIndent = 0
    opening = state.push("blockquote_open", "blockquote", 1)
    state.md.block.tokenize(state, start, start + len(rows))
    state.push("blockquote_close", "blockquote", -1)
    opening.map = [start, state.line]
    state.parentType, state.lineMax, state.blkIndent = parent, limit, indent
    for line, row in enumerate(rows, start):
        row.put(state, line)
    return True


def _is_marked(state: StateBlock, line: int) -> bool:
    place = state.bMarks[line] + state.tShift[line]
    return not state.is_code_block(line) and place < state.eMarks[line] and state.src[place] == ">"


def _enter_lines(state: StateBlock, start: int, end: int) -> Iterator[_Row]:
    """Move into each line of the quote; give how the line was before."""
    rules = state.md.block.ruler.getRules("blockquote")
    for line in range(start, end):
        row = _Row.of(state, line)
        if _is_marked(state, line) and (line == start or row.columns >= state.blkIndent):
            _enter(state, line, row)
        elif state.isEmpty(line) or state.isEmpty(line - 1):
            return
        # A negative count marks a line without a mark. Where a quote further out found it so, it begins nothing.
        elif row.columns >= 0 and any(rule(state, line, end, True) for rule in rules):
            state.lineMax = line
            return
        else:
            state.sCount[line] = -1
        yield row


def _enter(state: StateBlock, line: int, row: _Row) -> None:
    """Leave the mark and one blank behind; of a tab that is wider, the rest of its columns stays."""
    place, column = row.begin + row.shift + 1, row.columns + 1
    blank = state.src[place] if place < state.eMarks[line] else ""
    spaced = blank in (" ", "\t") and bool(blank)
    whole = blank == " " or (blank == "\t" and (row.base + column) % 4 == 3)
    split = spaced and not whole
    place, column = place + whole, column + whole
    begin, first = place, column
    while place < state.eMarks[line] and state.src[place] in " \t":
        column += 4 - (column + row.base + split) % 4 if state.src[place] == "\t" else 1
        place += 1
    _Row(begin, place - begin, column - first, row.columns + 1 + spaced).put(state, line)
