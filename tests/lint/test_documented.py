"""The help center's table of codes says of each rule what the rule says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbsync.lint.rules import RULES

ARTICLE = Path(__file__).parents[2] / "content/en/troubleshooting/codes.md"
MENDED = "✎"


def rows() -> list[list[str]]:
    """The cells of each row of the table of codes: code, what was found, level, why it matters."""
    lines = ARTICLE.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| KB")]


def test_every_code_stands_in_the_help_center_once_and_in_order():
    assert [row[0].removesuffix(MENDED).strip() for row in rows()] == sorted(RULES)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:5])
def test_a_code_is_described_as_lint_describes_it(row: list[str]):
    code, found, level, why = row
    rule = RULES[code.removesuffix(MENDED).strip()]
    assert found.replace("`", "") == rule.title.replace("`", "")
    assert code.endswith(MENDED) == rule.fixable
    assert level and why
