"""Which lists are tight: the items' paragraphs then come without `<p>`.

markdown-it-py reads the lists. Its own answer differs where link definitions or code stand beside a blank line, so
the rule of cmark-gfm 0.29 is applied here: a list is loose if a blank line follows an item, or a block of an item, that
has something after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import list_block as stock_list
from markdown_it.token import Token


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
