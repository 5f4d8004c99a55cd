"""Annotations: each line is one workflow command that a runner reads back as it was meant."""

from __future__ import annotations

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


def test_a_finding_stands_on_its_line_in_the_repository():
    assert findings_annotations([a_finding()], root="docs/content") == (
        "::warning file=docs/content/en/a.md,line=3,col=5,title=KB301::no such file%0Amake it\n"
    )


def test_a_content_root_above_or_here_is_written_as_git_writes_it():
    assert "file=en/a.md," in findings_annotations([a_finding()], root=".")
    assert "file=../content/en/a.md," in findings_annotations([a_finding()], root="../content")


def test_errors_come_first_as_only_the_first_ten_of_a_step_are_shown():
    lines = findings_annotations([a_finding(), a_finding("error"), a_finding()], root="c").splitlines()
    assert [line.split()[0] for line in lines] == ["::error", "::warning", "::warning"]


def test_what_a_plan_holds_is_a_warning_on_the_first_line_of_its_source():
    plan = Plan(TARGET, (an_update(),), (HELD,), warnings=(a_finding(code="KB502", path="en/b.md", line=1, column=1),))
    assert plan_annotations(plan, [a_finding()], root="content") == (
        "::warning file=content/en/invoices.md,line=1,title=Needs your decision%3A edited in the panel::en: invoices: title, body%0Alook at it\n"
        "::warning file=content/en/b.md,line=1,col=1,title=KB502::no such file%0Amake it\n"
        "::warning file=content/en/a.md,line=3,col=5,title=KB301::no such file%0Amake it\n"
    )


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


def test_a_push_has_no_notices_as_what_is_done_is_done():
    plan = Plan(TARGET, (an_update(live=True),))
    assert push_annotations(plan, [Outcome(plan.changes[0], "done", 7)], root="content") == ""


def test_what_failed_or_was_skipped_is_an_error_and_what_was_done_is_not_told():
    outcomes = [
        Outcome(an_update(), "done", 7),
        Outcome(an_update("en/s.md"), "skipped", 7, "its category failed"),
        Outcome(an_update("en/f.md"), "failed", 7, "PATCH /a: 500", "try again"),
    ]
    assert push_annotations(Plan(TARGET, held=(HELD,)), outcomes, root="content") == (
        "::error file=content/en/f.md,line=1,title=update failed::en: refunds: PATCH /a: 500%0Atry again\n"
        "::error file=content/en/s.md,line=1,title=update skipped::en: refunds: its category failed\n"
        "::warning file=content/en/invoices.md,line=1,title=Needs your decision%3A edited in the panel::en: invoices: title, body%0Alook at it\n"
    )


def test_what_has_no_source_any_more_is_told_without_a_file():
    text = push_annotations(Plan(TARGET), [Outcome(an_update(""), "failed", 7, "no")], root="content")
    assert text == "::error title=update failed::en: refunds: no\n"


def test_nothing_to_tell_is_nothing_printed():
    assert plan_annotations(Plan(TARGET, (an_update(),)), [], root="content") == ""


def test_no_other_runner_finds_a_command_in_an_annotation():
    finding = a_finding(path="en/##[error]a.md", code="##vso[x]", message="a ##[group]", hint="##vso[task.complete]b")
    assert findings_annotations([finding], root="content") == (
        "::warning file=content/en/## [error]a.md,line=3,col=5,title=## vso[x]::a ## [group]%0A## vso[task.complete]b\n"
    )


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
