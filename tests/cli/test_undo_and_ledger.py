"""What a push did, put back; the ledger looked at, carried elsewhere, and its lock."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from kbsync.push.lease import read_boot, read_namespace

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"

OWNER = '"user", host, pid, started_at, beat_at'
"""The columns of an owner that does not say more."""


@contextmanager
def ledger_of(project) -> Iterator[tuple[sqlite3.Connection, str]]:
    """Its ledger, to be changed by hand, and the portal that its rows are about."""
    with closing(sqlite3.connect(project.folder / ".kbsync" / "ledger.db")) as connection, connection:
        yield connection, connection.execute("SELECT target FROM run").fetchone()[0]


ONE, TWO = "content/en/billing/one.md", "content/en/billing/two.md"


def write_pair(project, one: str, two: str, more: str = "") -> None:
    """Two articles with these slugs; `more` is front matter of the first."""
    project.write(ONE, f"---\ntitle: One\nslug: {one}\n{more}---\nThe first.\n")
    project.write(TWO, f"---\ntitle: Two\nslug: {two}\n---\nThe second.\n")


def test_undo_puts_an_update_back_text_and_title_and_the_next_plan_would_send_it_again(pushed, portal):
    pushed.push({INVOICES: "---\ntitle: Bills\nposition: 20\n---\nOther text.\n"})
    done = pushed.run("undo", "2", "--yes")
    assert (done.code, done.out.splitlines()[0]) == (0, "1 article updated"), done
    assert "Revert the commit too" in done.err
    assert done.out.endswith("This was run 3. To reverse it: `kbsync undo 3`.\n")
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Invoices", "Text.\n")
    assert pushed.run("plan").says(0, "title: Invoices -> Bills")


def test_undo_deletes_what_the_run_made_articles_before_their_categories(pushed, portal):
    assert pushed.run("undo", "1", "--yes").code == 0
    assert portal.panel.articles("handbook") == []
    assert "Create 3 articles" in pushed.run("plan").out


def test_undo_is_read_in_the_order_in_which_it_is_done_and_says_why_it_deletes(pushed):
    told = pushed.run("undo", "1").err
    assert told.index("DELETE 3 articles (made by that run)\n") < told.index("DELETE 2 categories (made by that run)\n")
    pushed.push({"content/en/billing/late.md": "---\ntitle: Late\n---\nText.\n"})
    told = pushed.run("undo", "1").err
    assert "en/billing/_category.md  has other articles\n" in told and "edited in the panel" not in told
    assert "It has articles that this run did not create. Undo the run that created them" in told


def test_undo_of_what_is_undone_says_so(pushed):
    assert "The last one is run 1 " in pushed.run("undo").err
    pushed.run("undo", "1", "--yes")
    assert "There is no push to undo." in pushed.run("undo").err
    assert pushed.run("undo", "1", "--yes").ended(0, "Run 1 has nothing left to undo.\n")


@pytest.mark.parametrize("again", [("push",), ("undo", "2", "--yes")])
def test_undo_of_an_undo_makes_nothing_a_second_time_that_was_made_again_and_renamed_since(pushed, portal, again):
    pushed.run("undo", "1", "--yes")
    pushed.run(*again)
    pushed.push({INVOICES: "---\ntitle: Invoices\nslug: bills\n---\nOther text.\n"})
    before = {item.slug for item in portal.panel.articles("handbook")}
    assert pushed.run("undo", "2", "--yes").says(4, "`bills` took its place since. There is nothing to undo.")
    assert {item.slug for item in portal.panel.articles("handbook")} == before and "bills" in before


def test_undo_holds_what_somebody_touched_since_and_puts_back_the_rest(pushed, portal):
    pushed.push({INVOICES: "---\ntitle: Bills\nposition: 20\n---\nOther text.\n"})
    portal.panel.edit("invoices", title="Theirs")
    assert pushed.run("undo", "2", "--yes").says(4, "It changed after this run")
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Theirs", "Text.\n")


def test_undo_of_a_run_before_the_last_says_that_the_later_one_comes_first(pushed, portal):
    pushed.push({INVOICES: "---\ntitle: Bills\nposition: 20\n---\nText.\n"})
    pushed.push({INVOICES: "---\ntitle: Receipts\nposition: 20\n---\nText.\n"})
    done = pushed.run("undo", "2", "--yes")
    assert done.says(4, "changed by run 3: title", words="Run `kbsync undo 3` first, then undo this run again.")
    found = json.loads(pushed.run("undo", "2", "--yes", "--format", "json").out)["held"]
    assert [(item["why"], item["fields"]) for item in found] == [("changed by run 3", ["title"])]
    assert portal.panel.article("invoices").title == "Receipts"


def test_undo_makes_what_was_deleted_again_with_its_text_and_status(remote, portal):
    remote.push({INVOICES: "---\ntitle: Invoices\nstatus: published\n---\nText.\n"}, "--publish")
    (remote.folder / INVOICES).unlink()
    environ = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    assert "1 article deleted" in remote.run("push", **environ).out
    assert '  en/billing/invoices.md  "Invoices"\n' in remote.run("undo", "2").err
    assert remote.run("undo", "2", "--yes").code == 0
    article = portal.panel.article("invoices")
    assert (article.title, article.content, article.status) == ("Invoices", "Text.\n", 1)


def test_undo_asks_and_where_nobody_answers_nothing_is_done(pushed, portal):
    assert pushed.run("undo", "1").says(2, err=("kbsync undo 1 --yes", "DELETE"))
    assert len(portal.panel.articles("handbook")) == 3


def test_undo_of_a_run_that_is_not_there_names_the_latest(pushed):
    assert pushed.run("undo", "7", "--yes").says(2, err="no run 7. The latest is 1")


def test_ledger_show_lists_what_is_managed_and_the_runs_and_one_run_in_full(remote):
    assert "There is no ledger yet." in remote.run("ledger", "show").err
    remote.run("push")
    shown = remote.run("ledger", "show")
    assert "2 categories and 3 articles published by kbsync" in shown.out
    assert "push: 5 done" in shown.out
    assert "  done: create en/billing/refunds.md\n" in remote.run("ledger", "show", "1").out
    assert json.loads(remote.run("ledger", "show", "--format", "json").out)["articles"] == 3
    assert len(json.loads(remote.run("ledger", "show", "1", "--format", "json").out)["entries"]) == 5


def test_ledger_show_tells_a_run_that_lasts_from_one_that_died(pushed):
    with ledger_of(pushed) as (connection, target):
        for run, pid in ((2, os.getppid()), (3, 2**22 + 1)):
            row = (run, target, "push", 5.0, "")
            connection.execute("INSERT INTO run (id, target, command, started_at, digest) VALUES (?, ?, ?, ?, ?)", row)
            row = (run, "ana", socket.gethostname(), pid, 5.0, 5.0)
            connection.execute(f"INSERT INTO runner (run, {OWNER}) VALUES (?, ?, ?, ?, ?, ?)", row)
    shown = pushed.run("ledger", "show").out
    assert "2  1970-01-01 00:00  push: nothing to send (still running)\n" in shown
    assert "3  1970-01-01 00:00  push: nothing to send (did not end)\n" in shown
    assert "(still running)" in pushed.run("ledger", "show", "2").out


def test_ledger_show_of_the_embedded_sandbox_says_where_it_is(project):
    project.run("push")
    assert project.run("ledger", "show").out.startswith("Ledger of portal `handbook` in the sandbox\n")


def test_an_export_imported_elsewhere_knows_everything_and_a_full_ledger_is_never_overwritten(pushed):
    pushed.write("export.json", pushed.run("ledger", "export").out)
    assert pushed.run("ledger", "import", "export.json").says(6, err="not empty")
    other = {"KBSYNC_LEDGER__URL": "sqlite:other.db"}
    assert "Imported 5 items of portal `handbook`." in pushed.run("ledger", "import", "export.json", **other).err
    assert "5 unchanged" in pushed.run("push", **other).out
    assert pushed.run("ledger", "export", **other).out != ""
    pushed.write("bad.json", '{"schema": "kbsync.ledger/1", "tables": {}}')
    assert pushed.run("ledger", "import", "bad.json", KBSYNC_LEDGER__URL="sqlite:third.db").code == 6
    assert not (pushed.folder / "third.db").exists()


@pytest.mark.parametrize(
    "export",
    ['{"schema": "kbsync.ledger/3", "tables": {"run": [7]}}', '{"schema": "x", "tables": {"run": [[9e99]]}}', "[]"],
)
def test_an_export_of_another_shape_is_refused_in_words(remote, export):
    remote.write("bad.json", export)
    assert remote.run("ledger", "import", "bad.json").says(6, err="kbsync: bad.json")


@pytest.mark.parametrize(("table", "column", "value"), [("item", 7, "[1]"), ("journal", 19, "{}"), ("run", 3, 1e300)])
def test_of_an_export_with_a_damaged_row_nothing_is_imported(pushed, table, column, value):
    """The ledger would be of no use any more."""
    export = json.loads(pushed.run("ledger", "export").out)
    pushed.write("good.json", json.dumps(export))
    export["tables"][table][0][column] = value
    pushed.write("bad.json", json.dumps(export))
    other = {"KBSYNC_LEDGER__URL": "sqlite:other.db"}
    done = pushed.run("ledger", "import", "bad.json", **other)
    assert done.code == 6 and "The export is damaged: " in done.err and "Nothing was imported." in done.err
    assert "5 items" in pushed.run("ledger", "import", "good.json", **other).err


def test_a_damaged_row_of_the_ledger_is_told_by_every_command_that_reads_it(pushed):
    with ledger_of(pushed) as (connection, _):
        connection.execute("UPDATE item SET path = x'00'")
    for words in (("plan",), ("push",), ("ledger", "show"), ("resolve", "--ours", "content")):
        done = pushed.run(*words)
        assert done.code == 6 and ".kbsync/ledger.db cannot be used: one of its rows is damaged" in done.err
        assert "  Move it away and run again" in done.err


def test_unlock_frees_a_dead_lock_and_asks_before_it_takes_a_living_one(pushed):
    with ledger_of(pushed) as (connection, target):
        row = (target, "ana", socket.gethostname(), os.getppid(), 5.0, 5.0)
        connection.execute(f"INSERT INTO lock (target, {OWNER}) VALUES (?, ?, ?, ?, ?, ?)", row)
    assert pushed.run("push").code == 6
    who = f"ana@{socket.gethostname()}, process {os.getppid()}, for "
    shown = pushed.run("ledger", "show").out
    assert f"lock: {who}" in shown and "crashed" not in shown
    refused = pushed.run("ledger", "unlock")
    assert refused.says(6, err=(who, "seems to be running. Its lock was not freed", "`kbsync ledger unlock --yes`"))
    freed = pushed.run("ledger", "unlock", "--yes").err
    assert f"Freed the lock of {who}" in freed and "crashed" not in freed
    assert "The lock is free" in pushed.run("ledger", "unlock").err
    assert pushed.run("push").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process number is known")
@pytest.mark.parametrize("owner", ["gone", "zombie", "another boot", "another container", "silent"])
def test_a_lock_whose_owner_is_dead_is_shown_and_freed_as_that(pushed, owner):
    zombie = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert zombie.stdout.read() == b""
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    row = {"pid": os.getpid(), "host": socket.gethostname(), "boot": read_boot(), "namespace": read_namespace()}
    row |= {
        "gone": {"pid": 2**22 + 7},
        "zombie": {"pid": zombie.pid},
        "another boot": {"boot": "before"},
        "another container": {"namespace": "pid:[1]"},
        "silent": {"host": "elsewhere"},
    }[owner]
    with ledger_of(pushed) as (connection, target):
        values = (target, "ana", 5.0, 5.0, *row.values())
        columns = f'target, "user", started_at, beat_at, {", ".join(row)}'
        connection.execute(f"INSERT INTO lock ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    assert " (that push has crashed: the next push takes the lock over)\n" in pushed.run("ledger", "show").out
    assert json.loads(pushed.run("ledger", "show", "--format", "json").out)["holder_is_dead"] is True
    freed = pushed.run("ledger", "unlock")
    assert freed.code == 0 and f"Freed the lock of ana@{row['host']}, process {row['pid']}, for " in freed.err
    assert freed.err.rstrip().endswith(" (that push has crashed).")
    assert "lock: free" in pushed.run("ledger", "show").out
    zombie.communicate()


# --- saved plans -----------------------------------------------------------------------------------------------------


def test_a_saved_plan_is_carried_out_exactly_and_names_neither_token_nor_machine(remote):
    assert "kbsync push plan.json" in remote.run("plan", "--out", "plan.json").err
    text = remote.read("plan.json")
    assert "admin-token" not in text and str(remote.folder) not in text
    assert remote.run("push", "plan.json").says(0, "3 articles created as drafts")
    assert remote.run("plan", "--check").code == 0


def test_a_saved_plan_is_refused_whole_when_the_tree_the_settings_or_the_portal_are_others(remote, portal):
    remote.run("plan", "--out", "plan.json")
    remote.write("elsewhere.toml", remote.read("kbsync.toml") + '[push]\nlive = "hold"\n')
    done = remote.run("push", "plan.json", "--config", "elsewhere.toml")
    assert done.code == 4 and "The settings have changed since the plan was made" in done.err
    assert remote.run("push", "plan.json", KBSYNC_SERVICE__PORTAL="other").says(4, err="for portal `handbook`")
    remote.write(INVOICES, "---\ntitle: Bills\n---\nText.\n")
    assert remote.run("push", "plan.json").says(4, err="Your files have changed since the plan was made")
    assert portal.panel.articles("handbook") == []


def test_a_saved_plan_is_refused_change_by_change_where_the_portal_moved_on(pushed, portal):
    pushed.write(INVOICES, "---\ntitle: Bills\nposition: 20\n---\nText.\n")
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Money back\n---\nText.\n")
    pushed.run("plan", "--out", "the plan.json")
    portal.panel.edit("invoices", title="Theirs")
    done = pushed.run("push", "the plan.json")
    assert done.code == 4 and "Changed on the portal after the plan was made: title." in done.out
    assert portal.panel.article("invoices").title == "Theirs"
    assert portal.panel.article("refunds").title == "Money back"
    assert "Run `kbsync plan --out 'the plan.json'` to plan the rest again." in done.out
    assert done.out.count("`kbsync p") == 1, done.out
    assert pushed.run("plan", "--out", "the plan.json").says(4, "edited in both places: title")


def test_a_saved_plan_that_is_done_says_so_also_of_updates_swaps_and_deletions(remote, portal):
    write_pair(remote, "one", "two")
    remote.run("push")
    write_pair(remote, "two", "one", "status: published\n")
    (remote.folder / INVOICES).unlink()
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refund\n---\nText.\n")
    environ = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%", "KBSYNC_PUSH__PUBLISH": "true"}
    remote.run("plan", "--out", "plan.json", **environ)
    assert "1 article deleted" in remote.run("push", "plan.json", **environ).out
    writes = [request for request in portal.requests if request.method != "GET"]
    again = remote.run("push", "plan.json", **environ)
    assert again.code == 0 and again.out.startswith("Everything in plan.json is done already."), again
    assert [request for request in portal.requests if request.method != "GET"] == writes


def test_a_saved_plan_takes_no_selector_beside_it(remote):
    remote.run("plan", "--out", "plan.json")
    done = remote.run("push", "plan.json", "content/en")
    assert done.code == 2 and "plan.json is a saved plan. Selectors cannot be added to it" in done.err
    assert "kbsync plan SELECTORS --out FILE" in done.err


def test_a_newer_saved_plan_and_one_with_more_options_are_refused(remote):
    remote.run("plan", "--out", "plan.json")
    remote.write("newer.json", remote.read("plan.json").replace("saved-plan/3", "saved-plan/9"))
    assert remote.run("push", "newer.json").code == 4
    assert remote.run("push", "plan.json", "--publish").code == 2


def test_undo_of_a_slug_swap_swaps_back(remote, portal):
    write_pair(remote, "one", "two")
    remote.run("push")
    before = {slug: portal.panel.article(slug).id for slug in ("one", "two")}
    write_pair(remote, "two", "one")
    told = remote.run("plan").words
    moved = "The old address /hc/handbook/articles/one will show another article, `en/billing/two.md`"
    assert f"The slug becomes `two`. {moved}" in told
    assert "slug: two -> one (the old address will show another article)" in told
    assert "slug: one -> one--kbsync-moving (for a moment, to free the address)" in told
    assert remote.run("push").code == 0
    assert portal.panel.article("one").id == before["two"]
    assert remote.run("undo", "2", "--yes").code == 0
    assert {slug: portal.panel.article(slug).id for slug in ("one", "two")} == before


def test_a_ledger_with_codes_for_the_terminal_in_it_is_shown_without_them(pushed):
    """It may have come with a clone."""
    with ledger_of(pushed) as (connection, target):
        connection.execute("UPDATE run SET command = ?, outcome = ?", ("\x1b[2Jpush", "\x1b]0;fine\x07"))
        row = (target, "\x1b[31mana\n", "h\x1b" + "x" * 500)
        connection.execute("INSERT INTO lock VALUES (?, ?, ?, 1, 0, 1.9e11, 'b', 'n', 0)", row)
    shown = pushed.run("ledger", "show"), pushed.run("ledger", "show", "1"), pushed.run("push", "--break-lock")
    assert "[31mana" in shown[0].out and "Took over the lock of" in shown[2].err
    assert not any("\x1b" in done.out + done.err or "\x07" in done.out + done.err for done in shown)
    assert "x" * 100 not in shown[0].out
