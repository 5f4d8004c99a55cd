"""Identity from the path, and links between files that become links between articles."""

import pytest

from builders import A_CATEGORY, AN_ARTICLE, beside, read_content, source_of, tree, write_files
from kbsync.content.compile import Addresses, Compiler
from kbsync.errors import ContentError
from kbsync.markdown.uploaded import body_digest
from kbsync.memory import Memory
from kbsync.model import Manage, Status

HERE = "en/billing/refunds.md"


# --- identity --------------------------------------------------------------------------------------------------------

IDENTITIES = [
    # path, front matter, locale, slug, category; en/billing and pt_BR/billing are declared, fr and de have folders
    ("en/billing/refunds.md", "", "en", "refunds", "billing"),
    ("en/billing/deep/er/refunds.md", "", "en", "refunds", "billing"),
    ("en/loose.md", "", "en", "loose", ""),
    ("en/account/a.md", "", "en", "a", "account"),
    ("en/account/deep/a.md", "", "en", "a", "account"),
    ("pt_BR/billing/refunds.md", "", "pt_BR", "refunds-pt-br", "billing"),
    ("fr/billing/refunds.md", "", "fr", "refunds-fr", "billing"),
    ("en/billing/Über uns.md", "", "en", "uber-uns", "billing"),
    ("en/billing/U\u0308ber uns.md", "", "en", "uber-uns", "billing"),
    ("fr/billing/Été à Paris.md", "", "fr", "ete-a-paris-fr", "billing"),
    ("en/billing/v1.2 Notes.md", "", "en", "v1-2-notes", "billing"),
    ("en/billing/設定.md", "", "en", "設定", "billing"),
    ("en/billing/Über.md", "slug: Über", "en", "Über", "billing"),
    ("en/U\u0308bersicht/a.md", "", "en", "a", "\u00dcbersicht"),
    ("en/billing/refunds.md", "slug: money-back", "en", "money-back", "billing"),
    ("fr/billing/refunds.md", "slug: money-back", "fr", "money-back", "billing"),
    ("en/billing/refunds.md", "category: account", "en", "refunds", "account"),
    ("en/billing/refunds.md", "locale: fr", "fr", "refunds-fr", "billing"),
    ("en/billing/refunds.md", 'slug: ""', "en", "refunds", "billing"),
    ("misc/refunds.md", "", "", "refunds", "misc"),
    ("misc/refunds.md", "locale: fr", "fr", "refunds-fr", "misc"),
    ("refunds.md", "", "", "refunds", ""),
    ("en.md", "locale: en", "en", "en", ""),
]


@pytest.mark.parametrize(("path", "front", "locale", "slug", "category"), IDENTITIES)
def test_explicit_keys_win_and_the_path_says_the_rest(tmp_path, path, front, locale, slug, category):
    files = {"en/billing/_category.md": A_CATEGORY, "pt_BR/billing/_category.md": A_CATEGORY}
    files[path] = f"---\ntitle: T\n{front}\n---\nText.\n"
    reading = read_content(write_files(tmp_path, files), locales=["en", "fr", "pt_BR"])
    identity = reading.compiler.site.articles[path]
    assert (identity.locale, identity.slug, identity.category) == (locale, slug, category)


def test_a_category_is_named_by_its_folder_unless_it_says_otherwise(tmp_path):
    found = read_content(write_files(tmp_path, tree("""
== en/billing/_category.md
---
name: Billing
---
== en/billing/cards/_category.md
---
name: Cards
slug: credit-cards
position: 3
icon: C
description: ""
---
== en/billing/cards/visa.md
# Visa
Text.
""")))  # fmt: skip
    assert found.findings == []
    cards = found.desired["en/billing/cards/_category.md"]
    assert (cards.kind, cards.locale, cards.slug) == ("category", "en", "credit-cards")
    assert cards.fields == {"slug": "credit-cards", "name": "Cards", "position": 3, "icon": "C", "description": ""}
    assert found.desired["en/billing/_category.md"].fields == {"slug": "billing", "name": "Billing"}
    assert found.desired["en/billing/cards/visa.md"].fields["category"] == "credit-cards"


def test_categories_come_first_and_each_kind_is_in_path_order(tmp_path):
    files = {"fr/b/_category.md": A_CATEGORY, "en/b/_category.md": A_CATEGORY, "en/b/z.md": AN_ARTICLE}
    files |= {"en/b/a.md": AN_ARTICLE, "en/a.md": "---\ntitle: A\nslug: other\n---\nText\n"}
    assert list(read_content(write_files(tmp_path, files)).desired) == [
        "en/b/_category.md", "fr/b/_category.md", "en/a.md", "en/b/a.md", "en/b/z.md",
    ]  # fmt: skip


def test_only_what_the_source_gives_is_ours(tmp_path):
    article = read_content(write_files(tmp_path, beside("# T\nText.\n"))).desired[HERE]
    assert article.fields == {"slug": "refunds", "title": "T", "content": body_digest("Text.\n"), "category": "billing"}
    assert (article.status, article.manage, article.aliases, article.creation) == (None, Manage.TRUE, (), {"author": 1})


def test_every_key_arrives(tmp_path):
    text = (
        "---\ntitle: T\nstatus: published\ndescription: ''\nposition: 0\nauthor: ana\ntags: []\nmeta_title: m\n"
        "meta_description: d\nmanage: seed\naliases: [old]\ntranslation_of: fr/billing/refunds.md\n---\nText.\n"
    )
    files = beside(text) | {"fr/billing/refunds.md": "# R\nTexte.\n"}
    article = read_content(write_files(tmp_path, files)).desired[HERE]
    assert dict(article.fields) == {
        "slug": "refunds", "title": "T", "content": body_digest("Text.\n"), "category": "billing", "description": "",
        "position": 0, "author": 12, "tags": (), "meta_title": "m", "meta_description": "d",
    }  # fmt: skip
    assert (article.status, article.manage, article.aliases) == (Status.PUBLISHED, Manage.SEED, ("old",))
    assert article.root_path == "fr/billing/refunds.md"


def test_a_translation_belongs_to_the_same_path_under_the_default_locale_or_to_what_it_names(tmp_path):
    files = {
        "en/b/_category.md": A_CATEGORY, "fr/b/_category.md": A_CATEGORY,
        "en/b/x.md": AN_ARTICLE, "fr/b/x.md": AN_ARTICLE, "fr/b/y.md": AN_ARTICLE,
        "en/b/z.md": "---\ntitle: Z\ntranslation_of: fr/b/z.md\n---\nText\n", "fr/b/z.md": AN_ARTICLE,
        "fr/b/w.md": "---\ntitle: W\ntranslation_of: fr/b/x.md\n---\nText\n",
    }  # fmt: skip
    roots = {path: item.root_path for path, item in read_content(write_files(tmp_path, files)).desired.items()}
    assert {path: root for path, root in roots.items() if root} == {
        "fr/b/_category.md": "en/b/_category.md",
        "fr/b/x.md": "en/b/x.md", "en/b/z.md": "fr/b/z.md", "fr/b/w.md": "en/b/x.md",
    }  # fmt: skip


# --- links -----------------------------------------------------------------------------------------------------------

TO = "/hc/handbook/articles/invoices"
LINKS = [
    ("[a](invoices.md)", f"[a]({TO})"),
    ("[a](./invoices.md)", f"[a]({TO})"),
    ("[a](../../en/billing/invoices.md)", f"[a]({TO})"),
    ("[a](../../en/../en/billing//invoices.md)", f"[a]({TO})"),
    ("[a](invoices.md#when-due)", f"[a]({TO}#when-due)"),
    ("[a](invoices.md#%C3%BC)", f"[a]({TO}#%C3%BC)"),
    ("[a](invoices.md#ü)", f"[a]({TO}#%C3%BC)"),
    ("[a](invoices.md?a=1&b=2#when-due)", f"[a]({TO}?a=1&b=2#when-due)"),
    ("[a](invoices.md?theme=dark)", f"[a]({TO}?theme=dark)"),
    ("[a](<invoices.md?a=)>)", f"[a](<{TO}?a=%29>)"),
    ("[a](invoices.md 'title')", f"[a]({TO} 'title')"),
    ('[a]( invoices.md  "ti\\"tle" )', f'[a]( {TO}  "ti\\"tle" )'),
    ("[a](<invoices.md>)", f"[a](<{TO}>)"),
    ("[a](with%20space.md)", "[a](/hc/handbook/articles/with%20space)"),
    ("[a](<with space.md>)", "[a](</hc/handbook/articles/with%20space>)"),
    ("[a](100%25.md)", "[a](/hc/handbook/articles/100%25)"),
    ("[a](a\\(b\\).md)", "[a](/hc/handbook/articles/a%28b%29)"),
    ("[a](r&amp;d.md)", "[a](/hc/handbook/articles/r%26d)"),
    ("[a][b]\n\n[b]: invoices.md 'title'\n", f"[a][b]\n\n[b]: {TO} 'title'\n"),
    ("[b]\n\n[b]:\n  <invoices.md>\n", f"[b]\n\n[b]:\n  <{TO}>\n"),
    ("> - [a](invoices.md)\r\n> - x", f"> - [a]({TO})\r\n> - x"),
    ("| a |\n|---|\n| [a](invoices.md) |\n", f"| a |\n|---|\n| [a]({TO}) |\n"),
    ("[![p](shot.png)](invoices.md)", f"[![p](shot.png)]({TO})"),
    ("## [a](invoices.md)\n", f"## [a]({TO})\n"),
    ("[é](invoices.md) ü😀 [b](invoices.md)", f"[é]({TO}) ü😀 [b]({TO})"),
    ("[a](../../fr/billing/refunds.md)", "[a](/hc/handbook/articles/refunds-fr)"),
    ("[a](refunds.md)", "[a](/hc/handbook/articles/refunds)"),
    ("[a](../billing/)", "[a](/hc/handbook/en/categories/billing)"),
    ("[a](../billing)", "[a](/hc/handbook/en/categories/billing)"),
    ("[a](_category.md)", "[a](/hc/handbook/en/categories/billing)"),
    ("[a](.)", "[a](/hc/handbook/en/categories/billing)"),
]
UNTOUCHED = [
    "`[a](invoices.md)`", "``` \n[a](invoices.md)\n```\n", "    [a](invoices.md)\n", "\\[a](invoices.md)",
    "<!-- [a](invoices.md) -->", "<div>\n[a](invoices.md)\n</div>\n", "[a](https://example.com/invoices.md)",
    "[a](//example.com/invoices.md)", "[a](/invoices.md)", "[a](#when)", "[a](?x=1)", "[a](mailto:x@y.z)", "[a]()",
    "![a](shot.png)", "![a](invoices.md)", "![a][p]\n\n[p]: shot.png", "[a](nowhere.md)", "[a](../nowhere/)",
    "<a href='invoices.md'>a</a>", "[a](../../../../etc/passwd.md)", "trailing  \n\n\n", "\r\n\ttab\u2028\r\n",
]  # fmt: skip


def around(body: str) -> dict[str, str | bytes]:
    return beside(f"---\ntitle: T\n---\n{body}", **{
        "en/billing/invoices.md": "# I\n## When due\nx", "en/billing/with space.md": "---\nslug: with space\n---\n# W\nx",
        "en/billing/100%.md": "---\nslug: 100%\n---\n# P\nx", "en/billing/a(b).md": "---\nslug: a(b)\n---\n# B\nx",
        "en/billing/r&d.md": "---\nslug: r&d\n---\n# R\nx",
        "fr/billing/_category.md": A_CATEGORY, "fr/billing/refunds.md": "# R\nx", "en/billing/shot.png": b"x",
    })  # fmt: skip


@pytest.mark.parametrize(("written", "sent"), [*LINKS, *zip(UNTOUCHED, UNTOUCHED, strict=True)])
def test_a_link_to_a_file_becomes_a_link_to_its_page_and_nothing_else_changes(tmp_path, written, sent):
    reading = read_content(write_files(tmp_path, around(written)))
    assert reading.content(HERE) == sent
    assert reading.desired[HERE].fields["content"] == body_digest(sent)


def test_a_link_in_the_heading_that_became_the_title_leaves_with_it(tmp_path):
    files = around("") | {HERE: "# See [invoices](invoices.md) first\n\nThen [this](invoices.md).\n"}
    reading = read_content(write_files(tmp_path, files))
    assert reading.content(HERE) == f"\nThen [this]({TO}).\n"
    assert len(source_of(files[HERE]).links) == 1


def test_the_address_is_the_one_that_the_profile_declares(tmp_path):
    reading = read_content(write_files(tmp_path, around("[a](with%20space.md#x) [b](../billing/)")))
    addresses = Addresses("/{locale}/a/{slug}", "/{locale}/c/{slug}?p={portal}", "kb 1")
    compiler = Compiler(reading.tree, reading.compiler.site, addresses, {}, reading.compiler.images)
    assert compiler.content_of(HERE) == "[a](/en/a/with%20space#x) [b](/en/c/billing?p=kb%201)"


@pytest.mark.parametrize("front", ["slug: bills", "locale: fr"])
def test_another_address_of_the_target_changes_what_a_cached_article_sends(tmp_path, front):
    root, memory = write_files(tmp_path / "content", around("[a](invoices.md#when-due)")), Memory(tmp_path)
    before = read_content(root, memory=memory).desired[HERE].fields["content"]
    write_files(root, {"en/billing/invoices.md": f"---\ntitle: I\n{front}\n---\n## When due\nx"})
    reading = read_content(root, memory=memory)
    after = reading.desired[HERE].fields["content"]
    assert after == body_digest(reading.content(HERE)) != before
    (root / "en/billing/invoices.md").unlink()
    gone = read_content(root, memory=memory)
    assert gone.desired[HERE].fields["content"] == body_digest("[a](invoices.md#when-due)")


def test_an_article_that_appears_is_linked_to_from_a_cached_one(tmp_path):
    root, memory = write_files(tmp_path / "content", around("[a](new.md)")), Memory(tmp_path)
    read_content(root, memory=memory)
    write_files(root, {"en/billing/new.md": "# New\nx"})
    assert read_content(root, memory=memory).desired[HERE].fields["content"] == body_digest(
        "[a](/hc/handbook/articles/new)"
    )


@pytest.mark.parametrize("text", ["# A\ntwo\n", "# A\none\n\n", ""])
def test_a_file_that_changed_after_it_was_read_is_not_sent(tmp_path, text):
    reading = read_content(write_files(tmp_path, beside("# A\none\n")))
    write_files(tmp_path, {HERE: text})
    with pytest.raises(ContentError, match=f"{HERE} changed while kbsync was running"):
        reading.content(HERE)


def test_a_file_that_vanished_after_it_was_read_is_told(tmp_path):
    reading = read_content(write_files(tmp_path, beside("# A\none\n")))
    (tmp_path / HERE).unlink()
    with pytest.raises(ContentError, match=f"{HERE} can no longer be read: No such file"):
        reading.content(HERE)
