"""Full addresses of the portal's own pages are what their paths are; every other address stays."""

from __future__ import annotations

import pytest

from kbsync.markdown.own_pages import own_pages, with_paths

OWN = own_pages(("https://Support.example.com", "help.example.com"), "/hc/{portal}/articles/{slug}", "handbook")


@pytest.mark.parametrize(
    ("text", "by_path"),
    [
        ("[a](https://support.example.com/hc/handbook/articles/refunds)", "[a](/hc/handbook/articles/refunds)"),
        ("[a](http://help.example.com/hc/handbook/articles/x?y=1#how-to)", "[a](/hc/handbook/articles/x?y=1#how-to)"),
        ("[a](<HTTPS://HELP.EXAMPLE.COM/hc/handbook/articles/x> 't')", "[a](</hc/handbook/articles/x> 't')"),
        ("[a][b]\n\n[b]: https://help.example.com/hc/handbook/fr", "[a][b]\n\n[b]: /hc/handbook/fr"),
    ],
)
def test_a_link_to_the_portal_itself_leads_there_by_path(text: str, by_path: str):
    assert with_paths(f"é {text}\n\n- [z](x.md)\n", OWN) == f"é {by_path}\n\n- [z](x.md)\n"


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_what_readers_see_as_an_address_and_what_leads_elsewhere_stays(text: str):
    assert with_paths(text, OWN) == text
