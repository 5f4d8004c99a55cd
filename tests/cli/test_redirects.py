"""`kbsync redirects`: what the files, the ledger and git know of addresses that no longer work."""

import shutil

import pytest

from repo import needs_git

HEAD = "from,to,status\n"


def write(project, name: str, slug: str = "") -> None:
    """A published article; `slug` is a line of its front matter."""
    text = f"---\ntitle: {name} of ours\n{slug}status: published\n---\nWords of {name}.\n"
    project.write(f"content/en/billing/{name}.md", text)


@pytest.fixture
def published(project):
    """Two published articles, in git and pushed."""
    project.configure('[push]\nremoved = "delete"\nmax_removals = "100%"\n')
    for name in ("refunds", "invoices"):
        write(project, name)
    project.write(".gitignore", ".kbsync/\n")
    assert project.run("push").code == 0
    return project


def test_an_alias_leads_to_the_article_of_its_file(project):
    text = "---\ntitle: R\nslug: money-back\naliases: [refunds, 'a b', has.dot]\n---\nX\n"
    project.write("content/en/billing/refunds.md", text)
    done = project.run("redirects")
    assert done.out == HEAD + (
        "/hc/handbook/articles/a%20b,/hc/handbook/articles/money-back,301\n"
        "/hc/handbook/articles/refunds,/hc/handbook/articles/money-back,301\n"
    )


def test_an_address_that_another_article_has_now_is_left_out(project):
    project.write("content/en/billing/refunds.md", "---\ntitle: R\naliases: [invoices]\n---\nX\n")
    done = project.run("redirects")
    assert done.out == HEAD and "because the address works: /hc/handbook/articles/invoices." in done.err


@needs_git
def test_the_ledger_and_git_each_know_what_was_renamed_and_what_was_deleted(published):
    published.commit()
    write(published, "refunds", "slug: back\n")
    (published.folder / "content/en/billing/invoices.md").unlink()
    published.commit()
    renamed = "/hc/handbook/articles/refunds,/hc/handbook/articles/back,301\n"
    # Before the push, the deleted article is still there.
    assert published.run("redirects").out == HEAD + renamed
    assert published.run("push").code == 0
    both = HEAD + "/hc/handbook/articles/invoices,,410\n" + renamed
    assert published.run("redirects").out == both
    assert published.run("redirects", "--since", "2").out == both
    assert published.run("redirects", "--since", "2999-01-01").out == HEAD
    to = published.run("redirects", "--removed-to", "category").out
    assert "/hc/handbook/articles/invoices,/hc/handbook/en/categories/billing,301\n" in to
    assert "articles/invoices,/hc/handbook/en,301\n" in published.run("redirects", "--removed-to", "home").out
    shutil.rmtree(published.folder / ".kbsync")
    assert published.run("redirects").out == both


@needs_git
def test_without_a_ledger_a_deleted_file_may_still_have_its_article(published):
    published.config('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n')
    published.commit()
    (published.folder / "content/en/billing/invoices.md").unlink()
    published.commit()
    shutil.rmtree(published.folder / ".kbsync")
    done = published.run("redirects")
    assert done.out == HEAD and "1 article of deleted files: without a ledger" in done.err


def test_what_is_undone_needs_no_redirect(published):
    write(published, "refunds", "slug: back\n")
    published.run("push")
    published.run("undo", "2", "--yes")
    write(published, "refunds")
    assert published.run("redirects").out == HEAD + "/hc/handbook/articles/back,/hc/handbook/articles/refunds,301\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "7"], "There is no run 7."),
        (["--since", "soon"], "`soon` is neither a run nor a date."),
        (["--host", "a b"], "`a b` is not the name of a host."),
        (["--format", "cloudflare"], "Cloudflare needs the host of the help center."),
    ],
)
def test_what_cannot_be_is_refused(project, arguments, message):
    assert project.run("redirects", *arguments).says(2, err=message)
