"""The other GitHub workflows, and the action: what they do with forks, at night, and with what kbsync ends with."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kbsync.sandbox import Sandbox
from push.world import PORTAL, TOKEN
from service.forges import FORBIDDEN, FakeForge, running_forge

from .actions import ACTION, run_action
from .forge import ARTICLE, EDITED, Forge, Ran, told
from .jobs import (
    AFTER_A_FORK,
    AT_NIGHT,
    FORK_COMMENT,
    FORK_PLAN,
    HEAD,
    LINKS,
    MERGED,
    NIGHTLY,
    PULL,
    ROOT,
    VERIFY,
    github_job,
    read_yaml,
    reviewed,
)

pytestmark = pytest.mark.slow

WORKFLOWS = sorted((ROOT / "examples" / "github").glob("*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"


@pytest.fixture
def api() -> Iterator[FakeForge]:
    with running_forge("github", me=None) as found:
        yield found


# --- forks -----------------------------------------------------------------------------------------------------------


def a_plan(portal: Sandbox) -> dict[str, Any]:
    target = {"base_url": portal.base_url, "account_id": 1, "portal": PORTAL, "profile": "chatwoot"}
    change = {"action": "create", "kind": "article", "path": "en/a.md", "title": "@everyone <b>"}
    changes = [change | {"live": False, "fields": []}]
    return {"schema": "kbsync.plan/1", "target": target, "summary": {}, "changes": changes, "held": [], "findings": []}


def keep(forge: Forge, text: str) -> None:
    """What the first workflow uploaded."""
    folder = forge.folder / "kept" / "kbsync-plan"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(text, "utf-8")


def comment(forge: Forge) -> Ran:
    """The second workflow, which has the token of the job and nothing else."""
    return forge.run(AFTER_A_FORK, github_job(AFTER_A_FORK, {}, FORK_COMMENT))


def test_the_plan_of_a_fork_is_shown_by_a_workflow_that_has_nothing_of_the_fork(forge, portal, api):
    api.pulls.append({"number": 7, "head": {"label": "eve:fix", "sha": HEAD}})
    keep(forge, json.dumps(a_plan(portal)))
    ran = comment(forge)
    assert ran.code == 0, ran.err
    assert "## kbsync plan: 1 change\n" in api.comments[0]["body"] and "@everyone" not in api.comments[0]["body"]
    assert portal.requests == []


def test_a_plan_of_an_older_commit_is_not_shown(forge, portal, api):
    api.pulls.append({"number": 7, "head": {"label": "eve:fix", "sha": "f" * 40}})
    keep(forge, json.dumps(a_plan(portal)))
    ran = comment(forge)
    assert ran.code == 0 and "newer commits" in ran.err and api.comments == []


def test_where_the_first_workflow_has_no_plan_the_second_one_does_nothing(forge, api):
    ran = comment(forge)
    assert ran.code == 0 and api.asked == []
    keep(forge, "")
    assert comment(forge).code == 0 and api.asked == []


def test_a_file_of_a_fork_that_is_no_plan_is_not_shown(forge, api):
    keep(forge, "<script>")
    assert comment(forge).code == 2 and api.asked == []


def with_ledger_in_git(forge: Forge) -> None:
    """The first branch is merged and pushed, and what was published is in a ref of the repository."""
    config = (forge.desk / "kbsync.toml").read_text("utf-8")
    forge.merge("first")
    forge.propose("ledger", {"kbsync.toml": f'{config}[ledger]\nurl = "git:origin"\n'})
    assert told(forge.publish("ledger")).startswith("## kbsync push: 5 changes made\n")


def test_a_fork_s_pull_request_is_planned_without_a_token_and_then_commented_on(forge, portal, api):
    with_ledger_in_git(forge)
    forge.propose("edit", EDITED)
    event, before = reviewed("edit", fork=True), len(portal.requests)
    forge.succeed(event, github_job(event, {}, FORK_PLAN))
    assert len(portal.requests) == before and api.asked == []
    api.pulls.append({"number": 7, "head": {"label": "eve:fix", "sha": HEAD}})
    assert comment(forge).code == 0
    assert "## kbsync plan: 1 change\n" in api.comments[0]["body"] and ARTICLE[8:] in api.comments[0]["body"]


def test_with_the_ledger_in_git_every_job_knows_what_the_last_one_published(forge, portal, api):
    with_ledger_in_git(forge)
    assert told(forge.run(MERGED)).startswith("## kbsync push: everything is up to date\n")
    portal.panel.edit("invoices", title="Bills")
    ran = forge.run(MERGED)
    assert ran.code == 4 and "edited in the panel" in told(ran)
    forge.propose("edit", EDITED)
    assert forge.run(reviewed("edit")).code == 4
    assert "| edited in the panel, last changed 20" in api.comments[0]["body"]


def test_errors_in_the_files_of_a_fork_are_shown_where_they_are(forge, portal):
    forge.merge("first")
    forge.propose("broken", {ARTICLE: "---\ntitle: Invoices\nstatus: live\n---\nText.\n"})
    event = reviewed("broken", fork=True)
    ran = forge.run(event, github_job(event, {}, FORK_PLAN))
    assert ran.code == 3 and ran.out.startswith(f"::error file={ARTICLE},line=3,col=")
    assert not (forge.folder / "kept/kbsync-plan").exists() and portal.requests == []


def test_no_workflow_for_forks_has_a_secret_and_the_one_that_may_write_checks_nothing_out():
    for path in (FORK_PLAN, FORK_COMMENT):
        assert "secrets." not in path.read_text("utf-8")
    assert read_yaml(FORK_PLAN)["permissions"] == {"contents": "read"}
    [job] = read_yaml(FORK_COMMENT)["jobs"].values()
    assert read_yaml(FORK_COMMENT)["permissions"] == {}
    assert job["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert "actions/checkout" not in FORK_COMMENT.read_text("utf-8")


# --- at night --------------------------------------------------------------------------------------------------------

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_LOG"
if [ "$1 $2" = "issue list" ] && [ -e "$GH_LOG.open" ]; then echo 5; fi
if [ "$1 $2" = "issue create" ]; then : > "$GH_LOG.open"; fi
"""
"""A stand-in for GitHub's program: it notes what it is called with, and knows one open issue after it made one."""


def night(forge: Forge, path: Path = NIGHTLY, gh: str = GH) -> tuple[Ran, list[str]]:
    """A nightly job, and the calls of `gh` so far."""
    log = forge.folder / "gh.log"
    forge.program("gh", gh)
    ran = forge.run(AT_NIGHT, github_job(AT_NIGHT, forge.secrets, path), GH_LOG=str(log))
    return ran, log.read_text("utf-8").splitlines() if log.exists() else []


def test_at_night_an_edit_in_the_panel_fails_the_job_and_opens_one_issue(forge, portal):
    forge.publish("first")
    ran, calls = night(forge)
    assert (ran.code, calls) == (0, [])
    portal.panel.edit("invoices", title="Bills")
    ran, calls = night(forge)
    assert ran.code == 4 and "1 needs your decision" in told(ran)
    assert calls[-1].startswith("issue create --title The help center differs from the repository --label kbsync ")
    ran, calls = night(forge)
    assert ran.code == 4 and calls[-1] == "issue edit 5 --body-file report.md"


def test_at_night_a_forgotten_push_is_noticed_too(forge):
    forge.merge("first")
    ran, calls = night(forge)
    assert ran.code == 10 and calls[-1].startswith("issue create ")


def test_at_night_what_readers_see_is_compared_without_a_secret(forge, portal):
    forge.merge("first")
    forge.propose("live", {ARTICLE: "---\ntitle: Invoices\nstatus: published\n---\nThe old text.\n"})
    forge.publish("live")
    ran = forge.run(AT_NIGHT, github_job(AT_NIGHT, {}, VERIFY))
    assert ran.code == 10 and "It is a draft on the portal." in told(ran)
    portal.panel.change_status(["invoices"], "published")
    assert forge.run(AT_NIGHT, github_job(AT_NIGHT, {}, VERIFY)).code == 0


LYCHEE = """#!/bin/sh
test "$LYCHEE_CODE" = 2 || exit "$LYCHEE_CODE"
while [ "$1" != --output ]; do shift; done
cp "$LYCHEE_FOUND" "$2"
exit 2
"""
"""A stand-in for the link checker: it fails, or writes what it found. Source of the JSON's shape: lychee 0.24.2."""

DAY_S = 86_400


class Links:
    """The job that checks links at night, and what it does with the one issue."""

    def __init__(self, forge: Forge) -> None:
        self.forge, self.log = forge, forge.folder / "gh.log"
        forge.program("gh", GH + CLOSING)
        forge.program("lychee", LYCHEE)
        forge.program("pip", "#!/bin/sh\n")
        forge.program("date", '#!/bin/sh\necho "$NOW"\n')
        forge.merge("first")

    def check(self, at_s: int, *dead: str, code: int = 2) -> tuple[Ran, list[str], str]:
        """A check at this time: how it ended, the new calls of `gh`, and the text of the issue."""
        before = self.calls()
        found = self.forge.folder / "found.json"
        pages = {"links/site/en/a.html": [{"url": url, "status": {"text": "404"}} for url in dead]} if dead else {}
        found.write_text(json.dumps({"error_map": pages, "timeout_map": {}}), "utf-8")
        more = {"GH_LOG": str(self.log), "LYCHEE_FOUND": str(found), "LYCHEE_CODE": str(code), "NOW": str(at_s)}
        ran = self.forge.run(AT_NIGHT, github_job(AT_NIGHT, {}, LINKS), **more)
        report = self.forge.folder / "gh.log.body"
        return ran, self.calls()[len(before) :], report.read_text("utf-8") if report.exists() else ""

    def calls(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []


CLOSING = """if [ "$1 $2" = "issue close" ]; then rm "$GH_LOG.open"; fi
if [ -e links/report.md ]; then cp links/report.md "$GH_LOG.body"; fi
"""
GONE, ODD = "https://example.org/gone", "https://example.org/`x $(touch pwned) @ana\n"


def test_a_link_is_reported_in_one_issue_once_two_checks_a_day_apart_found_it_dead(forge):
    links = Links(forge)
    ran, calls, _ = links.check(1_000_000, GONE)
    assert ran.code == 0 and not any("create" in call for call in calls[1:]), ran
    _, calls, _ = links.check(1_000_000 + 3600, GONE)
    assert not any(call.startswith("issue create") for call in calls)
    _, calls, said = links.check(1_000_000 + DAY_S, GONE, ODD)
    assert calls[-1].startswith("issue create --title Links to other sites are dead --label kbsync-links ")
    assert said == f"- `{GONE}` on `links/site/en/a.html`\n"
    _, calls, said = links.check(1_000_000 + 2 * DAY_S, GONE, ODD)
    assert calls[-1] == "issue edit 5 --body-file links/report.md"
    # Nothing in an address runs, leaves its code span or calls anybody.
    assert "- `https://example.org/%60x%60$(touch%60pwned)%60@ana%60` on `links/site/en/a.html`" in said.splitlines()
    _, calls, _ = links.check(1_000_000 + 3 * DAY_S, ODD)
    assert calls[-1] == "issue edit 5 --body-file links/report.md"
    _, calls, _ = links.check(1_000_000 + 4 * DAY_S, code=2)
    assert calls[-1] == "issue close 5 --comment All links work again."


def test_a_link_checker_that_fails_makes_the_job_red_and_no_issue(forge):
    links = Links(forge)
    ran, calls, _ = links.check(1_000_000, GONE, code=1)
    assert (ran.code, calls) == (1, [])
    (forge.folder / "bin" / "lychee").write_text("#!/bin/sh\n: > links/found.json\n", "utf-8")
    ran, calls, _ = links.check(1_000_000, GONE)
    assert (ran.code, calls) == (1, []) and "::error::lychee wrote no result" in ran.out


# --- the action ------------------------------------------------------------------------------------------------------


def test_the_action_plans_comments_and_counts(forge, portal, api):
    ran, outputs = run_action(forge, reviewed("first"), token=TOKEN, token_origin=portal.base_url)
    assert ran.code == 0, ran.err
    assert "## kbsync plan: 5 changes\n" in api.comments[0]["body"]
    assert told(ran).startswith("## kbsync plan: 5 changes\n")
    plan = Path(outputs.pop("plan-file"))
    assert outputs == {"changes": "5", "held": "0", "live": "0", "exit-code": "0"}
    assert json.loads(plan.read_text("utf-8"))["schema"] == "kbsync.plan/1"
    assert (forge.folder / "pip.log").read_text("utf-8") == f"install --quiet {ROOT}\n"


def test_the_action_pushes_and_shows_what_was_done_in_the_summary_alone(forge, portal, api):
    forge.merge("first")
    inputs = {"command": "push", "token": TOKEN, "token_origin": portal.base_url}
    ran, outputs = run_action(forge, MERGED, **inputs)
    assert ran.code == 0, ran.err
    assert outputs["changes"] == "5" and told(ran).startswith("## kbsync push: 5 changes made\n") and api.asked == []


def test_the_action_ends_green_on_a_fork_and_says_what_it_left_out(forge, portal, api):
    ran, outputs = run_action(forge, reviewed("first", fork=True), token_origin=portal.base_url)
    assert ran.code == 0, ran.err
    assert outputs == {"exit-code": "0"} and portal.requests == [] and api.asked == []
    assert told(ran).startswith("## kbsync lint: no errors or warnings\n")
    [notice] = [line for line in ran.out.splitlines() if line.startswith("::notice ")]
    assert "no secrets" in notice and "no plan was made" in notice
    page = notice.rpartition(" https://git.example.com/tools/kbsync/blob/HEAD/")[2]
    assert (ROOT / page).read_text("utf-8").startswith("---\ntitle: Plan for pull requests from forks\n")


def test_the_action_on_a_fork_still_fails_at_errors_in_the_files(forge, portal):
    forge.merge("first")
    forge.propose("broken", {ARTICLE: "---\ntitle: Invoices\nstatus: live\n---\nText.\n"})
    ran, _ = run_action(forge, reviewed("broken", fork=True))
    assert ran.code == 3 and f"::error file={ARTICLE},line=3," in ran.out


def test_the_action_without_a_token_fails_where_it_is_not_a_fork(forge, portal):
    ran, _ = run_action(forge, reviewed("first"), token_origin=portal.base_url)
    assert ran.code == 2 and portal.requests == []


def test_the_action_installs_no_package_of_that_name_from_the_index(forge, portal):
    ran, outputs = run_action(forge, reviewed("first"), token=TOKEN, token_origin=portal.base_url, version="0.1.0")
    assert ran.code == 2 and ran.out.startswith("::error ") and outputs == {} and portal.requests == []
    assert not (forge.folder / "pip.log").exists()


def test_the_action_ends_as_kbsync_does_and_counts_what_needs_a_decision(forge, portal, api):
    forge.publish("first")
    portal.panel.edit("invoices", title="Bills")
    forge.propose("edit", EDITED)
    ran, outputs = run_action(forge, reviewed("edit"), token=TOKEN, token_origin=portal.base_url)
    assert ran.code == 4 and (outputs["exit-code"], outputs["held"], outputs["changes"]) == ("4", "1", "1")
    assert "- **Needs your decision: 1.**" in api.comments[0]["body"]
    api.faults.append(("GET", "/7/", FORBIDDEN))
    ran, _ = run_action(forge, reviewed("edit"), token=TOKEN, token_origin=portal.base_url)
    assert ran.code == 4 and "the comment was not posted" in ran.err


def test_the_action_checks_without_a_token(forge, portal):
    ran, outputs = run_action(forge, reviewed("first"), command="lint")
    assert ran.code == 0 and outputs == {"exit-code": "0"} and portal.requests == []
    assert told(ran).startswith("## kbsync lint: no errors or warnings\n")


def test_the_action_stops_where_the_service_cannot_be_reached(forge, portal, api):
    ran, outputs = run_action(forge, reviewed("first"), token=TOKEN, token_origin="https://other.example.com")
    assert ran.code == 2 and outputs["exit-code"] == "2" and api.asked == [] and portal.requests == []


def test_the_action_runs_no_module_of_the_repository(forge, portal):
    forge.merge("first")
    forge.propose("evil", {"json.py": "raise SystemExit(9)\n"})
    ran, outputs = run_action(forge, reviewed("evil"), token=TOKEN, token_origin=portal.base_url)
    assert (ran.code, outputs["changes"]) == (0, "5"), ran.err


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*WORKFLOWS, RELEASE, ACTION], ids=lambda path: path.name)
def test_what_others_wrote_is_pinned_by_commit_and_no_value_is_put_into_a_script(path):
    text = path.read_text("utf-8")
    for used in re.findall(r"uses: (\S+.*)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used
    found = yaml.safe_load(text)
    jobs = found["jobs"].values() if "jobs" in found else [found["runs"]]
    assert [step["run"] for job in jobs for step in job["steps"] if "${{" in step.get("run", "")] == []
    assert all("permissions" in job or "permissions" in found for job in jobs if "jobs" in found)
    assert "pull_request_target:" not in text


def test_every_action_has_one_version_everywhere():
    used = {
        pin for path in [*WORKFLOWS, RELEASE, ACTION] for pin in re.findall(r"uses: (\S+.*)", path.read_text("utf-8"))
    }
    names = [pin.partition("@")[0] for pin in used]
    assert len(names) == len(set(names))


# --- panel edits, in a pull request ----------------------------------------------------------------------------------


def pulled(forge: Forge) -> tuple[Ran, list[str]]:
    return night(forge, PULL, GH.replace("issue", "pr"))


def test_an_edit_in_the_panel_comes_as_one_pull_request(forge, portal):
    forge.publish("first")
    ran, calls = pulled(forge)
    assert (ran.code, calls) == (0, []), ran.err
    portal.panel.edit("invoices", title="Bills")
    ran, calls = pulled(forge)
    assert ran.code == 0, ran.err
    assert calls[-1] == "pr create --head kbsync-pull --title Edits from the panel --body-file pulled.txt"
    ran, calls = pulled(forge)
    assert ran.code == 0 and calls[-1] == "pr edit 5 --body-file pulled.txt"
