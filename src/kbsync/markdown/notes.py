"""What our inline rules note of a text while they read it, beside what markdown-it-py keeps."""

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

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
