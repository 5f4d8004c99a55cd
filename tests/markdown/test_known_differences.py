"""Where our HTML is not cmark-gfm's, and why it stays so. None of these made one of 3,400 real pages differ."""

import pytest
from cmark import by_cmark

from kbsync.markdown.html import render_html
from kbsync.markdown.versions import V4_10


@pytest.mark.parametrize(
    ("markdown", "ours", "theirs"),
    [
        pytest.param(
            "****a****",
            "<p><strong><strong>a</strong></strong></p>\n",
            "<p><strong>a</strong></p>\n",
            id="strong in strong: the portal writes its HTML itself and does not join them",
        ),
        pytest.param(
            "```\v\n```",
            '<pre><code class="language-"></code></pre>\n',
            '<pre><code class="language-\v"></code></pre>\n',
            id="a vertical tab ends a fence's first word, as it does in the portal's Ruby",
        ),
        pytest.param(
            "- a\n  | b |\n  |---|",
            "<ul>\n<li>a<table>\n<thead>\n<tr>\n<th>b</th>\n</tr>\n</thead>\n</table>\n</li>\n</ul>\n",
            "<ul>\n<li>a\n<table>\n<thead>\n<tr>\n<th>b</th>\n</tr>\n</thead>\n</table>\n</li>\n</ul>\n",
            id="a table in a tight item: the portal does not begin it on a line of its own",
        ),
        pytest.param(
            "- - `a\n  b`",
            "<ul>\n<li>\n<ul>\n<li><code>a   b</code></li>\n</ul>\n</li>\n</ul>\n",
            "<ul>\n<li>\n<ul>\n<li><code>a b</code></li>\n</ul>\n</li>\n</ul>\n",
            id="code over a line that left the inner list: markdown-it-py forgets the outer list's indentation",
        ),
        pytest.param(
            "-\n\n\n-",
            "<ul>\n<li></li>\n</ul>\n<ul>\n<li></li>\n</ul>\n",
            "<ul>\n<li></li>\n<li></li>\n</ul>\n",
            id="two blank lines after an empty item: the list rule that we have of markdown-it-py ends there",
        ),
        pytest.param(
            "-\n  \n  a",
            "<ul>\n<li></li>\n</ul>\n<p>a</p>\n",
            "<ul>\n<li>a</li>\n</ul>\n",
            id="a blank line of blanks in an empty item: the same rule does not count the blanks",
        ),
        pytest.param(
            "> > \t -",
            "<blockquote>\n<blockquote>\n<pre><code>-\n</code></pre>\n</blockquote>\n</blockquote>\n",
            "<blockquote>\n<blockquote>\n<pre><code> -\n</code></pre>\n</blockquote>\n</blockquote>\n",
            id="a tab behind the second mark of a quote: markdown-it-py counts its columns from elsewhere",
        ),
        pytest.param(
            '**"*(****',
            "<p><strong>&quot;<em>(</em></strong>*</p>\n",
            "<p>**&quot;<em>(</em>***</p>\n",
            id="a run of stars closes two: markdown-it-py pairs them as the later CommonMark does",
        ),
        pytest.param(
            "[[]()[]]()",
            '<p>[<a href=""></a>[]]()</p>\n',
            '<p><a href=""><a href=""></a>[]</a></p>\n',
            id="a link in a link, where brackets that are none follow it: a slip of cmark-gfm's, and no valid HTML",
        ),
        pytest.param(
            "[ *[]**]()",
            '<p><a href=""> <em>[]</em>*</a></p>\n',
            '<p><a href=""> *[]**</a></p>\n',
            id="a run of stars before the bracket that ends a link: pairs are sought in another order",
        ),
        pytest.param(
            "a*\u2e44b*",
            "<p>a*\u2e44b*</p>\n",
            "<p>a<em>\u2e44b</em></p>\n",
            id="punctuation younger than Unicode 7: Python knows it, cmark-gfm does not",
        ),
        pytest.param(
            "[a](\\&copy;)",
            '<p><a href="&amp;copy;">a</a></p>\n',
            '<p><a href="%5C%C2%A9">a</a></p>\n',
            id="an entity behind a backslash in an address: we keep what the standard and the spans say",
        ),
        pytest.param(
            "[a](<b\\\nc>)",
            "<p>[a](&lt;b<br />\nc&gt;)</p>\n",
            '<p><a href="b%5C%0Ac">a</a></p>\n',
            id="a line end in an angled address: no other parser takes it, and the spans do not",
        ),
    ],
)
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
