"""Each rule is declared once, explained in a file of its own, and has a heading on the help center's page of codes.

The example of each rule shows that rule and nothing else, and nothing after the fix.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from builders import beside, read_content, write_files
from kbsync.content.apart import take_apart
from kbsync.lint import CHECKS, CODES_OF_ALL, CODES_OF_THE_TREE
from kbsync.lint.body_checks import BODY_CHECKS
from kbsync.lint.explanations import MORE_PAGE, PAGE, anchor_of, codes, explain, page_address, page_of
from kbsync.lint.finds import Needs
from kbsync.lint.registry import RULES as OF_A_TREE
from kbsync.markdown.spans import scan
from kbsync.report.rules import RULES

ROOT = Path(__file__).parents[2]
ENGLISH = ROOT / "content" / "en"


def test_every_rule_has_a_code_of_its_own_and_a_file_that_explains_it():
    assert codes() == tuple(RULES)
    assert len({rule.code for rule in OF_A_TREE}) == len(OF_A_TREE)


@pytest.mark.parametrize("code", codes())
def test_a_rule_is_explained_in_sentences(code):
    words = explain(code)
    for text in (words.why, words.fix):
        assert text[0].isupper() or text[0] in "`k"
        assert text.endswith(".") and "\n" not in text
    assert not RULES[code].title.endswith(".")
    assert not words.see or (ENGLISH / words.see).is_file()


def test_what_needs_the_tree_is_found_by_nothing_that_looks_at_one_source():
    assert {"KB117", "KB123", "KB214", "KB308"} == CODES_OF_ALL
    assert {"KB110", "KB201", "KB202", "KB203", "KB204", "KB210", "KB211", "KB213"} | CODES_OF_ALL == CODES_OF_THE_TREE
    others = [check for check in (*CHECKS, *BODY_CHECKS) if check.needs in {Needs.TEXT, Needs.SOURCE, Needs.LINKS}]
    assert CODES_OF_THE_TREE.isdisjoint(rule.code for check in others for rule in check.rules)
    assert {check.needs for check in BODY_CHECKS} == {Needs.TEXT}


def test_the_pages_of_codes_are_what_make_codes_writes():
    command = [sys.executable, str(ROOT / "tools" / "codes.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.stderr, ran.returncode) == ("", 0)


def test_a_rule_that_is_new_or_called_otherwise_asks_for_a_french_title():
    with (ROOT / "tools" / "codes_fr.toml").open("rb") as file:
        titles = tomllib.load(file)
    assert titles.keys() == RULES.keys()
    assert {code: words["english"] for code, words in titles.items()} == {code: r.title for code, r in RULES.items()}
    text = (ROOT / "content" / "fr" / PAGE).read_text("utf-8")
    assert [code for code in RULES if f"| [{code}](../../en/{page_of(code)}#{anchor_of(code)}) | " not in text] == []


def test_the_page_of_codes_has_a_heading_with_the_anchor_of_each_code():
    for page in (PAGE, MORE_PAGE):
        text = (ENGLISH / page).read_text("utf-8")
        headings = [heading.text for heading in scan(take_apart(text).body).headings]
        expected = sorted(code for code in RULES if page_of(code) == page)
        assert [heading for heading in headings if heading.startswith("KB")] == expected
    assert anchor_of("KB301") == "kb-301"


def test_the_address_of_the_page_comes_from_the_project_and_from_nowhere_else():
    assert page_address(["Source, https://x.y/z", "Codes, https://x.y/codes"]) == "https://x.y/codes"
    assert page_address(["Source, https://x.y/z"]) == ""
    named = re.search(r'^Codes = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert page_address() == (named[1] if named else "")


HERE = "en/billing/refunds.md"
LINES = {
    "KB103": 1, "KB104": 3, "KB105": 2, "KB106": 3, "KB107": 3, "KB108": 3, "KB109": 3,
    "KB110": 1, "KB111": 1, "KB113": 3, "KB114": 4, "KB116": 3, "KB118": 4, "KB119": 4,
    "KB120": 4, "KB121": 1, "KB122": 2, "KB124": 2,
    "KB202": 3, "KB205": 3, "KB206": 3, "KB209": 3,
    "KB210": 3, "KB211": 1, "KB212": 4, "KB213": 3, "KB215": 4,
    "KB301": 4, "KB302": 4, "KB303": 4, "KB309": 4,
    "KB311": 6, "KB312": 4, "KB313": 8, "KB314": 4, "KB315": 4, "KB316": 4,
    "KB401": 4, "KB402": 4, "KB403": 6, "KB404": 4, "KB405": 4, "KB406": 4, "KB407": 4, "KB408": 4, "KB409": 4,
    "KB410": 4, "KB411": 4, "KB412": 5, "KB413": 4, "KB414": 4, "KB415": 4,
    "KB608": 5, "KB318": 4, "KB417": 4, "KB418": 4, "KB419": 4, "KB420": 5, "KB421": 4, "KB422": 4, "KB423": 4,
}  # fmt: skip
"""The line of the finding in the example of each rule that one file can show."""

NOT_IN_ONE_FILE = {
    "KB101", "KB102", "KB112", "KB115", "KB117", "KB123", "KB201", "KB203", "KB204", "KB207", "KB208", "KB214", "KB304", "KB305", "KB306",
    "KB307", "KB308", "KB416", "KB320", "KB321", "KB322", "KB323", "KB501", "KB502", "KB503", "KB506",
    "KB507", "KB510", "KB601", "KB602", "KB603", "KB604", "KB605", "KB606", "KB607",
}  # fmt: skip
"""What needs other bytes, other files, another folder, 20,000 characters or a portal; test_rules.py has these."""


def shown(example: str) -> str:
    """An example as it is meant: a NUL character would not be seen on a page."""
    return example.replace("␀", "\0")


def findings(tmp_path, text: str) -> list[tuple[str, str, int]]:
    reading = read_content(write_files(tmp_path, beside(text)))
    return [(finding.code, finding.path, finding.line) for finding in reading.findings]


def test_every_rule_has_an_example_or_cannot_be_shown_in_one_file():
    assert {code for code in RULES if not explain(code).before} == NOT_IN_ONE_FILE
    assert set(LINES) | NOT_IN_ONE_FILE == set(RULES)


@pytest.mark.parametrize("code", LINES)
def test_an_example_shows_its_rule_and_no_other(tmp_path, code):
    assert findings(tmp_path, shown(explain(code).before)) == [(code, HERE, LINES[code])]


@pytest.mark.parametrize("code", LINES)
def test_the_same_file_after_the_fix_is_fine(tmp_path, code):
    words = explain(code)
    assert words.after != words.before
    assert findings(tmp_path, shown(words.after)) == []
