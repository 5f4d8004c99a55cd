"""Other values in a front matter: the new ones are there, and no other character moves.

A file made of what the portal holds says just that when it is read again.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import body_of, source_of
from kbsync.content import front_edit
from kbsync.content.apart import take_apart
from kbsync.content.front_edit import Both, edit_front
from kbsync.content.handed import with_machine, with_translation
from kbsync.content.new_source import article_text, category_text, closed
from kbsync.content.post import dumps, new_post
from kbsync.content.source_edits import edit_source
from kbsync.model import Observed, Status

HEAD = """---
# who: ana
title: "Refunds"   # the title
slug: refunds
tags:
  - a   # first
  - 'b'
description: >
  folded
  text
position: 20
other: [1, 2]
---
"""

TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=80)


@pytest.mark.parametrize(
    ("edits", "before", "after"),
    [
        ({"title": 'New "one"'}, '"Refunds"   #', '"New \\"one\\""   #'),
        ({"title": '🎉 "One" C:\\U0001F389'}, '"Refunds"   #', '"🎉 \\"One\\" C:\\\\U0001F389"   #'),
        ({"slug": "null"}, "slug: refunds", "slug: 'null'"),
        ({"tags": ("b", "c: d")}, "  - a   # first\n  - 'b'\n", "  - 'b'\n  - 'c: d'\n"),
        ({"tags": ()}, "tags:\n  - a   # first\n  - 'b'\n", "tags: []\n"),
        ({"description": "one: line"}, ">\n  folded\n  text\n", "'one: line'\n"),
        ({"position": 7}, "position: 20", "position: 7"),
        ({"position": None}, "position: 20\n", ""),
        ({"status": "published"}, "other: [1, 2]\n", "other: [1, 2]\nstatus: published\n"),
        ({"author": None}, "", ""),
        (
            {"title": Both("Money", "your file", "portal")},
            'title: "Refunds"   # the title\n',
            '<<<<<<< your file\ntitle: "Refunds"   # the title\n=======\ntitle: Money\n>>>>>>> portal\n',
        ),
    ],
)
def test_only_the_value_moves(edits: dict, before: str, after: str):
    assert edit_front(HEAD, edits) == HEAD.replace(before, after, 1)


def test_a_file_that_ends_with_its_front_matter_gets_a_body():
    text = "---\ntitle: x\n---"
    assert edit_source(source_of(text), text, {}, "Text.") == "---\ntitle: x\n---\nText.\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay_what_they_are(end: str):
    text, edited = "---\ntitle: x\n---\n", "---\ntitle: x\ntags: [a, 'b, c']\n---\n"
    assert edit_front(text.replace("\n", end), {"tags": ("a", "b, c")}) == edited.replace("\n", end)
    body = f"Words.{end}"
    assert front_edit.set_value(body, "slug", "z") == f"---{end}slug: z{end}---{end}{body}"
    source = f"# x{end}{end}Words."
    edited = edit_source(source_of(source), source, {"title": Both("y", "ours", "theirs")}, None)
    assert edited == "<<<<<<< ours\n# x\n=======\n# y\n>>>>>>> theirs\n\nWords.".replace("\n", end)


def test_a_file_that_ends_with_its_front_matter_can_be_edited():
    text = "---\ntitle: x\n---"
    assert front_edit.set_value(text, "slug", "z") == "---\ntitle: x\nslug: z\n---"
    assert front_edit.remove_value("---\ntitle: x\nslug: z\n---", "slug") == text
    assert with_machine(text, on=True) == "---\ntitle: x\nmachine: true\n---"
    assert with_translation(text, "---\ntitle: new\n---\nText.\n", "fr/a.md") == "---\ntitle: new\n---\nText.\n"


TAGS = "tags:\r\n-   a # first\r\n    # between\r\n-   'b'\r\n"
LIST = f"---\r\n{TAGS}title: x\r\n---\r\n"

# By what is promised: the front matter, the edits, and the front matter then.
EDITED = {
    "a file without front matter gets one": ("", {"title": "x"}, "---\ntitle: x\n---\n"),
    "so does one with a byte order mark": ("\ufeff", {"title": "x"}, "\ufeff---\ntitle: x\n---\n"),
    "a list gets longer at its end": (LIST, {"tags": ("a", "b", "c")}, LIST.replace("title", "-   c\r\ntitle")),
    "a list gets shorter at its end": (LIST, {"tags": ("a",)}, LIST.replace("-   'b'\r\n", "")),
    "a list that is the same stays": (LIST, {"tags": ("a", "b")}, LIST),
    "a list in brackets gets longer": (
        "---\ntags: [ 'a',  b ] # c\n---\n", {"tags": ("a", "b", "c")}, "---\ntags: [ 'a',  b, c ] # c\n---\n"),
    "a list takes the place of what is no list": (
        "---\ntags:\n  a: b\ntitle: x\n---\n", {"tags": ("q", "z")}, "---\ntags:\n  [q, z]\ntitle: x\n---\n"),
    "a key that is added is indented as the others are": (
        "---\n  title: x\n---\n", {"slug": "y"}, "---\n  title: x\n  slug: y\n---\n"),
    "a map in braces is left alone": ("---\n{title: x}\n---\n", {"title": "y"}, None),
    "what is no map is left alone": ("---\n- x\n---\n", {"title": "y"}, None),
    "a value that another one refers to is left alone": ("---\ntitle: &a x\nslug: *a\n---\n", {"title": "y"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("head", "edits", "after"), EDITED.values(), ids=EDITED)
def test_nothing_else_of_the_front_matter_moves_and_what_cannot_be_edited_is_left_alone(head, edits, after):
    assert edit_front(head, edits) == after


@given(
    value=TEXTS, kept=st.sampled_from(["", "title: x\n", "  # c\n  a: b\n", "aliases: [ 'a' ]\n", "aliases:\n-  a\n"])
)
def test_what_is_added_is_taken_out_again_to_the_byte(value: str, kept: str):
    text = f"---\n{kept}---\nBody.\n" if kept else "Body.\n"
    with_slug = front_edit.set_value(text, "slug", value)
    assert take_apart(with_slug).front["slug"].text == value
    assert front_edit.remove_value(with_slug, "slug") == text
    with_alias = front_edit.add_item(text, "aliases", value)
    if with_alias != text:
        assert front_edit.remove_last_item(with_alias, "aliases", value) == text


@pytest.mark.parametrize("text", ["---\ntitle: x # c\n---\nText.\n", "---\r\n  title: x\r\n---\r\nText.\r\n"])
def test_the_mark_of_a_machine_is_taken_out_again_to_the_byte(text: str):
    marked = with_machine(text, on=True)
    assert take_apart(marked).front["machine"].tag == "bool" and not take_apart(marked).front.problems
    assert with_machine(marked, on=True) == marked
    assert with_machine(marked, on=False) == text


@given(title=TEXTS, description=TEXTS, tags=st.lists(TEXTS, max_size=4), position=st.integers(-9, 2**31 - 1))
def test_whatever_the_portal_has_can_be_read_again(title, description, tags, position):
    edits = {"title": title, "description": description, "tags": tuple(tags), "position": position}
    edited = edit_front(HEAD, edits)
    assert edited is not None
    front = take_apart(edited).front
    assert not front.problems
    assert (front["title"].text, front["description"].text) == (title, description)
    assert (tuple(item.text for item in front["tags"].items), front["position"].text) == (tuple(tags), str(position))
    assert edited.startswith("---\n# who: ana\n") and edited.endswith("other: [1, 2]\n---\n")


@pytest.mark.parametrize("text", ["\x85", "a\u2028b", "\x1b[31m", "\ufeff", "\u00a0", "a\nb", "🎉", "\U000e0001"])
def test_characters_that_yaml_treats_in_its_own_way_come_through(text: str):
    edited = edit_front(HEAD, {"title": text, "icon": text, "tags": (text,)})
    assert edited is not None
    front = take_apart(edited).front
    assert [front["title"].text, front["icon"].text, front["tags"].items[0].text] == [text] * 3


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
