"""`kbsync why`: why an article changes, or does not, in sentences; and `--history`: what was published when."""

import json
import re

import pytest

from kbsync.sandbox import Sandbox

REFUNDS = "content/en/billing/refunds.md"


def why(project, *arguments: str, **environ: str) -> str:
    done = project.run("why", *arguments, **environ)
    assert (done.code, done.err) == (0, "")
    return done.words


def test_a_new_article_says_so_and_which_commit_brought_it(remote):
    assert "This is not committed yet." not in why(remote, REFUNDS)
    remote.commit({}, "First articles")
    said = why(remote, REFUNDS)
    assert "This article is new: it is not on the portal yet, and a push creates it as a draft." in said
    assert 'by Ana Writer: "First articles".' in said


def test_a_conflict_names_the_commit_that_gave_the_file_its_side(remote, portal: Sandbox):
    remote.commit()
    assert remote.run("push").code == 0
    portal.panel.edit("refunds", title="Money back")
    remote.commit({REFUNDS: "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n"}, "Shorter titles")
    said = why(remote, REFUNDS)
    assert "Needs your decision (edited in both places): title." in said
    assert "Your file has this title since commit " in said and 'by Ana Writer: "Shorter titles".' in said


def test_a_changed_field_names_its_commit_and_not_the_later_ones(remote):
    remote.commit()
    assert remote.run("push").code == 0
    remote.commit({REFUNDS: "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n"}, "Shorter titles")
    remote.commit({REFUNDS: "---\ntitle: Refunds\n---\nSee the [invoices](invoices.md).\n"}, "Article before noun")
    remote.write(REFUNDS, "---\ntitle: Refunds\ndescription: How\n---\nSee the [invoices](invoices.md).\n")
    said = why(remote, REFUNDS)
    title, body, description = map(said.index, ("title: Refund", "body: changed", "description: (nothing)"))
    assert title < said.index('"Shorter titles"') < body < said.index('"Article before noun"') < description
    assert said.index("This is not committed yet.") > description
    assert "Last changed by kbsync: run 1 of" in said
    assert f"`kbsync push {REFUNDS.removeprefix('content/')}` to send it" in said


def test_an_edit_in_the_panel_shows_both_values_and_what_to_do(pushed, portal: Sandbox):
    portal.panel.edit("refunds", title="Money back")
    said = why(pushed, "refunds")
    assert "Needs your decision (edited in the panel): title." in said
    assert "title on the portal: Money back" in said and "`kbsync resolve en/billing/refunds.md`" in said
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    assert "It was edited in the panel, and your file changed too." in why(pushed, "en/refunds")


def test_what_does_not_change_has_a_reason(pushed, portal: Sandbox):
    assert "Nothing changes: your file and the portal match." in why(pushed, REFUNDS)
    portal.panel.create("handbook", "Other", "Text", slug="other-one")
    assert "on the portal and not in this repository" in why(pushed, "other-one")
    (pushed.folder / "content/fr/billing/refunds.md").unlink()
    said = why(pushed, "content/fr/billing/refunds.md")
    assert "Nothing changes: the file for `refunds-fr` is gone. The article stays on the portal" in said
    pushed.write("content/en/billing/invoices.md", "---\ntitle: Bills\nmanage: false\n---\nText.\n")
    assert "`manage: false`" in why(pushed, "invoices")


def test_an_article_that_matched_from_the_beginning_was_changed_by_no_push(pushed):
    (pushed.folder / ".kbsync" / "ledger.db").unlink()
    assert "already match. A push only records that." in why(pushed, REFUNDS)
    assert pushed.run("push").code == 0
    assert "No push has changed it: it matched when kbsync first compared it." in why(pushed, REFUNDS)
    assert "No push has changed it." in pushed.run("why", "--history", REFUNDS).words


@pytest.mark.parametrize(("name", "near"), [("refund", "refunds"), ("content/en/billing/refund.md", "refunds.md")])
def test_a_name_of_nothing_is_an_error_with_the_nearest_one(remote, name, near):
    for command in (("why",), ("why", "--history")):
        assert remote.run("push").code in (0, 10)
        assert remote.run(*command, name).says(2, err=near)


def test_a_path_is_one_as_seen_from_where_one_is(pushed):
    for command in (("why",), ("why", "--history")):
        assert pushed.run(*command, "refunds.md", cwd="content/fr/billing").says(0, "fr/billing/refunds.md")


def test_offline_it_needs_no_token_and_says_what_it_compared_with(pushed):
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    said = why(pushed, REFUNDS, "--offline", KBSYNC_TOKEN="")
    assert "Compared with run 1" in said and "title: Refund a charge -> Refunds" in said
    assert pushed.run("why", REFUNDS, KBSYNC_TOKEN="").code == 2


def test_without_git_it_says_that_git_does_not_know(pushed):
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    assert "git does not know since which commit." in why(pushed, REFUNDS)


def test_a_slug_in_a_link_that_another_file_changed_is_not_this_file_s_doing(remote):
    remote.commit()
    assert remote.run("push").code == 0
    text = "---\ntitle: Invoices\nslug: bills\naliases: [invoices]\nposition: 20\nstatus: draft\n---\nText.\n"
    remote.commit({"content/en/billing/invoices.md": text}, "Another slug")
    assert "body: changed It follows from another file" in why(remote, REFUNDS)


def test_codes_for_the_terminal_are_taken_out(pushed, portal: Sandbox):
    portal.panel.edit("refunds", title="\x1b[2J\u202eback")
    pushed.commit({}, "\x1b[31mred")
    pushed.commit({REFUNDS: "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n"}, "\x1b]0;owned\x07 subject")
    out = pushed.run("why", REFUNDS).out
    assert "\x1b" not in out and "\u202e" not in out and "\x07" not in out


def test_it_fits_into_60_columns(pushed, portal: Sandbox):
    portal.panel.edit("refunds", title="Money back " * 9)
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee the [invoices](invoices.md).\n")
    done = pushed.run("why", REFUNDS, COLUMNS="60")
    assert max(len(line) for line in done.out.splitlines() if "`" not in line) <= 60


# --- log -------------------------------------------------------------------------------------------------------------


def test_the_log_has_each_run_with_who_and_what_newest_first(pushed):
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    actions = {
        "GITHUB_ACTIONS": "true", "GITHUB_ACTOR": "octocat", "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7",
    }  # fmt: skip
    assert pushed.run("push", **actions).code == 0
    done = pushed.run("why", "--history", REFUNDS, KBSYNC_TOKEN="")
    assert (done.code, done.err) == (0, "")
    second, first = done.out.index("Run 2"), done.out.index("Run 1")
    assert second < first and "octocat https://github.com/o/r/actions/runs/7" in done.out
    assert "title: Refund a charge -> Refunds" in done.out and "created as a draft" in done.out[first:]
    assert re.search(r"Run 1  .* UTC  \S+@\S+\n", done.out)
    assert "Run `kbsync undo 2` to reverse it." in done.out
    found = json.loads(pushed.run("why", "--history", "refunds", "--limit", "1", "--format", "json").out)
    (entry,) = found["entries"]
    assert (entry["run"], entry["action"], entry["state"], found["left"]) == (2, "update", "done", 1)


def test_an_undo_is_in_the_log_and_so_is_what_the_file_was_before_a_rename(pushed):
    pushed.push({REFUNDS: "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n"})
    assert pushed.run("undo", "2", "--yes").code == 0
    said = pushed.run("why", "--history", REFUNDS).out
    assert ", undo 2\n" in said
    assert "Run `kbsync undo 3` to reverse it." in said and "kbsync undo 2`" not in said
    (pushed.folder / REFUNDS).rename(pushed.folder / "content/en/billing/money.md")
    pushed.write("content/en/billing/money.md", "---\ntitle: Money\nslug: refunds\n---\nSee [invoices](invoices.md).\n")
    done = pushed.run("why", "--history", "content/en/billing/money.md")
    assert done.code == 0 and done.out.count("\nRun ") == 3 + 1


def test_without_a_ledger_the_log_says_so(remote):
    assert remote.run("why", "--history", REFUNDS).says(6, err="There is no ledger yet.")


def test_what_an_article_that_does_not_change_suggests_can_be_pasted(pushed):
    said = pushed.run("why", "content/en/billing/refunds.md").words
    command = said.rpartition("Run `kbsync ")[2].partition("` to see what was published when.")[0]
    assert pushed.run(*command.split()).says(0, "created as a draft")
