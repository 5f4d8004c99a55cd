"""What `lint --fix` changes because of other files: links to what moved or begins with `/`, and categories."""

import pytest

from builders import A_CATEGORY, AN_ARTICLE, beside, read_content, write_files
from kbsync.app.linting.fix import TreeFixes

HERE = "en/billing/refunds.md"
FRONT = "---\ntitle: T\n---\n"
FILES = {
    "en/account/_category.md": A_CATEGORY,
    "en/account/close account.md": AN_ARTICLE,
    "en/account/overview.md": AN_ARTICLE,
    "en/account/images/panel.png": b"x",
    "en/account/images/screenshot-2.png": b"x",
    "en/account/invoices.md": AN_ARTICLE,
    "fr/compte/_category.md": A_CATEGORY,
    "fr/compte/fermer.md": "# Fermer\nx\n",
}
CODES = {"KB202", "KB301", "KB303", "KB309"}


def fixed(root, text: str, codes=CODES) -> str:
    """The file after all fixes, and after them all once more."""
    reading = read_content(write_files(root, beside(text, **FILES)))
    sure = {finding.code for finding in reading.findings if finding.fixable}
    once = TreeFixes(reading.tree, reading.compiler.site).fix(HERE, text.encode(), codes)
    assert bool(sure & codes) == (once != text.encode())
    again = read_content(write_files(root, {HERE: once}))
    assert TreeFixes(again.tree, again.compiler.site).fix(HERE, once, codes) == once
    assert not [finding for finding in again.findings if finding.fixable and finding.code in codes]
    return once.decode()


LINKS = [
    ("[a](invoices.md)", "[a](../account/invoices.md)"),
    ("[a](../account/invoices.html#b-c) é", "[a](../account/invoices.md#b-c) é"),
    ("[a](<../old/close account.md>) [b](invoices.md 'x')", "[a](<../account/close%20account.md>) [b](../account/invoices.md 'x')"),
    ("![a](..\\account\\images\\panel.png)", "![a](../account/images/panel.png)"),
    ("[a]\n\n[a]: /docs/account/invoices", "[a]\n\n[a]: ../account/invoices.md"),
    (
        "[a](/en/account/invoices.md?b#c) ![b](/account/images/panel.png)",
        "[a](../account/invoices.md?b#c) ![b](../account/images/panel.png)",
    ),
    ("[a](inquiries@sailsjs.com) [b](<b@c.d>)", "[a](mailto:inquiries@sailsjs.com) [b](<b@c.d>)"),
    ("[a](sailsjs.com/contributing#b)", "[a](https://sailsjs.com/contributing#b)"),
    (
        "[a](www.a.com/b%20c%29/?d#e) [b](www.a.com/100%25 'x') [c](./a.com/) [d](e%2Bf@g.com)",
        "[a](https://www.a.com/b%20c%29/?d#e) [b](https://www.a.com/100%25 'x') [c](https://a.com/) [d](mailto:e%2Bf@g.com)",
    ),
    ("[a](../account/invoices.pdf) [b](../account/invoices.mdu)", "[a](../account/invoices.pdf) [b](../account/invoices.md)"),
]  # fmt: skip
STAY = [
    "[a]([url](https://a.com/invoices?b)) ![c](https//a.com/panel.png)",
    "[a](localhost/invoices) [b](127.0.0.1/invoices) [c](~/invoices)",
    "[a]($BASE/invoices) [b](${BASE}/invoices.md) [c](https;//a.com/invoices)",
    "[a](overview.md)",
    "[a](fermer.md)",
    "[a](invoice.md)",
    "![a](hello/screenshot-2.png)",
    "[a](/nothing.md) [b](/hc/account/invoices.md)",
    "`[a](invoices.md)` {{ [b](invoices.md) }}",
    "[a](invoices.md) <!-- kbsync-ignore KB301 -->",
]


@pytest.mark.parametrize(("before", "after"), [*LINKS, *zip(STAY, STAY, strict=True)])
def test_a_link_whose_target_is_sure_leads_there(tmp_path, before, after):
    if "{{" in before:
        reading = read_content(write_files(tmp_path, beside(f"{FRONT}{before}\n", **FILES)))
        fixes = TreeFixes(reading.tree, reading.compiler.site)
        assert fixes.fix(HERE, f"{FRONT}{before}\n".encode(), CODES).decode() == f"{FRONT}{after}\n"
        return
    assert fixed(tmp_path, f"{FRONT}{before}\n") == f"{FRONT}{after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Billing", "billing"),
        ("biling", "billing"),
        ("'Account'", "'account'"),
        ("nothing", "nothing"),
        ("compte", "compte"),
    ],
)
def test_a_category_that_is_nearly_declared_is_written_as_it_is(tmp_path, before, after):
    text = f"\ufeff---\r\ntitle: T\r\ncategory: {before} # c\r\n---\r\nx\r\n"
    assert fixed(tmp_path, text) == text.replace(before, after)


def test_only_what_was_asked_for_is_fixed(tmp_path):
    text = f"{FRONT}[a](invoices.md) [b](/account/invoices)\n"
    assert fixed(tmp_path, text, {"KB309"}) == f"{FRONT}[a](invoices.md) [b](../account/invoices.md)\n"
