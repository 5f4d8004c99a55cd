"""Paragraphs of the portal's parser, and what a line below can make of them: a heading or a table.

cmark-gfm reads a paragraph until a line says otherwise: one of `===` makes all of it a heading, one like
`|---|---|` makes its last line the head of a table. One rule here does the same.
"""

import re
from collections.abc import Sequence

from markdown_it.rules_block import StateBlock

from kbsync.markdown.block_rules import BLANKS, is_plain, line_text, push_inline
from kbsync.markdown.definitions import take_definitions
from kbsync.markdown.limits import MAX_FILLED_IN

_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_MARKER = r"[ \t\v\f]*+:?-++:?[ \t\v\f]*+"
_DELIMITERS = re.compile(rf"\|?{_MARKER}(?:\|{_MARKER})*+\|?[ \t\v\f]*$")
_CELL_END = re.compile(r"\|[ \t\v\f]*")
_NOT_SIMPLE = re.compile(r"[\\\r\n\v\f]")
_CELL = re.compile(r"(?:\\\||[^|\r\n])+")


def paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Everything that no other rule took."""
    outer, state.parentType = state.parentType, "paragraph"
    line, tried = start + 1, False
    while line < state.lineMax and not state.isEmpty(line):
        inside = state.blkIndent <= state.sCount[line] < state.blkIndent + 4
        if inside and (underline := _UNDERLINE.match(line_text(state, line))):
            if _push_heading(state, start, line, "h1" if underline[1].startswith("=") else "h2"):
                break
            # All above were definitions: what looked like an underline begins the paragraph, whatever it is.
            start, line = line, line + 1
            continue
        if _interrupted(state, line):
            _push_paragraph(state, start, line)
            break
        if inside and not tried and (sides := table_sides(line_text(state, line))):
            if len(sides) == len(table_cells(line_text(state, line - 1))):
                _push_table(state, start, line, sides)
                break
            # The portal looks once: after a head that does not fit, this paragraph gets no table.
            tried = True
        line += 1
    else:
        _push_paragraph(state, start, line)
    state.parentType = outer
    return True


def plain_paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph that no other rule need be asked about. First of all rules: most blocks are such."""
    if silent or state.is_code_block(start) or not is_plain(state, start):
        return False
    return paragraph(state, start, end, silent)


def _interrupted(state: StateBlock, line: int) -> bool:
    # Indented text goes on with a paragraph; a negative count marks a line that a quote left out its mark for.
    # Of a line that is left of its item's text the indentation counts from where the item itself stands.
    columns = state.sCount[line]
    edge = state.blkIndent if columns >= state.blkIndent else max(state.listIndent, 0)
    if columns < 0 or columns - edge > 3 or is_plain(state, line):
        return False
    return any(rule(state, line, state.lineMax, True) for rule in state.md.block.ruler.getRules("paragraph"))


def _content(state: StateBlock, start: int, end: int) -> str:
    return "\n".join(
        # A line that lacks its container's mark or indentation comes with its leading blanks.
        line_text(state, line)
        if state.sCount[line] >= state.blkIndent
        else state.src[state.bMarks[line] : state.eMarks[line]]
        for line in range(start, end)
    ).rstrip(BLANKS)


def _push_heading(state: StateBlock, start: int, underline: int, tag: str) -> bool:
    """Make a heading of what is left when the definitions are taken off; of nothing none can be made."""
    content = take_definitions(state, _content(state, start, underline))
    if content:
        state.line = underline + 1
        push_inline(state, tag, content, (start, underline + 1))
    return bool(content)


def _push_paragraph(state: StateBlock, start: int, end: int) -> None:
    state.line = end
    if content := take_definitions(state, _content(state, start, end)):
        push_inline(state, "p", content, (start, end))


def table_sides(line: str) -> list[str]:
    """The alignment of each column, "" for none; no columns where the line does not divide a table."""
    return [_alignment(cell) for cell in table_cells(line)] if _DELIMITERS.match(line) else []


def table_cells(row: str) -> list[str]:
    """Split a row at its pipes; `\\|` is a pipe inside a cell, code or not."""
    if len(row) > 1 and row[0] == row[-1] == "|" and not _NOT_SIMPLE.search(row):
        return [cell.strip(BLANKS) for cell in row[1:-1].split("|")]
    leading = _CELL_END.match(row)
    place, cells = leading.end() if leading else 0, list[str]()
    while place < len(row):
        cell = _CELL.match(row, place)
        after = cell.end() if cell else place
        closing = _CELL_END.match(row, after)
        cells.append(row[place:after].replace("\\|", "|").strip(BLANKS))
        place = closing.end() if closing else after
        if not closing:
            break
    return cells


def _push_table(state: StateBlock, start: int, delimiters: int, alignments: Sequence[str]) -> None:
    head = delimiters - 1
    if head > start:
        # Definitions right above a table are not taken for such, and `\\|` there is a pipe: quirks of the portal's.
        push_inline(state, "p", _content(state, start, head).replace("\\|", "|"), (start, head))
    opening = state.push("table_open", "table", 1)
    state.push("thead_open", "thead", 1)
    _push_row(state, head, "th", alignments)
    state.push("thead_close", "thead", -1)
    state.parentType = "table"
    line, filled_in = delimiters + 1, 0
    while line < state.lineMax and filled_in <= MAX_FILLED_IN and _is_row(state, line):
        if line == delimiters + 1:
            state.push("tbody_open", "tbody", 1)
        filled_in += _push_row(state, line, "td", alignments)
        line += 1
    if line > delimiters + 1:
        state.push("tbody_close", "tbody", -1)
    state.push("table_close", "table", -1)
    opening.map = [head, line]
    state.line = line


def _alignment(cell: str) -> str:
    return {(True, True): "center", (True, False): "left", (False, True): "right"}.get(
        (cell.startswith(":"), cell.endswith(":")), ""
    )


def _is_row(state: StateBlock, line: int) -> bool:
    """Any line is a row that is not blank, not indented, in the same container and begins no other block."""
    if state.isEmpty(line) or not 0 <= state.sCount[line] - state.blkIndent < 4:
        return False
    if not table_cells(line_text(state, line)):
        return False
    if is_plain(state, line):
        return True
    return not any(rule(state, line, state.lineMax, True) for rule in state.md.block.ruler.getRules("blockquote"))


def _push_row(state: StateBlock, line: int, tag: str, alignments: Sequence[str]) -> int:
    """Write one row with as many cells as the table has columns; how many of them were missing. Extra ones are lost."""
    cells = table_cells(line_text(state, line))[: len(alignments)]
    state.push("tr_open", "tr", 1)
    for cell, alignment in zip(cells, alignments, strict=False):
        opening = state.push(f"{tag}_open", tag, 1)
        if alignment:
            opening.attrs = {"align": alignment}
        token = state.push("inline", "", 0)
        token.content, token.children = cell, []
        token.map = [line, line + 1]
        state.push(f"{tag}_close", tag, -1)
    if missing := alignments[len(cells) :]:
        # One token for all of them: 7,000 characters can ask for millions.
        state.push("cells_filled_in", tag, 0).meta = {"alignments": missing}
    state.push("tr_close", "tr", -1)
    return len(missing)
