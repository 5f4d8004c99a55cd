"""The ready examples for CI do what they promise, from fresh clones without a ledger, against a portal on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox, running
from push.world import PORTAL, SETUP, TOKEN

from .jobs import GITHUB, GITLAB, MERGED, Forge, read_yaml, reviewed

pytestmark = pytest.mark.slow

ARTICLE = "content/en/billing/invoices.md"
FILES = {
    "content/en/billing/_category.md": "---\nname: Billing\n---\n",
    "content/fr/billing/_category.md": "---\nname: Facturation\n---\n",
    "content/en/billing/refunds.md": "---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md).\n",
    ARTICLE: "---\ntitle: Invoices\n---\nThe old text.\n",
    "content/fr/billing/refunds.md": "---\ntitle: Rembourser\n---\nTexte.\n",
}
EDITED = {ARTICLE: "---\ntitle: Invoices\n---\nThe new text.\n"}


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Sandbox]:
    """The portal that all the jobs talk to."""
    with running(tmp_path / "sandbox.db", SETUP) as sandbox:
        yield sandbox


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest, tmp_path: Path, portal: Sandbox) -> Forge:
    """A repository with a first branch that nobody has merged yet."""
    folder = tmp_path / "forge"
    folder.mkdir()
    found = Forge(folder, request.param, {"KBSYNC_TOKEN": TOKEN, "KBSYNC_TOKEN_ORIGIN": portal.base_url})
    config = f'[service]\nbase_url = "{portal.base_url}"\nportal = "{PORTAL}"\n[pace]\nrequests_per_minute = 60000\n'
    found.begin(FILES | {"kbsync.toml": f'{config}[lint]\nignore = ["KB214"]\n'})
    return found


def told(ran) -> str:
    """The report of a job, wherever its forge shows it."""
    return ran.summary or ran.out


def writes(portal: Sandbox) -> list[str]:
    """What was asked of the portal so far that is no question."""
    return [f"{r.method} {r.path.rpartition('/')[2]}" for r in portal.requests if r.method != "GET"]


def test_a_pull_request_shows_the_plan_and_changes_nothing(forge, portal):
    ran = forge.run(reviewed("first"))
    assert ran.code == 0, ran.err
    assert told(ran).startswith("## kbsync plan: 5 changes\n")
    assert writes(portal) == []


def test_the_first_merge_makes_drafts_and_the_next_run_sends_nothing(forge, portal):
    forge.merge("first")
    first = forge.run(MERGED)
    assert first.code == 0, first.err
    assert told(first).startswith("## kbsync push: 5 changes made\n")
    made = {article.slug: article.status for article in portal.panel.articles(PORTAL)}
    assert made == {"invoices": 0, "refunds": 0, "refunds-fr": 0}
    before = writes(portal)
    second = forge.run(MERGED)
    assert second.code == 0, second.err
    assert told(second).startswith("## kbsync push: nothing to ")
    assert writes(portal) == before


def test_an_edit_is_one_change_in_the_plan_exactly_one_update_after_the_merge_and_then_nothing(forge, portal):
    forge.merge("first")
    assert forge.run(MERGED).code == 0
    forge.propose("edit", EDITED)
    before, number = writes(portal), portal.panel.article("invoices").id
    plan = forge.run(reviewed("edit"))
    assert plan.code == 0, told(plan) + plan.err
    assert told(plan).startswith("## kbsync plan: 1 change\n")
    assert writes(portal) == before
    forge.merge("edit")
    push = forge.run(MERGED)
    assert push.code == 0, told(push) + push.err
    assert told(push).startswith("## kbsync push: 1 change made\n")
    assert [write.partition(" ")[2] for write in writes(portal)[len(before) :]] == [str(number)]
    assert portal.panel.article("invoices").content == "The new text.\n"
    before = writes(portal)
    assert forge.run(MERGED).code == 0
    assert writes(portal) == before


def test_what_somebody_edited_in_the_panel_is_held_and_the_job_says_so(forge, portal):
    forge.merge("first")
    assert forge.run(MERGED).code == 0
    portal.panel.edit("invoices", title="Bills")
    before = writes(portal)
    ran = forge.run(MERGED)
    assert ran.code == 4
    assert told(ran).startswith("## kbsync push: nothing to send, 1 needs your decision\n")
    if forge.name == "github":
        assert ran.out.startswith(f"::warning file={ARTICLE},line=1,title=Needs your decision%3A ")
    assert writes(portal) == before and portal.panel.article("invoices").title == "Bills"


def test_errors_in_the_content_stop_the_job_and_are_shown_where_they_are(forge, portal):
    forge.merge("first")
    forge.propose("broken", {ARTICLE: "---\ntitle: Invoices\nstatus: live\n---\nText.\n"})
    ran = forge.run(reviewed("broken"))
    assert ran.code == 3
    assert "KB109" in told(ran)
    if forge.name == "github":
        assert ran.out.startswith(f"::error file={ARTICLE},line=3,col=")
    assert portal.requests == []


@pytest.mark.parametrize("forge", ["github"], indirect=True)  # GitLab runs a fork's pipeline in the fork.
def test_a_pull_request_from_a_fork_is_checked_without_a_token_and_without_the_portal(forge, portal):
    ran = forge.run(reviewed("first", fork=True))
    assert ran.code == 0, ran.err
    assert ran.summary.startswith("## kbsync lint: no errors or warnings\n")
    assert portal.requests == []


def test_only_one_push_runs_at_a_time_and_none_is_cut_off():
    push = read_yaml(GITHUB)["jobs"]["push"]
    assert push["concurrency"] == {"group": "kbsync-push-handbook", "cancel-in-progress": False}
    assert read_yaml(GITLAB)["push"]["resource_group"] == "kbsync-push-handbook"


def test_a_plan_waits_for_nobody_and_takes_no_place_in_the_queue_of_pushes():
    assert "concurrency" not in read_yaml(GITHUB) and "concurrency" not in read_yaml(GITHUB)["jobs"]["plan"]
    assert "resource_group" not in read_yaml(GITLAB)["plan"]


def test_every_job_has_the_whole_history_and_python_3_11():
    for job in read_yaml(GITHUB)["jobs"].values():
        checkout, python = job["steps"][:2]
        assert checkout["with"] == {"fetch-depth": 0} and python["with"] == {"python-version": "3.11"}
    assert read_yaml(GITLAB)["variables"]["GIT_DEPTH"] == "0"
    assert read_yaml(GITLAB)["default"]["image"] == "python:3.11"


@pytest.mark.parametrize("path", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_the_help_center_shows_the_examples_as_they_are(path):
    article = Path(__file__).parent.parent.parent / "content/en/automation/publish-on-merge.md"
    assert f"```yaml\n{path.read_text('utf-8')}```\n" in article.read_text("utf-8")


def test_a_branch_that_names_another_service_does_not_get_the_token(forge, portal):
    config = (forge.desk / "kbsync.toml").read_text("utf-8")
    elsewhere = config.replace(portal.base_url, "https://evil.example")
    forge.propose("evil", FILES | {"kbsync.toml": elsewhere})
    ran = forge.run(reviewed("evil"))
    assert ran.code == 2
    assert "(KBSYNC_TOKEN_ORIGIN), but kbsync.toml would send it to" in ran.err
