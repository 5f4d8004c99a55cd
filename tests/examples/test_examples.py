"""The ready examples for CI do what they promise, from fresh clones without a ledger, against a portal on loopback."""

from collections.abc import Iterator

import pytest

from kbsync.sandbox import Sandbox
from push.world import PORTAL
from service.forges import FORBIDDEN, FakeForge, running_forge

from .forge import ARTICLE, EDITED, FILES, told
from .jobs import (
    AT_NIGHT,
    COMPONENT,
    FORGE_TOKEN,
    GITHUB,
    GITLAB,
    GITLAB_PULL,
    MERGED,
    Event,
    component,
    gitlab_job,
    gitlab_names,
    gitlab_pull_job,
    read_yaml,
    reviewed,
)

pytestmark = pytest.mark.slow


@pytest.fixture(params=["github", "gitlab"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeForge]:
    """The forge's own interface; a job's token on GitHub is not told who it is."""
    with running_forge(request.param, me=None) as found:
        yield found


def writes(portal: Sandbox) -> list[str]:
    """What was asked of the portal so far that is no question."""
    return [f"{r.method} {r.path.rpartition('/')[2]}" for r in portal.requests if r.method != "GET"]


def test_the_first_merge_makes_drafts_and_an_edit_is_one_change_in_the_plan_one_update_after_the_merge_and_then_nothing(
    forge, portal
):
    first = forge.publish("first")
    assert told(first).startswith("## kbsync push: 5 changes made\n")
    made = {article.slug: article.status for article in portal.panel.articles(PORTAL)}
    assert made == {"invoices": 0, "refunds": 0, "refunds-fr": 0}
    before = writes(portal)
    second = forge.succeed(MERGED)
    assert told(second).startswith("## kbsync push: everything is up to date")
    assert writes(portal) == before
    forge.propose("edit", EDITED)
    before, number = writes(portal), portal.panel.article("invoices").id
    plan = forge.succeed(reviewed("edit"))
    assert told(plan).startswith("## kbsync plan: 1 change\n")
    assert writes(portal) == before
    push = forge.publish("edit")
    assert told(push).startswith("## kbsync push: 1 change made\n")
    assert [write.partition(" ")[2] for write in writes(portal)[len(before) :]] == [str(number)]
    assert portal.panel.article("invoices").content == "The new text.\n"
    before = writes(portal)
    assert forge.run(MERGED).code == 0
    assert writes(portal) == before


def test_what_somebody_edited_in_the_panel_is_held_and_the_job_says_so_and_a_plan_beside_it_fails_and_is_commented_on(
    forge, portal, api
):
    forge.publish("first")
    portal.panel.edit("invoices", title="Bills")
    before = writes(portal)
    ran = forge.run(MERGED)
    assert ran.code == 4
    assert told(ran).startswith("## kbsync push: nothing to send, 1 needs your decision\n")
    if forge.name == "github":
        assert ran.out.startswith(f"::warning file={ARTICLE},line=1,title=Needs your decision%3A ")
    assert writes(portal) == before and portal.panel.article("invoices").title == "Bills"
    forge.propose("edit", EDITED)
    assert forge.run(reviewed("edit")).code == 4
    assert "- **Needs your decision: 1.**" in api.comments[0]["body"]


def test_errors_in_the_content_stop_the_job_and_are_shown_where_they_are(forge, portal):
    forge.merge("first")
    forge.propose("broken", {ARTICLE: "---\ntitle: Invoices\nstatus: live\n---\nText.\n"})
    ran = forge.run(reviewed("broken"))
    assert ran.code == 3
    assert "KB109" in told(ran)
    if forge.name == "github":
        assert ran.out.startswith(f"::error file={ARTICLE},line=3,col=")
    assert portal.requests == []


@pytest.mark.parametrize("api", ["github"], indirect=True)  # GitLab runs a fork's pipeline in the fork.
def test_a_pull_request_from_a_fork_is_checked_without_a_token_and_without_the_portal(forge, portal):
    ran = forge.succeed(reviewed("first", fork=True))
    assert ran.summary.startswith("## kbsync lint: no errors or warnings\n")
    assert portal.requests == []


def test_only_one_push_runs_at_a_time_and_none_is_cut_off():
    push = read_yaml(GITHUB)["jobs"]["push"]
    assert push["concurrency"] == {"group": "kbsync-push-handbook", "cancel-in-progress": False}
    assert read_yaml(GITLAB)["push"]["resource_group"] == "kbsync-push-handbook"


def test_a_plan_takes_no_place_in_the_queue_of_pushes_and_gives_way_to_a_newer_one():
    assert "concurrency" not in read_yaml(GITHUB)
    plan = read_yaml(GITHUB)["jobs"]["plan"]
    group = "kbsync-plan-${{ github.event.pull_request.number }}"
    assert plan["concurrency"] == {"group": group, "cancel-in-progress": True}
    assert "resource_group" not in read_yaml(GITLAB)["plan"] and read_yaml(GITLAB)["plan"]["interruptible"]


def test_no_job_runs_for_ever():
    assert all(job["timeout-minutes"] <= 60 for job in read_yaml(GITHUB)["jobs"].values())
    assert all("timeout" in read_yaml(GITLAB)[name] for name in ("plan", "push", "nightly", "scheduled"))


def test_only_the_job_that_needs_it_may_write():
    jobs = read_yaml(GITHUB)["jobs"]
    assert read_yaml(GITHUB)["permissions"] == {"contents": "read"}
    assert jobs["plan"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert jobs["push"]["permissions"] == {"contents": "write"}


def test_every_job_has_the_whole_history_and_python_3_11():
    for job in read_yaml(GITHUB)["jobs"].values():
        checkout, python = job["steps"][:2]
        assert checkout["with"]["fetch-depth"] == 0 and python["with"] == {"python-version": "3.11"}
    assert read_yaml(GITLAB)["variables"]["GIT_DEPTH"] == "0"
    assert read_yaml(GITLAB)["default"]["image"] == "python:3.11"


# --- the comment -----------------------------------------------------------------------------------------------------


def test_a_pull_request_shows_the_plan_in_one_comment_that_follows_its_commits_and_changes_nothing(forge, portal, api):
    ran = forge.succeed(reviewed("first"))
    assert told(ran).startswith("## kbsync plan: 5 changes\n")
    assert [row["body"].splitlines()[1] for row in api.comments] == ["## kbsync plan: 5 changes"]
    config = {"kbsync.toml": (forge.desk / "kbsync.toml").read_text("utf-8")}
    forge.propose("first", FILES | config | {"content/en/billing/more.md": "---\ntitle: More\n---\nText.\n"})
    assert forge.run(reviewed("first")).code == 0
    assert [row["body"].splitlines()[1] for row in api.comments] == ["## kbsync plan: 6 changes"]
    assert all(api.authorized) and writes(portal) == []


def test_a_comment_that_is_refused_does_not_fail_the_job(forge, api):
    api.faults.append(("POST", "/7/", FORBIDDEN))
    ran = forge.run(reviewed("first"))
    assert ran.code == 0 and "Warning: the comment was not posted." in ran.err
    assert told(ran).startswith("## kbsync plan: 5 changes\n")


# --- at night --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["gitlab"], indirect=True)
def test_the_nightly_job_fails_where_the_portal_differs(forge, portal):
    forge.merge("first")
    assert forge.run(AT_NIGHT).code == 10
    assert forge.run(MERGED).code == 0
    assert forge.run(AT_NIGHT).code == 0
    portal.panel.edit("invoices", title="Bills")
    ran = forge.run(AT_NIGHT)
    assert ran.code == 4 and "1 needs your decision" in told(ran)


AT_A_DATE = Event("schedule", schedule="publish")


@pytest.mark.parametrize("path", [GITLAB, COMPONENT], ids=["example", "component"])
def test_a_schedule_runs_only_the_job_that_it_names(path):
    pipeline = read_yaml(path) if path == GITLAB else component(token_origin="https://support.example.com")
    names = ("nightly", "publish", "pull", "backup", "")
    started = {name: gitlab_names(Event("schedule", schedule=name), pipeline) for name in names}
    prefix = "" if path == GITLAB else "kbsync "
    jobs = {"nightly": [f"{prefix}nightly"], "publish": [f"{prefix}scheduled"]}
    assert started == {name: [] for name in names} | jobs
    assert gitlab_names(Event("schedule", schedule="pull"), read_yaml(GITLAB_PULL)) == ["pull"]


@pytest.mark.parametrize("api", ["gitlab"], indirect=True)
@pytest.mark.parametrize("path", [GITLAB, COMPONENT], ids=["example", "component"])
def test_the_scheduled_job_publishes_what_a_date_or_a_release_publishes(forge, portal, path):
    pipeline = read_yaml(path) if path == GITLAB else component(token_origin=portal.base_url)
    forge.publish("first")
    dated = "---\ntitle: Invoices\nstatus: published\npublish_on: 2020-01-01\n---\nThe old text.\n"
    config = (forge.desk / "kbsync.toml").read_text("utf-8") + "[push]\npublish = true\n"
    refunds = "---\ntitle: Refund a charge\nstatus: published\nrelease: '5.2'\n---\nSee [invoices](invoices.md).\n"
    forge.propose("dated", {ARTICLE: dated, "content/en/billing/refunds.md": refunds, "kbsync.toml": config})
    forge.merge("dated")
    job = gitlab_job(AT_A_DATE, forge.secrets, pipeline)

    def published() -> set[str]:
        return {article.slug for article in portal.panel.articles(PORTAL) if article.status == 1}

    assert forge.run(AT_A_DATE, job).code == 0 and published() == {"invoices"}
    assert forge.run(AT_A_DATE, job, KBSYNC_RELEASE="5.2").code == 0 and published() == {"invoices", "refunds"}


def test_a_scheduled_push_waits_for_the_one_that_runs():
    made = component(token_origin="https://support.example.com", prefix="help")
    assert made["help scheduled"]["resource_group"] == made["help push"]["resource_group"] == "help-push"
    assert read_yaml(GITLAB)["scheduled"]["resource_group"] == read_yaml(GITLAB)["push"]["resource_group"]


# --- the component ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["gitlab"], indirect=True)
def test_the_component_does_what_the_example_does_also_for_a_second_portal(forge, portal, api):
    forge.merge("first")
    made = component(token_origin=portal.base_url, prefix="help", environment="staging")
    config = (forge.desk / "kbsync.toml").read_text("utf-8")
    forge.propose("second", {"kbsync.toml": f'{config}[env.staging.service]\nportal = "other"\n'})
    forge.succeed(reviewed("second"), gitlab_job(reviewed("second"), forge.secrets, made))
    assert "Portal `other`" in api.comments[0]["body"]
    again = component(token_origin=portal.base_url)
    forge.merge("second")
    assert forge.run(MERGED, gitlab_job(MERGED, forge.secrets, again)).code == 0
    assert {article.slug for article in portal.panel.articles(PORTAL)} == {"invoices", "refunds", "refunds-fr"}
    assert set(made) == {".help", "help plan", "help push", "help nightly", "help scheduled"}


def test_a_branch_that_names_another_service_does_not_get_the_token(forge, portal):
    config = (forge.desk / "kbsync.toml").read_text("utf-8")
    elsewhere = config.replace(portal.base_url, "https://evil.example")
    forge.propose("evil", FILES | {"kbsync.toml": elsewhere})
    ran = forge.run(reviewed("evil"))
    assert ran.code == 2
    assert "(KBSYNC_TOKEN_ORIGIN), but kbsync.toml would send it to" in ran.err


@pytest.mark.parametrize("api", ["gitlab"], indirect=True)
def test_a_scheduled_job_pushes_a_branch_with_the_edits_from_the_panel(forge, portal):
    forge.publish("first")
    origin = forge.folder / "origin.git"
    forge.git(origin, "config", "receive.advertisePushOptions", "true")
    portal.panel.edit("invoices", title="Bills")
    job = gitlab_pull_job(forge.secrets | {"KBSYNC_GIT_TOKEN": FORGE_TOKEN})
    project = {"CI_PROJECT_URL": origin.as_uri().removesuffix(".git"), "CI_DEFAULT_BRANCH": "main"}
    for day in (1, 2):
        # Without a ledger, both versions of the title are in the file: exit code 4, and the branch shows them. Another
        # night is another commit: git is not sure to survive a push of the same one with options.
        forge.succeed(AT_NIGHT, job, GIT_COMMITTER_DATE=f"2026-03-0{day} 03:00 +0000", **project)
    forge.git(forge.desk, "fetch", "--quiet", "origin", "kbsync-pull")
    forge.git(forge.desk, "checkout", "--quiet", "FETCH_HEAD")
    assert "title: Bills" in (forge.desk / ARTICLE).read_text("utf-8")
    message = forge.git(forge.desk, "log", "-1", "--format=%B")
    assert message.startswith("Edits from the panel: 1 file changed, 1 in two versions\n\nen/")
    assert "\n    Author in the panel: " in message
