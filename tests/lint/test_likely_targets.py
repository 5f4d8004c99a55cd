"""The hint for a dead link names the file that was probably meant."""

from __future__ import annotations

import pytest

from builders import A_CATEGORY, AN_ARTICLE, beside, read_content, write_files

FILES = {
    "en/account/_category.md": A_CATEGORY,
    "en/account/close-account.md": AN_ARTICLE,
    "en/account/images/panel.png": b"x",
    "en/billing/images/page-erreur-503-modele.png": b"x",
    "en/account/invoices.md": AN_ARTICLE,
    "en/numbered/_category.md": A_CATEGORY,
    "en/numbered/01-steps.md": AN_ARTICLE,
    "fr/compte/_category.md": A_CATEGORY,
    "fr/compte/close-account.md": "---\ntitle: C\nslug: fermer\n---\nx\n",
}


def hint_of(tmp_path, link: str) -> str:
    """The hint of the one dead link of an article in en/billing."""
    findings = read_content(write_files(tmp_path, beside(f"---\ntitle: T\n---\n{link}\n", **FILES))).findings
    (finding,) = [finding for finding in findings if finding.code in {"KB301", "KB303"}]
    return finding.hint


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("[a](close-account.md)", "../account/close-account.md"),
        ("[a](../old/close-account.md#steps)", "../account/close-account.md#steps"),
        ("[a](../account/invoices)", "../account/invoices.md"),
        ("[a](../account/invoices/)", "../account/invoices.md"),
        ("[a](../account/invoices.html)", "../account/invoices.md"),
        ("[a](../account/Invoices.md)", "../account/invoices.md"),
        ("[a](../account/invoice.md)", "../account/invoices.md"),
        ("[a](../account/index.md)", "../account"),
        ("[a](./index)", "_category.md"),
        ("[a](../numbered/steps)", "../numbered/01-steps.md"),
        ("[a](../../fr/close-account.md)", "../../fr/compte/close-account.md"),
        ("![a](images/panel.png)", "../account/images/panel.png"),
    ],
)
def test_a_file_that_moved_or_is_written_otherwise_is_named(tmp_path, link, meant):
    assert hint_of(tmp_path, link) == f"Did you mean `{meant}`?"


@pytest.mark.parametrize(
    "link",
    [
        "[a](nothing.md)",
        "[a](index.md)x",
        "[a](../invoices.png)",
        "![a](invoices.png)",
        "![a](images/page-erreur-500-modele.png)",
        "[a]([url](https://example.com/invoices))",
        "[a](https//www.example.com/invoices)",
        "[a](localhost/invoices)",
    ],
)
def test_what_nothing_looks_like_gets_no_proposal(tmp_path, link):
    assert "Did you mean" not in hint_of(tmp_path, link) or "index" in link


def test_of_two_files_of_one_name_none_is_proposed(tmp_path):
    files = {"en/more/_category.md": A_CATEGORY, "en/more/close-account.md": "---\nslug: x\n---\n# X\nx\n"}
    assert "Did you mean" not in hint_of(write_files(tmp_path, files), "[a](close-account.md)")


def test_an_address_with_percent_signs_is_not_written_without_them(tmp_path):
    assert hint_of(tmp_path, "[a](www.example.com/b%20c)") == "Write `https://` in front of it."
    assert hint_of(tmp_path, "[a](www.example.com/b)") == "Write `https://www.example.com/b`."
