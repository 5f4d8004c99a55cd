"""The preview shows the plan, file by file, and the commands that decide."""

import re

import pytest

from kbsync.app.asking.file_plans import PENDING, WAYS, plan_finder
from kbsync.app.session import Session
from kbsync.preview.file_plan import UP_TO_DATE
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

INVOICES, REFUNDS = "en/billing/invoices.md", "en/billing/refunds.md"


def test_it_is_the_plan_for_edits_in_the_panel_renamed_files_new_ones_and_errors(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    text = (pushed.folder / "content" / REFUNDS).read_text("utf-8")
    (pushed.folder / "content" / REFUNDS).unlink()
    pushed.write("content/en/billing/money-back.md", text.replace("charge", "payment"))
    pushed.write("content/en/billing/new.md", "---\ntitle: New\n---\nText.\n")
    find = plan_finder(Session(config=pushed.folder / "kbsync.toml"), pushed.environ["KBSYNC_TOKEN"])
    plans = find().by_path
    edited = plans[INVOICES]
    assert edited.sentences == ("Needs your decision: edited in the panel (title).",)
    assert [command.line.rpartition(" --config ")[0] for command in edited.commands] == [
        f"kbsync resolve {INVOICES} {side}" for side in ("--ours", "--theirs", "--into-file")
    ]
    assert edited.place == ("en", "invoices") and find().edited == {INVOICES}
    assert plans["en/billing/new.md"].sentences[0] == "A push creates it as a draft."
    renamed = re.search(r"renamed from (\S+)", pushed.run("plan").out)
    assert bool(renamed) is ("The file was" in plans["en/billing/money-back.md"].sentences[0])
    assert plans["fr/billing/refunds.md"].sentences == (UP_TO_DATE,)
    pushed.write("content/en/billing/new.md", "Text.\n")
    assert find().error.startswith("Your files have errors.")


def test_without_the_portal_it_is_the_offline_plan(pushed):
    find = plan_finder(Session(config=pushed.folder / "kbsync.toml"), None)
    assert find().by_path[INVOICES].sentences == ()
    pushed.write(f"content/{INVOICES}", "---\ntitle: Bills\nposition: 20\nstatus: draft\n---\nText.\n")
    assert find().by_path[INVOICES].sentences == ("Not pushed yet: title.",)


def test_an_edit_that_is_pending_in_the_panel_is_shown_with_what_decides_it(pushed, portal: Sandbox):
    portal.panel.publish("invoices")
    portal.panel.write("invoices", content="Theirs.")
    find = plan_finder(Session(config=pushed.folder / "kbsync.toml"), pushed.environ["KBSYNC_TOKEN"])
    found = find().by_path[INVOICES]
    assert found.sentences == (PENDING,)
    assert [command.text for command in found.commands] == [text for text, _ in WAYS]
    assert find().edited == {INVOICES}
