"""A new destination goes exactly where the old one stood, in the way that place asks for."""

import pytest

from kbsync.markdown.rewrite import rewrite
from kbsync.markdown.spans import scan


def rewritten(text: str, destination: str) -> str:
    return rewrite(text, [(target, destination) for target in scan(text).targets])


@pytest.mark.parametrize(
    ("text", "destination", "expected"),
    [
        ("[a](b 't')", "/hc/x", "[a](/hc/x 't')"),
        ("[a](b)", "c d.md", "[a](<c d.md>)"),
        ("[a](<b c>)", "d", "[a](<d>)"),
        ("[a](b)", "", "[a](<>)"),
        ("[a](b)", "c(d)", "[a](c(d))"),
        ("[a](b)", "c)d(", "[a](c\\)d\\()"),
        ("[a](b)", "c\\_d", "[a](c\\\\_d)"),
        ("[a](b)", "?a=1&b=2", "[a](?a=1&b=2)"),
        ("[a](b)", "?a&copy;", "[a](?a&amp;copy;)"),
        ("[a](b)", "`<c>`", "[a](&#96;&#60;c&#62;&#96;)"),
        ("[a](b)", "c\nd", "[a](c&#10;d)"),
        ("| [a](b) |\n|---|", "c|d", "| [a](c\\|d) |\n|---|"),
        ("[a]()", "b", "[a](b)"),
        ("[a]: b 't'", "c d", "[a]: <c d> 't'"),
        ("<https://a.b>", "https://c.d?e&amp;f", "<https://c.d?e&amp;amp;f>"),
        ("<https://a.b>", "../c.md", "[https\\:\\/\\/a\\.b](../c.md)"),
        ("<a@b.c>", "mailto:d@e.f", "<d@e.f>"),
        ("<a@b.c>", "https://d.e", "<https://d.e>"),
        ("<x [a](b)", "c d", "<x [a](c&#32;d)"),
        ("[a]:\nb", "#", "[a]:\n&#35;"),
        ("[a](\nb)", "---", "[a](\n&#45;--)"),
        ("[a](\nb)", "#c", "[a](\n#c)"),
        ("[a]:\n<>", "body", "[a]:\n<&#98;ody>"),
        ("> [a](\n> b)", "p q", "> [a](\n> <&#112; q>)"),
        ("> [a](\n> b)", "../p q", "> [a](\n> <../p q>)"),
    ],
)
def test_a_destination_is_written_as_its_place_asks_for(text: str, destination: str, expected: str):
    assert rewritten(text, destination) == expected


def test_every_other_character_stays():
    text = "\ufeffé\t[a](b)\r\n\r\n> ![c](\r\n> d\r\n> 'e')\r\n\r\n[f]: g \r\n"
    assert rewritten(text, "X") == text.replace("(b", "(X").replace("> d", "> X").replace(": g", ": X")


def test_a_target_given_its_own_destination_is_not_even_tidied():
    text = "[a](b\\_c) <d@e.f> [g](<h>)"
    targets = scan(text).targets
    assert rewrite(text, [(target, target.destination) for target in targets]) == text


def test_the_order_of_replacements_does_not_matter():
    text = "[a](b) [c](d)"
    first, second = scan(text).targets
    assert rewrite(text, [(second, "2"), (first, "1")]) == "[a](1) [c](2)"


def test_two_replacements_of_one_target_are_refused():
    (target,) = scan("[a](b)").targets
    with pytest.raises(ValueError, match="overlaps"):
        rewrite("[a](b)", [(target, "c"), (target, "d")])


def test_an_autolink_within_a_links_words_that_needs_brackets_breaks_the_outer_link():
    text = "[<https://a.b>](c)"
    inner, _ = scan(text).targets
    assert [target.destination for target in scan(rewrite(text, [(inner, "d")])).targets] == ["d"]
