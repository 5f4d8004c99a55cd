"""Every rule for one article: where it fires, where it keeps quiet, and that what it says is what the portal shows."""

import re

import pytest

from builders import source_of
from kbsync.lint import inspect
from kbsync.lint.body_checks import BODY_CHECKS
from kbsync.lint.page import Page
from kbsync.markdown.html import render_html
from kbsync.report.rules import RULES

from .test_page import page_of
from .texts import FRONT, OF_ONE_TEXT, problems

FIRES = [(code, text, places) for code, (bad, _) in OF_ONE_TEXT.items() for text, places in bad]
QUIET = [(code, text) for code, (_, good) in OF_ONE_TEXT.items() for text in good]


def quoted(text: str) -> str:
    return "".join(f"> {line}" for line in text.splitlines(keepends=True))


def places(code: str, text: str, lines: int = 3) -> str:
    """Lines and columns of the findings of one code, in a file whose body is behind so many lines."""
    found = source_of(text, inspect=inspect).problems
    return " ".join(f"{it.line - lines}:{it.column}" for it in found if it.code == code)


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        pytest.param(lambda text: FRONT + text, 3, id="as it is"),
        pytest.param(lambda text: f"\ufeff{FRONT}{text}".replace("\n", "\r\n"), 3, id="CRLF and a byte order mark"),
        pytest.param(lambda text: f"{FRONT}😀 é\n\n{text}", 5, id="behind letters of many bytes"),
    ],
)
@pytest.mark.parametrize(("code", "text", "expected"), FIRES)
def test_a_rule_fires_at_its_places(code, text, expected, written, lines):
    assert places(code, written(text), lines) == expected


@pytest.mark.parametrize(
    "written", [str, lambda text: text.replace("\n", "\r\n"), quoted], ids=["as it is", "CRLF", "in a quotation"]
)
@pytest.mark.parametrize(("code", "text"), QUIET)
def test_a_rule_keeps_quiet(code, text, written):
    assert places(code, FRONT + written(text)) == ""


@pytest.mark.parametrize("code", OF_ONE_TEXT)
def test_every_finding_names_one_thing_to_do(code):
    for text, _ in OF_ONE_TEXT[code][0]:
        for problem in problems(text):
            assert problem.message.endswith(".") and problem.hint.endswith(".")
            assert problem.level == ("error" if problem.code == "KB212" else "warning")
            assert not problem.fixable or RULES[problem.code].fixable


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, text, _ in FIRES])
def test_a_check_of_a_text_gives_findings_of_the_rules_that_it_declares_and_of_no_others(code, text):
    body = page_of(text).body
    for check in BODY_CHECKS:
        assert {mark.rule for mark in check(Page(body))} <= set(check.rules)


def test_a_merge_that_is_not_finished_is_all_that_is_told_of_a_text():
    text = "<<<<<<< HEAD\n<b>x</b>\n=======\n~~y~~\n>>>>>>> z\n"
    assert [problem.code for problem in problems(text)] == ["KB212"]


def test_the_heading_that_became_the_title_is_none_of_the_body():
    found = source_of("# Title\n\n## Part\n\n### Part\n", inspect=inspect).problems
    assert [(problem.code, problem.line) for problem in found] == [("KB313", 5)]


# --- what a rule says is what the portal shows ----------------------------------------------------------------------

SHOWN = {
    "KB401": r"<!-- raw HTML omitted -->|&lt;br&gt;|---&gt;",
    "KB402": r"<!-- raw HTML omitted -->",
    "KB403": r"<t[hd]>[^\n]*<!-- raw HTML omitted -->",
    "KB404": r"~~",
    "KB405": r"<li>(?:<p>)?\[[ xX/]\]",
    "KB406": r"\[\^|>\^n<|\^\[A",
    "KB408": r"language-[mM]ermaid|!!! note|\?\?\? tip|:::|!?\[!?|!!! &quot;|language-\{note\}|language-\{r[,}]|language-\{toctree\}|::button|=== &quot;|/// t",
    "KB409": r"\{-\}|\{[^\n]*[#.=:][^\n]*\}",
    "KB410": r"\{ ?width|!\[a\]\(",
    "KB411": r"<sup>[^<]*[ *][^<]*</sup>|<sup>b or \^?</sup>",
    "KB413": r"<p>[^<]*\|",
    "KB415": r"<iframe",
    "KB422": r":[a-z0-9_+-]+:|==a|\+\+|\*\[|8&lt;|\[toc\]|\[TOC\]|\$|\(a\^|\[ \\|\{ref\}|\[@xie|\\index|\.\. note::|%%|\^my-id|@eq:",
}
"""What there is to see in the portal's HTML of each text that a rule complains of."""


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, text, _ in FIRES if code in SHOWN])
def test_what_a_rule_warns_of_is_in_the_portals_page(code, text):
    assert re.search(SHOWN[code], render_html(text)), render_html(text)


@pytest.mark.parametrize("text", [text for code, text, _ in FIRES if code == "KB412"])
def test_a_list_that_is_not_indented_enough_is_not_nested_on_the_portal(text):
    assert not re.search(r"<li>a\n<[uo]l>|<li>b\n<[uo]l>", render_html(text))


@pytest.mark.parametrize("text", [text for code, text, _ in FIRES if code in {"KB407", "KB414"}])
def test_a_bare_address_is_neither_link_nor_player_on_the_portal(text):
    assert "<a " not in render_html(text) and "<iframe" not in render_html(text)


@pytest.mark.parametrize("text", [text for code, text in QUIET if code == "KB413" and "--" in text and "`" not in text])
def test_what_passes_for_a_table_is_one_on_the_portal(text):
    assert "<table>" in render_html(text) or "<hr />" in render_html(text)
