"""cmark-gfm, which the portal is built on, reads as we do. Where not, the differences are named with their reasons.

None of these made one of 3,400 real pages differ.
"""

import json
import random
import sysconfig
from itertools import islice
from pathlib import Path

import pytest
from cmark import agrees, by_cmark, without_the_portals_own

from kbsync.markdown.html import render_html
from kbsync.markdown.versions import V4_10

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
    documents = list(islice((without_the_portals_own(text) for text in texts if len(text) < 40_000), 80))
    different = [text[:60] for text in documents if not agrees(text)]
    assert documents
    assert len(different) * 200 <= len(documents), different


def test_at_least_199_of_200_texts_of_random_marks_read_the_same():
    draw = random.Random(1)
    texts = ["".join(draw.choices(FRAGMENTS, k=draw.randint(2, 14))) for _ in range(3000)]
    different = [text for text in texts if not agrees(text)]
    assert len(different) * 200 <= len(texts), different[:10]


FOUND = (Path(__file__).parents[1] / "fixtures/parity/reduced.jsonl").read_text().splitlines()
REDUCED = [pytest.param(case[1], id=case[0]) for case in map(json.loads, FOUND)]
"""What was once read otherwise in a real page or a random text."""


@pytest.mark.parametrize(
    "markdown",
    [
        *REDUCED,
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


# By what differs, and why: the Markdown, our HTML, and cmark-gfm's.
KNOWN = {
    "strong in strong: the portal writes its HTML itself and does not join them": (
        "****a****", "<p><strong><strong>a</strong></strong></p>\n", "<p><strong>a</strong></p>\n"),
    "a vertical tab ends a fence's first word, as it does in the portal's Ruby": (
        "```\v\n```", '<pre><code class="language-"></code></pre>\n', '<pre><code class="language-\v"></code></pre>\n'),
    "a table in a tight item: the portal does not begin it on a line of its own": (
        "- a\n  | b |\n  |---|", "<ul>\n<li>a<table>\n<thead>\n<tr>\n<th>b</th>\n</tr>\n</thead>\n</table>\n</li>\n</ul>\n",
        "<ul>\n<li>a\n<table>\n<thead>\n<tr>\n<th>b</th>\n</tr>\n</thead>\n</table>\n</li>\n</ul>\n"),
    "code over a line that left the inner list: markdown-it-py forgets the outer list's indentation": (
        "- - `a\n  b`", "<ul>\n<li>\n<ul>\n<li><code>a   b</code></li>\n</ul>\n</li>\n</ul>\n",
        "<ul>\n<li>\n<ul>\n<li><code>a b</code></li>\n</ul>\n</li>\n</ul>\n"),
    "two blank lines after an empty item: the list rule that we have of markdown-it-py ends there": (
        "-\n\n\n-", "<ul>\n<li></li>\n</ul>\n<ul>\n<li></li>\n</ul>\n", "<ul>\n<li></li>\n<li></li>\n</ul>\n"),
    "a blank line of blanks in an empty item: the same rule does not count the blanks": (
        "-\n  \n  a", "<ul>\n<li></li>\n</ul>\n<p>a</p>\n", "<ul>\n<li>a</li>\n</ul>\n"),
    "a tab behind the second mark of a quote: markdown-it-py counts its columns from elsewhere": (
        "> > \t -", "<blockquote>\n<blockquote>\n<pre><code>-\n</code></pre>\n</blockquote>\n</blockquote>\n",
        "<blockquote>\n<blockquote>\n<pre><code> -\n</code></pre>\n</blockquote>\n</blockquote>\n"),
    "a run of stars closes two: markdown-it-py pairs them as the later CommonMark does": (
        '**"*(****', "<p><strong>&quot;<em>(</em></strong>*</p>\n", "<p>**&quot;<em>(</em>***</p>\n"),
    "a link in a link, where brackets that are none follow it: a slip of cmark-gfm's, and no valid HTML": (
        "[[]()[]]()", '<p>[<a href=""></a>[]]()</p>\n', '<p><a href=""><a href=""></a>[]</a></p>\n'),
    "a run of stars before the bracket that ends a link: pairs are sought in another order": (
        "[ *[]**]()", '<p><a href=""> <em>[]</em>*</a></p>\n', '<p><a href=""> *[]**</a></p>\n'),
    "punctuation younger than Unicode 7: Python knows it, cmark-gfm does not": (
        "a*\u2e44b*", "<p>a*\u2e44b*</p>\n", "<p>a<em>\u2e44b</em></p>\n"),
    "an entity behind a backslash in an address: we keep what the standard and the spans say": (
        "[a](\\&copy;)", '<p><a href="&amp;copy;">a</a></p>\n', '<p><a href="%5C%C2%A9">a</a></p>\n'),
    "a line end in an angled address: no other parser takes it, and the spans do not": (
        "[a](<b\\\nc>)", "<p>[a](&lt;b<br />\nc&gt;)</p>\n", '<p><a href="b%5C%0Ac">a</a></p>\n'),
}  # fmt: skip


@pytest.mark.parametrize(("markdown", "ours", "theirs"), KNOWN.values(), ids=KNOWN)
def test_a_difference_that_is_known_and_left(markdown: str, ours: str, theirs: str):
    assert (render_html(markdown, V4_10), by_cmark(markdown)) == (ours, theirs)


def test_quotes_nested_deeper_than_100_lose_their_content_unlike_with_cmark():
    assert "<p>a</p>" in render_html(">" * 90 + "a")
    assert "<p>a</p>" not in render_html(">" * 120 + "a")
    assert "<p>a</p>" in by_cmark(">" * 120 + "a")


def test_brackets_nested_deeper_than_100_are_no_link_unlike_with_cmark():
    assert "<a" in render_html("[" * 90 + "]" * 90 + "[a](b)")
    deep = "![a" * 120 + "](b)" * 120
    assert render_html(deep) != by_cmark(deep)
