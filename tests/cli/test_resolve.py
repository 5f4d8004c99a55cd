"""Deciding what is held, by flags and by hand."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from kbsync.sandbox import Sandbox
from patience import GIVE_UP_S

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
OURS = "---\ntitle: Bills\nposition: 20\n---\nText.\n"


@pytest.fixture
def drifted(remote, portal: Sandbox):
    remote.run("push")
    portal.panel.edit("invoices", title="Theirs")
    return remote


def test_ours_sends_what_the_source_says_with_the_next_push(drifted, portal: Sandbox):
    assert drifted.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert portal.panel.article("invoices").title == "Theirs"
    assert "1 article updated" in drifted.run("push").out
    assert portal.panel.article("invoices").title == "Invoices"


def test_ours_was_said_of_the_value_that_was_seen_and_of_no_later_one(drifted, portal: Sandbox):
    drifted.run("resolve", INVOICES, "--ours")
    portal.panel.edit("invoices", title="Theirs, again")
    done = drifted.run("push")
    assert done.code == 4 and "conflict" in done.out
    assert portal.panel.article("invoices").title == "Theirs, again"


def test_theirs_leaves_the_difference_and_is_quiet_until_either_side_moves(drifted, portal: Sandbox):
    drifted.run("resolve", INVOICES, "--theirs")
    assert drifted.run("plan", "--check").code == 0
    drifted.write(INVOICES, OURS)
    assert "conflict" in drifted.run("plan").out
    drifted.run("resolve", INVOICES, "--theirs")
    assert drifted.run("plan", "--check").code == 0
    portal.panel.edit("invoices", title="Third")
    assert drifted.run("plan", "--check").code == 4


def test_a_field_is_also_called_as_plans_call_it_and_a_word_that_is_none_is_no_decision(drifted, portal: Sandbox):
    portal.panel.edit("invoices", content="Their text.")
    done = drifted.run("resolve", "--ours", "--field", "boddy")
    assert (done.code, done.out) == (2, "")
    assert done.err == "kbsync: --field: there is no field `boddy`\n  did you mean `body`?\n"
    assert "the fields are: slug, title, content" in drifted.run("resolve", "--ours", "--field", "xyzzy").err
    assert drifted.run("resolve", "--ours", "--field", "body").out == "en/billing/invoices.md  content: ours\n"
    drifted.run("push")
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Theirs", "Text.\n")


def test_a_conflict_without_a_ledger_is_decided_field_by_field(remote, portal: Sandbox):
    remote.run("push")
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (remote.folder / ".kbsync" / name).unlink(missing_ok=True)
    portal.panel.edit("invoices", title="Theirs", content="Their text.")
    assert remote.run("plan").code == 4
    assert remote.run("resolve", "--theirs", "--field", "title").out == "en/billing/invoices.md  title: theirs\n"
    remote.run("resolve", "--ours")
    assert remote.run("push").code == 0
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Theirs", "Text.\n")
    assert remote.run("plan", "--check").code == 0


def test_what_was_deleted_on_the_portal_is_made_again_with_ours(remote, portal: Sandbox):
    remote.run("push")
    portal.panel.delete("invoices")
    left = remote.run("resolve", "--theirs")
    assert left.code == 4 and "delete the source" in left.out
    assert remote.run("resolve", "--ours").code == 0
    assert "1 article created as draft" in remote.run("push").out


def test_without_a_terminal_a_side_has_to_be_named(drifted):
    done = drifted.run("resolve")
    assert done.code == 2 and "--theirs" in done.err


def test_nothing_held_says_so(remote):
    remote.run("push")
    assert remote.run("resolve", "--ours").out == "Nothing is held.\n"


def test_in_a_terminal_both_values_are_shown_and_the_answer_counts(drifted, portal: Sandbox):
    portal.panel.edit("invoices", content="Their text.\n")
    master, slave = pty.openpty()
    environ = os.environ | drifted.environ | {"COLUMNS": "100"}
    command = [sys.executable, "-m", "kbsync", "resolve", "--no-color"]
    process = subprocess.Popen(
        command,
        cwd=drifted.folder,
        env=environ,
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.write(master, b"o\n")
    out, _ = process.communicate(timeout=GIVE_UP_S)
    os.close(slave)
    os.close(master)
    assert "title: Theirs on the portal, Invoices here" in out
    assert "-Their text." in out and "+Text." in out
    drifted.run("push")
    assert portal.panel.article("invoices").title == "Invoices"
