"""Addresses of the portal become relative paths, and compiling makes the same text of them again.

Full addresses of the portal's own pages are what their paths are; every other address stays.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import body_of, source_of
from kbsync.content.compile import replacements_of
from kbsync.content.relative import Places, to_relative
from kbsync.markdown.own_pages import own_pages, with_paths

ADDRESSES = {
    "en/billing/refunds.md": "/hc/handbook/articles/refunds",
    "en/my file (1).md": "/hc/handbook/articles/a%20b",
    "en/billing/_category.md": "/hc/handbook/en/categories/billing",
    "en/billing": "/hc/handbook/en/categories/billing",
}
UPLOAD = "https://x.example/rails/active_storage/blobs/redirect/abc/shot.png"
HERE = "en/other/here.md"


def places() -> Places:
    found = Places.of(ADDRESSES)
    found.add_image(UPLOAD, "en/billing/images/shot.png")
    return found


def compiled(body: str) -> str:
    """What a push would send of a body of the file `HERE`."""
    data = f"---\ntitle: x\n---\n{body}".encode()
    source = source_of(data, HERE)
    return body_of(source, data, replacements_of(source, ADDRESSES.get, places().address_of_image.get))


STAY = (
    "`/hc/handbook/articles/refunds`",
    "<https://x.example/hc/handbook/articles/refunds>",
    "[a](https://x.example/hc/handbook/articles/refunds)",
    "[a](/hc/handbook/articles/unknown)",
    "[a](/hc/handbook/articles/refunds#a%2fb)",
    "[a](nowhere.md)",
    "\\[a](/hc/handbook/articles/refunds)",
    "<a href='/hc/handbook/articles/refunds'>x</a>",
)


@pytest.mark.parametrize(
    ("portal", "file"),
    [
        ("[a](/hc/handbook/articles/refunds)", "[a](../billing/refunds.md)"),
        ("[a](/hc/handbook/articles/refunds#how-to)", "[a](../billing/refunds.md#how-to)"),
        ("[a](/hc/handbook/articles/refunds?x=1&y=2#h)", "[a](../billing/refunds.md?x=1&y=2#h)"),
        ('[a](</hc/handbook/articles/a%20b> "t")', '[a](<../my%20file%20%281%29.md> "t")'),
        ("[a]: /hc/handbook/en/categories/billing\n\n[a]", "[a]: ../billing/_category.md\n\n[a]"),
        (f"![s]({UPLOAD}?cw_image_height=300px)", "![s](../billing/images/shot.png?cw_image_height=300px)"),
        (f"[s]({UPLOAD})", "[s](../billing/images/shot.png)"),
        (
            f"[![s]({UPLOAD})](/hc/handbook/articles/refunds)",
            "[![s](../billing/images/shot.png)](../billing/refunds.md)",
        ),
        # One address that stays does not keep the others.
        (
            "[a](/hc/handbook/articles/refunds#a%2fb) [b](/hc/handbook/articles/refunds)",
            "[a](/hc/handbook/articles/refunds#a%2fb) [b](../billing/refunds.md)",
        ),
        *zip(STAY, STAY, strict=True),
    ],
)
def test_an_address_becomes_a_path_and_what_would_not_be_the_same_again_stays(portal: str, file: str):
    assert to_relative(portal, HERE, places()) == file
    assert compiled(file) == portal


PIECES = st.sampled_from(
    [
        *(f"[a]({address})" for address in ADDRESSES.values()),
        f"![i]({UPLOAD})", UPLOAD, "/hc/handbook/articles/refunds", "`", "```\n", "\n\n", "> ", "- ", "<b>", "](", "[x]: ",
        "# h\n", "\\", "&amp;", "é", "#frag", "?q=1", "|", "| - |\n", "<!--", "-->", "\r\n", "[x][]", "<", ">", " \"t\"",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_the_portal_has_compiles_to_the_same_again(text: str):
    assert compiled(to_relative(text, HERE, places())) == compiled(text)


OWN = own_pages(("https://Support.example.com", "help.example.com"), "/hc/{portal}/articles/{slug}", "handbook")


ELSEWHERE = (
    "<https://help.example.com/hc/handbook/articles/x>",
    "`[a](https://help.example.com/hc/handbook/articles/x)`",
    "https://help.example.com/hc/handbook/articles/x",
    "[a](https://help.example.com:8080/hc/handbook/articles/x)",
    "[a](https://other.example/hc/handbook/articles/x)",
    "[a](https://x@help.example.com/hc/handbook/articles/x)",
    "[a](https://help.example.com/hc/other/articles/x)",
    "[a](https://help.example.com/hc/handbooks)",
    "[a](ftp://help.example.com/hc/handbook/articles/x)",
    "[a](/hc/handbook/articles/x)",
)
"""What readers see as an address, and what leads elsewhere."""


@pytest.mark.parametrize(
    ("text", "by_path"),
    [
        ("[a](https://support.example.com/hc/handbook/articles/refunds)", "[a](/hc/handbook/articles/refunds)"),
        ("[a](http://help.example.com/hc/handbook/articles/x?y=1#how-to)", "[a](/hc/handbook/articles/x?y=1#how-to)"),
        ("[a](<HTTPS://HELP.EXAMPLE.COM/hc/handbook/articles/x> 't')", "[a](</hc/handbook/articles/x> 't')"),
        ("[a][b]\n\n[b]: https://help.example.com/hc/handbook/fr", "[a][b]\n\n[b]: /hc/handbook/fr"),
        *zip(ELSEWHERE, ELSEWHERE, strict=True),
    ],
)
def test_a_link_to_the_portal_itself_leads_there_by_path_and_any_other_address_stays(text: str, by_path: str):
    assert with_paths(f"é {text}\n\n- [z](x.md)\n", OWN) == f"é {by_path}\n\n- [z](x.md)\n"
