"""An edit in the panel that somebody took back: what equals the base is not edited, however often it was touched."""

from __future__ import annotations

from typing import Any

import pytest

from kbsync.sandbox import Sandbox
from repo import Repo, a_repo, needs_git

pytestmark = needs_git

INVOICES = "content/en/billing/invoices.md"
EDITED = "---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\nText.\n\nOur new sentence.\n"


@pytest.fixture
def repo(remote: Any) -> Repo:
    """The project, committed and pushed, in a clone that removes what has no file."""
    remote.configure('[push]\nremoved = "delete"\nmax_removals = "100%"\n')
    remote.write(".gitignore", ".kbsync/\n")
    repo = a_repo(remote.folder)
    repo.commit()
    assert remote.run("push").code == 0
    return repo


def adopted(project: Any) -> None:
    """The ledger is lost, and the next push finds both sides alike."""
    project.forget_ledger()
    assert "already match" in project.run("push").words


def edit_and_set_back(portal: Sandbox, slug: str) -> None:
    """An hour after everything else, somebody edits a title and takes it back."""
    title = portal.panel.article(slug).title
    portal.panel.edit(slug, title="A person's")
    portal.panel.edit(slug, title=title)
    portal.panel.sql("UPDATE articles SET updated_at = updated_at + 3600000000 WHERE slug = ?", slug)


@pytest.mark.parametrize("is_adopted", [False, True])
def test_it_holds_nothing_of_what_a_writer_changed_and_no_pull_takes_that_back(remote, repo, portal, is_adopted):
    if is_adopted:
        adopted(remote)
    remote.write(INVOICES, EDITED)
    repo.commit()
    edit_and_set_back(portal, "invoices")
    assert "Update 1 article" in remote.run("plan").out
    for options in ((), ("--theirs",)):
        assert remote.run("pull", *options).code == 0
        assert (remote.folder / INVOICES).read_text() == EDITED
    assert remote.run("push").code == 0
    assert portal.panel.article("invoices").content == "Text.\n\nOur new sentence.\n"


def test_where_no_ledger_tells_it_is_asked_about_and_no_pull_takes_what_a_revision_of_the_file_had(
    remote, repo, portal
):
    remote.forget_ledger()
    remote.write(INVOICES, EDITED)
    repo.commit()
    edit_and_set_back(portal, "invoices")
    assert "Maybe it was changed back on purpose." in remote.run("plan").words
    for options in ((), ("--theirs",)):
        done = remote.run("pull", *options)
        assert (done.code, (remote.folder / INVOICES).read_text()) == (0, EDITED)
        assert "kbsync resolve en/billing/invoices.md` shows both and asks." in done.words
    assert remote.run("resolve", INVOICES, "--into-file").code == 0
    assert "new sentence" not in (remote.folder / INVOICES).read_text()


@pytest.mark.parametrize("knows", ["ledger", "git"])
@pytest.mark.parametrize("is_edited", [False, True])
def test_it_keeps_no_article_whose_file_is_gone_and_an_edit_that_is_left_does(remote, repo, portal, knows, is_edited):
    (remote.folder / INVOICES).unlink()
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nSee us.\n")
    repo.commit()
    edit_and_set_back(portal, "invoices")
    if is_edited:
        portal.panel.edit("invoices", content="A person's text.")
    if knows == "git":
        remote.forget_ledger()
    assert remote.run("push").code == (4 if is_edited else 0)
    assert ("invoices" in [item.slug for item in portal.panel.articles("handbook")]) is is_edited
