"""cmark-gfm, which the portal is built on, reads as we do; where not, it stands here by name."""

import random
import sysconfig
from itertools import islice
from pathlib import Path

import pytest
from cmark import agrees, by_cmark

from kbsync.markdown.html import render_html

MARKS = (
    "a * ** _ ` `` [ ] ( ) ! ![ ](x) [a] [a][b] \\ \\| &amp; &#0; &#1; &copy < > <b> </b> <br> --- === ## ``` ~~~ + | "
    "|-|-| :-: <!-- a --> € — é “ 日本 https://x.y <https://x.y?a&amp;b> <a@b.c> <script> </script>"
)
FRAGMENTS = (
    *MARKS.split(),
    *("\n", "\n", "\n\n", "\r\n", "  \n", "\\\n", "  ", "    ", "\t", "\u00a0", "b c", '"t"', "# ", "- ", "2. ", "> "),
    *("\n> ", "\n- ", "\n  - ", "\n1. ", "\n***\n", "\n<div>\n", "\n<br>\n", "```js\n", "\n|---|\n"),
    *("| a | b |\n|---|---|\n", "[a]: /u\n", '[b]:\n/x\n"t\n"\n'),
)


def test_at_least_199_of_200_real_documents_read_the_same():
    packages = Path(sysconfig.get_path("purelib"))
    found = [*packages.rglob("*.md"), *packages.glob("*.dist-info/METADATA")]
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(found))
    documents = list(islice((text.replace("^", "") for text in texts if len(text) < 40_000), 80))
    different = [text[:60] for text in documents if not agrees(text)]
    assert documents
    assert len(different) * 200 <= len(documents), different


def test_at_least_199_of_200_texts_of_random_marks_read_the_same():
    draw = random.Random(1)
    texts = ["".join(draw.choices(FRAGMENTS, k=draw.randint(2, 14))) for _ in range(3000)]
    different = [text for text in texts if not agrees(text)]
    assert len(different) * 200 <= len(texts), different[:10]


@pytest.mark.parametrize(
    "markdown",
    [
        "a\n:-:",
        "|\n-|\n|-",
        "[a]: b\n|-|",
        "[a]: u\n-",
        "> ``a\n  b``",
        "-\t```\n\n\ta\n\t\tb",
        "- .\n<r>",
        "a*€*b **é**x",
        "\u00a0a\u00a0\n",
        "# \u00a0a\u00a0",
        "x <!--> y",
        "<textarea>\n\na",
        "a\n<source>",
        '[a]: b\n"t" c\n\n[a]',
        "a|b\n-|-\n<b>\n",
        "&#xD800; &#1114112; &#1; &#128;",
        "<https://a?b&amp;c>",
        "[a](b\\\nc)",
        "~~~\nx",
    ],
)
def test_a_place_where_markdown_it_reads_otherwise_is_read_as_cmark_does(markdown: str):
    assert agrees(markdown)


@pytest.mark.parametrize(
    ("markdown", "ours", "theirs"),
    [
        pytest.param(
            "a <!-- b <!X > c",
            "<p>a &lt;!-- b <!-- raw HTML omitted --> c</p>\n",
            "<p>a &lt;!-- b &lt;!X &gt; c</p>\n",
            id="after a comment that never ends, cmark looks for no further declaration",
        ),
        pytest.param(
            "[a]: x\n\n[a](",
            "<p>[a](</p>\n",
            '<p><a href="x">a</a>(</p>\n',
            id="a reference before a parenthesis that ends the paragraph is no link to markdown-it",
        ),
        pytest.param(
            "- - `a\n  b`",
            "<ul>\n<li>\n<ul>\n<li><code>a   b</code></li>\n</ul>\n</li>\n</ul>\n",
            "<ul>\n<li>\n<ul>\n<li><code>a b</code></li>\n</ul>\n</li>\n</ul>\n",
            id="code broken over a line that left the inner list keeps the outer list's indentation",
        ),
        pytest.param(
            "-\n\n\n-",
            "<ul>\n<li></li>\n</ul>\n<ul>\n<li></li>\n</ul>\n",
            "<ul>\n<li></li>\n<li></li>\n</ul>\n",
            id="two blank lines after an empty item end the list",
        ),
        pytest.param(
            ">\n\t>",
            "<blockquote>\n</blockquote>\n",
            "<blockquote>\n</blockquote>\n<pre><code>&gt;\n</code></pre>\n",
            id="an indented mark after an empty quote goes on with the quote",
        ),
        pytest.param(
            "- a\n\n  [b]: c",
            "<ul>\n<li>\n<p>a</p>\n</li>\n</ul>\n",
            "<ul>\n<li>a</li>\n</ul>\n",
            id="an item whose second paragraph is all definitions is loose",
        ),
        pytest.param(
            "a*\u2e44b*",
            "<p>a*\u2e44b*</p>\n",
            "<p>a<em>\u2e44b</em></p>\n",
            id="punctuation younger than Unicode 7 counts as such",
        ),
        pytest.param(
            "[](\v)",
            '<p><a href="%0B"></a></p>\n',
            '<p><a href=""></a></p>\n',
            id="a vertical tab is an address",
        ),
        pytest.param(
            "```\v\n```",
            '<pre><code class="language-"></code></pre>\n',
            '<pre><code class="language-\v"></code></pre>\n',
            id="a vertical tab ends a fence's first word, as it does in the portal's Ruby",
        ),
    ],
)
def test_a_difference_that_is_known_and_left(markdown: str, ours: str, theirs: str):
    assert (render_html(markdown), by_cmark(markdown)) == (ours, theirs)


def test_quotes_nested_deeper_than_100_lose_their_content_unlike_with_cmark():
    assert "<p>a</p>" in render_html(">" * 90 + "a")
    assert "<p>a</p>" not in render_html(">" * 120 + "a")
    assert "<p>a</p>" in by_cmark(">" * 120 + "a")
