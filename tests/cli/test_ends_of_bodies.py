"""Line breaks at the ends of a body: the panel's editor drops them, so they are sent as written and never compared."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from kbsync.model import digest
from kbsync.sandbox import Sandbox

INVOICES = "content/en/billing/invoices.md"
HEAD = "---\ntitle: Invoices\nposition: 20\n---\n"


def forget(project) -> None:
    """Lose the ledger."""
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (project.folder / ".kbsync" / name).unlink(missing_ok=True)


def as_before(project) -> None:
    """Make the ledger one of the version before, which named a body with the line breaks at its ends."""
    with closing(sqlite3.connect(project.folder / ".kbsync" / "ledger.db")) as connection, connection:
        rows = connection.execute("SELECT kind, remote_id, fields FROM item WHERE kind = 'article'").fetchall()
        for kind, remote_id, text in rows:
            fields = json.loads(text)
            body = {"invoices": "Text.\n", "refunds-fr": "Texte.\n"}.get(fields["slug"])
            fields["content"] = digest(body or "another text")
            query = "UPDATE item SET fields = ? WHERE kind = ? AND remote_id = ?"
            connection.execute(query, (json.dumps(fields), kind, remote_id))


def test_a_text_that_was_brought_from_the_panel_into_its_file_is_settled(remote, portal: Sandbox):
    remote.run("push")
    portal.panel.edit("invoices", content="Their text.")
    assert "edited in the panel: body" in remote.run("plan").out
    remote.write(INVOICES, HEAD + "\nTheir text.\n")
    assert remote.run("plan", "--check").code == 0
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").content == "Their text."
    remote.write(INVOICES, HEAD + "\nOur text.\n")
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").content == "\nOur text.\n"


def test_the_panel_may_drop_the_first_and_last_line_breaks_and_that_is_no_edit(remote, portal: Sandbox):
    remote.write(INVOICES, HEAD + "\r\n\r\nText.\r\n")
    remote.run("push")
    assert portal.panel.article("invoices").content == "\r\n\r\nText.\r\n"
    portal.panel.edit("invoices", content="Text.")
    assert remote.run("plan", "--check").code == 0
    remote.write(INVOICES, HEAD + "Text.")
    assert remote.run("plan", "--check").code == 0


def test_without_a_ledger_the_same_text_with_other_line_breaks_at_its_ends_is_adopted(remote, portal: Sandbox):
    remote.run("push")
    portal.panel.edit("invoices", content="Text.")
    forget(remote)
    plan = remote.run("plan")
    assert plan.code == 0 and "3 articles already match" in plan.out


def test_a_ledger_of_the_version_before_makes_no_conflict_of_what_is_equal(remote, portal: Sandbox):
    remote.run("push")
    as_before(remote)
    plan = remote.run("plan", "--check")
    assert plan.code == 0, plan
    assert remote.run("push").code == 0
    with closing(sqlite3.connect(remote.folder / ".kbsync" / "ledger.db")) as connection:
        assert not connection.execute("SELECT 1 FROM item WHERE fields LIKE '%blake2b:%'").fetchall()
    portal.panel.edit("invoices", content="Theirs.")
    assert "edited in the panel: body" in remote.run("plan").out


def test_an_edit_over_a_ledger_of_the_version_before_waits_for_a_decision(remote, portal: Sandbox):
    remote.run("push")
    as_before(remote)
    remote.write(INVOICES, HEAD + "Other text.\n")
    plan = remote.run("plan")
    assert plan.code == 4 and "en/billing/invoices.md  edited in both places: body\n" in plan.out
    remote.run("resolve", INVOICES, "--ours")
    assert "1 article updated" in remote.run("push").out


def test_a_profile_that_cannot_list_takes_a_ledger_of_the_version_before_as_it_is(remote, portal: Sandbox):
    remote.config(remote.folder.joinpath("kbsync.toml").read_text().replace("[pace]", 'profile = "documented"\n[pace]'))
    remote.write("content/en/billing/refunds.md", HEAD.replace("Invoices", "Refunds") + "Text.\n")
    (remote.folder / "content/fr/billing/refunds.md").unlink()
    pushed = remote.run("push", "--first-push", KBSYNC_AUTHORS__DEFAULT="1")
    assert pushed.code == 0, pushed
    with closing(sqlite3.connect(remote.folder / ".kbsync" / "ledger.db")) as connection, connection:
        new, old = '"content":"body:', '"content":"' + digest("Text.\n") + '","former":"'
        connection.execute("UPDATE item SET fields = replace(fields, ?, ?)", (new, old))
    plan = remote.run("plan", KBSYNC_AUTHORS__DEFAULT="1")
    assert plan.code == 0, plan


def test_line_ends_as_on_windows_are_no_change(remote):
    path = remote.folder / "content/en/billing/invoices.md"
    text = path.read_bytes().replace(b"\r\n", b"\n")
    assert remote.run("push").code == 0
    path.write_bytes(text.replace(b"\n", b"\r\n"))
    assert remote.run("plan", "--check").code == 0
    path.write_bytes(text.replace(b"\n", b"\r\n") + b"More.\r\n")
    assert "1 article updated" in remote.run("push").out
    path.write_bytes(text + b"More.\n")
    assert remote.run("plan", "--check").code == 0
