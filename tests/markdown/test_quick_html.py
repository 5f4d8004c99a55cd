"""What is written without the parser is what the parser makes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.markdown.dialect import parse_inside
from kbsync.markdown.html import render_html, render_part
from kbsync.markdown.html_page import Page
from kbsync.markdown.inline_html import inlines_html
from kbsync.markdown.quick_blocks import write_blocks
from kbsync.markdown.quick_inline import quick_inline
from kbsync.markdown.versions import KNOWN, NEWEST, Version

SIMPLE = """a word|Two words|é|10|`c`|**b**|*e*|**b:**|**`c` d**|[l](x.md)|[`l` m](x#y)|![i](p.png)|a_b|(*e*)|**b**.|*e*,|!
“q”|"q"|'|x & y|¿**b**?|`a` `b`|`a*b*`|`[x]`|—|*²*|a > b""".replace("\n", "|").split("|")
ODD = """`|*|**|_|[|]|(|)|&|&amp;|<|<b>|^|\\|\u00a0|\u2003|\u3000|[l](https://youtu.be/a)|**[l](x)**|[a `*b*`](x)|` `
` x `|`x` `|``|`a``|**b**—|**a**b|a**b**|*a *b*|**a* b**|**\u00a0b**|**b\u00a0**|**$a**|**a$**|*$a*|*a$*|!|$|#|-|1.
![i](p.png?cw_image_width=50px)|[](x)|[a](y "t")|<http://a.b>|__x__|_x_""".replace("\n", "|").split("|")

WIDTHS = "<!--cw-colwidths:120,80-->"

words = st.lists(st.sampled_from(SIMPLE * 4 + ODD), min_size=1, max_size=5)
inline = st.builds(lambda parts, gap: gap.join(parts), words, st.sampled_from([" ", " ", " ", "", "\n"]))


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0) -> str:
    """A block, with others in it; now and then a line is not where it belongs."""
    inside = st.deferred(lambda: blocks(depth + 1)) if depth < 3 else inline
    match draw(st.sampled_from(["text", "text", "list", "list", "heading", "fence", "table", "quote", "odd"])):
        case "list":
            return draw(lists(inside))
        case "heading":
            return draw(st.sampled_from(["# ", "## ", "### "])) + draw(inline) + draw(st.sampled_from(["", " #", "#"]))
        case "fence":
            info, code = draw(st.sampled_from(["", "js", "a b"])), draw(st.sampled_from(["", "x\n\ny <\n", "- a\n"]))
            return f"```{info}\n{code}{draw(st.sampled_from(['```', '```', '````', ' ```', '``']))}"
        case "table":
            return draw(tables())
        case "quote":
            mark = draw(st.sampled_from(["\n> ", "\n> ", "\n"]))
            return "> " + draw(inside).replace("\n", mark)
        case "odd":
            return draw(
                st.sampled_from(
                    ["---", "<div>\nx\n</div>", "<!-- open", "    code", "===", "\t", "[x]: y", "- ", WIDTHS]
                )
            )
    return draw(inline)


@st.composite
def lists(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    """A list, with lists and other blocks in its items."""
    mark = draw(st.sampled_from(["-", "*", "+", "1.", "2.", "9)"]))
    items = []
    for _ in range(draw(st.integers(1, 4))):
        text = draw(inline) + (
            draw(st.sampled_from(["\n", "\n", "\n\n"])) + draw(inside) if draw(st.booleans()) else ""
        )
        indent = " " * draw(st.sampled_from([len(mark) + 1] * 6 + [0, 1, 2, 4]))
        gap = draw(st.sampled_from(["\n", "\n", "\n\n"]))
        items.append(f"{mark} " + text.replace("\n", f"\n{indent}") + gap)
    return "".join(items).rstrip("\n")


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table; a row may have another number of cells."""
    columns = draw(st.integers(1, 3))
    rows = [draw(st.lists(inline, min_size=1, max_size=columns) | st.just(["x"] * columns)) for _ in range(3)]
    sides = draw(st.lists(st.sampled_from(["---", ":-:", "-:"]), min_size=columns, max_size=columns))
    return "\n".join(f"| {' | '.join(row)} |" for row in (["h"] * columns, sides, *rows))


articles = st.lists(blocks(), min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["\n\n", "\n\n", "\n", "\n \n"]).map(lambda gap: gap.join(parts))
)


@given(articles, st.sampled_from(KNOWN))
def test_blocks_without_the_parser_are_those_of_the_parser(text: str, version: Version):
    assert render_html(text, version) == render_part(text, version).html


@given(inline | st.text("a é*_`[]()!&<>^\\\n1.", max_size=30), st.sampled_from(KNOWN))
def test_the_inside_of_a_block_without_the_parser_is_that_of_the_parser(text: str, version: Version):
    text = text.strip()
    quick = quick_inline(text, version)
    assert quick in (None, inlines_html(parse_inside(text, {}), version))


def test_the_widths_of_a_table_stay_where_its_quote_is_left_to_the_parser():
    text = "<!--cw-colwidths:10,20-->\n\ntext\n\n> | a | b |\n> | --- | --- |\n>\n> ---\n"
    assert 'style="width: 30px' in render_html(text)
    assert render_html(text) == render_part(text, NEWEST).html


@pytest.mark.parametrize(
    "text",
    [
        "## Two\n\ntext with `code`, **bold:** and a [link](x.md#y)\nmore\n",
        "- a\n- b\n  more\n  - c\n- d\n",
        "1. a\n\n2. b\n   - c\n\ntext\n",
        "- a\n\n- b\n- c\n",
        "> **Note:** text\n>\n> - a\n",
        "| a | b |\n| --- | :-: |\n| `c` | d |\n\ntext\n",
        "text\n```sh\nx\n\n```\ntext\n- a\n\n# One\n",
    ],
)
def test_what_most_articles_are_made_of_needs_no_parser(text: str):
    page = Page(NEWEST)
    assert write_blocks(page, text) == len(text)
    assert "".join(page.pieces) == render_part(text, NEWEST).html


@pytest.mark.parametrize(
    "text",
    [
        "a\n===\n",
        "a\n---\n",
        "- a\nlazy\n",
        "- a\n\n  b\n",
        "- a\n -b\n",
        "> a\nlazy\n",
        "a | b\n--- | ---\n",
        "| a |\n| - |\n| b | c |\ntext\n",
        "    code\n",
        "```\nopen\n",
        "<div>\n",
        "- - -\n",
        "1. a\n- b\n",
    ],
)
def test_what_is_not_certain_is_left_to_the_parser_whole(text: str):
    page = Page(NEWEST)
    assert write_blocks(page, text) == 0
    assert page.pieces == []
