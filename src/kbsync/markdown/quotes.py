"""Block quotes of the portal's parser. markdown-it-py takes a `>` for a mark however far it is indented."""

from collections.abc import Iterator

from markdown_it.rules_block import StateBlock

Row = tuple[int, int, int, int]
"""Of a line: where it begins, how many characters and columns it is indented, and the columns before that."""


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
        _put(state, line, row)
    return True


def _put(state: StateBlock, line: int, row: Row) -> None:
    state.bMarks[line], state.tShift[line], state.sCount[line], state.bsCount[line] = row


def _is_marked(state: StateBlock, line: int) -> bool:
    place = state.bMarks[line] + state.tShift[line]
    return state.src.startswith(">", place, state.eMarks[line]) and not state.is_code_block(line)


def _enter_lines(state: StateBlock, start: int, end: int) -> Iterator[Row]:
    """Move into each line of the quote; give how the line was before."""
    rules = state.md.block.ruler.getRules("blockquote")
    for line in range(start, end):
        row = (state.bMarks[line], state.tShift[line], state.sCount[line], state.bsCount[line])
        # A negative count marks a line without a mark. Where a quote further out found it so, it begins nothing.
        known = row[2] < 0
        if not known and _is_marked(state, line) and (line == start or row[2] >= state.blkIndent):
            _enter(state, line)
        elif state.isEmpty(line - 1) or (not known and state.isEmpty(line)):
            return
        elif not known and any(rule(state, line, end, True) for rule in rules):
            state.lineMax = line
            return
        else:
            state.sCount[line] = -1
        yield row


def _enter(state: StateBlock, line: int) -> None:
    """Leave the mark and one blank behind; of a tab that is wider, the rest of its columns stays."""
    base, columns, stop = state.bsCount[line], state.sCount[line], state.eMarks[line]
    place, column = state.bMarks[line] + state.tShift[line] + 1, columns + 1
    spaced = place < stop and state.src[place] in " \t"
    whole = spaced and (state.src[place] == " " or (base + column) % 4 == 3)
    split = spaced and not whole
    place, column = place + whole, column + whole
    begin, first = place, column
    while place < stop and state.src[place] in " \t":
        column += 4 - (column + base + split) % 4 if state.src[place] == "\t" else 1
        place += 1
    _put(state, line, (begin, place - begin, column - first, columns + 1 + spaced))
