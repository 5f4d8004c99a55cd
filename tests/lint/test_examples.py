"""The example of each rule shows that rule and nothing else, and a twin that does what the hint says shows nothing."""

from __future__ import annotations

import pytest

from builders import beside, read_content, write_files
from kbsync.lint.rules import RULES

HERE = "en/billing/refunds.md"
MEND = {
    # code: the line of the finding, what of the example is replaced by what
    "KB120": (4, "KB999", "KB301"),
    "KB103": (1, "\n", "# Refunds\n\nText.\n"),
    "KB104": (3, "refunds: all", '"refunds"'),
    "KB105": (2, "- Refunds", "title: Refunds"),
    "KB106": (3, "title: Money back", "description: Money back"),
    "KB107": (3, "statsu", "status"),
    "KB108": (3, "first", "1"),
    "KB109": (3, "done", "draft"),
    "KB110": (1, "Only", "# Refunds\n\nOnly"),
    "KB111": (1, "Text.", "---\nText."),
    "KB113": (3, "never", "false"),
    "KB114": (4, "\0", ""),
    "KB116": (3, "slug:", "slug: refunds"),
    "KB202": (3, "biling", "billing"),
    "KB205": (3, "v1.2", "v1-2"),
    "KB206": (3, '" "', "refunds"),
    "KB210": (3, "bob", "ana"),
    "KB211": (1, "---\n\n", "---\n\nText.\n"),
    "KB212": (4, "<<<<<<< HEAD\nWithin 30 days.\n=======\nWithin 14 days.\n>>>>>>> shorter\n", "Within 14 days.\n"),
    "KB213": (3, "translation_of: en/no.md", "description: x"),
    "KB301": (4, "invoice.md", "refunds.md"),
    "KB302": (4, "#when", "#how-long-it-takes"),
    "KB303": (4, "images/refund.png", "https://static.example.com/refund.png"),
    "KB311": (6, "![]", "![The button]"),
    "KB312": (4, "javascript:refund()", "https://pay.example.com"),
    "KB313": (8, "## By card\n\nTwo", "## By cheque\n\nTwo"),
    "KB314": (4, "🚀", "🚀 Launch"),
    "KB315": (4, "###", "##"),
    "KB316": (4, "# Refunds", "## Refunds"),
    "KB401": (4, "<kbd>Enter</kbd>", "`Enter`"),
    "KB402": (4, "<your-key>", "\\<your-key>"),
    "KB403": (6, "<br>a", " a"),
    "KB404": (4, "~~two weeks~~ ", ""),
    "KB405": (4, "[x] ", ""),
    "KB406": (4, "[^1].\n\n[^1]: By", " by"),
    "KB407": (4, "https://status.example.com", "<https://status.example.com>"),
    "KB408": (4, "[!NOTE]", "**Note**"),
    "KB409": (4, " {#card}", ""),
    "KB410": (4, "{width=300}", ""),
    "KB411": (4, "a^2 with b^2", "a^2^ with b^2^"),
    "KB412": (5, "  - Choose", "   - Choose"),
    "KB413": (4, "| --- |\n", "| --- | --- |\n"),
    "KB414": (4, "https://youtu.be/abc123", "<https://youtu.be/abc123>"),
    "KB415": (4, "- [", "- Watch ["),
}  # fmt: skip
NOT_IN_ONE_FILE = {
    "KB101", "KB102", "KB112", "KB115", "KB117", "KB201", "KB203", "KB204", "KB207", "KB208", "KB214", "KB304", "KB305", "KB306",
    "KB307", "KB308", "KB310", "KB320", "KB321", "KB322", "KB323", "KB501", "KB502", "KB503", "KB505", "KB506",
}  # fmt: skip
"""What needs other bytes, other files, another folder, 20,000 characters or a portal; test_rules.py has these."""


def findings(tmp_path, text: str) -> list[tuple[str, str, int]]:
    reading = read_content(write_files(tmp_path, beside(text)))
    return [(finding.code, finding.path, finding.line) for finding in reading.findings]


def test_every_rule_has_an_example_or_cannot_be_shown_in_one_file():
    assert {code for code, rule in RULES.items() if not rule.example} == NOT_IN_ONE_FILE
    assert set(MEND) | NOT_IN_ONE_FILE == set(RULES)


@pytest.mark.parametrize("code", MEND)
def test_an_example_shows_its_rule_and_no_other(tmp_path, code):
    assert findings(tmp_path, RULES[code].example) == [(code, HERE, MEND[code][0])]


@pytest.mark.parametrize("code", MEND)
def test_the_twin_of_an_example_is_fine(tmp_path, code):
    _, wrong, right = MEND[code]
    assert RULES[code].example.count(wrong) == 1
    assert findings(tmp_path, RULES[code].example.replace(wrong, right)) == []
