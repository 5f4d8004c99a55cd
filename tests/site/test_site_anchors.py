"""Ids for headings, as the portal's page script gives them."""

import re

from kbsync.markdown.html import render_html
from kbsync.site.anchor_links import add_anchors
from kbsync.site.pages import TocEntry


def link(anchor: str) -> str:
    return f'<a class="permalink" href="#{anchor}" aria-hidden="true" tabindex="-1"></a>'


def test_headings_of_the_first_three_levels_get_an_id_and_a_link_to_themselves():
    html, toc = add_anchors("<h1>One</h1>\n<h2>Two <em>b</em></h2>\n<h3>fooBar</h3>\n<h4>Four</h4>\n")
    assert html == (
        f'<h1 id="one">One{link("one")}</h1>\n<h2 id="two-b">Two <em>b</em>{link("two-b")}</h2>\n'
        f'<h3 id="foo-bar">fooBar{link("foo-bar")}</h3>\n<h4>Four</h4>\n'
    )
    assert toc == (TocEntry(1, "One", "one"), TocEntry(2, "Two b", "two-b"), TocEntry(3, "fooBar", "foo-bar"))


def test_equal_headings_share_an_id_and_one_without_latin_letters_has_none():
    html, toc = add_anchors("<h2>Same</h2><h2>Same</h2><h2>返金</h2>")
    assert [entry.anchor for entry in toc] == ["same", "same", ""]
    assert html.count('id="same"') == 2
    assert html.endswith("<h2>返金</h2>")


def test_the_text_of_a_heading_is_what_a_reader_sees():
    _, toc = add_anchors(render_html("## A & `b<c>` ![x ^y^ z](p.png) <b>d</b>"))
    assert toc == (TocEntry(2, "A & b<c> d", "a-and-b-c-d"),)


def test_all_other_bytes_stay():
    html = render_html("# A\n\ntext `<h1>`\n\n```\n<h2>x</h2>\n```\n\n> ## B ^c^\n")
    added, _ = add_anchors(html)
    assert re.sub(r' id="[^"]*"|<a class="permalink"[^>]*></a>', "", added) == html


def test_tags_that_do_not_belong_together_are_no_heading():
    for html in ("<h1>", "</h1>", "<h1>a</h2>", "<p>a</p>"):
        assert add_anchors(html) == (html, ())
