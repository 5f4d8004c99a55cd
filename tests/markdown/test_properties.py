"""What holds for every text: the two parsers see the same links, and a span is that of its destination.

`KBSYNC_EXAMPLES=20000 pytest tests/markdown/test_properties.py` tries as many texts, other ones each time.
"""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from kbsync.markdown.constructs import Scan
from kbsync.markdown.dialect import portal_parser
from kbsync.markdown.entities import decode
from kbsync.markdown.spans import scan

pytestmark = pytest.mark.slow

EXAMPLES = os.environ.get("KBSYNC_EXAMPLES")
WORDS = st.sampled_from([
    "a", "b c", "é", "日本語", "x_y", "**s**", "*e*", "`c [n](o)`", "\\[q](r)", "&amp;", "2 < 3", "<b>", "😀", "a_b*c*",
    "\\\\", "!", "&#42;x&#42;", "``d ` e``", "<i k='[l](m)'>", "\\`", "x ^2^", "a\u00a0b", "tab\tbed",
])  # fmt: skip
ADDRESSES = st.sampled_from([
    "u.md", "../a/b.png#c", "https://e.co/?a=1&b=2", "<s.p q>", "é/ü.md", "p(q)", "h\\_i", "x&amp;y", "<>",
    "./r%20s.md", "<t(u>", "<v\\>w>", "a(b(c)d)e", "f\\)g", "#only", "?q=1", "mailto:a@b.co", "h&#x69;j",
    "k&unknown;l", "日本/語.md#見出し", "a*b*_c_", "\\a\\#b",
])  # fmt: skip
TITLES = st.sampled_from(["", ' "t"', " 't u'", " (v)", ' "w \\" x"', " '&quot;'", " \"y 'z'\"", "\t(\\))", ' ""'])
GAPS = st.sampled_from(["", "", "", " ", "\t", "\n"])

links = st.builds("[{}]({}{}{}{})".format, WORDS, GAPS, ADDRESSES, TITLES, GAPS)
images = st.builds("![{}]({}{}{})".format, st.sampled_from(["", "alt", "é *f*", "[g](h)"]), GAPS, ADDRESSES, TITLES)
nested = st.builds("[{} {}]({})".format, images | st.just("![two]") | st.just("`i`"), WORDS, ADDRESSES)
references = st.sampled_from(
    ["[w][one]", "[One][]", "![two]", "[w][none]", "[![x][two]][one]", "[ONE]", "[two]: no", "[y][ tWo\n]", "[é è][é]"]
)
autolinks = st.sampled_from(["<https://e.co/x>", "<me@e.co>", "<https://e.co/?a&amp;b=[c](d)>", "<x-y:z>"])
inlines = st.lists(WORDS | links | images | nested | references | autolinks, min_size=1, max_size=5).map(" ".join)
definitions = st.builds(
    "[{}]:{}{}{}".format,
    st.sampled_from(["one", "ONE", "two", "é", "t\\]o", "t\two"]),
    st.sampled_from([" ", "\t", "\n", "", "  \n  "]),
    ADDRESSES,
    TITLES,
)
paragraphs = st.lists(inlines, min_size=1, max_size=3).map("\n".join)
headings = st.builds("{} {}".format, st.sampled_from(["#", "##", "####"]), inlines)
codes = inlines.map("```\n{}\n```".format) | inlines.map("    {}".format)
raw = inlines.map("<div>\n{}\n</div>".format) | inlines.map("<!-- {} -->".format)
cells = st.lists(WORDS | links | images | nested | references | autolinks, min_size=1, max_size=3).map(
    lambda parts: " ".join(parts).replace("\n", " ")
)
tables = st.builds("| {} | b |\n|---|:-:|\n| {} | x \\| y |".format, cells, cells)
# A tag alone in a line that lacks its mark begins raw HTML on the portal: see below.
unmarked = paragraphs.filter(lambda text: "\n<" not in text)
lazy = st.builds(lambda mark, text: mark + text, st.sampled_from(["> ", "- ", "> 1. "]), unmarked)
flat = paragraphs | lazy | headings | codes | raw | tables | definitions


def _prefixed(first: str, others: str, block: str) -> str:
    return first + f"\n{others}".join(block.split("\n"))


blocks = st.recursive(
    flat,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        .map("\n\n".join)
        .flatmap(
            lambda text: st.sampled_from(
                [
                    _prefixed("> ", "> ", text),
                    _prefixed(">", ">", text),
                    _prefixed("- ", "  ", text),
                    _prefixed("-\t", "\t", text),
                    _prefixed("* ", "\t", text),
                    _prefixed("1. ", "   ", text),
                    _prefixed("10) ", "    ", text),
                    _prefixed("- > ", "  > ", text),
                ]
            )
        )
    ),
    max_leaves=6,
)
documents = st.builds(
    lambda parts, ending: ending.join("\n\n".join(parts).split("\n")),
    st.lists(blocks, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
)
checked = settings(max_examples=int(EXAMPLES or 150), deadline=None, derandomize=not EXAMPLES)


PARSER = portal_parser()


def destinations(text: str) -> list[str]:
    """Every link and image as the preview's parser sees it."""

    def walk(tokens: list[Token]) -> list[str]:
        found = []
        for token in tokens:
            if token.type in ("link_open", "image"):
                found.append(str(token.attrGet("href" if token.type == "link_open" else "src")))
            found += walk(token.children or [])
        return found

    return sorted(walk(PARSER.parse(text)))


def scanned_destinations(found: Scan) -> list[str]:
    """Every link and image as the spans have it."""
    seen = [target.destination for target in found.targets if target.kind != "definition"]
    return sorted(seen + [reference.destination for reference in found.references])


@checked
@given(documents)
def test_both_parsers_see_the_same_links(text: str):
    assert scanned_destinations(scan(text)) == destinations(text)


@checked
@given(documents)
def test_a_span_holds_what_its_line_and_column_say_and_nothing_but_its_destination(text: str):
    lines = text.replace("\r\n", "\n").split("\n")
    for target in scan(text).targets:
        written = text[target.start : target.end]
        assert lines[target.line - 1][target.column - 1 :].startswith(written)
        assert decode(written) in (target.destination, target.destination.removeprefix("mailto:"))


@pytest.mark.parametrize(
    ("text", "scanned", "shown"),
    [
        pytest.param("- a\n<r>\n[b](c)", ["c"], [], id="a lone tag that leaves a list begins raw HTML on the portal"),
        pytest.param("x\n-|\n[a](b)", ["b"], ["b"], id="a table without pipes in its head has the same links"),
        pytest.param("[a]: b\n[a]|\n-|", ["b"], [], id="a definition right above a table is text to the portal"),
        pytest.param("[\n-|\n](b)", ["b"], [], id="a table is parted before links are looked for"),
        pytest.param('[a]((b "t")', [], ["(b"], id="the portal takes an address with a parenthesis that stays open"),
        pytest.param("[a]:\n-|\n[a]", ["-|"], [], id="a definition over two lines, the second a table's, is text"),
        pytest.param("`` `a` `[b](c)`", [], ["c"], id="the portal slips after backticks that stay open"),
        pytest.param("\t`\r[a](b)", [], ["b"], id="a lone carriage return ends indented code on the portal"),
        pytest.param("[[a](b)[]](c)", ["b"], ["b"], id="no link stands in a link"),
        pytest.param(
            "[x ![[a](b)](c) y](d)",
            ["b", "c"],
            ["b", "c"],
            id="a link in the words of an image leaves no link around that",
        ),
        pytest.param("> -\t> ```\n\t> [a](b)", ["b"], [], id="a mark indented by a tab alone is code on the portal"),
        pytest.param("[ß]\n\n[SS]: b", ["b"], ["b"], id="labels fold their case alike"),
    ],
)
def test_the_two_parsers_in_places_where_they_might_differ(text: str, scanned: list[str], shown: list[str]):
    found = scan(text)
    assert (scanned_destinations(found), destinations(text)) == (scanned, shown)
