"""The portal's HTML: recorded cases to the byte, and the portal's renderer where no case was recorded."""

import json
from pathlib import Path

import pytest

from kbsync.markdown.html import render_html

RECORDED = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures/parity/rendered.jsonl").read_text().splitlines()
]
YOUTUBE = "https://youtu.be/dQw4w9WgXcQ"


@pytest.mark.parametrize(("markdown", "html"), [case[1:] for case in RECORDED], ids=[case[0] for case in RECORDED])
def test_a_text_becomes_the_html_that_the_portal_was_seen_to_show(markdown: str, html: str):
    assert render_html(markdown) == html


def test_all_recorded_cases_are_there():
    assert len(RECORDED) == 291


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        pytest.param("- a\n  | b |\n  |---|", "<ul>\n<li>a<table>", id="a table in a tight item begins on its line"),
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
    "markdown",
    [
        f"*see*[v]({YOUTUBE})",
        f"`x`[v]({YOUTUBE})`y`",
        f"a\n[v]({YOUTUBE})\nb",
        f"\t[v]({YOUTUBE} 't')".strip(),
    ],
)
def test_a_video_link_beside_anything_but_text_becomes_a_player(markdown: str):
    assert "<iframe" in render_html(markdown)


@pytest.mark.parametrize("markdown", [f"a [v]({YOUTUBE})", f"[v]({YOUTUBE}).", f"&nbsp;[v]({YOUTUBE})"])
def test_a_video_link_beside_text_stays_a_link(markdown: str):
    assert "<iframe" not in render_html(markdown)


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
