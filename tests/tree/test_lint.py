"""Every rule fires where it should, with place and hint, and is silent on a clean tree."""

from __future__ import annotations

import pytest

from kbsync.lint import RULES

from .trees import CATEGORY, an_article, read, write

FINE = "---\ntitle: Refunds\n---\nSee [it](#x).\n"


def test_a_clean_tree_has_no_findings(tmp_path):
    assert read(write(tmp_path, an_article(FINE))).findings == []


CASES = [
    # code, level, path, line, files
    ("KB110", "error", "en/billing/refunds.md", 1, an_article("Text without a title.\n")),
    ("KB110", "error", "en/billing/_category.md", 1, {"en/billing/_category.md": "---\nslug: billing\n---\n"}),
    ("KB201", "error", "en/other/refunds.md", 1, an_article(FINE, **{"en/other/_category.md": CATEGORY,
                                                                      "en/other/refunds.md": FINE})),
    ("KB201", "error", "en/x/_category.md", 3, an_article(FINE, **{
        "en/x/_category.md": "---\nname: X\nslug: billing\n---\n"})),
    ("KB202", "error", "en/billing/refunds.md", 3, an_article("---\ntitle: T\ncategory: biling\n---\nx\n")),
    ("KB203", "error", "loose.md", 1, an_article(FINE, **{"loose.md": "# L\nx\n"})),
    ("KB204", "warning", "en/billing/refunds.md", 3,
     an_article("---\ntitle: T\nlocale: fr\n---\nx\n", **{"fr/billing/_category.md": CATEGORY})),
    ("KB205", "warning", "en/billing/refunds.md", 3, an_article("---\ntitle: T\nslug: v1.2\n---\nx\n")),
    ("KB205", "warning", "en/billing/refunds.md", 3, an_article("---\ntitle: T\nslug: Über uns\n---\nx\n")),
    ("KB206", "error", "en/billing/refunds.md", 2, an_article(f"---\ntitle: {'t' * 256}\n---\nx\n")),
    ("KB206", "error", "en/billing/refunds.md", 3, an_article(f"---\ntitle: T\nslug: {'s' * 256}\n---\nx\n")),
    ("KB206", "error", "en/billing/refunds.md", 3, an_article('---\ntitle: T\nslug: " "\n---\nx\n')),
    ("KB207", "error", "en/billing/refunds.md", 1, an_article("# T\n" + "x" * 20_001)),
    ("KB208", "error", "en/billing/refunds.md", 3, an_article(f"---\ntitle: T\ndescription: {'x' * 20_001}\n---\nx\n")),
    ("KB210", "error", "en/billing/refunds.md", 3, an_article("---\ntitle: T\nauthor: bob\n---\nx\n")),
    ("KB211", "error", "en/billing/refunds.md", 1, an_article("# Only a title\n")),
    ("KB213", "warning", "en/billing/refunds.md", 3, an_article("---\ntitle: T\ntranslation_of: en/no.md\n---\nx\n")),
    ("KB301", "warning", "en/billing/refunds.md", 4, an_article("---\ntitle: T\n---\n[a](no.md)\n")),
    ("KB302", "warning", "en/billing/refunds.md", 4, an_article("---\ntitle: T\n---\n[a](refunds.md#no)\n")),
    ("KB303", "warning", "en/billing/refunds.md", 4, an_article("---\ntitle: T\n---\n![a](no.png)\n")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "level", "path", "line", "files"), CASES)
def test_a_rule_fires_once_at_its_place_with_a_hint(tmp_path, code, level, path, line, files):
    (finding,) = read(write(tmp_path, files)).findings
    assert (finding.code, finding.level, finding.path, finding.line) == (code, level, path, line)
    assert finding.hint and finding.column >= 1 and code in RULES


def test_limits_count_characters_and_not_bytes(tmp_path):
    text = "---\ntitle: " + "é" * 255 + "\n---\n" + "😀" * 20_000
    assert read(write(tmp_path, an_article(text))).findings == []


def test_links_that_are_fine_are_not_complained_of(tmp_path):
    text = (
        "# T\n## Über uns\n[a](refunds.md#ueber-uns) [b](../billing/) ![c](../images/a%20b.png) [d](https://x.y/z.md)\n"
    )
    assert read(write(tmp_path, an_article(text, **{"en/images/a b.png": "x"}))).findings == []


def test_a_locale_outside_the_settings_is_told_with_those_that_are_in(tmp_path):
    files = an_article(FINE, **{"de/billing/_category.md": CATEGORY})
    (finding,) = read(write(tmp_path, files), locales=["en", "fr"]).findings
    assert finding.code == "KB203" and finding.path == "de/billing/_category.md"


def test_warnings_can_be_ignored_and_errors_cannot(tmp_path):
    root = write(tmp_path, an_article("---\nslug: v1.2\n---\n[a](no.md)\n"))
    assert read(root).codes == ["KB110", "KB205", "KB301"]
    assert read(root, ignore=("KB110", "KB205", "KB301")).codes == ["KB110"]


def test_every_problem_of_a_tree_is_told_in_one_run_in_path_and_line_order(tmp_path):
    files = an_article("---\ntitle: 1\nstatus: live\n---\nx\n", **{
        "en/billing/b.md": b"\xff", "en/billing/a.md": "", "fr/x.md": "---\ntitle: [\n---\n",
    })  # fmt: skip
    findings = read(write(tmp_path, files)).findings
    assert [(finding.path, finding.code) for finding in findings] == [
        ("en/billing/a.md", "KB103"), ("en/billing/b.md", "KB101"), ("en/billing/refunds.md", "KB108"),
        ("en/billing/refunds.md", "KB109"), ("fr/x.md", "KB104"),
    ]  # fmt: skip
