"""Line breaks at the ends of a body: the panel's editor drops them, so they are sent as written and never compared."""

from kbsync.sandbox import Sandbox

INVOICES = "content/en/billing/invoices.md"
HEAD = "---\ntitle: Invoices\nposition: 20\n---\n"


def test_a_text_that_was_brought_from_the_panel_into_its_file_is_settled(pushed, portal: Sandbox):
    portal.panel.edit("invoices", content="Their text.")
    assert "edited in the panel: body" in pushed.run("plan").out
    pushed.write(INVOICES, HEAD + "\nTheir text.\n")
    assert pushed.run("plan", "--check").code == 0
    assert pushed.run("push").code == 0
    assert portal.panel.article("invoices").content == "Their text."
    pushed.push({INVOICES: HEAD + "\nOur text.\n"})
    assert portal.panel.article("invoices").content == "\nOur text.\n"


def test_the_panel_may_drop_the_first_and_last_line_breaks_and_that_is_no_edit(remote, portal: Sandbox):
    remote.push({INVOICES: HEAD + "\r\n\r\nText.\r\n"})
    assert portal.panel.article("invoices").content == "\r\n\r\nText.\r\n"
    portal.panel.edit("invoices", content="Text.")
    assert remote.run("plan", "--check").code == 0
    remote.write(INVOICES, HEAD + "Text.")
    assert remote.run("plan", "--check").code == 0


def test_without_a_ledger_the_same_text_with_other_line_breaks_at_its_ends_is_adopted(pushed, portal: Sandbox):
    portal.panel.edit("invoices", content="Text.")
    pushed.forget_ledger()
    assert pushed.run("plan").says(0, "3 articles already match")


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
