"""Code as readers see it: its language, its colors, its text to the letter."""

import re
from html import escape, unescape

import pytest

from kbsync.preview.article_body import mark_absent_images
from kbsync.site.code_blocks import LANGUAGES, LONGEST, dress_code, highlighted, label_of
from kbsync.site.reader_words import words_of

WORDS = words_of("en")
CODE = """#!/bin/sh\r\n$ a "b" <x> & 'y' {{ z }}\n\n  key: v # c\n\tfoo(1);\n\n<a href="/">b</a> /* d */ é 日本\n\n\nend  \n"""


def block(code: str, info: str | None = None) -> str:
    name = f' class="language-{info}"' if info is not None else ""
    return f"<pre><code{name}>{escape(code, quote=False)}</code></pre>"


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_colors_change_no_letter_of_the_code(language):
    assert text_of(highlighted(language, escape(CODE, quote=False))) == CODE


@pytest.mark.parametrize("code", ["", "\n", "   ", "a" * (LONGEST + 1)])
def test_code_without_words_and_very_long_code_stay_as_they_are(code):
    assert highlighted("python", code) == code


def test_a_block_shows_its_language_and_the_words_have_classes():
    html = dress_code(block("def f(): return 1  # why\n", "python"), WORDS, copies=True)
    assert '<span class="code-name">Python</span>' in html
    assert '<span class="hl-k">def </span><span class="hl-f">f</span>' in html
    assert 'data-copy-code title="Copy" aria-label="Copy" data-copied="Copied"' in html


def test_short_code_with_hyphens_in_a_line_stays_in_one_piece():
    html = "<p><code>--all</code> <code>all</code> <code>--all" + " and more" * 5 + "</code></p>" + block("a-b\n")
    shown = dress_code(html, WORDS, copies=False)
    assert re.findall(r'<code class="whole">([^<]*)', shown) == ["--all"]
    assert text_of(shown) == text_of(html)


def test_a_page_without_scripts_has_no_button():
    assert "button" not in dress_code(block("a", "sh"), WORDS, copies=False)


def test_an_address_in_code_does_not_look_like_one_of_the_page():
    code = highlighted("html", escape('<a href="/en/">x</a>'))
    assert '"/en/' not in code
    assert text_of(code) == '<a href="/en/">x</a>'


def test_a_block_without_a_language_has_no_label_and_no_colors():
    html = dress_code(block("if x: pass\n"), WORDS, copies=False)
    assert html == '<div class="code"><pre dir="ltr"><code>if x: pass\n</code></pre></div>'


@pytest.mark.parametrize(
    ("info", "label"),
    [
        ("sh", "Shell"),
        ("YAML", "YAML"),
        ("text", ""),
        ("nothing-known", "nothing-known"),
        ("x" * 30, ""),
        ("", ""),
        ("{r,", ""),
        ("{note}", ""),
    ],
)
def test_a_language_is_called_as_people_call_it(info, label):
    assert label_of(info) == label


def test_a_hostile_language_stays_text():
    info = '"><script>alert(1)</script>'
    html = dress_code(f'<pre><code class="language-{escape(info)}">a</code></pre>', WORDS, copies=False)
    assert "<script" not in html
    assert text_of(html).endswith("a")


def test_an_image_without_a_file_is_a_box_with_its_words_and_its_path():
    html = '<p><img src="/-/files/a.png" alt="a" /><img src="b &amp; c.png" alt="x &lt; y" title="t" /></p>'
    assert mark_absent_images(html, words_of("fr"), present="/-/files/") == (
        '<p><img src="/-/files/a.png" alt="a" /><span class="blocked absent"><span class="what">Image introuvable</span>'
        ' <span class="about">x &lt; y</span> <code>b &amp; c.png</code></span></p>'
    )


@pytest.mark.parametrize("address", ["https://example.com/x.png", "//example.com/x.png", "data:image/png;base64,AA"])
def test_images_of_elsewhere_are_no_business_of_ours(address):
    html = f'<img src="{address}" alt="" />'
    assert mark_absent_images(html, WORDS, present="/-/files/") == html
