"""A clone that has not pulled what others published, as its user meets it; the same with every ledger."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from builders import write_files
from kbsync.sandbox import Fault, Sandbox
from patience import GIVE_UP_S, eventually
from rings import one_of

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
REFUNDS = "content/en/billing/refunds.md"
FEES = "content/en/billing/fees.md"
BILLS = "---\ntitle: Bills\nposition: 20\nstatus: draft\n---\nText.\n"
MONTHLY = "---\ntitle: Fees\n---\nMonthly.\n"


def git(folder: Path, *arguments: str, in_s: int = 0) -> str:
    """Run git; what it commits is committed so many seconds from now."""
    identity = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *identity, *arguments]
    environ = {**os.environ, "GIT_COMMITTER_DATE": f"@{int(time.time()) + in_s} +0000"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environ).stdout.strip()


def commit_all(project: Any, message: str, files: Mapping[str, str] = {}, *, in_s: int = 0) -> None:
    """Commit these files and all else that changed."""
    write_files(project.folder, files)
    git(project.folder, "add", "--all")
    git(project.folder, "commit", "--quiet", "--message", message, in_s=in_s)


def publish(project: Any, message: str, files: Mapping[str, str] = {}, *, in_s: int = 0) -> None:
    """Commit the same and push it with git, which says nothing to the portal yet."""
    commit_all(project, message, files, in_s=in_s)
    git(project.folder, "push", "--quiet", "origin", "HEAD:main")


def release(project: Any, message: str, files: Mapping[str, str] = {}, *, in_s: int = 0) -> None:
    """The same, and push it with kbsync: the portal has it."""
    publish(project, message, files, in_s=in_s)
    assert project.run("push").code == 0


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
    release(remote, "First")
    return folder / "help.git"


def clone(project: Any, origin: Path, name: str, *options: str) -> Any:
    folder = origin.parent / name
    git(origin.parent, "clone", "--quiet", "--branch", "main", *options, origin.as_uri(), str(folder))
    return type(project)(folder, dict(project.environ))


def another(project: Any, origin: Path, files: Mapping[str, str]) -> Any:
    """A clone that published these files, with a commit of its own."""
    found = clone(project, origin, "other")
    release(found, "Theirs", files)
    return found


@pytest.fixture
def other(remote: Any, origin: Path) -> Any:
    """A clone of somebody else, that published nothing yet."""
    return clone(remote, origin, "other")


def test_what_a_newer_commit_published_is_not_put_back_until_it_is_pulled_or_somebody_says_so(remote, origin, portal):
    other = another(remote, origin, {INVOICES: BILLS})
    commit_all(remote, "Ours", {REFUNDS: "---\ntitle: Refund a charge\n---\nAsk.\n"})
    plan = remote.run("plan")
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    assert plan.code == 4 and "published from newer files: title" in plan.out and commit in plan.out, plan
    pushed = remote.run("push")
    # What this push published is on record now, too: the other commit is not here all the same.
    assert (pushed.code, remote.run("push").code) == (4, 4) and "1 article updated" in pushed.out
    assert (portal.panel.article("invoices").title, portal.panel.article("refunds").content) == ("Bills", "Ask.\n")
    assert "Run `git pull`" in remote.run("resolve", INVOICES, "--merge").out
    assert remote.run("resolve", INVOICES, "--ours").code == 0
    merged = remote.run("resolve", INVOICES, "--merge").words
    assert "Run `git pull`, or merge that commit. Nothing was decided." in merged
    assert "title: Bills -> Invoices" in remote.run("plan").out
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    assert remote.run("push").says(0, without="updated")
    git(remote.folder, "revert", "--no-edit", commit)
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").title == "Invoices"


def test_a_shallow_clone_that_cannot_tell_says_so(remote, origin):
    other = another(remote, origin, {INVOICES: BILLS})
    git(other.folder, "revert", "--no-edit", "HEAD", in_s=60)
    git(other.folder, "push", "--quiet", "origin", "HEAD:main")
    plan = clone(remote, origin, "job", "--depth=1").run("plan")
    assert plan.code == 0 and "title: Bills -> Invoices" in plan.out
    assert "but by their dates" in " ".join(plan.err.split()) and "fetch-depth: 0" in plan.err


def test_a_job_of_a_commit_that_was_never_published_does_not_put_its_values_over_newer_ones(remote, origin, portal):
    """The job between two others was cancelled, as GitHub does with those that wait, and runs again later."""
    other = clone(remote, origin, "other")
    for title in ("Receipts", "Bills"):
        publish(other, title, {INVOICES: BILLS.replace("Bills", title)})
    assert other.run("push").code == 0
    job = clone(remote, origin, "job")
    git(job.folder, "checkout", "--quiet", "HEAD~1")
    assert job.run("push").says(4, "published from newer files: title")
    assert portal.panel.article("invoices").title == "Bills"


def test_an_article_that_was_pulled_into_a_newer_commit_is_not_deleted_for_want_of_its_file(remote, origin, portal):
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
    assert remote.run("push").says(4, words="The portal has a newer version than your files")
    assert (portal.panel.article("taxes").content, portal.panel.article("invoices")) == ("By a colleague.", None)


def test_of_two_branches_with_different_articles_at_one_path_neither_replaces_the_other_unasked(remote, other, portal):
    commit_all(other, "Fees", {FEES: "---\ntitle: Fees\n---\nWhat a customer pays each month.\n"})
    git(other.folder, "push", "--quiet", "origin", "HEAD:refs/heads/fees")
    assert other.run("push").code == 0
    ours = "---\ntitle: Charges\n---\nAnother text about something else.\n"
    commit_all(remote, "Charges", {FEES: ours})
    for _ in range(2):
        assert remote.run("push").says(4, words="The portal has a newer version than your files")
        assert portal.panel.article("fees").title == "Fees"
    # As the hint says.
    git(remote.folder, "fetch", "--quiet", "origin", "fees")
    git(remote.folder, "merge", "--quiet", "--strategy-option=theirs", "--no-edit", "FETCH_HEAD")
    commit_all(remote, "Both", {FEES.replace("fees", "charges"): ours})
    assert remote.run("push").code == 0
    assert remote.run("push").out.startswith("Everything is up to date")
    titles = sorted(article.title for article in portal.panel.articles("handbook"))
    assert titles == ["Charges", "Fees", "Invoices", "Refund a charge", "Rembourser"]


def test_a_draft_of_a_branch_that_was_rewritten_and_squashed_is_replaced_as_the_hint_says(remote, other, portal):
    """The branch is deleted: to merge its commit would bring back what was squashed."""
    commit_all(other, "Draft", {FEES: "---\ntitle: Fees (draft)\n---\nWhat a customer pays.\n"})
    assert other.run("push").code == 0
    publish(remote, "Fees, squashed", {FEES: "---\ntitle: Fees\n---\nWhat a customer pays each month.\n"})
    pushed = remote.run("push")
    assert pushed.code == 4 and "to send your version all the same" in pushed.words, pushed
    (overwrite,) = re.findall("`kbsync (push en/billing/fees.md --overwrite[^`]*)`", pushed.words)
    assert remote.run(*overwrite.split()).code == 0 and portal.panel.article("fees").title == "Fees"
    assert remote.run("push").out.startswith("Everything is up to date")


def pulled_edit(project: Any, portal: Sandbox, **values: str) -> None:
    """An edit in the panel that one clone pulls, commits and pushes: that push has nothing to send."""
    portal.panel.edit("invoices", **values)
    assert project.run("pull").code == 0
    publish(project, "Pulled")
    assert project.run("push").says(0, "up to date")


@pytest.mark.parametrize("is_diverged", [False, True])
def test_an_edit_of_the_panel_that_was_pulled_into_a_newer_commit_is_not_put_back(remote, other, portal, is_diverged):
    pulled_edit(other, portal, title="By a colleague", content="By a colleague.\n")
    if is_diverged:
        commit_all(remote, "Ours", {REFUNDS: "---\ntitle: Refund a charge\n---\nAsk.\n"})
    pushed = remote.run("push")
    article = portal.panel.article("invoices")
    assert (article.title, article.content.strip()) == ("By a colleague", "By a colleague."), pushed
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    assert pushed.code == 4 and commit in pushed.out and "`git pull`" in pushed.out, pushed


def test_an_edit_that_was_pulled_and_then_worked_on_is_not_put_back(remote, other, portal):
    pulled_edit(other, portal, content="By a colleague.\n")
    for text in ("By a colleague, and us.", "By a colleague, and by us."):
        release(other, "More", {INVOICES: BILLS.replace("Text.", text)})
    pushed = remote.run("push")
    assert portal.panel.article("invoices").content.strip() == "By a colleague, and by us.", pushed
    assert pushed.code == 4 and "published from newer files: title, body" in pushed.out, pushed
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    release(remote, "As it was", {INVOICES: BILLS})
    assert portal.panel.article("invoices").content.strip() == "Text."


def test_who_wants_the_text_of_before_a_pulled_edit_back_gets_it_with_a_newer_commit(remote, origin, portal):
    pulled_edit(clone(remote, origin, "other"), portal, title="By a colleague")
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    git(remote.folder, "revert", "--no-edit", "HEAD")
    assert remote.run("push").says(0, "1 article updated")
    assert portal.panel.article("invoices").title == "Invoices"


def test_an_article_that_a_newer_commit_adopted_is_not_put_back(remote, other, portal):
    """Without a row of it in the ledger both sides would be held; a row that another clone made must not end that."""
    category = portal.panel.article("invoices").category_id
    portal.panel.create("handbook", "Taxes", "By a colleague.", slug="taxes", locale="en", category_id=category)
    commit_all(remote, "Taxes", {"content/en/billing/taxes.md": "---\ntitle: Taxes\n---\nOurs.\n"})
    assert other.run("pull").code == 0
    publish(other, "Pulled")
    assert "1 article already matches" in other.run("push").out
    pushed = remote.run("push")
    assert portal.panel.article("taxes").content == "By a colleague.", pushed
    assert pushed.code == 4 and git(other.folder, "rev-parse", "HEAD")[:12] in pushed.out, pushed


def test_a_shallow_clone_of_a_commit_from_before_the_edit_does_not_put_it_back(remote, origin, other, portal):
    job = clone(remote, origin, "job", "--depth=1")
    pulled_edit(other, portal, title="By a colleague")
    assert job.run("push").says(4, "published from newer files: title")
    assert portal.panel.article("invoices").title == "By a colleague"
    release(clone(remote, origin, "newer", "--depth=1"), "Bills", {INVOICES: BILLS}, in_s=60)
    assert portal.panel.article("invoices").title == "Bills"


@pytest.mark.parametrize("ledger", ["own", "none"])
def test_a_clone_with_a_ledger_of_its_own_or_without_one_holds_a_pulled_edit(remote, origin, portal, ledger):
    if ledger == "own":
        remote.environ["KBSYNC_LEDGER__URL"] = "sqlite:.kbsync/ledger.db"
        assert remote.run("push").code == 0
    other = clone(remote, origin, "other")
    assert other.run("push").code == 0
    pulled_edit(other, portal, title="By a colleague")
    remote.environ["KBSYNC_LEDGER__URL"] = "sqlite:.kbsync/ledger.db"
    assert remote.run("push").says(4, "title")
    assert portal.panel.article("invoices").title == "By a colleague"


NAMES = ["one", "two", "three", "four"]


def order_of(portal: Sandbox) -> list[str]:
    return sorted(NAMES, key=lambda name: portal.panel.article(name).position)


def test_an_order_that_was_dragged_and_pulled_into_a_newer_commit_is_not_put_back(remote, origin, portal):
    for number, name in enumerate(NAMES, 1):
        remote.write(f"content/en/steps/{name}.md", f"---\ntitle: {name}\nposition: {number * 10}\n---\nText.\n")
    release(remote, "Steps", {"content/en/steps/_category.md": "---\nname: Steps\n---\n"})
    other = clone(remote, origin, "other")
    portal.panel.drag("four", 1)
    dragged = order_of(portal)
    assert other.run("pull").code == 0
    release(other, "Pulled")
    commit_all(remote, "Five", {"content/en/steps/five.md": "---\ntitle: Five\nposition: 50\n---\nText.\n"})
    assert (remote.run("push").code, order_of(portal)) == (4, dragged)
    commit_all(remote, "Ours", {"content/en/steps/two.md": "---\ntitle: two\nposition: 5\n---\nText.\n"})
    # An order is one value: what both changed waits for a merge.
    for _ in range(2):
        pushed = remote.run("push")
        assert (pushed.code, order_of(portal)) == (4, dragged), pushed
    git(remote.folder, "pull", "--quiet", "--no-rebase", "--strategy-option=ours", "origin", "main")
    pushed = remote.run("push")
    assert (pushed.code, order_of(portal)[-1]) == (0, "three"), pushed
    assert remote.run("plan", "--check").code == 0


def test_a_pull_says_that_something_newer_is_published_and_how_to_get_it(remote, origin):
    another(remote, origin, {INVOICES: BILLS})
    for options in ((), ("--dry-run",), (INVOICES,)):
        pulled = remote.run("pull", *options)
        assert pulled.says(0, "1 published from newer files than these:", without="up to date")
        assert INVOICES.removeprefix("content/") in pulled.out and "Run `git pull`" in pulled.out
    assert "Everything is up to date." in remote.run("pull", REFUNDS).out
    status = remote.run("status").words
    assert "Run `git pull` to get the versions that the portal has." in status and "kbsync resolve" not in status
    git(remote.folder, "pull", "--quiet", "--no-rebase", "origin", "main")
    assert "Everything is up to date." in remote.run("pull").out


def test_a_pull_says_one_way_once_for_files_that_one_commit_has(remote, origin):
    another(remote, origin, {INVOICES: BILLS, FEES: MONTHLY})
    pulled = remote.run("pull").words
    assert "2 published from newer files" in pulled and "en/billing/fees.md Run `git pull`" in pulled, pulled
    assert "for each" not in pulled and "which is not part of this branch" not in pulled


def test_a_file_that_another_branch_has_is_not_called_gone(remote, origin):
    """The settings leave what has no file on the portal, so nothing is sent here."""
    other = another(remote, origin, {FEES: MONTHLY})
    commit = git(other.folder, "rev-parse", "HEAD")[:12]
    for command in (("plan",), ("plan", "--offline"), ("push",)):
        found = remote.run(*command)
        words = found.words
        assert found.code == 0 and "The file for `fees` is not in this branch." in words, found
        assert f"of commit {commit}, which is not part of this branch. Run `git pull`" in words
        assert "is gone" not in words and "aliases" not in words
    assert "is gone" not in remote.run("status").out
    pulled = remote.run("pull").words
    assert "deleted here" not in pulled and "en/billing/fees.md" in pulled and "Run `git pull`" in pulled
    why = remote.run("why", "en/billing/fees.md").words
    assert "the file for `fees` is not in this branch" in why and "Run `git pull`" in why


def test_a_file_that_this_branch_deleted_is_gone(remote, origin):
    git(remote.folder, "rm", "--quiet", INVOICES)
    publish(remote, "No invoices", {REFUNDS: "---\ntitle: Refund a charge\n---\nText.\n"})
    another(remote, origin, {REFUNDS: "---\ntitle: Refund a charge\n---\nMore.\n"})
    plan = remote.run("plan").words
    assert "The file for `invoices` is gone." in plan and "not in this branch" not in plan, plan


def test_what_replaced_an_edit_and_the_text_that_was_agreed_on_before_it_is_not_put_back(remote, other, portal):
    portal.panel.edit("invoices", title="By a colleague")
    publish(other, "Bills", {INVOICES: BILLS})
    assert other.run("push", "--overwrite", INVOICES).code == 0
    pushed = remote.run("push")
    assert portal.panel.article("invoices").title == "Bills", pushed
    assert pushed.code == 4 and "published from newer files: title" in pushed.out, pushed


def test_a_job_that_makes_files_of_its_commit_holds_up_no_other_job(remote, origin, portal):
    remote.environ["CI"] = "true"
    job, next_job = clone(remote, origin, "job"), clone(remote, origin, "next")
    job.write(INVOICES, BILLS)
    assert job.run("push").code == 0 and portal.panel.article("invoices").title == "Bills"
    assert next_job.run("push").code == 0 and portal.panel.article("invoices").title == "Invoices"
    # What it found alike was a person's.
    portal.panel.edit("invoices", title="By a colleague")
    git(job.folder, "checkout", "--quiet", INVOICES)
    assert (job.run("pull").code, job.run("push").code) == (0, 4)
    assert next_job.run("push").code == 4 and portal.panel.article("invoices").title == "By a colleague"


def test_what_a_job_made_and_found_alike_holds_up_no_other_job(remote, origin, portal):
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


def test_what_a_push_sent_and_did_not_record_is_not_put_back(remote, other, portal):
    publish(other, "Bills", {INVOICES: BILLS})
    portal.faults.add(Fault("hang", method="PATCH", when="after", seconds=GIVE_UP_S))
    with other.start("push") as push:
        eventually(lambda: portal.panel.article("invoices").title == "Bills", "the title is on the portal")
        push.kill()
    assert remote.run("push", "--break-lock").code == 4 and portal.panel.article("invoices").title == "Bills"
    assert remote.run("push").code == 4 and portal.panel.article("invoices").title == "Bills"
    assert "up to date" in other.run("push").out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda clone: clone.write(INVOICES, BILLS), "en/billing/invoices.md"),
        (lambda clone: clone.write(FEES, MONTHLY), "en/billing/fees.md"),
        (lambda clone: (clone.folder / INVOICES).rename(clone.folder / FEES), "en/billing/fees.md"),
        (lambda clone: clone.write("portal.toml", 'page_title = "Two"\n'), "portal.toml"),
    ],
    ids=["changed", "new", "renamed", "portal"],
)
def test_in_a_shared_ledger_nothing_is_published_that_is_not_committed(remote, origin, portal, change, told):
    """Else no other clone could know that it is newer than its own files."""
    change(remote)
    assert remote.run("plan").says(0, err=("not committed", told))
    assert remote.run("push").says(4, err=(told, "Nothing was sent."))
    assert portal.panel.article("invoices").title == "Invoices" and portal.panel.article("fees") is None
    commit_all(remote, "Ours")
    assert remote.run("push").code == 0
    assert remote.run("push").out.startswith("Everything is up to date")


def test_an_edit_that_was_pulled_counts_as_agreed_on_once_it_is_committed(remote, other, portal):
    portal.panel.edit("invoices", title="By a colleague")
    assert other.run("pull").code == 0
    assert other.run("push").code == 4
    # Nobody agreed to it yet, so it is a person's edit to everybody else.
    commit_all(remote, "Ours", {INVOICES: BILLS})
    assert remote.run("push").says(4, words="edited in both places: title")
    assert portal.panel.article("invoices").title == "By a colleague"
    release(other, "Pulled")
    assert portal.panel.article("invoices").title == "By a colleague"


def test_files_that_git_is_told_to_ignore_are_published_as_they_are(remote, origin, portal):
    """As where a program makes them."""
    remote.write(".gitignore", ".kbsync/\nfees.md\n")
    remote.write(FEES, MONTHLY)
    assert remote.run("push").code == 0 and portal.panel.article("fees").title == "Fees"


def test_a_squashed_branch_whose_text_this_branch_has_holds_nothing_up(remote, other, portal):
    commit_all(other, "On a branch", {INVOICES: BILLS, FEES: MONTHLY})
    assert other.run("push").code == 0
    publish(remote, "Squashed", {INVOICES: BILLS, FEES: MONTHLY})
    assert remote.run("push").out.startswith("Everything is up to date")
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    remote.write(INVOICES, BILLS.replace("Text.", "More."))
    git(remote.folder, "rm", "--quiet", FEES)
    commit_all(remote, "More", in_s=2)
    assert remote.run("push").code == 0 and portal.panel.article("invoices").content == "More.\n"
    assert portal.panel.article("fees") is None


def test_what_a_newer_commit_deleted_or_renamed_is_not_created_again(remote, origin, portal):
    remote.environ |= {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    other = clone(remote, origin, "other")
    (other.folder / INVOICES).unlink()
    release(other, "No invoices", {REFUNDS: "---\ntitle: Refund a charge\n---\nNo link.\n"})
    assert remote.run("push").says(4, words="To create the article all the same")
    assert portal.panel.article("invoices") is None
    assert "deleted" not in remote.run("push", "--recreate").out and portal.panel.article("invoices") is not None


def test_a_job_without_git_holds_what_a_commit_published(remote, origin, other, portal):
    """Its files may be older than the portal."""
    shutil.rmtree(other.folder / ".git")
    other.write(INVOICES, BILLS)
    if other.environ["KBSYNC_LEDGER__URL"] == "git:origin":
        assert "not a git repository" in other.run("push").err
        return
    assert other.run("push").says(4, words="with git installed")
    assert portal.panel.article("invoices").title == "Invoices"


# --- what fresh eyes found -------------------------------------------------------------------------------------------


def later() -> None:
    """What was touched before this was touched in another second: the service tells whole ones."""
    second = int(time.time())
    eventually(lambda: int(time.time()) > second, "the second of what happened is over")


def slugs(portal: Sandbox) -> set[str]:
    return {article.slug for article in portal.panel.articles("handbook")}


@pytest.mark.parametrize("rows", ["its own", "all"])
def test_what_newer_commits_renamed_step_by_step_is_not_made_again_whichever_rows_they_wrote(
    remote, origin, other, portal, rows
):
    there = slugs(portal)
    # The name alone needs no request, so no entry of the journal tells of it; then nothing ties the two any more.
    bills = INVOICES.replace("invoices", "bills")
    git(other.folder, "mv", INVOICES, bills)
    other.write(bills, "---\ntitle: Invoices\nslug: invoices\nposition: 20\nstatus: draft\n---\nText.\n")
    release(other, "A name")
    if rows == "all":  # Then only the runs tell what was published from here.
        for path in (other.folder / "content").rglob("*.md"):
            path.write_text(re.sub("(?m)^(title|name): (.*)$", r"\1: \2 again", path.read_text()))
    other.write(bills, "---\ntitle: Bills\nslug: bills\nposition: 20\naliases: [invoices]\n---\nQuite another text.\n")
    release(other, "A slug and a text")
    pushed = remote.run("push")
    assert pushed.code == 4 and (rows == "all" or "to create the article all the same" in pushed.words.lower()), pushed
    assert slugs(portal) == there - {"invoices"} | {"bills"}


def test_what_a_newer_commit_removed_and_a_person_deleted_is_not_made_again(remote, other, portal):
    git(other.folder, "rm", "--quiet", INVOICES)
    release(other, "No invoices")
    portal.panel.delete("invoices")
    release(other, "And a text", {REFUNDS: "---\ntitle: Refund a charge\n---\nAsk.\n"})
    assert remote.run("push").code == 4
    assert "invoices" not in slugs(portal)


def test_older_files_do_not_settle_what_a_person_went_back_to(remote, origin, portal):
    other = another(remote, origin, {INVOICES: BILLS})
    later()
    portal.panel.edit("invoices", title="Invoices")
    assert other.run("push").says(4, "edited in the panel: title")
    remote.run("push")
    assert other.run("push").says(4, "edited in the panel: title")
    assert portal.panel.article("invoices").title == "Invoices"


def test_after_a_squash_a_new_commit_goes_out_also_where_the_article_was_touched_since(remote, origin, portal):
    git(remote.folder, "switch", "--quiet", "--create", "feature")
    commit_all(remote, "Fees", {FEES: MONTHLY})
    assert remote.run("push").code == 0
    git(remote.folder, "switch", "--quiet", "main")
    git(remote.folder, "merge", "--squash", "feature")
    commit_all(remote, "Squashed", in_s=10)
    publish(remote, "More", {FEES: MONTHLY.replace("Monthly", "Yearly")}, in_s=20)
    later()
    portal.panel.edit("fees", description="By a colleague")
    assert clone(remote, origin, "job").run("push").code in {0, 4}
    assert portal.panel.article("fees").content == "Yearly.\n"


def test_a_late_job_does_not_undo_a_revert_that_it_does_not_know(remote, origin, portal):
    other = another(remote, origin, {INVOICES: BILLS})
    late = clone(remote, origin, "late")
    git(other.folder, "revert", "--no-edit", "HEAD", in_s=10)
    git(other.folder, "push", "--quiet", "origin", "HEAD:main")
    later()
    assert other.run("push").code == 0
    assert late.run("push").says(4, "published from newer files")
    assert portal.panel.article("invoices").title == "Invoices"


def test_a_late_job_that_sees_the_newer_commit_publishes_nothing_of_its_files(remote, origin, other, portal):
    publish(other, "Fees", {FEES: MONTHLY})
    late = clone(remote, origin, "late")
    git(other.folder, "rm", "--quiet", FEES)
    release(other, "Bills, and no fees", {INVOICES: BILLS})
    git(late.folder, "fetch", "--quiet")
    assert late.run("push").says(4, "en/billing/fees.md")
    assert "fees" not in slugs(portal)
    assert late.run("push", FEES, "--recreate").code == 0 and "fees" in slugs(portal)


def test_nothing_is_decided_by_files_that_are_behind(remote, origin):
    other = another(remote, origin, {INVOICES: BILLS})
    decided = remote.run("resolve", INVOICES, "--theirs")
    assert "The portal keeps its version until your files have that commit." in decided.words
    release(other, "Once more", {INVOICES: BILLS.replace("Bills", "Receipts")})
    assert remote.run("plan").says(4, "published from newer files: title")


def test_an_answer_for_older_files_can_be_taken_back(remote, origin, portal):
    another(remote, origin, {INVOICES: BILLS})
    assert remote.run("resolve", INVOICES, "--ours").code == 0
    assert "title" in remote.run("plan").out
    back = remote.run("resolve", INVOICES, "--theirs")
    assert back.code == 0 and "The portal keeps its version until your files have that commit." in back.words, back
    assert remote.run("push").says(4, "published from newer files: title")
    assert portal.panel.article("invoices").title == "Bills"


def test_a_new_article_waits_for_its_category_that_a_newer_commit_renamed(remote, origin, portal):
    another(remote, origin, {"content/en/billing/_category.md": "---\nname: Billing\nslug: money\n---\n"})
    commit_all(remote, "Fees", {FEES: MONTHLY})
    assert remote.run("push").says(4, words="Its category `billing` needs your decision first.")
    assert "fees" not in slugs(portal)
