"""What holds for every text: the two parsers see the same links, and a rewrite changes what it is asked to."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from kbsync.markdown.dialect import portal_parser
from kbsync.markdown.rewrite import rewrite
from kbsync.markdown.spans import Scan, Target, scan

PARSER = portal_parser()
WORDS = st.sampled_from(
    [
        "a",
        "b c",
        "é",
        "日本語",
        "x_y",
        "**s**",
        "*e*",
        "`c [n](o)`",
        "\\[q](r)",
        "&amp;",
        "2 < 3",
        "<b>",
        "😀",
    ]
)
ADDRESSES = st.sampled_from(
    ["u.md", "../a/b.png#c", "https://e.co/?a=1&b=2", "<s p>", "é/ü.md", "p(q)", "h\\_i", "x&amp;y", "<>"]
)
TITLES = st.sampled_from(["", ' "t"', " 't u'", " (v)"])
NEW = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    [
        "a b",
        "c(d",
        "e)f",
        "",
        "g\\",
        "\\*",
        "h|i",
        "&copy;",
        "é/日本.png",
        "https://e.co/?a=1&b=2",
        "`j`",
        "<k>",
    ]
)

links = st.builds("[{}]({}{})".format, WORDS, ADDRESSES, TITLES)
images = st.builds("![{}]({}{})".format, st.sampled_from(["", "alt", "é *f*"]), ADDRESSES, TITLES)
nested = st.builds("[{}]({})".format, images, ADDRESSES)
references = st.sampled_from(["[w][one]", "[One][]", "![two]", "[w][none]"])
autolinks = st.sampled_from(["<https://e.co/x>", "<me@e.co>"])
inlines = st.lists(WORDS | links | images | nested | references | autolinks, min_size=1, max_size=5).map(" ".join)
definitions = st.builds("[{}]: {}{}".format, st.sampled_from(["one", "ONE", "two"]), ADDRESSES, TITLES)
paragraphs = st.lists(inlines, min_size=1, max_size=3).map("\n".join)
headings = st.builds("{} {}".format, st.sampled_from(["#", "##", "####"]), inlines)
codes = inlines.map("```\n{}\n```".format) | inlines.map("    {}".format)
raw = inlines.map("<div>\n{}\n</div>".format) | inlines.map("<!-- {} -->".format)
tables = st.builds("| {} | b |\n|---|:-:|\n| {} | x |".format, inlines, inlines)
flat = paragraphs | headings | codes | raw | tables | definitions


def _prefixed(first: str, others: str, block: str) -> str:
    return first + f"\n{others}".join(block.split("\n"))


blocks = st.recursive(
    flat,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        .map("\n\n".join)
        .flatmap(
            lambda text: st.sampled_from(
                [_prefixed("> ", "> ", text), _prefixed("- ", "  ", text), _prefixed("1. ", "   ", text)]
            )
        )
    ),
    max_leaves=6,
)
documents = st.builds(
    lambda parts, ending: ending.join("\n\n".join(parts).split("\n")),
    st.lists(blocks, max_size=6),
    st.sampled_from(["\n", "\r\n"]),
)
checked = settings(max_examples=150, deadline=None, derandomize=True)


def destinations(text: str) -> list[str]:
    """Every link and image as the preview's parser sees it."""

    def walk(tokens: list[Token]) -> list[str]:
        found = []
        for token in tokens:
            if token.type in ("link_open", "image"):
                found.append(str(token.attrGet("href" if token.type == "link_open" else "src")))
            found += walk(token.children or [])
        return found

    return sorted(walk(PARSER.parse(text)))


def shape(found: Scan) -> list[object]:
    """All that a rewrite of destinations has no business changing."""
    return [
        [(target.kind, target.text, target.title) for target in found.targets],
        [(reference.kind, reference.label, reference.text) for reference in found.references],
        [(heading.level, heading.text) for heading in found.headings],
        [piece.html for piece in found.raw_html],
    ]


def rewritable(found: Scan) -> list[Target]:
    return [target for target in found.targets if target.kind != "autolink"]


@checked
@given(documents)
def test_both_parsers_see_the_same_links(text: str):
    found = scan(text)
    seen = [target.destination for target in found.targets if target.kind != "definition"]
    assert sorted(seen + [reference.destination for reference in found.references]) == destinations(text)


@checked
@given(documents)
def test_replacing_every_target_by_itself_changes_nothing(text: str):
    assert rewrite(text, [(target, target.destination) for target in scan(text).targets]) == text


@checked
@given(documents, st.data())
def test_a_rewritten_text_has_the_new_targets_and_no_other_difference(text: str, data: st.DataObject):
    before = scan(text)
    changes = {target: data.draw(NEW) for target in rewritable(before)}
    after = scan(rewrite(text, changes.items()))
    assert [target.destination for target in after.targets] == [
        changes.get(target, target.destination) for target in before.targets
    ]
    assert shape(after) == shape(before)


@checked
@given(documents)
def test_a_span_holds_what_its_line_and_column_say(text: str):
    lines = text.replace("\r\n", "\n").split("\n")
    for target in scan(text).targets:
        written = text[target.start : target.end]
        assert lines[target.line - 1][target.column - 1 :].startswith(written)


@pytest.mark.parametrize(
    ("text", "scanned", "shown"),
    [
        pytest.param("- a\n<r>\n[b](c)", ["c"], [], id="a lone tag that leaves a list begins raw HTML on the portal"),
        pytest.param("x\n-|\n[a](b)", ["b"], ["b"], id="a table without pipes in its head has the same links"),
        pytest.param("[a]: b\n[a]|\n-|", ["b"], [], id="a definition right above a table is text to the portal"),
        pytest.param("[\n-|\n](b)", ["b"], [], id="a table is parted before links are looked for"),
        pytest.param("[ß]\n\n[SS]: b", ["b"], ["b"], id="labels fold their case alike"),
    ],
)
def test_the_two_parsers_in_places_where_they_might_differ(text: str, scanned: list[str], shown: list[str]):
    found = scan(text)
    links = [target.destination for target in found.targets if target.kind != "definition"]
    assert (links + [reference.destination for reference in found.references], destinations(text)) == (scanned, shown)
