"""What was published before it was committed, as clones meet it that do not have it; the same with every ledger."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from cli.test_behind import BILLS, FEES, INVOICES, REFUNDS, clone, git, origin, publish
from kbsync.sandbox import Sandbox
from patience import eventually

pytestmark = pytest.mark.slow

__all__ = ["origin"]


def commit(project: Any, message: str) -> str:
    git(project.folder, "add", "--all")
    git(project.folder, "commit", "--quiet", "--message", message)
    return git(project.folder, "rev-parse", "HEAD")


def second_passes(project: Any) -> None:
    """What is edited from here on is later than the last commit, also in whole seconds."""
    committed_s = int(git(project.folder, "show", "--no-patch", "--format=%ct"))
    eventually(lambda: int(time.time()) > committed_s, "the second of the commit is over")


def test_what_is_committed_after_its_push_is_of_that_commit_for_other_clones(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    publish(other, "Bills")
    assert "up to date" in other.run("plan").out
    assert "up to date" in other.run("push").out
    pushed = remote.run("push")
    assert pushed.code == 4 and git(other.folder, "rev-parse", "HEAD")[:12] in pushed.out, pushed
    assert "not committed" not in pushed.out and "`git pull`" in pushed.out
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    git(remote.folder, "revert", "--no-edit", "HEAD")
    assert remote.run("push").code == 0 and portal.panel.article("invoices").title == "Invoices"


def test_a_job_that_finds_alike_what_was_pushed_before_its_commit_notes_that_commit(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    publish(other, "Bills")
    bills = git(other.folder, "rev-parse", "HEAD")
    other.write(REFUNDS, "---\ntitle: Refund a charge\n---\nMore.\n")
    publish(other, "More")
    job = clone(remote, origin, "job")
    assert job.run("push", CI="true").code == 0
    plan = remote.run("plan", "-v").words
    assert f"Commit {bills[:12]}, which is not part of this branch, published what the portal has." in plan, plan


def test_what_is_still_not_committed_stays_of_its_clone(remote: Any, origin: Path, portal: Sandbox):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS)
    assert other.run("push").code == 0
    other.write(REFUNDS, "---\ntitle: Refund a charge\n---\nMore.\n")
    git(other.folder, "commit", "--quiet", "--message", "More", "--", REFUNDS)
    assert other.run("push").code == 0
    plan = remote.run("plan").words
    assert "Another clone published what the portal has, from a file that was not committed." in plan, plan


def test_a_copy_of_the_whole_folder_is_another_clone_and_a_folder_that_was_moved_is_the_same(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nMore.\n")
    assert remote.run("push").code == 0
    copied, moved = origin.parent / "copied", origin.parent / "moved"
    shutil.copytree(remote.folder, copied, symlinks=True)
    remote.write(INVOICES, BILLS)
    assert remote.run("push").code == 0
    pushed = type(remote)(copied, dict(remote.environ)).run("push")
    assert pushed.code == 4 and portal.panel.article("invoices").title == "Bills", pushed
    remote.folder.rename(moved)
    here = type(remote)(moved, dict(remote.environ))
    here.write(INVOICES, BILLS.replace("title: Bills", "title: Invoices"))
    assert here.run("push").code == 0 and portal.panel.article("invoices").title == "Invoices"


def test_an_older_branch_of_the_clone_that_pushed_before_its_commit_does_not_put_the_old_text_back(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.write(INVOICES, BILLS)
    assert remote.run("push").code == 0
    bills = commit(remote, "Bills")
    assert "up to date" in remote.run("push").out
    git(remote.folder, "checkout", "--quiet", "HEAD~1")
    pushed = remote.run("push")
    assert portal.panel.article("invoices").title == "Bills", pushed
    assert pushed.code == 4 and bills[:12] in pushed.out, pushed
    git(remote.folder, "checkout", "--quiet", "-")
    remote.write(INVOICES, BILLS.replace("title: Bills", "title: Receipts"))
    assert remote.run("push").code == 0 and portal.panel.article("invoices").title == "Receipts"


@pytest.mark.parametrize("how", ["sent", "pulled"])
def test_an_old_commit_that_had_the_same_is_not_the_one_that_came_after_an_uncommitted_push(
    remote: Any, origin: Path, portal: Sandbox, how: str
):
    """A text that went back to what it was, without a commit; then the job of the old commit runs once more."""
    stale = clone(remote, origin, "stale")
    git(stale.folder, "commit", "--quiet", "--amend", "--no-edit", in_s=-3600)
    remote.write(INVOICES, BILLS)
    publish(remote, "Bills")
    assert remote.run("push").code == 0
    second_passes(remote)
    other = clone(remote, origin, "other")
    if how == "sent":
        other.write(INVOICES, BILLS.replace("title: Bills", "title: Invoices"))
    else:
        portal.panel.edit("invoices", title="Invoices")
        assert other.run("pull").code == 0
    assert other.run("push").code == 0
    assert stale.run("push", CI="true").code == 0
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("invoices").title == "Invoices", pushed
    publish(other, "Invoices again")
    assert "up to date" in other.run("push").out
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    assert "up to date" in remote.run("push").out


def test_a_newer_commit_of_another_file_is_no_proof_of_what_an_old_one_had(remote: Any, origin: Path, portal: Sandbox):
    stale = clone(remote, origin, "stale")
    git(stale.folder, "commit", "--quiet", "--amend", "--no-edit", in_s=-3600)
    remote.write(INVOICES, BILLS)
    publish(remote, "Bills")
    assert remote.run("push").code == 0
    second_passes(remote)
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS.replace("title: Bills", "title: Invoices"))
    assert other.run("push").code == 0
    stale.write(REFUNDS, "---\ntitle: Refund a charge\n---\nMore.\n")
    assert stale.run("push").code == 0
    more = commit(stale, "More")
    assert "up to date" in stale.run("push").out
    git(remote.folder, "fetch", "--quiet", str(stale.folder), more)
    git(remote.folder, "cherry-pick", more)
    assert remote.run("push").code == 4
    git(remote.folder, "merge", "--quiet", "--allow-unrelated-histories", "--strategy=ours", "--no-edit", more)
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("invoices").title == "Invoices", pushed


def test_a_link_to_a_file_that_is_not_committed_is_put_back_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nMonthly.\n")
    other.write(REFUNDS, "---\ntitle: Refund a charge\n---\nSee [fees](fees.md).\n")
    git(other.folder, "commit", "--quiet", "--message", "Link", "--", REFUNDS)
    git(other.folder, "push", "--quiet", "origin", "HEAD:main")
    assert other.run("push").code == 0
    body = portal.panel.article("refunds").content
    assert body == "See [fees](/hc/handbook/articles/fees).\n"
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("refunds").content == body, pushed
    assert "Your file links to `en/billing/fees.md`, which is not in this branch." in pushed.words
    assert "Another clone has that file, from a file that was not committed." in pushed.words
    publish(other, "Fees")
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    assert "up to date" in remote.run("push").out


def test_a_link_to_a_slug_that_is_not_committed_is_put_back_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(INVOICES, BILLS.replace("title: Bills", "title: Bills\nslug: bills\naliases: [invoices]"))
    assert other.run("push").code == 0
    body = portal.panel.article("refunds").content
    assert body == "See [invoices](/hc/handbook/articles/bills).\n"
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("refunds").content == body, pushed


def test_a_new_article_that_was_pushed_before_its_commit_may_be_another_one_and_the_way_out_is_there(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nMonthly.\n")
    assert other.run("push").code == 0
    other.write(FEES, "---\ntitle: What it costs\n---\nEvery year another sum.\n")
    publish(other, "Fees")
    job = clone(remote, origin, "job")
    pushed = job.run("push", CI="true")
    assert pushed.code == 4 and portal.panel.article("fees").title == "Fees", pushed
    assert "from a file that was not committed. If your file is a later version of that one, run" in pushed.words
    assert "merge that commit" not in pushed.words
    assert job.run("push", "--overwrite", "en/billing/fees.md", CI="true").code == 0
    assert portal.panel.article("fees").title == "What it costs"
    assert "up to date" in job.run("push", CI="true").out


def test_a_new_article_that_was_pushed_before_its_commit_and_found_alike_since_is_no_other_one(
    remote: Any, origin: Path, portal: Sandbox
):
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nMonthly.\n")
    assert other.run("push").code == 0
    publish(other, "Fees")
    job = clone(remote, origin, "job", "--depth=1")
    assert job.run("push", CI="true").code == 0
    other.write(FEES, "---\ntitle: What it costs\n---\nEvery year another sum.\n")
    publish(other, "More")
    job = clone(remote, origin, "next")
    pushed = job.run("push", CI="true")
    assert pushed.code == 0 and portal.panel.article("fees").title == "What it costs", pushed


def test_a_removal_that_is_held_goes_out_with_overwrite_and_the_path_of_the_file_alone(
    remote: Any, origin: Path, portal: Sandbox
):
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nMonthly.\n")
    publish(other, "Fees")
    assert other.run("push").code == 0
    held = remote.run("push")
    command = "kbsync push --overwrite en/billing/fees.md"
    assert (
        held.code == 4 and f"To delete the article all the same, run `{command}`, which sends everything" in held.words
    ), held
    assert remote.run("push", "--overwrite", "content/en").code == 4
    assert portal.panel.article("fees").title == "Fees"
    assert remote.run("plan", "--out", "saved.plan", "--overwrite", FEES).code == 0
    assert remote.run("push", "saved.plan", "--overwrite", FEES).code == 0 and portal.panel.article("fees") is None


@pytest.mark.parametrize("name", [FEES, "en/billing/fees.md"])
def test_a_removal_that_is_held_is_named_as_seen_from_here_or_as_a_plan_prints_it(
    remote: Any, origin: Path, portal: Sandbox, name: str
):
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "archive", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    other = clone(remote, origin, "other")
    other.write(FEES, "---\ntitle: Fees\n---\nMonthly.\n")
    assert other.run("push").code == 0
    assert remote.run("push").code == 4
    pushed = remote.run("push", "--overwrite", name)
    assert pushed.code == 0 and "1 article archived" in pushed.out, pushed


def test_an_author_of_a_kbsync_toml_that_is_not_committed_is_put_back_by_no_other_clone(
    remote: Any, origin: Path, portal: Sandbox
):
    config = (remote.folder / "kbsync.toml").read_text("utf-8") + "[authors]\nana = 2\n"
    remote.config(config)
    remote.write(INVOICES, BILLS.replace("title: Bills", "title: Bills\nauthor: ana"))
    publish(remote, "Authors")
    assert remote.run("push").code == 0
    other = clone(remote, origin, "other")
    other.config(config.replace("ana = 2", "ana = 1"))
    assert other.run("push").code == 0 and portal.panel.article("invoices").author_id == 1
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("invoices").author_id == 1, pushed
    publish(other, "Another number")
    assert "up to date" in other.run("push").out
    commit_id = git(other.folder, "rev-parse", "HEAD")
    assert commit_id[:12] in remote.run("plan").out


def test_an_image_that_is_not_committed_is_put_back_by_no_other_clone(remote: Any, origin: Path, portal: Sandbox):
    image = "content/en/billing/dot.gif"
    (remote.folder / image).write_bytes(b"GIF89a" + bytes([1, 0, 1, 0, 0, 0, 0, 0x3B]))
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\n![Dot](dot.gif)\n")
    publish(remote, "Image")
    assert remote.run("push").code == 0
    other = clone(remote, origin, "other")
    (other.folder / image).write_bytes(b"GIF89a" + bytes([2, 0, 2, 0, 0, 0, 0, 0x3B]))
    assert other.run("push").code == 0
    body = portal.panel.article("refunds").content
    pushed = remote.run("push")
    assert pushed.code == 4 and portal.panel.article("refunds").content == body, pushed
