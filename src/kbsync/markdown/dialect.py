"""markdown-it-py set up to read as the portal's parser does: cmark-gfm 0.29 with tables and nothing else."""

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, inline, text_join
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from kbsync.markdown import block_rules, brackets, inline_rules, lists, notes, quotes, tables
from kbsync.markdown.limits import unlimited

MAX_NESTING = 100
"""How deep quotes, lists and brackets may nest. The portal has no such limit; Python's stack has."""


def portal_parser() -> MarkdownIt:
    """Make a parser. It keeps nothing between documents, so one is enough."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    # The portal neither refuses nor encodes addresses while it reads; that is left to the writing.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    noting = notes.NotingParser()
    noting.ruler, noting.ruler2, parser.inline = parser.inline.ruler, parser.inline.ruler2, noting
    parser.block.ruler.disable(["lheading", "reference"])
    parser.block.ruler.at("paragraph", tables.paragraph)
    parser.block.ruler.at("heading", block_rules.heading, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("fence", block_rules.fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("html_block", block_rules.html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("blockquote", quotes.quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.at("list", lists.list_block, {"alt": ["paragraph", "reference", "blockquote"]})
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
