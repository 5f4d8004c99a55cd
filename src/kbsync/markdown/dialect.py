"""markdown-it-py set up to read as the portal's parser does: cmark-gfm 0.29 with tables and nothing else.

Also: which lists are tight: the items' paragraphs then come without `<p>`.

markdown-it-py reads the lists. Its own answer differs where link definitions or code stand beside a blank line, so
the rule of cmark-gfm 0.29 is applied here: a list is loose if a blank line follows an item, or a block of an item, that
has something after it.

Block quotes of the portal's parser. markdown-it-py takes a `>` for a mark however far it is indented.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import list_block as stock_list
from markdown_it.rules_core import StateCore, inline, text_join
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from kbsync.markdown import block_rules, brackets, inline_rules, tables
from kbsync.markdown.inline_rules import NotingParser
from kbsync.markdown.limits import unlimited

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


@dataclass(slots=True)
class _Block:
    """One block and the blocks inside it."""

    token: Token
    children: list["_Block"] = field(default_factory=list)

    @property
    def lines(self) -> Sequence[int]:
        """The first line, and the first one after the block."""
        return self.token.map or [0, 0]


def list_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`- item` or `1. item`."""
    before = len(state.tokens)
    if not stock_list(state, start, end, silent):
        return False
    if not silent:
        items = _block(iter(state.tokens[before:])).children
        tight = not any(_is_loose(state, item, after) for item, after in pairwise([*items, None]) if item)
        _show_paragraphs(state.tokens[before:], hidden=tight)
    return True


def _block(tokens: Iterator[Token]) -> _Block:
    """Gather one block, whose first token comes next."""
    root = _Block(next(tokens))
    path = [root]
    for token in tokens:
        if token.nesting < 0:
            path.pop()
        elif token.type != "inline":
            block = _Block(token)
            path[-1].children.append(block)
            if token.nesting > 0:
                path.append(block)
    return root


def _is_loose(state: StateBlock, item: _Block, after: _Block | None) -> bool:
    if after and state.isEmpty(after.lines[0] - 1) and not _takes_blanks(item):
        return True
    followed = item.children if after else item.children[:-1]
    return any(_ends_blank(state, child) for child in followed)


def _deepest(block: _Block) -> _Block:
    """What the last line of a list belongs to. A quote is not looked into: its blank lines are its own."""
    while block.children and block.token.type in ("bullet_list_open", "ordered_list_open", "list_item_open"):
        block = block.children[-1]
    return block


def _takes_blanks(item: _Block) -> bool:
    """Whether the blank lines at an item's end are text of an unclosed fence."""
    last = _deepest(item)
    return last.token.type == "fence" and last.lines[1] == item.lines[1]


def _ends_blank(state: StateBlock, block: _Block) -> bool:
    last = _deepest(block)
    end = last.lines[0] + 1 if last.token.type == "list_item_open" else last.lines[1]
    return state.isEmpty(end) or (last.token.type == "html_block" and state.isEmpty(end - 1))


def _show_paragraphs(tokens: Sequence[Token], *, hidden: bool) -> None:
    """Of a list's tokens, mark the paragraphs that stand right in its items."""
    for token in tokens:
        if token.level == tokens[0].level + 2 and token.type in ("paragraph_open", "paragraph_close"):
            token.hidden = hidden


MAX_NESTING = 100
"""How deep quotes, lists and brackets may nest. The portal has no such limit; Python's stack has."""


def portal_parser() -> MarkdownIt:
    """Make a parser. It keeps nothing between documents, so one is enough."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    # The portal neither refuses nor encodes addresses while it reads; that is left to the writing.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    noting = NotingParser()
    noting.ruler, noting.ruler2, parser.inline = parser.inline.ruler, parser.inline.ruler2, noting
    parser.block.ruler.disable(["lheading", "reference"])
    parser.block.ruler.at("paragraph", tables.paragraph)
    parser.block.ruler.at("heading", block_rules.heading, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("fence", block_rules.fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("html_block", block_rules.html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("blockquote", quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("list", list_block, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.before("code", "plain_paragraph", tables.plain_paragraph)
    parser.block.ruler.before("plain_paragraph", "check", _check_block)
    parser.inline.ruler.before("text", "check", _check_inline)
    parser.inline.ruler.at("newline", inline_rules.newline)
    parser.inline.ruler.at("escape", inline_rules.escape)
    parser.inline.ruler.at("entity", inline_rules.entity)
    parser.inline.ruler.at("autolink", inline_rules.autolink)
    parser.inline.ruler.at("html_inline", inline_rules.html_inline)
    parser.inline.ruler.at("backticks", inline_rules.code)
    parser.inline.ruler.at("link", brackets.link)
    parser.inline.ruler.at("image", brackets.image)
    parser.inline.ruler.at("emphasis", inline_rules.emphasis)
    return parser


def _check_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """No rule: whoever waits for the HTML may end the rendering here."""
    state.env.get("check", unlimited)()
    return False


def _check_inline(state: StateInline, silent: bool) -> bool:
    state.env.get("check", unlimited)()
    return False


@cache
def block_parser() -> MarkdownIt:
    """One that leaves the inside of blocks alone: most of it needs no parser, and `parse_inside` reads the rest."""
    parser = portal_parser()
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


def parse_inside(text: str, env: EnvType) -> Sequence[Token]:
    """The tokens of what is inside a block."""
    token = Token("inline", "", 0, content=text, children=[])
    state = StateCore("", block_parser(), env, [token])
    inline(state)
    text_join(state)
    return token.children or []
