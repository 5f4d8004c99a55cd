"""A clone that has not pulled what others published, as its user meets it; the same with every ledger."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
REFUNDS = "content/en/billing/refunds.md"
BILLS = "---\ntitle: Bills\nposition: 20\nstatus: draft\n---\nText.\n"


def git(folder: Path, *arguments: str, in_s: int = 0) -> str:
    """Run git; what it commits is committed so many seconds from now."""
    identity = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *identity, *arguments]
    environ = {**os.environ, "GIT_COMMITTER_DATE": f"@{int(time.time()) + in_s} +0000"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environ).stdout.strip()


def publish(project: Any, message: str, *, in_s: int = 0) -> None:
    git(project.folder, "add", "--all")
    git(project.folder, "commit", "--quiet", "--message", message, in_s=in_s)
    git(project.folder, "push", "--quiet", "origin", "HEAD:main")


@pytest.fixture(params=["sqlite", "git"])
def origin(remote: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The bare repository of a project that was pushed; its ledger is there, or in one file for all clones."""
    folder = tmp_path_factory.mktemp("origin")
    url = "git:origin" if request.param == "git" else f"sqlite:{folder.as_posix()}/ledger.db"
    remote.environ["KBSYNC_LEDGER__URL"] = url
    remote.write(".gitignore", ".kbsync/\n")
    git(folder, "init", "--quiet", "--bare", str(folder / "help.git"))
    git(remote.folder, "init", "--quiet")
    git(remote.folder, "remote", "add", "origin", (folder / "help.git").as_uri())
    publish(remote, "First")
    assert remote.run("push").code == 0
    return folder / "help.git"


def clone(project: Any, origin: Path, name: str, *options: str) -> Any:
    folder = origin.parent / name
    git(origin.parent, "clone", "--quiet", "--branch", "main", *options, origin.as_uri(), str(folder))
    return type(project)(folder, dict(project.environ))


def test_what_a_newer_commit_published_is_not_put_back_until_it_is_pulled_or_somebody_says_so(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push").code == 0
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nAsk.\n")
    git(remote.folder, "commit", "--quiet", "--all", "--message", "Ours")
    plan = remote.run("plan")
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    assert plan.code == 4 and "published from a newer commit: title" in plan.out and commit in plan.out, plan
    assert f"The last push published commit {commit}, which is not part of this branch." in plan.err
    pushed = remote.run("push")
    # What this push published is on record now, too: the other commit is not here all the same.
    again = remote.run("push")
    assert (pushed.code, again.code) == (4, 4) and "1 article updated" in pushed.out
    assert (portal.panel.article("invoices").title, portal.panel.article("refunds").content) == ("Bills", "Ask.\n")
    assert "`git pull` gets the newer version and merges it." in remote.run("resolve", INVOICES, "--merge").out
    assert remote.run("resolve", INVOICES, "--ours").code == 0
    assert "title: Bills -> Invoices" in remote.run("plan").out
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    after = remote.run("push")
    assert after.code == 0 and "updated" not in after.out and "not part of" not in after.err, after
    git(remote.folder, "revert", "--no-edit", commit)
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").title == "Invoices"


def test_a_shallow_clone_that_cannot_tell_says_so(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push").code == 0
    git(other.folder, "revert", "--no-edit", "HEAD", in_s=60)
    git(other.folder, "push", "--quiet", "origin", "HEAD:main")
    job = clone(remote, origin, "job", "--depth=1")
    plan = job.run("plan")
    assert plan.code == 0 and "title: Bills -> Invoices" in plan.out
    assert "1 change goes back to what a later push replaced" in plan.err and "fetch-depth: 0" in plan.err


def test_a_job_of_a_commit_that_was_never_published_does_not_put_its_values_over_newer_ones(
    remote: Any, origin: Path, portal: Sandbox
):
    """The job between two others was cancelled, as GitHub does with those that wait, and runs again later."""
    other = clone(remote, origin, "other")
    for title in ("Receipts", "Bills"):
        other.write(INVOICES, BILLS.replace("Bills", title))
        publish(other, title)
    assert other.run("push").code == 0
    job = clone(remote, origin, "job")
    git(job.folder, "checkout", "--quiet", "HEAD~1")
    pushed = job.run("push")
    assert pushed.code == 4 and "published from a newer commit: title" in pushed.out, pushed
    assert portal.panel.article("invoices").title == "Bills"


def test_an_article_that_was_pulled_into_a_newer_commit_is_not_deleted_for_want_of_its_file(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    category = portal.panel.article("invoices").category_id
    portal.panel.create("handbook", "Taxes", "By a colleague.", slug="taxes", locale="en", category_id=category)
    other = clone(remote, origin, "other")
    assert other.run("pull").code == 0
    publish(other, "Pulled")
    # Equal on both sides, so the run of this commit has no change.
    assert "1 article already matches" in other.run("push").out
    git(remote.folder, "rm", "--quiet", INVOICES)
    git(remote.folder, "commit", "--quiet", "--message", "No invoices")
    pushed = remote.run("push")
    assert pushed.code == 4 and "which is not part of this branch, has its file" in pushed.out, pushed
    assert (portal.panel.article("taxes").content, portal.panel.article("invoices")) == ("By a colleague.", None)


def command_in(text: str, begin: str) -> str:
    """The command between backticks that begins so, wherever lines were broken."""
    found = re.search(rf"`({begin}[^`]*)`", " ".join(text.split()))
    assert found, text
    return found[1]


def test_of_a_commit_that_no_branch_has_any_more_each_command_of_the_hint_does_what_it_says(
    remote: Any, origin: Path, portal: Sandbox
):
    """As after a force push, or a squash merge whose branch was deleted."""
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    other.write("content/en/billing/fresh.md", "---\ntitle: Fresh\n---\nNew.\n")
    publish(other, "Bills")
    assert other.run("push").code == 0
    commit = git(other.folder, "rev-parse", "HEAD")
    git(other.folder, "push", "--quiet", "--force", "origin", "HEAD~1:main")

    first = remote.run("plan", "-v")
    fetch = command_in(first.out, "git fetch")
    assert first.code == 4 and fetch == f"git fetch origin {commit}" and "Run `git pull`." in first.out, first
    subprocess.run(["sh", "-c", fetch], cwd=remote.folder, capture_output=True, check=True)

    second = remote.run("plan", "-v")
    assert second.code == 4 and "No branch here has that commit, as after a squash merge." in " ".join(
        second.out.split()
    )
    assert "git pull" not in second.out
    below = remote.folder / "content" / "fr"
    for path in (INVOICES, "content/en/billing/fresh.md"):
        restore = command_in(second.out[second.out.index(f"  {path.removeprefix('content/')}") :], "git restore")
        subprocess.run(["sh", "-c", restore], cwd=below, capture_output=True, check=True)
        assert (remote.folder / path).read_bytes() == (other.folder / path).read_bytes()
    after = remote.run("plan")
    assert after.code == 0 and "Everything is up to date" in after.out, after


def test_a_file_that_a_commit_deleted_which_no_branch_has_can_be_deleted_here_too(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.config(
        (other.folder / "kbsync.toml").read_text("utf-8") + '[push]\nremoved = "delete"\nmax_removals = "50%"\n'
    )
    (other.folder / INVOICES).unlink()
    other.write(REFUNDS, "---\ntitle: Refund a charge\n---\nNo link.\n")
    publish(other, "Invoices go")
    assert other.run("push").code == 0
    commit = git(other.folder, "rev-parse", "HEAD")
    git(other.folder, "push", "--quiet", "--force", "origin", "HEAD~1:main")
    subprocess.run(["git", "fetch", "--quiet", "origin", commit], cwd=remote.folder, check=True)
    plan = remote.run("plan", "-v")
    assert plan.code == 4, plan
    subprocess.run(["sh", "-c", command_in(plan.out, "git rm")], cwd=remote.folder / "content", check=True)
    assert not (remote.folder / INVOICES).exists()


def test_a_newer_commit_that_is_in_a_branch_is_still_to_be_pulled(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push").code == 0
    git(remote.folder, "fetch", "--quiet", "origin", "main:refs/remotes/origin/main")
    plan = " ".join(remote.run("plan").out.split())
    assert "Run `git pull`, or merge that commit." in plan and "git fetch" not in plan and "git restore" not in plan


FEES = "content/en/billing/fees.md"


def test_of_two_branches_with_different_articles_at_one_path_neither_replaces_the_other_unasked(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nWhat a customer pays each month.\n")
    git(other.folder, "add", "--all")
    git(other.folder, "commit", "--quiet", "--message", "Fees")
    git(other.folder, "push", "--quiet", "origin", "HEAD:refs/heads/fees")
    assert other.run("push").code == 0
    ours = "---\ntitle: Charges\n---\nAnother text about something else.\n"
    remote.write(FEES, ours)
    git(remote.folder, "add", "--all")
    git(remote.folder, "commit", "--quiet", "--message", "Charges")
    for _ in range(2):
        pushed = remote.run("push")
        said = " ".join(pushed.out.split())
        assert (
            pushed.code == 4
            and "If these are two articles, merge that commit, keep its file, and give yours another name." in said
        )
        assert portal.panel.article("fees").title == "Fees"
    # As the hint says.
    git(remote.folder, "fetch", "--quiet", "origin", "fees")
    git(remote.folder, "merge", "--quiet", "--strategy-option=theirs", "--no-edit", "FETCH_HEAD")
    remote.write(FEES.replace("fees", "charges"), ours)
    git(remote.folder, "add", "--all")
    git(remote.folder, "commit", "--quiet", "--message", "Both")
    assert remote.run("push").code == 0
    assert remote.run("push").out.startswith("Everything is up to date")
    titles = sorted(article.title for article in portal.panel.articles("handbook"))
    assert titles == ["Charges", "Fees", "Invoices", "Refund a charge", "Rembourser"]


def test_a_draft_of_a_branch_that_was_rewritten_and_squashed_is_replaced_as_the_hint_says(
    remote: Any, origin: Path, portal: Sandbox
):
    """The branch is deleted: to merge its commit would bring back what was squashed."""
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees (draft)\n---\nWhat a customer pays.\n")
    git(other.folder, "add", "--all")
    git(other.folder, "commit", "--quiet", "--message", "Draft")
    assert other.run("push").code == 0
    remote.write(FEES, "---\ntitle: Fees\n---\nWhat a customer pays each month.\n")
    publish(remote, "Fees, squashed")
    pushed = remote.run("push")
    said = " ".join(pushed.out.split())
    assert pushed.code == 4 and "If your file is a later version of it, as after a squash merge" in said, pushed
    overwrite = command_in(pushed.out, "kbsync push --overwrite").split()[1:]
    assert remote.run(*overwrite).code == 0 and portal.panel.article("fees").title == "Fees"
    assert remote.run("push").out.startswith("Everything is up to date")


def pulled_edit(project: Any, portal: Sandbox, **values: str) -> None:
    """An edit in the panel that one clone pulls, commits and pushes: that push has nothing to send."""
    portal.panel.edit("invoices", **values)
    assert project.run("pull").code == 0
    publish(project, "Pulled")
    pushed = project.run("push")
    assert pushed.code == 0 and "up to date" in pushed.out, pushed


@pytest.mark.parametrize("is_diverged", [False, True])
def test_an_edit_of_the_panel_that_was_pulled_into_a_newer_commit_is_not_put_back(
    remote: Any, origin: Path, portal: Sandbox, is_diverged: bool
):
    other = clone(remote, origin, "other")
    pulled_edit(other, portal, title="By a colleague", content="By a colleague.\n")
    if is_diverged:
        remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nAsk.\n")
        git(remote.folder, "commit", "--quiet", "--all", "--message", "Ours")
    pushed = remote.run("push")
    article = portal.panel.article("invoices")
    assert (article.title, article.content.strip()) == ("By a colleague", "By a colleague."), pushed
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    assert pushed.code == 4 and commit in pushed.out and "`git pull`" in pushed.out, pushed


def test_an_edit_that_was_pulled_and_then_worked_on_is_not_put_back(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    pulled_edit(other, portal, content="By a colleague.\n")
    for text in ("By a colleague, and us.", "By a colleague, and by us."):
        other.write(INVOICES, BILLS.replace("Text.", text))
        publish(other, "More")
        assert other.run("push").code == 0
    pushed = remote.run("push")
    assert portal.panel.article("invoices").content.strip() == "By a colleague, and by us.", pushed
    assert pushed.code == 4 and "published from a newer commit: title, body" in pushed.out, pushed
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    remote.write(INVOICES, BILLS)
    publish(remote, "As it was")
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").content.strip() == "Text."


def test_who_wants_the_text_of_before_a_pulled_edit_back_gets_it_with_a_newer_commit(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    pulled_edit(other, portal, title="By a colleague")
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    git(remote.folder, "revert", "--no-edit", "HEAD")
    pushed = remote.run("push")
    assert pushed.code == 0 and "1 article updated" in pushed.out, pushed
    assert portal.panel.article("invoices").title == "Invoices"


def test_an_article_that_a_newer_commit_adopted_is_not_put_back(remote: Any, origin: Path, portal: Sandbox):
    """Without a row of it in the ledger both sides would be held; a row that another clone made must not end that."""
    other = clone(remote, origin, "other")
    category = portal.panel.article("invoices").category_id
    portal.panel.create("handbook", "Taxes", "By a colleague.", slug="taxes", locale="en", category_id=category)
    remote.write("content/en/billing/taxes.md", "---\ntitle: Taxes\n---\nOurs.\n")
    git(remote.folder, "add", "--all")
    git(remote.folder, "commit", "--quiet", "--message", "Taxes")
    assert other.run("pull").code == 0
    publish(other, "Pulled")
    assert "1 article already matches" in other.run("push").out
    pushed = remote.run("push")
    assert portal.panel.article("taxes").content == "By a colleague.", pushed
    assert pushed.code == 4 and git(other.folder, "rev-parse", "HEAD")[:12] in pushed.out, pushed


def test_an_edit_that_was_pulled_and_not_committed_is_put_back_by_no_other_clone_and_stays_this_one_s(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    portal.panel.edit("invoices", title="By a colleague")
    assert other.run("pull").code == 0
    assert other.run("push").code == 0
    pushed = remote.run("push")
    assert pushed.code == 4 and "A clone whose files were not committed, perhaps this one," in " ".join(
        pushed.out.split()
    ), pushed
    assert portal.panel.article("invoices").title == "By a colleague"
    other.write(INVOICES, BILLS)
    again = other.run("push")
    assert again.code == 0 and portal.panel.article("invoices").title == "Bills", again


def test_a_pull_that_was_pushed_and_then_stashed_is_not_put_back_by_its_own_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    portal.panel.edit("invoices", title="By a colleague")
    assert (remote.run("pull").code, remote.run("push").code) == (0, 0)
    git(remote.folder, "stash", "--quiet")
    pushed = remote.run("push")
    assert portal.panel.article("invoices").title == "By a colleague", pushed
    assert pushed.code == 4 and "git stash pop" in " ".join(pushed.out.split()), pushed
    git(remote.folder, "stash", "pop", "--quiet")
    assert "up to date" in remote.run("push").out


def test_a_status_that_moves_beside_does_not_hold_what_was_made_of_an_uncommitted_pull(
    remote: Any, origin: Path, portal: Sandbox
):
    portal.panel.edit("invoices", title="By a colleague")
    assert (remote.run("pull").code, remote.run("push").code) == (0, 0)
    remote.write(INVOICES, BILLS.replace("draft", "published"))
    pushed = remote.run("push", "--publish", INVOICES)
    assert pushed.code == 0 and portal.panel.article("invoices").title == "Bills", pushed


def test_a_shallow_clone_of_a_commit_from_before_the_edit_does_not_put_it_back(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    job = clone(remote, origin, "job", "--depth=1")
    pulled_edit(other, portal, title="By a colleague")
    pushed = job.run("push")
    assert pushed.code == 4 and "published from a newer commit: title" in pushed.out, pushed
    assert portal.panel.article("invoices").title == "By a colleague"
    newer = clone(remote, origin, "newer", "--depth=1")
    newer.write(INVOICES, BILLS)
    publish(newer, "Bills", in_s=60)
    assert newer.run("push").code == 0
    assert portal.panel.article("invoices").title == "Bills"


@pytest.mark.parametrize("ledger", ["own", "none"])
def test_a_clone_with_a_ledger_of_its_own_or_without_one_holds_a_pulled_edit(
    remote: Any, origin: Path, portal: Sandbox, ledger: str
):
    if ledger == "own":
        remote.environ["KBSYNC_LEDGER__URL"] = "sqlite:.kbsync/ledger.db"
        assert remote.run("push").code == 0
    other = clone(remote, origin, "other")
    assert other.run("push").code == 0
    pulled_edit(other, portal, title="By a colleague")
    remote.environ["KBSYNC_LEDGER__URL"] = "sqlite:.kbsync/ledger.db"
    pushed = remote.run("push")
    assert pushed.code == 4 and "title" in pushed.out, pushed
    assert portal.panel.article("invoices").title == "By a colleague"


def in_order(project: Any, origin: Path, portal: Sandbox) -> list[str]:
    """Four articles in an order that their files give, published; their slugs."""
    names = ["one", "two", "three", "four"]
    for number, name in enumerate(names, 1):
        place = f"content/en/steps/{name}.md"
        project.write(place, f"---\ntitle: {name}\nposition: {number * 10}\n---\nText.\n")
    project.write("content/en/steps/_category.md", "---\nname: Steps\n---\n")
    publish(project, "Steps")
    assert project.run("push").code == 0
    return names


def order_of(portal: Sandbox, names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: portal.panel.article(name).position)


def test_an_order_that_was_dragged_and_pulled_into_a_newer_commit_is_not_put_back(
    remote: Any, origin: Path, portal: Sandbox
):
    names = in_order(remote, origin, portal)
    other = clone(remote, origin, "other")
    portal.panel.drag("four", 1)
    dragged = order_of(portal, names)
    assert other.run("pull").code == 0
    publish(other, "Pulled")
    assert other.run("push").code == 0
    remote.write("content/en/steps/five.md", "---\ntitle: Five\nposition: 50\n---\nText.\n")
    assert (remote.run("push").code, order_of(portal, names)) == (4, dragged)
    remote.write("content/en/steps/two.md", "---\ntitle: two\nposition: 5\n---\nText.\n")
    # An order is one value: what both changed waits for a merge.
    for _ in range(2):
        pushed = remote.run("push")
        assert (pushed.code, order_of(portal, names)) == (4, dragged), pushed
    git(remote.folder, "add", "--all")
    git(remote.folder, "commit", "--quiet", "--message", "Ours")
    git(remote.folder, "pull", "--quiet", "--no-rebase", "--strategy-option=ours", "origin", "main")
    pushed = remote.run("push")
    assert (pushed.code, order_of(portal, names)[-1]) == (0, "three"), pushed
    assert remote.run("plan", "--check").code == 0
