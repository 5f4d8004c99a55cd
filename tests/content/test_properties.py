"""Whatever the bytes: the reader never fails, never loses a byte, and means what python-frontmatter means."""

import frontmatter
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builders import read_body, source_of
from kbsync.content.apart import take_apart
from kbsync.content.parse import parse_source
from kbsync.content.post import dumps, new_post

pytestmark = pytest.mark.slow

MANY = settings(max_examples=1500, deadline=None)

YAML_PIECES = st.sampled_from([
    "title", "slug", "tags", "manage", "position", ": ", ":", "\n", "\r\n", "\r", "- ", "  ", "\t", "[", "]", "{", "}",
    ",", "&a ", "*a", "!!str ", "!!int ", "!!bool ", "!x ", "'", '"', "|\n", ">\n", "#", "? ", "---", "...", "%YAML 1.1",
    "~", "null", "010", "1_0", "9" * 30, "é", "😀", "\u2028", "\x85", "\ufeff", "\0", "\x7f", "\\0", "\\ud800", "<<", "=",
])  # fmt: skip
MARKDOWN_PIECES = st.sampled_from([
    "# ", "#", "===", "\n", "\n\n", "\r\n", "\r", "> ", "- ", "    ", "[a](b.md)", "![a](b.png)", "[a]: <b c.md> 'x'",
    "[a]", "`", "```\n", "<!--", "-->", "<b>", "text", "é", "😀", "\0", "\t", "\\", "|", "a | b\n--|--\n", "\ufeff",
])  # fmt: skip


@MANY
@given(st.binary(max_size=200))
@example(b"---\n? \n---")
@example(b"---\n!!\n---\n")
@example(b"\xef\xbb\xbf---\n\xc2\x85:\n---")
def test_no_bytes_make_the_reader_fail(data):
    parse_source("en/a.md", data)
    parse_source("en/_category.md", b"---\n" + data + b"\n---\nText")


@MANY
@given(st.lists(YAML_PIECES, max_size=25).map("".join))
@example("position: !!int --5")
@example("position: " + "9" * 5000)
@example("title: *a")
@example("a: {b: &a x}\ntitle: *a")
def test_no_front_matter_makes_the_reader_fail(block):
    for problem in source_of(f"---\n{block}\n---\nText").problems:
        assert problem.line >= 1 and problem.column >= 1


@MANY
@given(st.lists(MARKDOWN_PIECES, max_size=25).map("".join))
def test_a_body_loses_its_title_and_nothing_else(body):
    text = f"---\nslug: a\n---\n{body}"
    source = source_of(text)
    start, end = source.title_span
    assert read_body(text) == body[:start] + body[end:]
    assert start == end or source.title is not None
    assert read_body(f"---\ntitle: A\n---\n{body}") == body
    for link in source.links:
        assert not start <= link.start < end


FILE_PIECES = st.one_of(
    st.sampled_from(["---", "...", "\ufeff", " ", "\t", "title: A", "content: B"]), YAML_PIECES, MARKDOWN_PIECES
)


@MANY
@given(st.lists(FILE_PIECES, max_size=25).map("".join))
@example("\ufeff---\r\ntitle: A\r\n---\r\n\r\nText  \r\n\r\n")
@example("---\rtitle: A\r...\rText")
@example("---\ntitle: A\n---")
@example("---\ntitle: A\n")
@example("\n\n---\ntitle: A\n---\n")
def test_a_text_that_is_read_and_written_is_the_same_to_the_byte(text):
    head, _, body = take_apart(text)
    assert head + body == text
    assert head + "Another.\n" == text[: len(text) - len(body)] + "Another.\n"


PRINTABLE = st.characters(
    min_codepoint=32, max_codepoint=0x1F64F, exclude_categories=("C", "Z"), include_characters=" "
)
TEXT = st.text(PRINTABLE, max_size=20)
VALUES = st.fixed_dictionaries({}, optional={
    "title": TEXT, "slug": TEXT, "description": TEXT, "author": TEXT, "locale": TEXT, "category": TEXT,
    "position": st.integers(-(2**31) + 1, 2**31 - 1), "tags": st.lists(TEXT, max_size=3), "meta_title": TEXT,
    "status": st.sampled_from(["draft", "published", "archived"]), "aliases": st.lists(TEXT, max_size=3),
})  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(VALUES, TEXT, st.sampled_from(["\n", "\r\n"]))
def test_well_formed_front_matter_means_the_same_as_to_python_frontmatter(values, body, end):
    text = frontmatter.dumps(frontmatter.Post(body, **values)).replace("\n", end)
    source = source_of(text)
    assert source.problems == () or not text.strip()
    for key, value in frontmatter.loads(text).metadata.items():
        assert getattr(source, key) == (tuple(value) if isinstance(value, list) else value)


ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40)
ANY_VALUES = st.fixed_dictionaries({}, optional={
    "title": ANY_TEXT, "description": ANY_TEXT, "tags": st.lists(ANY_TEXT, max_size=3), "status": st.just("draft"),
    "position": st.integers(-(2**31) + 1, 2**31 - 1), "aliases": st.lists(ANY_TEXT, max_size=3),
})  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(ANY_VALUES, ANY_TEXT)
@example({"title": "a\n---\nb", "description": "word " * 60}, "")
@example({"title": "1"}, "---\n")
@example({"title": "\N{NO-BREAK SPACE}"}, "")
@example({"title": "a\N{NO-BREAK SPACE}", "tags": ["\N{EM SPACE}"]}, "")
def test_a_new_file_says_what_it_was_made_of(values, body):
    text = dumps(new_post(body, **values))
    source, post = source_of(text), take_apart(text)
    assert (post.body, [problem for problem in source.problems if problem.line < text.count("\n")]) == (body, [])
    for key, value in values.items():
        assert getattr(source, key) == (tuple(value) if isinstance(value, list) else value)


SCALARS = st.text("0123456789-+_:.,xobeE ~trueyesnofalse'\"#[]{}&*!|>%@é", max_size=12)


@MANY
@given(st.dictionaries(st.sampled_from(["title", "slug", "position", "tags", "manage"]), SCALARS))
def test_what_is_taken_without_complaint_is_what_a_yaml_library_reads(lines):
    block = "".join(f"{key}: {text}\n" for key, text in lines.items())
    source = source_of(f"---\n{block}---\n# T\nText")
    if any(problem.level == "error" for problem in source.problems):
        return
    try:
        meant = yaml.safe_load(block or "{}")
    except (yaml.YAMLError, ValueError, IndexError):
        return  # The library builds what is only read here, and stumbles over an anchor given twice or `!!int` of nothing.
    for key, value in meant.items():
        taken = getattr(source, key)
        if key == "manage":
            assert taken == str(True if value is None else value).lower()
        elif value is not None:
            assert taken == (tuple(value) if isinstance(value, list) else value)
