"""The line reader of front matter: what it reads, YAML reads in the very same way; all else it leaves to YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbsync.content.apart import head_of
from kbsync.content.entries import MAX_BYTES
from kbsync.content.frontmatter import RESOLVERS, read_block, tag_of_words
from kbsync.content.plain_front import read_plain

CONTENT = Path(__file__).parents[2] / "content"

ENTRIES = st.sampled_from([
    "title: Refunds", "title: a b", "title: a:b#c", 'title: "a: b # c"', "title: 'a \\ b'", "title: Über 😀",
    "title:  a  ", "title: it's", "title:", "position: 20", "position: +1", "position: 0x1f", "position: 010",
    "position: 12:30", "position: 1_000", "position: .5", "position: 1e3", "publish_on: 2026-12-01", "machine: true",
    "machine: Off", "machine: y", "a-b: ~", "a-b: null", "a-b: =", "a-b: <<", "_c: a, [b] {c}", "tags: [a b, 'c', \"2\", 3]",
    "tags: []", "tags: [ a ,b ]", "tags:\n- a\n- 'b'\n- \"c\"", "tags:\n  -  a\n  - 12", "slug: >-\n  a\n  b", "slug: |\n # a\n b",
    "slug: >\n    - a", "slug: |-\n  a: b", "", "# why",
])  # fmt: skip
ODD = st.sampled_from([
    "", "\n", " ", "  ", "\t", "\r", "\r\n", "\x85", "\u2028", "\ufeff", "\u00a0", "\x7f", ":", ": ", "#", " #", "-", "- ", "\n- ",
    "\n  ", "\n  - ", "\n\n  ", ",", "[", "]", "{", "}", "'", '"', "\\", "&a ", "*a", "!!str ", "!x ", "|", ">", ">-", "2", "+",
    "---", "...", "?", "? ", "%", "@", "`", "~", "=", "<<", ".", "title: a\n",
])  # fmt: skip


def odd(entries: list[str], where: float, piece: str, end: str) -> str:
    """Entries with something put in somewhere."""
    block = "\n".join((*entries, ""))
    at = int(where * len(block))
    return (block[:at] + piece + block[at:]).replace("\n", end)


BLOCKS = st.builds(
    odd, st.lists(ENTRIES, min_size=1, max_size=3), st.floats(0, 1), ODD, st.sampled_from(["\n", "\n", "\r\n"])
)


@settings(max_examples=400, deadline=None)
@given(BLOCKS)
@example("tags:\n- a\n- b\n\nslug: a\n")
@example("description: >-\n  one\n  two\ntitle: a\n")
@example("description: |\n  one\n\n  two\n")
@example("description: >\n  one\n   two\n")
@example("title: a\n  b\n")
@example("title: a\ntitle: b\n")
@example("tags:\n  - a\n- b\n")
@example("title: a")
@example("a: [x, y\n")
def test_what_is_read_line_by_line_is_what_yaml_reads(block):
    plain = read_plain(block)
    if plain is not None:
        front = read_block(block)
        assert list(plain.items()) == list(front.items())
        assert front.problems == []


@pytest.mark.parametrize(
    "block",
    [
        'title: "Refunds"\nslug: refunds\nposition: 20\n\n# why\npublish_on: 2026-12-01\nmachine: true\nauthor:\n',
        "description: >-\n  One sentence,\n  in two lines.\ntags: [a b, '2', \"c\", 3]\n",
        "tags:\n  - refunds\n  - 'money'\naliases:\n- refunds-old\n",
        "title: Refunds:all\n",
        "title: Über 😀\r\nslug: a\r\n",
        "",
    ],
)
def test_front_matter_as_people_write_it_needs_no_yaml(block):
    plain = read_plain(block)
    assert plain is not None
    assert list(plain.items()) == list(read_block(block).items())


def test_every_front_matter_of_the_help_center_is_read_line_by_line():
    for path in CONTENT.rglob("*.md"):
        block = head_of(path.read_bytes().decode()).removeprefix("---\n").removesuffix("---\n")
        plain = read_plain(block)
        assert plain is not None, path
        assert list(plain.items()) == list(read_block(block).items())


def test_a_block_that_is_too_large_is_left_to_yaml():
    assert read_plain("title: " + "a" * MAX_BYTES + "\n") is None


KNOWN = ("null", "true", "false", "yes", "no", "on", "off", "y", "n", "yesterday", "none", "0", "7", "010", "1_000")
BEGINNINGS = [first for first in RESOLVERS if first]


@pytest.mark.parametrize("word", [form for word in KNOWN for form in (word, word.capitalize(), word.upper())])
def test_a_value_without_quotes_has_the_type_that_yaml_gives_it(word):
    plain = read_plain(f"title: {word}\n")
    assert plain is not None
    assert plain["title"].tag == tag_of_words(word)


@pytest.mark.parametrize("first", BEGINNINGS)
def test_yaml_is_asked_about_every_sign_that_may_begin_another_type_than_text(first):
    for word in (first, f"{first}1", f"{first}.5", f"{first}inf", f"{first}026-12-01"):
        plain = read_plain(f"title: {word}\n")
        assert plain is None or plain["title"].tag == tag_of_words(word)
