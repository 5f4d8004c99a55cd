"""`kbsync comment` as a job runs it: the variables of GitHub and GitLab, a file, and an API on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import Done
from service.forges import FORBIDDEN, SECONDARY, TOKEN, FakeForge, running_forge

TARGET = {"base_url": "https://support.example.com", "account_id": 1, "portal": "handbook", "profile": "chatwoot"}
CHANGE = {
    "action": "update", "kind": "article", "locale": "en", "slug": "refunds", "path": "en/refunds.md", "remote_id": 7,
    "title": "Refunds", "live": True, "fields": [{"name": "title", "before": "Money", "after": "Refunds"}],
}  # fmt: skip
SHA = "0123456789abcdef0123456789abcdef01234567"


def a_plan(*changes: dict[str, Any], **others: Any) -> str:
    return json.dumps({"schema": "kbsync.plan/1", "target": TARGET, "summary": {}, "changes": changes} | others)


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest) -> Iterator[FakeForge]:
    with running_forge(request.param) as found:
        yield found


@pytest.fixture
def github() -> Iterator[FakeForge]:
    """With the token of a job, which is not told who it is."""
    with running_forge("github", me=None) as found:
        yield found


def job(forge: FakeForge, folder: Path, event: dict[str, Any] | None = None) -> dict[str, str]:
    """The variables of a job of a pull request."""
    if forge.kind == "gitlab":
        return {
            "GITLAB_CI": "true", "CI_API_V4_URL": forge.origin, "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7",
            "KBSYNC_GITLAB_TOKEN": TOKEN, "GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": "",
        }  # fmt: skip
    path = folder / "event.json"
    path.write_text(json.dumps({"pull_request": {"number": 7}} if event is None else event), "utf-8")
    return {
        "GITHUB_ACTIONS": "true", "GITHUB_API_URL": forge.origin, "GITHUB_REPOSITORY": "ana/help", "GITHUB_TOKEN": TOKEN,
        "GITHUB_EVENT_PATH": str(path), "GITHUB_REF": "refs/heads/main", "GITHUB_STEP_SUMMARY": "", "CI_API_V4_URL": "",
    }  # fmt: skip


@pytest.fixture
def comment(project, forge):
    """Run the command on a plan in a job of this forge."""

    def run(text: str, *arguments: str, **environ: str):
        project.write("plan.json", text)
        done = project.run("comment", "plan.json", *arguments, **job(forge, project.folder) | environ)
        assert TOKEN not in done.out + done.err
        return done

    return run


def test_a_plan_becomes_one_comment_for_each_portal_that_later_runs_update(comment, forge):
    assert comment(a_plan(CHANGE)) == Done(0, "", "Posted the comment.\n")
    assert comment(a_plan(CHANGE)) == Done(0, "", "The comment is up to date.\n")
    assert comment(a_plan(CHANGE, CHANGE)) == Done(0, "", "Updated the comment.\n")
    assert len(forge.comments) == 1
    assert "## kbsync plan: 2 changes\n" in forge.comments[0]["body"] and all(forge.authorized)
    comment(a_plan(CHANGE, target=TARGET | {"portal": "other"}))
    assert len(forge.comments) == 2


def test_without_news_there_is_no_comment_but_one_that_is_there_says_so(comment, forge):
    assert comment(a_plan()) == Done(0, "", "Everything is up to date: no comment is needed.\n")
    assert forge.comments == []
    comment(a_plan(CHANGE))
    assert comment(a_plan()).err == "Updated the comment.\n"
    assert "everything is up to date" in forge.comments[0]["body"]


def test_what_kbsync_plans_can_be_commented_on_and_a_saved_plan_too(comment, project, forge):
    planned = project.run("plan", "--format", "json", "--out", "saved.plan")
    assert planned.code == 0 and comment(planned.out).err == "Posted the comment.\n"
    assert "| create | `en/billing/refunds.md` | Refund a charge |  |" in forge.comments[0]["body"]
    assert project.run("comment", "saved.plan", **job(forge, project.folder)).err == "The comment is up to date.\n"


@pytest.mark.parametrize(
    "replies",
    [[FORBIDDEN], [(404, {}, {"message": "Not Found"})], [(403, {"Retry-After": "600"}, SECONDARY)], [(500, {}, b"")]],
)
def test_a_comment_that_is_refused_is_a_warning_and_no_red_job(comment, forge, replies):
    forge.faults += [("POST", "/7/", reply) for reply in replies]
    done = comment(a_plan(CHANGE))
    assert done.code == 0 and done.out == ""
    assert done.err.startswith("kbsync: Warning: the comment was not posted. Git")
    assert done.err.count("\n") == 2


def test_a_comment_that_is_too_long_for_this_service_is_made_shorter_once(comment, forge):
    problem = (422, {}, {"message": "Validation Failed", "errors": [{"message": "body is too long"}]})
    forge.faults.append(("POST", "/7/", problem))
    many = [CHANGE | {"path": f"en/{number:05}-{'x' * 100}.md"} for number in range(9_000)]
    assert comment(a_plan(*many)).err == "Posted the comment.\n"
    most = 1_000_000 if forge.kind == "gitlab" else 65_536
    assert most // 5 < len(forge.comments[0]["body"].encode()) <= most // 4


def test_without_a_token_it_is_a_warning_too(comment, forge):
    done = comment(a_plan(CHANGE), GITHUB_TOKEN="", KBSYNC_GITLAB_TOKEN="", GITLAB_TOKEN="")
    assert done.says(0, err="There is no token for Git") and forge.asked == []


def test_the_place_can_be_named(comment, forge):
    assert comment(a_plan(CHANGE), "--repository", "no/where", "--number", "8").says(0, err="answered 404")
    number = {"gitlab": "/projects/no/where/merge_requests/8/notes", "github": "/repos/no/where/issues/8/comments"}
    assert forge.asked == [f"GET /api{number[forge.kind]}"]


def test_a_dry_run_prints_the_comment_and_asks_nothing(comment, forge):
    done = comment(a_plan(CHANGE), "--dry-run")
    assert done.code == 0 and done.out.startswith("<!-- kbsync:comment:") and done.err == ""
    assert forge.asked == []


def test_the_summary_of_the_job_has_it_first_also_where_the_comment_is_refused(comment, project, forge):
    forge.faults.append(("POST", "/7/", FORBIDDEN))
    summary = project.folder / "summary.md"
    assert comment(a_plan(CHANGE), GITHUB_STEP_SUMMARY=str(summary)).code == 0
    assert "## kbsync plan: 1 change\n" in summary.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "plan.json is empty. The command that should write it failed."),
        ("{}", "plan.json is not a plan or a push"),
        ('{"schema": "kbsync.lint/1", "target": {"base_url": "", "account_id": 1, "portal": ""}}', "its schema is"),
        ('{"schema":"kbsync.saved-plan/1"}', "The plan has schema kbsync.saved-plan/1."),
    ],
)
def test_a_file_that_is_no_plan_is_bad_usage(comment, forge, text, words):
    assert comment(text).says(2, err=words) and forge.asked == []


def test_a_file_that_is_not_there_is_bad_usage(project, forge):
    assert project.run("comment", "plan.json", **job(forge, project.folder)).code == 2
    assert project.run("comment", **job(forge, project.folder)).code == 2


@pytest.mark.parametrize("name", ["../x", "a/../b", "a b", "/a", "a/", "."])
def test_a_repository_that_is_no_name_is_bad_usage(comment, forge, name):
    assert comment(a_plan(CHANGE), "--repository", name).code == 2 and forge.asked == []


# --- which pull request ----------------------------------------------------------------------------------------------


def on_github(project, github, event, **environ):
    project.write("plan.json", a_plan(CHANGE))
    return project.run("comment", "plan.json", **job(github, project.folder, event) | environ)


HEAD = {"head_sha": SHA, "head_branch": "fix", "head_repository": {"owner": {"login": "eve"}}}
A_RUN = {"workflow_run": HEAD}


@pytest.mark.parametrize(
    ("event", "environ"),
    [(None, {}), ({}, {"GITHUB_REF": "refs/pull/7/merge"}), (A_RUN, {})],
    ids=["job", "ref", "fork"],
)
def test_with_the_token_of_a_job_the_pull_request_is_its_own_or_that_of_its_ref_or_of_the_head_that_a_fork_s_job_had(
    project, github, event, environ
):
    github.pulls.append({"number": 7, "head": {"label": "eve:fix", "sha": SHA}})
    assert on_github(project, github, event, **environ).err == "Posted the comment.\n"
    assert on_github(project, github, event, **environ).err == "The comment is up to date.\n"


def test_where_the_pull_request_moved_on_nothing_is_commented(project, github):
    github.pulls.append({"number": 7, "head": {"label": "eve:fix", "sha": "f" * 40}})
    assert on_github(project, github, A_RUN).says(0, err="The pull request has newer commits, or is closed.")
    assert github.comments == []


@pytest.mark.parametrize("event", [{}, {"workflow_run": {"head_sha": SHA, "head_branch": None}}])
def test_a_job_of_no_pull_request_is_bad_usage(project, github, event):
    assert on_github(project, github, event).says(2, err="This job is not about a pull request.") and github.asked == []


def test_a_job_s_event_that_cannot_be_read_is_bad_usage(project, github):
    done = on_github(project, github, None, GITHUB_EVENT_PATH=str(project.folder / "none.json"))
    assert done.code == 2 and "GITHUB_EVENT_PATH" in done.err
