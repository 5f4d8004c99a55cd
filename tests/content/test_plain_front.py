"""The line reader of front matter: what it reads, YAML reads in the very same way; all else it leaves to YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbsync.content.frontmatter import MAX_BYTES, read_block
from kbsync.content.plain_front import read_plain
from kbsync.content.post import head_of

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
