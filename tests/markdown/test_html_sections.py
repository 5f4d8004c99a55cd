"""An article rendered section by section is the article rendered whole, and a save renders what it changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_html import CASES
from test_properties import documents

from kbsync.markdown.html import render_blocks, render_html
from kbsync.markdown.html_sections import _render, render_with_lines
from kbsync.markdown.versions import KNOWN, NEWEST, Version

PIECES = st.sampled_from(
    [
        "# One",
        "## Two ##",
        "####### Seven",
        "#",
        "text\nmore",
        "- a\n- b",
        "- a\n\n  b",
        "- ```\n  x",
        "> quote\nlazy",
        "> ```",
        "```sh\nx",
        "```",
        "~~~~",
        "<!-- open",
        "-->",
        "<pre>\n\nx",
        "</pre>",
        "<?x",
        "<div>\n# no",
        "    code",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "<!--cw-colwidths:120,80-->",
        "<!--cw-colwidths:50-->\n<!-- open",
        "[a]: b",
        "[a]",
        "a\n===",
        "1. x",
        "\ufeff",
        "\t",
        "https://youtu.be/dQw4w9WgXcQ",
    ]
)
GAPS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \t\n", "\r\n\r\n", "\r\r", "\n\n# Again\n\n", "\n\n### `x` *y*\n"])


def whole(markdown: str, version: Version) -> tuple[str, list[int]]:
    """The HTML, and the first lines of its blocks, of a text that is rendered in one go."""
    blocks = render_blocks(markdown, [version])
    return render_html(markdown, version), [line for line, (html,) in blocks if "<" in html]


@given(st.lists(st.tuples(PIECES, GAPS)), st.sampled_from(KNOWN))
def test_a_text_in_sections_is_the_text_as_a_whole(pieces: list[tuple[str, str]], version: Version):
    text = "".join(piece + gap for piece, gap in pieces)
    assert render_with_lines(text, version) == whole(text, version)


@pytest.mark.slow
@given(st.lists(documents, max_size=4), st.sampled_from(["\n\n# Next\n\n", "\r\n\r\n## Next\r\n", "\n\n"]))
def test_articles_one_after_the_other_are_one_article(texts: list[str], gap: str):
    text = gap.join(texts)
    assert render_with_lines(text) == whole(text, NEWEST)


@pytest.mark.parametrize(("version", "markdown", "_html"), CASES)
def test_a_recorded_case_between_two_headings_is_as_it_is_there(version: Version, markdown: str, _html: str):
    text = f"# Above\n\n{markdown}\n\n# Below\n\n| a |\n| --- |\n\n## {markdown}"
    assert render_with_lines(text, version) == whole(text, version)


def test_a_save_renders_the_section_that_it_changed_and_no_other():
    sections = [f"## Section {number}\n\nText {number} of this test.\n\n" for number in range(50)]
    render_with_lines("".join(sections))
    sections[20] += "More.\n\n"
    before = _render.cache_info().misses
    render_with_lines("".join(sections))
    assert _render.cache_info().misses == before + 1
