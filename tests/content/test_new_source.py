"""A file made of what the portal holds says just that when it is read again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builders import body_of, source_of
from kbsync.content.apart import take_apart
from kbsync.content.new_source import article_text, category_text, closed
from kbsync.content.post import dumps, new_post
from kbsync.model import Observed, Status

TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=80)
ODD = st.sampled_from(
    ["null", "yes", "1", "1.5", "2026-01-01", "a: b", "# x", "- x", "'", '"', "|", "~", "=", "<<", "🎉"]
)


@given(title=TEXTS | ODD, slug=TEXTS | ODD, description=TEXTS | ODD, tags=st.lists(TEXTS | ODD, max_size=3), body=TEXTS)
def test_an_article_says_what_the_portal_has(title, slug, description, tags, body):
    fields = {"title": title, "description": description, "tags": tuple(tags), "position": 7}
    item = Observed(kind="article", remote_id=1, locale="en", slug=slug, fields=fields, status=Status.DRAFT)
    data = article_text(item, body, slug="", beside={"category": ""}).encode()
    source = source_of(data, "en/x.md")
    assert (source.title, source.slug or "", source.status) == (title or slug, slug, "draft")
    assert (source.description or "", source.tags or (), source.position) == (description, tuple(tags), 7)
    assert source.category == "" and body_of(source, data) == body


@given(name=TEXTS | ODD, slug=TEXTS | ODD)
def test_a_category_says_what_the_portal_has(name, slug):
    item = Observed(kind="category", remote_id=1, locale="en", slug=slug, fields={"name": name, "icon": "🎉"})
    source = source_of(category_text(item, "folder", {}), "en/folder/_category.md")
    assert (source.name, source.slug, source.icon) == (name or slug, slug, "🎉")


def test_a_writer_can_read_an_emoji_in_a_new_file():
    names = {"plain": "🎉 Party", "quoted": "a: 🚀🎉", "escaped": "\ue000\x07🎉", "words": ["\\U0001F389", "🎉"]}
    text = dumps(new_post("", **names))
    assert take_apart(text).front["escaped"].text == names["escaped"]
    assert text == (
        "---\nplain: 🎉 Party\nquoted: 'a: 🚀🎉'\nescaped: \"\ue000\\a🎉\"\nwords:\n- \\U0001F389\n- 🎉\n---\n"
    )


def test_a_last_line_gets_an_end_where_there_is_room():
    assert [closed("a"), closed("a\r\nb"), closed("a\n"), closed(""), closed("abc", 3)] == [
        "a\n", "a\r\nb\r\n", "a\n", "", "abc",
    ]  # fmt: skip
