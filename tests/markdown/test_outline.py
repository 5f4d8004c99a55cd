"""The outline of a body: the same whatever its links lead to, another where its words differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.content.body import body_of
from kbsync.content.compile import replacements_of
from kbsync.content.parse import parse_source
from kbsync.markdown.outline import outline

LINKS = (
    "[a](b.md)", "![a](b.png)", "[a](\n  b.md 'title')", "> [a](\n> b.md)", "[a](<b c.md>)", "[a]: b.md", "[a]:\n  <b.md>",
    "| [a](b\\|c.md) |\n| --- |", "- one\n- [a](b.md)\n\n  [c](d.md)", "[![a](b.png)](c.md)", "[a][b]\n\n[b]: b.md", "](", "<",
)  # fmt: skip
WORDS = st.sampled_from([*LINKS, "Words.", "\n", "\n\n", "\r\n", " ", "```\n[a](b.md)\n```", "# Title\n"])


@given(st.lists(WORDS, max_size=12).map("".join), st.sampled_from(["/hc/p/articles/x-y", "https://h.example/a-b.png"]))
def test_no_rewriting_of_links_changes_the_outline(body, address):
    data = f"---\ntitle: T\n---\n{body}".encode()
    source = parse_source("en/a/x.md", data)
    rewritten = body_of(source, data, replacements_of(source, lambda _: address, lambda _: address))
    assert outline(rewritten) == outline(body_of(source, data))


@pytest.mark.parametrize("link", LINKS)
def test_every_kind_of_link_stays_out_of_the_outline(link):
    other = link.replace("b.md", "elsewhere.md").replace("b.png", "other.png").replace("c.md", "d.md")
    assert outline(f"Words.\n\n{link}\n\nMore.") == outline(f"Words.\n\n{other}\n\nMore.")


def test_line_ends_do_not_count_and_other_words_do():
    assert outline("\nOne.\r\n\r\n[a](b) Two.\r\n") == outline("One.\n\n[a](c) Two.")
    assert outline("One.\n\n[a](b)") != outline("Another.\n\n[a](b)")
    assert outline("One.\n\n[a](b)") != outline("One.\n\n[a](b)\n\nMore.")
