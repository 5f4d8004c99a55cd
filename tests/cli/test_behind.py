"""A clone that has not pulled what others published, as its user meets it; the same with every ledger."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kbsync.sandbox import Fault, Sandbox
from patience import GIVE_UP_S, eventually
from rings import one_of

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


@pytest.fixture(params=one_of("sqlite", "git"))
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
    assert plan.code == 4 and "published from newer files: title" in plan.out and commit in plan.out, plan
    assert f"The last push published commit {commit}, which is not part of this branch." in plan.err
    pushed = remote.run("push")
    # What this push published is on record now, too: the other commit is not here all the same.
    again = remote.run("push")
    assert (pushed.code, again.code) == (4, 4) and "1 article updated" in pushed.out
    assert (portal.panel.article("invoices").title, portal.panel.article("refunds").content) == ("Bills", "Ask.\n")
    assert "Run `git pull`" in remote.run("resolve", INVOICES, "--merge").out
    assert remote.run("resolve", INVOICES, "--ours").code == 0
    assert ": Run `git pull`. Nothing was decided." in remote.run("resolve", INVOICES, "--merge").words
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
    assert pushed.code == 4 and "published from newer files: title" in pushed.out, pushed
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
    plan = remote.run("plan").words
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
        said = pushed.words
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
    said = pushed.words
    assert pushed.code == 4 and "If your file is a later version of it, as after a squash merge" in said, pushed
    overwrite = command_in(pushed.out, "kbsync push en/billing/fees.md --overwrite").split()[1:]
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
    assert pushed.code == 4 and "published from newer files: title, body" in pushed.out, pushed
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
    assert pushed.code == 4 and "Another clone published what the portal has" in pushed.out, pushed
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
    words = pushed.words
    assert pushed.code == 4 and "This clone published" in words and "git stash pop" in words, pushed
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
    assert pushed.code == 4 and "published from newer files: title" in pushed.out, pushed
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


def test_a_pull_says_that_something_newer_is_published_and_how_to_get_it(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push").code == 0
    for options in ((), ("--dry-run",), (INVOICES,)):
        pulled = remote.run("pull", *options)
        assert pulled.code == 0 and "up to date" not in pulled.out, pulled
        assert "1 published from newer files than these:" in pulled.out
        assert INVOICES.removeprefix("content/") in pulled.out and "Run `git pull`" in pulled.out
    assert "Everything is up to date." in remote.run("pull", REFUNDS).out
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    assert "Everything is up to date." in remote.run("pull").out


def test_a_pull_says_one_way_once_for_files_that_one_commit_has(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    other.write("content/en/billing/fees.md", "---\ntitle: Fees\n---\nMonthly.\n")
    publish(other, "Bills and fees")
    assert other.run("push").code == 0
    pulled = remote.run("pull").words
    assert "2 published from newer files" in pulled and "en/billing/fees.md Run `git pull`" in pulled, pulled
    assert "for each" not in pulled and "which is not part of this branch" not in pulled


def test_a_merge_names_the_way_that_gets_a_commit_which_no_branch_has(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push").code == 0
    commit = git(other.folder, "rev-parse", "HEAD")
    git(other.folder, "push", "--quiet", "--force", "origin", "HEAD~1:main")
    absent = remote.run("resolve", INVOICES, "--merge").words
    assert f"git fetch origin {commit}" in absent and "Nothing was decided." in absent
    subprocess.run(["git", "fetch", "--quiet", "origin", commit], cwd=remote.folder, check=True)
    merged, pulled = remote.run("resolve", INVOICES, "--merge"), remote.run("pull")
    for found in (merged, pulled):
        assert "git pull" not in found.out, found
        subprocess.run(["sh", "-c", command_in(found.out, "git restore")], cwd=remote.folder, check=True)
        assert (remote.folder / INVOICES).read_bytes() == (other.folder / INVOICES).read_bytes()
        git(remote.folder, "checkout", "--quiet", "--", INVOICES)


def test_a_merge_with_what_was_pulled_and_stashed_names_the_stash(remote: Any, origin: Path, portal: Sandbox):
    portal.panel.edit("invoices", title="By a colleague")
    assert (remote.run("pull").code, remote.run("push").code) == (0, 0)
    git(remote.folder, "stash", "--quiet")
    assert "`git stash pop`" in remote.run("resolve", INVOICES, "--merge").out
    assert "`git stash pop`" in remote.run("pull").out


def test_a_file_that_another_branch_has_is_not_called_gone(remote: Any, origin: Path, portal: Sandbox):
    """The settings leave what has no file on the portal, so nothing is sent here."""
    other = clone(remote, origin, "other")
    other.write("content/en/billing/fees.md", "---\ntitle: Fees\n---\nMonthly.\n")
    publish(other, "Fees")
    assert other.run("push").code == 0
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    for command in (("plan",), ("plan", "--offline"), ("push",)):
        found = remote.run(*command)
        words = found.words
        assert found.code == 0 and "The file for `fees` is not in this branch." in words, found
        assert f"Commit {commit}, which is not part of this branch, has its file. Run `git pull`" in words
        assert "is gone" not in words and "aliases" not in words
    assert "is gone" not in remote.run("status").out
    pulled = remote.run("pull").words
    assert "deleted here" not in pulled and "en/billing/fees.md" in pulled and "Run `git pull`" in pulled
    why = remote.run("why", "en/billing/fees.md").words
    assert "the file for `fees` is not in this branch" in why and "Run `git pull`" in why


def test_a_file_that_this_branch_deleted_is_gone(remote: Any, origin: Path, portal: Sandbox):
    git(remote.folder, "rm", "--quiet", INVOICES)
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nText.\n")
    publish(remote, "No invoices")
    other = clone(remote, origin, "other")
    other.write(REFUNDS, "---\ntitle: Refund a charge\n---\nMore.\n")
    publish(other, "More")
    assert other.run("push").code == 0
    plan = remote.run("plan").words
    assert "The file for `invoices` is gone." in plan and "not in this branch" not in plan, plan


def test_what_replaced_an_edit_and_the_text_that_was_agreed_on_before_it_is_not_put_back(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    portal.panel.edit("invoices", title="By a colleague")
    other.write(INVOICES, BILLS)
    publish(other, "Bills")
    assert other.run("push", "--overwrite", INVOICES).code == 0
    pushed = remote.run("push")
    assert portal.panel.article("invoices").title == "Bills", pushed
    assert pushed.code == 4 and "published from newer files: title" in pushed.out, pushed


def test_what_was_sent_from_a_file_that_is_not_committed_is_put_back_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nAsk.\n")
    git(remote.folder, "commit", "--quiet", "--all", "--message", "Ours")
    pushed = remote.run("push")
    assert (portal.panel.article("invoices").title, portal.panel.article("refunds").content) == ("Bills", "Ask.\n")
    words = pushed.words
    assert pushed.code == 4 and "Another clone published what the portal has, from a file that was not" in words, pushed
    for command in (("pull",), ("resolve", "--merge")):
        narrow = remote.run(*command, COLUMNS="60").out
        assert max(map(len, narrow.splitlines())) <= 60, narrow
        words = " ".join(narrow.split())
        assert "Another clone published it, from a file that was not committed. Once it is committed" in words, words
    # Its own clone goes on with it, and may think better of it.
    other.write(INVOICES, BILLS.replace("Text.", "More."))
    assert other.run("push", INVOICES).code == 0 and portal.panel.article("invoices").content == "More.\n"
    git(other.folder, "checkout", "--quiet", INVOICES)
    assert other.run("push", INVOICES).code == 0 and portal.panel.article("invoices").title == "Invoices"


def test_who_pulls_what_was_sent_before_it_was_committed_works_on_with_it(remote: Any, origin: Path, portal: Sandbox):
    """The text that was sent first was never committed, so git does not know it."""
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    other.write(INVOICES, BILLS.replace("title: Bills", "title: Receipts").replace("Text.", "More."))
    publish(other, "Receipts")
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    pushed = remote.run("push")
    assert pushed.code == 0 and portal.panel.article("invoices").title == "Receipts", pushed
    git(remote.folder, "revert", "--no-edit", "HEAD")
    assert remote.run("push").code == 0 and portal.panel.article("invoices").title == "Invoices"


def test_what_was_made_of_a_pulled_edit_without_a_commit_is_put_back_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    portal.panel.edit("invoices", title="By a colleague")
    assert (other.run("pull").code, other.run("push").code) == (0, 0)
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    remote.write(INVOICES, BILLS.replace("title: Bills", "title: Ours"))
    publish(remote, "Ours")
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("invoices").title == "Bills", pushed
    git(other.folder, "checkout", "--quiet", INVOICES)
    thrown = other.run("push")
    assert thrown.code == 4 and portal.panel.article("invoices").title == "Bills", thrown


def test_a_file_that_was_deleted_without_a_commit_comes_back_from_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.environ["KBSYNC_PUSH__REMOVED"] = "delete"
    other = clone(remote, origin, "other")
    (other.folder / INVOICES).unlink()
    assert other.run("push").code == 0
    pushed = remote.run("push")
    assert "invoices" not in {article.slug for article in portal.panel.articles("handbook")}, pushed
    words = pushed.words
    assert pushed.code == 4 and "Another clone deleted or renamed this file" in words, pushed


def test_a_job_that_makes_files_of_its_commit_holds_up_no_other_job(remote: Any, origin: Path, portal: Sandbox):
    remote.environ["CI"] = "true"
    job, next_job = clone(remote, origin, "job"), clone(remote, origin, "next")
    job.write(INVOICES, BILLS)
    assert job.run("push").code == 0 and portal.panel.article("invoices").title == "Bills"
    pushed = next_job.run("push")
    assert pushed.code == 0 and portal.panel.article("invoices").title == "Invoices", pushed
    # What it found alike was a person's.
    portal.panel.edit("invoices", title="By a colleague")
    git(job.folder, "checkout", "--quiet", INVOICES)
    assert (job.run("pull").code, job.run("push").code) == (0, 0)
    assert next_job.run("push").code == 4 and portal.panel.article("invoices").title == "By a colleague"


def test_an_article_whose_file_git_was_not_told_of_is_deleted_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    category = portal.panel.article("invoices").category_id
    portal.panel.create("handbook", "Fees", "By a colleague.", slug="fees", locale="en", category_id=category)
    other = clone(remote, origin, "other")
    assert other.run("pull").code == 0
    other.write("content/en/billing/taxes.md", "---\ntitle: Taxes\n---\nText.\n")
    assert other.run("push").code == 0
    pushed = remote.run("push")
    assert {"fees", "taxes"} <= {article.slug for article in portal.panel.articles("handbook")}, pushed
    assert pushed.code == 4 and "Another clone has its file, from a file that was not" in pushed.words
    remote.write("content/en/billing/taxes.md", "---\ntitle: VAT\n---\nAnother article.\n")
    assert remote.run("push").code == 4 and portal.panel.article("taxes").title == "Taxes"
    # Once it is committed, whoever pulls it may change and delete it.
    publish(other, "Taxes and fees", in_s=2)
    job = clone(remote, origin, "job")
    job.write("content/en/billing/taxes.md", "---\ntitle: VAT\n---\nText.\n")
    git(job.folder, "rm", "--quiet", "content/en/billing/fees.md")
    publish(job, "VAT", in_s=4)
    pushed = job.run("push")
    assert pushed.code == 0 and portal.panel.article("taxes").title == "VAT", pushed
    assert portal.panel.article("fees") is None


def test_what_a_job_made_and_found_alike_holds_up_no_other_job(remote: Any, origin: Path, portal: Sandbox):
    """As after the ledger was lost, or moved: a job adopts what the one before it made."""
    remote.environ["CI"] = "true"
    for name in ("job", "next", "last"):
        job = clone(remote, origin, name)
        job.write(INVOICES, BILLS.replace("Text.", "Version 2." if name == "last" else "Version 1."))
        job.write("content/en/billing/made.md", f"---\ntitle: Made\n---\nBy {'last' if name == 'last' else 'job'}.\n")
        if name != "job":
            job.environ["KBSYNC_LEDGER__URL"] = f"sqlite:{origin.parent.as_posix()}/another.db"
        assert (pushed := job.run("push")).code == 0, pushed
    texts = portal.panel.article("invoices").content, portal.panel.article("made").content
    assert texts == ("Version 2.\n", "By last.\n")


def test_a_portal_file_that_is_not_committed_is_put_back_by_no_other_clone(remote: Any, origin: Path, portal: Sandbox):
    remote.write("portal.toml", 'page_title = "One"\n')
    publish(remote, "Portal")
    assert remote.run("push").code == 0
    other = clone(remote, origin, "other")
    other.write("portal.toml", 'page_title = "Two"\n')
    assert other.run("push").code == 0
    pushed = remote.run("push")
    assert pushed.code == 4 and "Another clone published what the portal has" in pushed.words, pushed
    other.write("portal.toml", 'page_title = "One"\n')
    assert "The portal updated" in other.run("push").out


@pytest.mark.parametrize("is_committed", [True, False], ids=["committed", "not committed"])
def test_what_a_push_sent_and_did_not_record_is_not_put_back(
    remote: Any, origin: Path, portal: Sandbox, is_committed: bool
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    if is_committed:
        publish(other, "Bills")
    portal.faults.add(Fault("hang", method="PATCH", when="after", seconds=GIVE_UP_S))
    command = [sys.executable, "-m", "kbsync", "push"]
    with subprocess.Popen(command, cwd=other.folder, env=os.environ | other.environ) as push:
        eventually(lambda: portal.panel.article("invoices").title == "Bills", "the title is on the portal")
        push.kill()
    pushed = remote.run("push", "--break-lock")
    assert pushed.code == 4 and portal.panel.article("invoices").title == "Bills", pushed
    assert remote.run("push").code == 4 and portal.panel.article("invoices").title == "Bills"
    assert "up to date" in other.run("push").out
