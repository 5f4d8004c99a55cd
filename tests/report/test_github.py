"""Annotations: each line is one workflow command that a runner reads back as it was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.model import Action, Change, FieldChange, Finding, Outcome, Plan, visible
from kbsync.report.github import findings_annotations, plan_annotations, push_annotations

from .items import TARGET, a_change, a_held

HELD = a_held("en/invoices.md", "look at it", fields=("title", "content"))


def a_finding(level: str = "warning", **others) -> Finding:
    given = {"code": "KB301", "path": "en/a.md", "line": 3, "column": 5, "message": "no such file", "hint": "make it"}
    return Finding(level=level, **given | others)


def an_update(path: str = "en/refunds.md", **others) -> Change:
    return a_change(Action.UPDATE, path, **others)


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner of GitHub reads it: level, properties, message."""
    assert line.startswith("::")
    head, _, message = line[2:].partition("::")
    level, _, rest = head.partition(" ")
    pairs = (pair.partition("=") for pair in rest.split(","))
    undone = {name: _undone(value, ("%3A", ":"), ("%2C", ",")) for name, _, value in pairs}
    return level, undone, _undone(message)


def _undone(text: str, *more: tuple[str, str]) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), *more, ("%25", "%")):
        text = text.replace(code, character)
    return text


WARNED = "::warning file=content/en/a.md,line=3,col=5,title=KB301::no such file%0Amake it\n"
NEEDS = (
    "::warning file=content/en/invoices.md,line=1,title=Needs your decision%3A edited in the panel"
    "::en: invoices: title, body%0Alook at it\n"
)
LIVE, LOOKS_ALIKE = an_update(live=True), a_finding(code="KB502", path="en/b.md", line=1, column=1)
HOSTILE = a_finding(path="en/##[error]a.md", code="##vso[x]", message="a ##[group]", hint="##vso[task.complete]b")
OUTCOMES = [
    Outcome(an_update(), "done", 7),
    Outcome(an_update("en/s.md"), "skipped", 7, "its category failed"),
    Outcome(an_update("en/f.md"), "failed", 7, "PATCH /a: 500", "try again"),
]
FAILED = (
    "::error file=content/en/f.md,line=1,title=update failed::en: refunds: PATCH /a: 500%0Atry again\n"
    "::error file=content/en/s.md,line=1,title=update skipped::en: refunds: its category failed\n"
)

# By what is promised: what is printed, and what it should be.
PRINTED = {
    "a finding stands on its line in the repository": (
        findings_annotations([a_finding()], root="content"), WARNED),
    "a content root further down is written as git writes it": (
        findings_annotations([a_finding()], root="docs/content"), WARNED.replace("=content", "=docs/content")),
    "a content root that is here is written as git writes it": (
        findings_annotations([a_finding()], root="."), WARNED.replace("=content/en", "=en")),
    "a content root above is written as git writes it": (
        findings_annotations([a_finding()], root="../content"), WARNED.replace("=content", "=../content")),
    "errors come first as only the first ten of a step are shown": (
        findings_annotations([a_finding(), a_finding("error"), a_finding()], root="content"),
        WARNED.replace("::warning", "::error") + WARNED + WARNED),
    "no other runner finds a command in an annotation": (
        findings_annotations([HOSTILE], root="content"),
        "::warning file=content/en/## [error]a.md,line=3,col=5,title=## vso[x]::a ## [group]%0A## vso[task.complete]b\n"),
    "what a plan holds is a warning on the first line of its source": (
        plan_annotations(Plan(TARGET, (an_update(),), (HELD,), warnings=(LOOKS_ALIKE,)), [a_finding()], root="content"),
        f"{NEEDS}::warning file=content/en/b.md,line=1,col=1,title=KB502::no such file%0Amake it\n{WARNED}"),
    "nothing to tell is nothing printed": (plan_annotations(Plan(TARGET, (an_update(),)), [], root="content"), ""),
    "a push has no notices as what is done is done": (
        push_annotations(Plan(TARGET, (LIVE,)), [Outcome(LIVE, "done", 7)], root="content"), ""),
    "what failed or was skipped is an error and what was done is not told": (
        push_annotations(Plan(TARGET, held=(HELD,)), OUTCOMES, root="content"),
        FAILED + NEEDS),
    "what has no source any more is told without a file": (
        push_annotations(Plan(TARGET), [Outcome(an_update(""), "failed", 7, "no")], root="content"),
        "::error title=update failed::en: refunds: no\n"),
}  # fmt: skip


@pytest.mark.parametrize(("printed", "expected"), PRINTED.values(), ids=PRINTED)
def test_an_annotation_is_printed_as_github_reads_it(printed, expected):
    assert printed == expected


def test_what_readers_see_at_once_is_a_notice_behind_what_needs_somebody():
    fields = (FieldChange("title", "Bills", "Invoices"), FieldChange("content", "a", "b"))
    live = a_change(Action.UPDATE, "en/refunds.md", *fields, live=True)
    gone = a_change(Action.ARCHIVE, "", slug="old", live=True)
    adopted = a_change(Action.ADOPT, "en/same.md", live=True)
    plan = Plan(TARGET, (live, gone, adopted, an_update()), (HELD,))
    held, live, archived = plan_annotations(plan, [], root="content").splitlines()
    assert held.startswith("::warning file=content/en/invoices.md,line=1,")
    title = "title=Live%3A readers see the change immediately"
    assert live == f"::notice file=content/en/refunds.md,line=1,{title}::update en: refunds: title, body"
    assert archived == f"::notice {title}::archive en: old"


@given(st.text("a%:,=\r\n\x1b;éA0D5 "), st.text("a%:,=\r\n\x1béA0D5 "), st.text())
def test_whatever_the_texts_are_it_is_one_line_that_reads_back(name, message, hint):
    path = f"x{name}.md"
    text = findings_annotations([a_finding(path=path, message=message, hint=hint)], root="content")
    assert text.count("\n") == 1 and text.endswith("\n") and "\r" not in text
    level, properties, said = read(text[:-1])
    assert level == "warning"
    assert properties == {
        "file": f"content/{path}".replace("\x1b", ""), "line": "3", "col": "5", "title": "KB301",
    }  # fmt: skip
    assert said.split() == visible(f"{message}\n{hint}").split()
