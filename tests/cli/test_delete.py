"""`kbsync delete` and `kbsync open`, as a user sees them."""

from pathlib import Path
from typing import Any

import pytest

from cli.test_behind import clone, commit_all, origin, publish  # noqa: F401
from kbsync.sandbox import Fault, Sandbox

REFUNDS = "content/en/billing/refunds.md"
TEXT = "---\ntitle: Refund a charge\nstatus: published\n# A comment.\n---\nText, and [invoices](invoices.md).\n"


@pytest.fixture
def live(remote: Any) -> Any:
    """A project whose article on refunds readers see."""
    remote.push({REFUNDS: TEXT}, "--publish")
    return remote


def file(project: Any) -> Path:
    return project.folder / REFUNDS


def test_the_article_and_its_file_go_and_an_undo_brings_both_back_to_the_byte(live, portal: Sandbox):
    before = file(live).read_bytes()
    done = live.run("delete", "refunds", "--yes")
    assert done.says(0, err=f"{REFUNDS} is deleted. kbsync keeps a copy in .kbsync/deleted.", words="1 article deleted")
    assert portal.panel.article("refunds") is None and not file(live).exists()
    assert live.run("plan", "--check").code == 0

    assert "delete: 1 done" in live.run("ledger", "show").out
    undone = live.run("undo", "2", "--yes")
    assert "refunds.md is back." in undone.err and "Revert the commit" not in undone.err
    article = portal.panel.article("refunds")
    assert (article.title, article.status) == ("Refund a charge", 1)
    assert file(live).read_bytes() == before
    # The French article was linked to one of another id; that is all that is left.
    assert live.run("plan", "content/en", "--publish", "--check").code == 0


def test_nothing_goes_where_nobody_can_be_asked(live, portal: Sandbox):
    assert live.run("delete", REFUNDS).says(2, err=f"Run `kbsync delete {REFUNDS} --yes`.")
    assert file(live).exists() and portal.panel.article("refunds") is not None


def test_an_article_that_was_edited_in_the_panel_stays_and_so_does_its_file(live, portal: Sandbox):
    portal.panel.edit("refunds", title="Theirs")
    assert live.run("delete", "refunds", "--yes").says(4, words="It was edited in the panel.")
    assert file(live).exists() and portal.panel.article("refunds").title == "Theirs"


def test_other_edits_are_not_sent_along(live, portal: Sandbox):
    live.write("content/en/billing/invoices.md", "---\ntitle: Bills\n---\nAnother text.\n")
    live.write("content/en/billing/fees.md", "---\ntitle: Fees\n---\nMonthly.\n")
    before = portal.panel.article("invoices")
    assert live.run("delete", "refunds", "--yes").code == 0
    assert portal.panel.article("invoices") == before and portal.panel.article("fees") is None


def test_a_file_that_was_never_published_goes_alone(live):
    live.write("content/en/billing/fees.md", "---\ntitle: Fees\n---\nMonthly.\n")
    assert live.run("delete", "fees", "--yes").says(0, words="Its article was not on the portal.")
    assert live.read(".kbsync/deleted/en/billing/fees.md").endswith("Monthly.\n")


def test_an_article_whose_file_is_gone_already_is_found_by_the_path_that_it_had(live, portal: Sandbox):
    file(live).unlink()
    assert "1 article deleted" in live.run("delete", REFUNDS, "--yes").words
    assert portal.panel.article("refunds") is None


def test_without_a_record_of_it_the_article_of_that_slug_is_not_guessed(live, portal: Sandbox):
    (live.folder / ".kbsync/ledger.db").unlink()
    assert live.run("delete", "refunds", "--yes").says(4, err="kbsync push en/billing/refunds.md")
    assert file(live).exists() and portal.panel.article("refunds") is not None


def test_where_the_portal_refuses_the_file_is_back(live, portal: Sandbox):
    portal.faults.add(Fault("status", method="DELETE", status=403))
    done = live.run("delete", "refunds", "--yes")
    assert done.code in {5, 7} and file(live).exists() and portal.panel.article("refunds") is not None, done
    assert live.run("delete", "refunds", "--yes").code == 0
    assert not file(live).exists() and portal.panel.article("refunds") is None


def test_a_category_is_not_for_this_command(live):
    assert live.run("delete", "content/en/billing/_category.md", "--yes").says(2, err="takes one article")


def test_in_a_shared_ledger_the_deletion_is_committed_first(remote, origin: Path, portal: Sandbox):  # noqa: F811
    refused = remote.run("delete", "refunds", "--yes")
    assert refused.code == 4 and file(remote).exists() and portal.panel.article("refunds") is not None, refused
    other = clone(remote, origin, "other")
    file(remote).unlink()
    publish(remote, "No refunds")
    assert "1 article deleted" in remote.run("delete", REFUNDS, "--yes").words
    assert other.run("push").code in {0, 4}
    assert portal.panel.article("refunds") is None


def test_open_prints_the_address_of_a_page_that_is_there(live, portal: Sandbox):
    done = live.run("open", REFUNDS)
    assert done.out == f"{portal.base_url}/hc/handbook/articles/refunds\n"
    assert live.run("open", "en/refunds").out == done.out
    assert live.run("open", "refund").says(2, err="Did you mean")


def test_open_says_that_the_sandbox_does_not_run(project):
    assert project.run("init", "new").code == 0
    assert project.run("open", "welcome", cwd="new").says(2, err="The sandbox is not running.")


@pytest.mark.parametrize(
    ("word", "said"),
    [("edit", "`preview`"), ("rename", "`kbsync mv`"), ("serve", "`kbsync preview`"), ("import", "`kbsync pull`"),
     ("log", "`why ARTICLE --history`"), ("translated", "`translate --done FILE`"), ("statsu", "`status`"),
     ("zzz", "`kbsync --help`")],
)  # fmt: skip
def test_a_command_that_does_not_exist_is_answered_with_what_is_meant(project, word: str, said: str):
    assert project.run(word).says(2, err=said)
    assert project.run("help", word).says(2, err=said)


def test_help_says_what_help_of_a_command_says(project):
    for name in ("push", "ledger", "why"):
        assert project.run("help", name).out == project.run(name, "--help").out
    assert project.run("help", "ledger", "show").out == project.run("ledger", "show", "--help").out
    assert project.run("help").out == project.run("--help").out


def test_the_options_of_every_command_are_shown_once_and_work_before_and_after_it(project):
    assert "--token-file" in project.run("--help").out
    shown = project.run("push", "--help").out
    assert "--token-file" not in shown and "`kbsync --help` shows the options" in shown
    assert project.run("-q", "lint").code == project.run("lint", "-q").code == 0


def test_history_options_without_history_are_refused(project):
    assert project.run("why", "refunds", "--limit", "3").says(2, err="Add `--history`.")
