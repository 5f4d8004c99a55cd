"""An edit in the panel that somebody took back: what equals the base is not edited, however often it was touched."""

from typing import Any

import pytest

from kbsync.sandbox import Sandbox
from repo import needs_git

pytestmark = needs_git

INVOICES = "content/en/billing/invoices.md"
EDITED = "---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\nText.\n\nOur new sentence.\n"


@pytest.fixture
def removing(shared: Any) -> Any:
    """The project, committed and pushed, in a clone that removes what has no file."""
    shared.configure('[push]\nremoved = "delete"\nmax_removals = "100%"\n')
    shared.commit()
    return shared


def edit_and_set_back(portal: Sandbox, slug: str) -> None:
    """An hour after everything else, somebody edits a title and takes it back."""
    title = portal.panel.article(slug).title
    portal.panel.edit(slug, title="A person's")
    portal.panel.edit(slug, title=title)
    portal.panel.sql("UPDATE articles SET updated_at = updated_at + 3600000000 WHERE slug = ?", slug)


@pytest.mark.parametrize("is_adopted", [False, True])
def test_it_holds_nothing_of_what_a_writer_changed_and_no_pull_takes_that_back(removing, portal, is_adopted):
    if is_adopted:  # The ledger is lost, and the next push finds both sides alike.
        removing.forget_ledger()
        assert "already match" in removing.run("push").words
    removing.commit({INVOICES: EDITED})
    edit_and_set_back(portal, "invoices")
    assert "Update 1 article" in removing.run("plan").out
    for options in ((), ("--theirs",)):
        assert removing.run("pull", *options).code == 0
        assert removing.read(INVOICES) == EDITED
    assert removing.run("push").code == 0
    assert portal.panel.article("invoices").content == "Text.\n\nOur new sentence.\n"


def test_where_no_ledger_tells_it_is_asked_about_and_no_pull_takes_what_a_revision_of_the_file_had(removing, portal):
    removing.forget_ledger()
    removing.commit({INVOICES: EDITED})
    edit_and_set_back(portal, "invoices")
    assert "Maybe it was changed back on purpose." in removing.run("plan").words
    for options in ((), ("--theirs",)):
        done = removing.run("pull", *options)
        assert (done.code, removing.read(INVOICES)) == (0, EDITED)
        assert "kbsync resolve en/billing/invoices.md` shows both and asks." in done.words
    assert removing.run("resolve", INVOICES, "--into-file").code == 0
    assert "new sentence" not in removing.read(INVOICES)


@pytest.mark.parametrize("knows", ["ledger", "git"])
@pytest.mark.parametrize("is_edited", [False, True])
def test_it_keeps_no_article_whose_file_is_gone_and_an_edit_that_is_left_does(removing, portal, knows, is_edited):
    (removing.folder / INVOICES).unlink()
    removing.commit({"content/en/billing/refunds.md": "---\ntitle: Refund a charge\n---\nSee us.\n"})
    edit_and_set_back(portal, "invoices")
    if is_edited:
        portal.panel.edit("invoices", content="A person's text.")
    if knows == "git":
        removing.forget_ledger()
    assert removing.run("push").code == (4 if is_edited else 0)
    assert ("invoices" in [item.slug for item in portal.panel.articles("handbook")]) is is_edited
