"""What an undo of a removal gives back of a person's is the person's again: no push takes it away unasked."""

from typing import Any

from kbsync.sandbox import Sandbox

REFUNDS = "content/en/billing/refunds.md"


def test_a_pending_edit_that_a_removal_discarded_is_held_again_after_its_undo(remote: Any, portal: Sandbox):
    remote.configure('[push]\nremoved = "archive"\n')
    remote.push({REFUNDS: "---\ntitle: Refund a charge\nstatus: published\n---\nText.\n"}, "--publish")
    (remote.folder / REFUNDS).unlink()
    portal.panel.edit("refunds", draft_title="Theirs", draft_content="Their words.")
    assert remote.run("plan").code == 4
    assert remote.run("resolve", REFUNDS, "--ours").code == 0
    assert remote.run("push").code == 0
    assert not portal.panel.article("refunds").draft_content
    undone = remote.run("undo", "2", "--yes")
    assert undone.says(0, err="the edit from the panel is back")
    assert "for publication" not in undone.out and "publish-staged" not in undone.out
    assert remote.run("plan").code == 4
    assert remote.run("push").code == 4
    assert portal.panel.article("refunds").draft_content == "Their words."


def test_what_a_staged_overwrite_replaced_is_not_offered_for_publication_after_its_undo(remote: Any, portal: Sandbox):
    remote.push({REFUNDS: "---\ntitle: Refund a charge\nstatus: published\n---\nText.\n"}, "--publish")
    portal.panel.edit("refunds", draft_title="Theirs", draft_content="Their words.")
    remote.write(REFUNDS, "---\ntitle: Refund a charge\nstatus: published\n---\nOurs.\n")
    assert remote.run("push", REFUNDS, "--stage", "--overwrite", REFUNDS).code == 0
    undone = remote.run("undo", "2", "--yes")
    assert "the edit from the panel is back" in undone.err
    assert "for publication" not in undone.out
    assert remote.run("plan").code == 4
