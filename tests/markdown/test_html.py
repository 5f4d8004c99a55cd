"""The portal's HTML: recorded cases to the byte, and the portal's renderer where no case was recorded."""

import json
from pathlib import Path

import pytest
from cmark import by_cmark

from kbsync.markdown.html import render_blocks, render_html, render_with_lines
from kbsync.markdown.tables import MAX_FILLED_IN
from kbsync.markdown.versions import V4_10, V4_16, Version

PARITY = Path(__file__).parents[1] / "fixtures/parity"


def recorded(name: str) -> dict[tuple[str, str], str]:
    """By name and Markdown of a case: its HTML."""
    rows = map(json.loads, (PARITY / name).read_text().splitlines())
    return {(name, markdown): html for name, markdown, html in rows}


OLD = recorded("rendered.jsonl")
RECORDED = {V4_10: OLD, V4_16: OLD | recorded("rendered-4.16.jsonl")}
CASES = [
    pytest.param(version, markdown, html, id=f"{version} {name}")
    for version, cases in RECORDED.items()
    for (name, markdown), html in cases.items()
]
YOUTUBE = "https://youtu.be/dQw4w9WgXcQ"


@pytest.mark.parametrize(("version", "markdown", "html"), CASES)
def test_surprise_151_to_155_a_text_becomes_the_html_that_a_portal_of_that_version_was_seen_to_show(
    version: Version, markdown: str, html: str
):
    assert render_html(markdown, version) == html
    blocks = render_blocks(markdown, [version])
    assert render_with_lines(markdown, version) == (html, [line for line, (block,) in blocks if "<" in block])


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a <!-- b -- c --> d <!--> e <!---> f\n", "<p>a {0} d {0} e {0} f</p>\n"),
        (
            "a <!-- b ---> c\n\n<!-- d --> e\n\nf <!----->\n",
            "<p>a &lt;!-- b ---&gt; c</p>\n{0}\n<p>f &lt;!-----&gt;</p>\n",
        ),
        ("a <!-- b ---> c <!-- d --> e\n", "<p>a {0} e</p>\n"),
        ("<!-- a -- b ---> c\n", "{0}\n"),
        ("| a | b |\n| - |\n| c |\n| - |\n", "<p>| a | b |\n| - |\n| c |\n| - |</p>\n"),
    ],
)
def test_s157_comments_and_refused_tables_are_those_of_the_services_own_parser(markdown: str, html: str):
    assert render_html(markdown) == html.format("<!-- raw HTML omitted -->")
    assert by_cmark(markdown) == render_html(markdown)


def test_all_recorded_cases_are_there():
    assert [len(cases) for cases in RECORDED.values()] == [291, 408]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        pytest.param("<!--cw-colwidths:,40-->\n| a |\n|---|", "max(100%, 90px)", id="a width left out is open"),
        pytest.param(f"<!--cw-colwidths:{'9' * 5000}-->\n| a |\n|---|", "<colgroup>", id="a width of 5,000 digits"),
        pytest.param("![a](b.png?x;cw_image_width=30px)", "width: 30px", id="a semicolon parts parameters, too"),
        pytest.param("![a](b.png?cw%5Fimage_width=30px)", "b.png", id="a name that is written otherwise"),
        pytest.param("![a](50%.png?cw_image_width=30px)", '30px" alt="a" />', id="an address that is none"),
        pytest.param("![a](b'c.png?cw_image_width=30px)", '30px" alt="a" />', id="an apostrophe makes a fragment"),
        pytest.param('![a](b " ")', '<img src="b" alt="a" />', id="a title of spaces"),
    ],
)
def test_widths_are_read_as_the_portal_reads_them(markdown: str, html: str):
    assert html in render_html(markdown, V4_16)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        pytest.param(
            "- a\n  | b |\n  |---|",
            '<ul>\n<li>a<div class="tableWrapper"><table>',
            id="a table in a tight item begins on its line",
        ),
        pytest.param("![x^2^](y)", '<p><img src="y" alt="x<sup>2</sup>" /></p>\n', id="superscript in an alt"),
        pytest.param("![a\\\nb](y)", '<p><img src="y" alt="ab" /></p>\n', id="a hard break leaves an alt"),
        pytest.param("![a [b](c)](y)", '<p><img src="y" alt="a b" /></p>\n', id="a link in an alt is its text"),
        pytest.param("```a&amp;b\n```", '<pre><code class="language-a&b"></code></pre>\n', id="info decoded"),
        pytest.param('[a]: b "t"\n\n[a]', '<p><a href="b" title="t">a</a></p>\n', id="a definition's title"),
        pytest.param("a\\^2\\^", "<p>a<sup>2</sup></p>\n", id="a backslash does not protect a caret"),
    ],
)
def test_the_portals_own_writer_is_followed_where_it_differs_from_cmark(markdown: str, html: str):
    assert render_html(markdown).startswith(html)


@pytest.mark.parametrize(
    ("markdown", "is_player"),
    [
        (f"*see*[v]({YOUTUBE})", True),
        (f"`x`[v]({YOUTUBE})`y`", True),
        (f"a\n[v]({YOUTUBE})\nb", True),
        (f"\t[v]({YOUTUBE} 't')".strip(), True),
        (f"a [v]({YOUTUBE})", False),
        (f"[v]({YOUTUBE}).", False),
        (f"&nbsp;[v]({YOUTUBE})", False),
    ],
)
def test_a_video_link_beside_anything_but_text_becomes_a_player_and_beside_text_stays_a_link(markdown, is_player):
    assert ("<iframe" in render_html(markdown)) is is_player


def test_every_player_of_an_address_with_braces_is_written_out_plainly():
    assert 'embed/{x}"' in render_html("[v](https://youtu.be/{x})")


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 5000,
        ">" * 5000,
        "- " * 3000,
        "*a " * 3000,
        "*a " * 3000 + "b* " * 3000,
        "![" + "*a " * 3000 + "b* " * 3000 + "](c)",
        "![a" * 60 + "](b)" * 60,
        "<!--" * 3000,
        "[a](" * 3000,
    ],
)
def test_hostile_nesting_ends(hostile: str):
    assert render_html(hostile)


@pytest.mark.parametrize("version", RECORDED)
def test_the_blocks_of_a_page_are_the_page(version: Version):
    for (_, markdown), html in RECORDED[version].items():
        blocks = "".join(block for _, (block,) in render_blocks(markdown, [version]))
        assert blocks.replace("\n", "") == html.replace("\n", "")


def a_table(columns: int, rows: int, row: str = "x|\n", mark: str = "-") -> str:
    return "|a" * columns + "|\n" + f"|{mark}" * columns + "|\n" + row * rows


@pytest.mark.parametrize(
    "text",
    [
        a_table(3, 2),
        a_table(3, 2, "x|y|z|lost\n"),
        a_table(4, 3, "||\n"),
        a_table(3, 2, mark=":-:"),
        "> " + a_table(2, 1).replace("\n", "\n> ", 2),
        a_table(900, 700),
    ],
)
def test_short_rows_are_filled_up_as_on_the_portal(text):
    assert render_html(text, V4_10) == by_cmark(text)


def test_a_table_ends_where_the_portal_has_filled_in_too_many_cells():
    html = render_html(a_table(1_700, 1_700))
    assert MAX_FILLED_IN < html.count("<td></td>") <= MAX_FILLED_IN + 1_700
    assert html.endswith("x|\nx|</p>\n")
