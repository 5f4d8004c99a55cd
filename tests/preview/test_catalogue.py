"""The tree in memory: which pages a change touches, and what they say then."""

import re
from pathlib import Path

import pytest

from kbsync.lint.explanations import anchor_of
from kbsync.lint.registry import RULES
from kbsync.preview.checking import check_all, others_than
from kbsync.preview.writer import Writing
from preview.workshop import (
    BILLING,
    CHARGES,
    FRENCH_HOME,
    HOME,
    INVITE,
    INVOICES,
    REFUNDS,
    REMBOURSEMENTS,
    TEAMS,
    TREE,
    Shop,
    a_shop,
)

A_REFUND = "---\ntitle: Refunds\nstatus: published\n---\nOther text.\n\n## When\n\nNow.\n"


def test_another_text_touches_its_own_page_alone(shop: Shop):
    touched = shop.save("en/billing/refunds.md", A_REFUND)
    assert (touched.urls, touched.everything) == ({REFUNDS}, False)
    assert "Other text." in shop.html(REFUNDS)


def test_another_title_touches_what_shows_it(shop: Shop):
    touched = shop.save("en/billing/refunds.md", A_REFUND.replace("Refunds", "Money back"))
    # Its category, home and the articles of its category list it, its translation has a link to it.
    assert touched.urls == {REFUNDS, BILLING, HOME, CHARGES, INVOICES, REMBOURSEMENTS}
    assert not touched.everything
    assert shop.page(INVOICES).next.text == "Money back"


def test_another_position_touches_the_neighbours_that_were_and_those_that_are(shop: Shop):
    touched = shop.save("en/billing/refunds.md", A_REFUND.replace("---\ntitle", "---\nposition: 1\ntitle", 1))
    assert touched.urls == {REFUNDS, BILLING, HOME, INVOICES, CHARGES, REMBOURSEMENTS}
    html = shop.html(BILLING)
    assert html.index("Refunds") < html.index("Charges") < html.index("Invoices")


def test_another_heading_touches_the_pages_that_link_to_it(shop: Shop):
    touched = shop.save("en/billing/refunds.md", A_REFUND.replace("## When", "## How soon"))
    assert touched.urls - shop.live_tree.lists() == {REFUNDS, CHARGES}
    assert shop.codes("en/billing/charges.md") == ["KB302"]


def test_every_code_that_a_page_can_name_is_explained_where_its_link_leads(shop: Shop):
    shop.save("en/billing/charges.md", "---\ntitle: Charges\n---\n[x](nowhere.md)\n")
    assert '<a href="/-/codes#kb-301">KB301</a>' in shop.html(CHARGES)
    explained = shop.html("/-/codes")
    assert all(f'<h3 id="{anchor_of(rule.code)}">{rule.code}' in explained for rule in RULES)


def test_a_category_touches_its_page_its_articles_and_the_home(shop: Shop):
    touched = shop.save("en/teams/_category.md", "---\nname: People\n---\n")
    assert touched.urls == {TEAMS, BILLING, HOME, INVITE, "/fr/categories/teams"}
    assert "People" in shop.html(INVITE)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("en/billing/new.md", "---\ntitle: New\n---\nText.\n"),
        ("en/billing/refunds.md", A_REFUND.replace("title:", "slug: money-back\ntitle:")),
        ("en/billing/refunds.md", A_REFUND.replace("title:", "category: teams\ntitle:")),
        ("en/teams/_category.md", "---\nname: Teams\nslug: people\n---\n"),
        ("fr/billing/refunds.md", "---\ntitle: Remboursements\ntranslation_of: en/teams/invite.md\n---\nTexte.\n"),
        ("en/billing/images/a.png", b"png"),
    ],
)
def test_what_comes_or_becomes_another_touches_everything(shop: Shop, path: str, text: str | bytes):
    assert shop.save(path, text).everything


def test_what_goes_touches_everything_and_has_no_page(shop: Shop):
    assert shop.delete("en/billing/refunds.md").everything
    assert "Page not found" in shop.html(REFUNDS)
    assert "Refunds" not in shop.html(BILLING)
    assert shop.all_codes()["en/billing/charges.md"] == ["KB301"]


def test_the_same_bytes_touch_nothing(shop: Shop):
    assert not shop.save("en/billing/refunds.md", TREE["en/billing/refunds.md"])


def test_what_is_hidden_or_no_file_touches_nothing(shop: Shop):
    assert not shop.save("en/.draft.md", "---\ntitle: X\n---\nX\n")
    assert not shop.look("en/billing", "nowhere/at-all.md")


def test_a_file_that_leads_out_of_the_tree_is_not_read(shop: Shop, tmp_path: Path):
    (tmp_path / "secret.md").write_text("---\ntitle: Secret\n---\nSecret.\n")
    (tmp_path / "content/en/billing/out.md").symlink_to(tmp_path / "secret.md")
    assert not shop.look("en/billing/out.md")


def test_a_image_that_was_drawn_anew_touches_the_pages_that_show_it(tmp_path: Path):
    files = {**TREE, "en/billing/a.png": b"old", "en/billing/refunds.md": "---\ntitle: R\n---\n![a](a.png)\n"}
    shop = a_shop(tmp_path, files)
    touched = shop.save("en/billing/a.png", b"new")
    assert (touched.urls, touched.everything) == ({REFUNDS}, False)


# --- broken front matter -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["---\ntitle: [Refunds\n---\nOther.\n", "---\ntitle: Refunds\n", "", b"\xff\xfe"])
def test_broken_front_matter_leaves_the_last_good_page_with_a_message_over_it(shop: Shop, broken: str | bytes):
    assert "Text." in shop.html(REFUNDS)
    touched = shop.save("en/billing/refunds.md", broken)
    html = shop.html(REFUNDS)
    assert touched.urls == {REFUNDS} | shop.live_tree.lists()
    assert "Text." in html
    assert re.search(r"en/billing/refunds\.md:\d+:\d+: ", html)
    assert "Refunds" in shop.html(BILLING)


def test_a_file_that_is_not_utf_8_from_the_beginning_on_has_an_empty_page(tmp_path: Path):
    shop = a_shop(tmp_path, {**TREE, "en/billing/refunds.md": b"---\ntitle: Caf\xe9\n---\nText.\n"})
    html = shop.html(REFUNDS)
    assert "Text." not in html
    assert "<h1>refunds</h1>" in html


def test_the_message_goes_with_the_mended_front_matter(shop: Shop):
    shop.html(REFUNDS)
    shop.save("en/billing/refunds.md", "---\ntitle: [Refunds\n---\nOther.\n")
    touched = shop.save("en/billing/refunds.md", TREE["en/billing/refunds.md"])
    assert touched.urls == {REFUNDS} | shop.live_tree.lists()
    assert "last version without this error" not in shop.html(REFUNDS)


IN_A_BROKEN_FILE = "---\ntitle: [Refunds\n---\nOther.\n\n[a](gone.md) and https://x.y/z ![](no.png)\n"


def listed(shop: Shop) -> list[tuple[str, int]]:
    rows = Writing(shop.live_tree.project).findings_list(shop.live_tree).named
    return [(finding.code, finding.line) for path, finding in rows if path == "en/billing/refunds.md"]


def test_a_file_that_cannot_be_read_is_listed_with_all_that_lint_finds_in_it(tmp_path: Path):
    config = '[content]\nroot = "content"\n[lint]\nignore = ["KB407", "KB214", "KB6"]\n'
    shop = a_shop(tmp_path / "one", TREE, config)
    shop.save("en/billing/refunds.md", IN_A_BROKEN_FILE)
    from_the_start = a_shop(tmp_path / "two", {**TREE, "en/billing/refunds.md": IN_A_BROKEN_FILE}, config)
    found = check_all(**from_the_start.live_tree.as_it_is())["en/billing/refunds.md"]
    assert listed(shop) == [(finding.code, finding.line) for finding in found]
    assert {"KB104", "KB301", "KB303", "KB311"} == {code for code, _ in listed(shop)}
    # The page names the error, whatever else is found above it.
    assert "This is not valid YAML" in shop.html(REFUNDS)
    shop.save("en/billing/gone.md", "---\ntitle: Gone\n---\nHere.\n")
    shop.live_tree.take_findings(check_all(**shop.live_tree.as_it_is()), ())
    assert "KB301" not in {code for code, _ in listed(shop)}


def test_an_article_that_was_broken_from_the_start_shows_what_it_has(tmp_path: Path):
    shop = a_shop(tmp_path, {"en/billing/refunds.md": "---\ntitle: [Refunds\n---\nThe text.\n"})
    assert "The text." in shop.html(REFUNDS)


# --- findings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: R\nslug: charges\n---\nText.\n",
        "---\ntitle: R\ncategory: nowhere\n---\nText.\n",
        "---\nstatus: wrong\n---\nText.\n",
        "---\ntitle: R\ntranslation_of: en/billing/none.md\n---\n[a](none.md) [b](invoices.md#no) ![c](c.png)\n",
        "---\ntitle: R\nauthor: nobody\n---\n",
        "---\ntitle: R\nlocale: fr\n---\n[a](../teams) [b](../teams/_category.md)\n",
    ],
)
def test_the_findings_of_one_save_are_those_that_the_whole_tree_has_there(shop: Shop, text: str):
    shop.save("en/billing/refunds.md", text)
    assert shop.codes("en/billing/refunds.md") == shop.all_codes().get("en/billing/refunds.md", [])


def test_the_findings_of_the_whole_tree_touch_the_pages_that_have_others_now(shop: Shop):
    shop.save("en/teams/invite.md", "---\ntitle: Invite\nslug: refunds\n---\nInvite.\n")
    found = check_all(**shop.live_tree.as_it_is())
    touched = shop.live_tree.take_findings(found, others_than(shop.live_tree.findings, found))
    assert touched.urls <= {"/en/articles/refunds~2", REFUNDS, HOME, FRENCH_HOME}


# --- pages -------------------------------------------------------------------------------------------------------


def test_two_articles_of_one_slug_both_have_a_page(shop: Shop):
    shop.save("en/teams/invite.md", "---\ntitle: Invite people\nslug: refunds\n---\nInvite.\n")
    assert "Text." in shop.html(REFUNDS)
    assert "Invite." in shop.html(f"{REFUNDS}~2")


def test_links_lead_to_local_pages_and_images_to_local_files(tmp_path: Path):
    files = {**TREE, "en/billing/images/a b.png": b"png"}
    text = "---\ntitle: R\n---\n[c](charges.md?a=1#x) ![a](<images/a b.png>) ![no](no.png) [t](../teams)\n"
    html = a_shop(tmp_path, {**files, "en/billing/refunds.md": text}).html(REFUNDS)
    assert f'href="{CHARGES}?a=1#x"' in html
    assert 'src="/-/files/en/billing/images/a%20b.png"' in html
    assert 'src="no.png"' not in html
    assert '<span class="what">Image not found</span> <span class="about">no</span> <code>no.png</code>' in html
    assert f'href="{TEAMS}"' in html


def test_the_locale_switch_keeps_the_article(shop: Shop):
    assert f'<a href="{REMBOURSEMENTS}"' in shop.html(REFUNDS)
    assert f'<a href="{REFUNDS}"' in shop.html(REMBOURSEMENTS)
    assert f'<a href="{FRENCH_HOME}"' in shop.html(INVITE)


def test_what_is_no_page_suggests_what_is_nearly_called_so(shop: Shop):
    assert [link.url for link in shop.page("/en/articles/refnds").suggestions] == [REFUNDS]


def test_a_category_that_nobody_declared_has_a_page_too(tmp_path: Path):
    shop = a_shop(tmp_path, {"en/loose/one.md": "---\ntitle: One\n---\nOne.\n"})
    assert "One" in shop.html("/en/categories/loose")


def test_a_source_without_a_locale_can_be_seen(tmp_path: Path):
    shop = a_shop(tmp_path, {"one.md": "---\ntitle: One\n---\nThe text.\n"}, '[content]\nlocales = ["en"]\n')
    assert "The text." in shop.html("/_/articles/one")
    assert "One" in shop.html("/_/")
    assert "/_/articles/one" in shop.html("/-/overview")


def test_translations_that_name_each_other_end_no_loop(tmp_path: Path):
    files = {
        "en/a/one.md": "---\ntitle: One\ntranslation_of: fr/a/un.md\n---\nOne.\n",
        "fr/a/un.md": "---\ntitle: Un\ntranslation_of: en/a/one.md\n---\nUn.\n",
    }
    shop = a_shop(tmp_path, files)
    assert "/fr/articles/un-fr" in shop.html("/en/articles/one")
    assert "/en/articles/one" in shop.html("/fr/articles/un-fr")


def test_a_image_that_is_none_is_found_by_the_check_of_the_whole_tree(shop: Shop):
    shop.save("en/billing/a.png", b"no image")
    shop.save("en/billing/refunds.md", A_REFUND + "\n![The button](a.png)\n")
    assert "KB320" in shop.all_codes()["en/billing/refunds.md"]


def test_a_heading_touches_the_pages_that_link_to_it_now(tmp_path: Path):
    shop = a_shop(tmp_path)
    heading, some = "---\ntitle: Refunds\nstatus: published\n---\n", {CHARGES, INVOICES, REFUNDS}
    assert shop.save("en/billing/refunds.md", heading + "## One\n").urls & some == {REFUNDS, CHARGES}
    shop.save("en/billing/invoices.md", "---\ntitle: Invoices\n---\nSee [refunds](refunds.md).\n")
    assert shop.save("en/billing/refunds.md", heading + "## Two\n").urls & some == {REFUNDS, CHARGES, INVOICES}
    shop.save("en/billing/charges.md", "---\ntitle: Charges\nstatus: published\n---\nNo link.\n")
    assert shop.save("en/billing/refunds.md", heading + "## Three\n").urls & some == {REFUNDS, INVOICES}
