"""What is beside an article, when it was changed, and what somebody may have meant where nothing is."""

from dataclasses import replace
from pathlib import Path

import pytest

from preview.workshop import CHARGES, INVOICES, REFUNDS, REMBOURSEMENTS, TREE, Shop, a_shop

ALIASED = {
    **TREE,
    "en/teams/invite.md": "---\ntitle: Invite people\naliases: [add-a-colleague]\n---\nInvite.\n",
    "en/teams/revoke-all-at-once.md": "---\ntitle: Everything\n---\nx\n",
    "en/teams/revoke.md": "---\ntitle: One\n---\nx\n",
    "en/teams/leave.md": "---\ntitle: Pushing somebody out of a team\n---\nx\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """The shared tree, with an alias."""
    return a_shop(tmp_path, ALIASED)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("/en/articles/refudns", [REFUNDS]),
        ("/en/articles/refund", [REFUNDS]),
        ("/en/articles/our-invoices", [INVOICES]),
        ("/en/articles/add-a-colleague", ["/en/articles/invite"]),
        ("/fr/articles/charges", [CHARGES]),
        ("/fr/articles/refunds", [REFUNDS, REMBOURSEMENTS]),
        ("/en/articles/push", ["/en/articles/leave"]),
        ("/en/articles/revok", ["/en/articles/revoke", "/en/articles/revoke-all-at-once"]),
        ("/en/articles/zzz", []),
        ("/en/articles/q", []),
        ("/nothing", []),
    ],
)
def test_what_is_suggested_has_the_slug_or_its_words(shop: Shop, asked: str, meant: list[str]):
    found = [link.url for link in shop.page(asked).suggestions]
    assert found[: len(meant)] == meant
    assert bool(found) == bool(meant)


def test_a_page_that_is_not_there_keeps_the_languages_and_speaks_the_one_it_was_asked_in(shop: Shop):
    html = shop.html("/fr/articles/charges")
    assert "<h1>Page introuvable</h1>" in html
    assert '<a href="/en/">English</a>' in html
    assert f'<a href="{CHARGES}">Charges</a> <span class="note">English</span>' in html


def test_beside_an_article_are_those_of_its_category_and_beside_a_category_all_of_them(shop: Shop):
    nav = shop.page(REFUNDS).nav
    assert (nav.heading.text, [link.text for link in nav.links]) == ("Billing", ["Charges", "Invoices", "Refunds"])
    assert [link.mark for link in nav.links] == ["", "draft", "current"]
    nav = shop.page("/en/categories/billing").nav
    assert [(link.text, link.mark) for link in nav.links] == [("Billing", "current"), ("Teams", "")]


def test_beside_an_article_of_a_large_category_are_the_nearest(tmp_path: Path):
    many = {f"en/billing/a{number:03}.md": f"---\ntitle: A{number}\n---\nx\n" for number in range(200)}
    nav = a_shop(tmp_path, many).page("/en/articles/a150").nav
    assert [nav.links[0].text, nav.links[30].text, nav.links[-1].text] == ["A120", "A150", "A179"]


def test_a_date_is_that_of_the_last_commit_in_the_language_of_the_page(shop: Shop):
    shop.live_tree.dates = {"en/billing/refunds.md": 1_773_500_000, "fr/billing/refunds.md": 1_773_500_000}
    assert shop.page(REFUNDS).updated == "Updated March 14, 2026"
    assert shop.page(REMBOURSEMENTS).updated == "Mis à jour le 14 mars 2026"


def test_the_description_is_the_first_sentence_of_the_page(shop: Shop):
    shop.save("en/billing/refunds.md", "---\ntitle: Refunds\ndescription: Give money back.\n---\nText.\n")
    assert '<p class="lead">Give money back.</p>' in shop.html(REFUNDS)


def test_the_portal_look_adds_nothing_to_the_html_of_the_portal(shop: Shop):
    shop.save("en/billing/refunds.md", "---\ntitle: Refunds\n---\n```sh\ncd x\n```\n\n![a](no.png)\n")
    assert '<span class="code-name">Shell</span>' in shop.page(REFUNDS).body_html
    shop.live_tree.project = replace(shop.live_tree.project, portal_look=True)
    bare = '<pre><code class="language-sh">cd x\n</code></pre>\n<p><img src="no.png" alt="a" /></p>\n'
    assert shop.page(REFUNDS).body_html == bare
