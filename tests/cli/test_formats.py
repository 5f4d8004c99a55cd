"""`--format markdown` and `--format github` as a job in CI uses them, with the summary of the job."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

BROKEN = "---\ntitle: Broken\nstatus: live\n---\nText.\n"
INVOICES = "content/en/billing/invoices.md"


@pytest.fixture
def summary(project, tmp_path: Path) -> Path:
    """The file that GitHub gives a step for its summary."""
    path = tmp_path / "summary.md"
    path.write_text("# Before\n\n", "utf-8")
    project.environ["GITHUB_STEP_SUMMARY"] = str(path)
    project.environ["GITHUB_WORKSPACE"] = str(project.folder)
    return path


def test_a_plan_as_markdown_is_printed_and_appended_to_the_summary_of_the_job_and_a_push_says_what_was_made(
    project, summary
):
    done = project.run("plan", "--format", "markdown")
    assert done.code == 0 and done.err == ""
    assert done.out.startswith("## kbsync plan: 5 changes\n\nPortal `handbook` in the sandbox · 5 requests")
    assert "| create | 2 categories and 3 articles as drafts |\n" in done.out
    assert summary.read_text("utf-8") == "# Before\n\n" + done.out + "\n"
    done = project.run("push", "--format", "markdown")
    assert done.code == 0 and done.out.startswith("## kbsync push: 5 changes made\n")
    assert summary.read_text("utf-8").endswith(done.out + "\n")


def test_without_a_summary_to_write_markdown_is_only_printed(project):
    done = project.run("plan", "--format", "markdown", GITHUB_STEP_SUMMARY="")
    assert (done.code, done.err) == (0, "") and done.out.startswith("## kbsync plan")


@pytest.mark.parametrize("command", ["plan", "push", "lint"])
def test_a_summary_that_cannot_be_written_is_said_and_changes_nothing_else(project, command):
    done = project.run(command, "--format", "markdown", GITHUB_STEP_SUMMARY=str(project.folder))
    assert done.code == 0 and done.out.startswith(f"## kbsync {command}: ")
    folder = project.folder
    assert f"kbsync: $GITHUB_STEP_SUMMARY: {folder} cannot be written: Is a directory.\n" in done.err


def test_text_and_json_leave_the_summary_alone_and_json_stays_one_object(project, summary):
    project.run("plan")
    project.run("push", "--format", "json")
    assert summary.read_text("utf-8") == "# Before\n\n"
    assert json.loads(project.run("plan", "--format", "json").out)["schema"] == "kbsync.plan/1"


def test_the_github_format_prints_annotations_and_fills_the_summary_from_the_same_run(pushed, portal: Sandbox, summary):
    portal.panel.edit("invoices", title="Bills")
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nSee [this](nowhere.md).\n")
    done = pushed.run("push", "--format", "github")
    assert done.code == 4
    held, *others = done.out.splitlines()
    assert held.startswith(
        "::warning file=content/en/billing/invoices.md,line=1,title=Needs your decision%3A edited in the panel::en: invoices: title%0A"
    )
    assert others == []
    assert "kbsync push: 1 change made, 1 needs your decision\n" in done.err
    assert "## kbsync push: 1 change made, 1 needs your decision\n" in summary.read_text("utf-8")


def test_a_plan_annotates_the_warnings_of_the_tree_too(project, summary):
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nSee [this](nowhere.md).\n")
    done = project.run("plan", "--format", "github")
    assert done.code == 0 and done.out.startswith("::warning file=content/en/billing/refunds.md,line=4,col=")
    assert ",title=KB301::" in done.out and done.err == "kbsync plan: 5 changes\n"


def test_the_log_of_the_job_has_the_plan_behind_its_annotations(pushed, portal: Sandbox, summary):
    portal.panel.edit("invoices", title="Bills")
    portal.panel.publish("refunds")
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\n::error::x\n")
    pushed.write("content/fr/billing/refunds.md", "---\ntitle: '::error::x'\n---\nTexte.\n")
    done, plain = pushed.run("plan", "--format", "github"), pushed.run("plan")
    assert done.code == plain.code == 4
    held, live, *log = done.out.splitlines(keepends=True)
    assert held.startswith("::warning file=content/en/billing/invoices.md,line=1,title=Needs your decision")
    assert live.startswith("::notice file=content/en/billing/refunds.md,line=1,title=Live%3A")
    assert "".join(log) == plain.out
    assert not [line for line in log if line.lstrip().startswith("::")]


def test_paths_begin_where_the_repository_does_and_not_where_the_job_runs(project, summary):
    project.write("content/en/billing/refunds.md", BROKEN)
    done = project.run("lint", "--format", "github", cwd="content/fr")
    assert done.out.startswith("::error file=content/en/billing/refunds.md,line=3,")
    elsewhere = project.run("lint", "--format", "github", cwd="content", GITHUB_WORKSPACE="/nowhere/at/all")
    assert elsewhere.out.startswith("::error file=en/billing/refunds.md,line=3,")


def forms_of(command: str) -> tuple[str, ...]:
    """What `--format` of a command takes."""
    found = import_module(f"kbsync.cli.{command}").command
    return next(tuple(option.type.choices) for option in found.params if option.name == "form")


@pytest.mark.parametrize(
    ("command", "form"), [(command, form) for command in ("plan", "push", "lint") for form in forms_of(command)]
)
def test_every_format_shows_the_errors_that_stop_a_run(project, command, form):
    project.write("content/en/billing/refunds.md", BROKEN)
    done = project.run(command, "--format", form)
    assert done.code == 3
    told = done.out if form != "text" or command == "lint" else done.err
    assert "KB109" in told and "en/billing/refunds.md" in told
    assert form == "json" or command == "lint" or "Nothing was sent. Fix the errors first." in done.err


def test_one_warning_is_not_several(project):
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nSee [this](nowhere.md).\n")
    assert project.run("plan").err == "Your files have 1 warning. Run `kbsync lint` to see it.\n"
    project.write(INVOICES, "---\ntitle: Invoices\nstatus: draft\n---\nSee [this](nowhere.md).\n")
    assert project.run("plan").err == "Your files have 2 warnings. Run `kbsync lint` to see them.\n"
