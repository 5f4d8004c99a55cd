"""A hint names the file that was probably meant, and proposes nothing that leads to the next error."""

import re

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
        "[a](../invoices.png)",
        "![a](invoices.png)",
        "![a](images/page-erreur-500-modele.png)",
        "[a]([url](https://example.com/invoices))",
        "[a](https//www.example.com/invoices)",
        "[a](localhost/invoices)",
    ],
)
def test_what_nothing_looks_like_gets_no_proposal(tmp_path, link):
    assert "Did you mean" not in hint_of(tmp_path, link)


def test_of_two_files_of_one_name_none_is_proposed(tmp_path):
    files = {"en/more/_category.md": A_CATEGORY, "en/more/close-account.md": "---\nslug: x\n---\n# X\nx\n"}
    assert "Did you mean" not in hint_of(write_files(tmp_path, files), "[a](close-account.md)")


def test_an_address_with_percent_signs_is_not_written_without_them(tmp_path):
    assert hint_of(tmp_path, "[a](www.example.com/b%20c)") == "Write `https://` in front of it."
    assert hint_of(tmp_path, "[a](www.example.com/b)") == "Write `https://www.example.com/b`."


def proposed(tmp_path, **files: str) -> list[str]:
    """The slugs that hints propose, in path order."""
    findings = read_content(write_files(tmp_path, files)).findings
    hints = [finding.hint for finding in findings if finding.code == "KB201"]
    return [match[1] for hint in hints if (match := re.search(r"`slug: (.*)`", hint))]


def test_no_slug_is_proposed_to_two_files_nor_one_that_an_article_has(tmp_path):
    folders = [f"en/{name}" for name in "abcd"]
    files = {f"{folder}/index.md": AN_ARTICLE for folder in folders}
    files |= {f"{folder}/_category.md": A_CATEGORY for folder in folders}
    slugs = proposed(tmp_path, **files, **{"en/a/index-2.md": AN_ARTICLE})
    assert slugs == ["index-en", "index-3", "index-4"]


def test_files_without_a_locale_get_numbers(tmp_path):
    files = {"a/index.md": AN_ARTICLE, "b/index.md": AN_ARTICLE}
    assert proposed(tmp_path, **{f"en/x{path}": text for path, text in files.items()}) == ["index-en"]
