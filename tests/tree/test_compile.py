"""Identity from the path, and links between files that become links between articles."""

from __future__ import annotations

import pytest

from kbsync.model import Manage, Status, digest

from .trees import CATEGORY, an_article, read, write


def test_defaults_come_from_the_path(tmp_path):
    found = read(write(tmp_path, {
        "en/billing/_category.md": CATEGORY, "en/billing/refunds.md": "# Refunds\nx", "en/loose.md": "# Loose\nx",
        "pt_BR/billing/_category.md": CATEGORY, "pt_BR/billing/sub/refunds.md": "# Reembolsos\nx",
    })).desired  # fmt: skip
    article = found["en/billing/refunds.md"]
    assert (article.locale, article.slug, article.fields["category"]) == ("en", "refunds", "billing")
    assert (article.status, article.manage, article.creation) == (None, Manage.TRUE, {"author": 1})
    assert set(article.fields) == {"slug", "title", "content", "category"}
    assert "category" not in found["en/loose.md"].fields
    translated = found["pt_BR/billing/sub/refunds.md"]
    assert (translated.locale, translated.slug, translated.fields["category"]) == ("pt_BR", "refunds-pt-br", "billing")


def test_explicit_keys_win_over_the_path(tmp_path):
    text = "---\ntitle: T\nslug: money-back\ncategory: account\nlocale: fr\nauthor: ana\nstatus: archived\n---\nx"
    files = an_article(text, **{"fr/account/_category.md": "---\nname: Compte\n---\n"})
    found = read(write(tmp_path, files))
    article = found.desired["en/billing/refunds.md"]
    assert (article.locale, article.slug, article.fields["category"]) == ("fr", "money-back", "account")
    assert (article.fields["author"], article.status) == (12, Status.ARCHIVED)
    assert found.codes == ["KB204"]


LINKS = [
    ("[a](invoices.md)", "[a](/hc/handbook/articles/invoices)"),
    ("[a](./invoices.md#when-due)", "[a](/hc/handbook/articles/invoices#when-due)"),
    ("[a](../billing/invoices.md 'title')", "[a](/hc/handbook/articles/invoices 'title')"),
    ("[a](<invoices.md>)", "[a](</hc/handbook/articles/invoices>)"),
    ("[a](with%20space.md)", "[a](/hc/handbook/articles/with%20space)"),
    ("[a](<with space.md>)", "[a](</hc/handbook/articles/with%20space>)"),
    ("[a][b]\n\n[b]: invoices.md", "[a][b]\n\n[b]: /hc/handbook/articles/invoices"),
    ("> - [a](invoices.md)\r\n> - x", "> - [a](/hc/handbook/articles/invoices)\r\n> - x"),
    ("[a](../../fr/billing/refunds.md)", "[a](/hc/handbook/articles/refunds-fr)"),
    ("[a](../billing/)", "[a](/hc/handbook/en/categories/billing)"),
    ("[a](_category.md)", "[a](/hc/handbook/en/categories/billing)"),
    (
        "[é](invoices.md) ü [b](invoices.md)",
        "[é](/hc/handbook/articles/invoices) ü [b](/hc/handbook/articles/invoices)",
    ),
]

UNTOUCHED = [
    "`[a](invoices.md)`", "```\n[a](invoices.md)\n```", "\\[a](invoices.md)", "<!-- [a](invoices.md) -->",
    "[a](https://example.com/invoices.md)", "[a](/invoices.md)", "[a](#when)", "![a](shot.png)", "[a](mailto:x@y.z)",
    "[a](nowhere.md)", "trailing  \n\n\n",
]  # fmt: skip


def a_tree_around(body: str) -> dict[str, str | bytes]:
    return {
        "en/billing/_category.md": CATEGORY, "en/billing/refunds.md": f"---\ntitle: T\n---\n{body}",
        "en/billing/invoices.md": "# I\n## When due\nx", "en/billing/with space.md": "# W\nx",
        "fr/billing/_category.md": CATEGORY, "fr/billing/refunds.md": "# R\nx",
    }  # fmt: skip


@pytest.mark.parametrize(("written", "sent"), LINKS)
def test_a_link_to_a_file_becomes_a_link_to_its_article_and_nothing_else_changes(tmp_path, written, sent):
    found = read(write(tmp_path, a_tree_around(written)))
    assert found.content("en/billing/refunds.md") == sent
    assert found.desired["en/billing/refunds.md"].fields["content"] == digest(sent)


@pytest.mark.parametrize("written", UNTOUCHED)
def test_what_is_no_link_to_a_file_stays_as_it_is(tmp_path, written):
    assert read(write(tmp_path, a_tree_around(written))).content("en/billing/refunds.md") == written


def test_another_slug_of_the_target_changes_what_a_cached_article_sends(tmp_path):
    root, cache = write(tmp_path / "content", a_tree_around("[a](invoices.md)")), tmp_path / "scan.cache"
    before = read(root, cache=cache).desired["en/billing/refunds.md"].fields["content"]
    write(root, {"en/billing/invoices.md": "---\ntitle: I\nslug: bills\n---\nx"})
    found = read(root, cache=cache)
    assert found.content("en/billing/refunds.md") == "[a](/hc/handbook/articles/bills)"
    assert (
        found.desired["en/billing/refunds.md"].fields["content"] == digest("[a](/hc/handbook/articles/bills)") != before
    )
