"""Each rule is declared once, explained in a file of its own, and has a heading on the help center's page of codes."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

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
