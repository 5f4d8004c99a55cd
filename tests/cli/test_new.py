"""`kbsync new`: files at the right place with the keys that they need, and nothing overwritten."""

import pytest


def read(project, path: str) -> str:
    return (project.folder / "content" / path).read_text("utf-8")


def test_an_article_is_a_draft_with_a_title_that_is_quoted_where_yaml_needs_it(project):
    assert project.run("new", "article", "en/billing/how-to-pay").ended(0, "content/en/billing/how-to-pay.md\n")
    text = "---\ntitle: How to pay\nstatus: draft\n---\n\nWrite the article here.\n"
    assert read(project, "en/billing/how-to-pay.md") == text
    assert project.run("lint").code == 0
    project.run("new", "article", "en/billing/pay.md", "--title", "Pay: it's easy #1")
    assert read(project, "en/billing/pay.md").startswith("---\ntitle: 'Pay: it''s easy #1'\n")
    assert project.run("lint").code == 0


def test_a_slug_is_written_only_where_the_file_s_name_gives_one_that_is_taken_or_reserved(project):
    project.run("new", "category", "en/account", "--name", "Account")
    project.run("new", "article", "en/account/refunds")
    project.run("new", "article", "en/account/search")
    assert "slug: account-refunds\n" in read(project, "en/account/refunds.md")
    assert "slug: account-search\n" in read(project, "en/account/search.md")
    assert project.run("lint").code == 0


def test_a_category_and_the_note_where_one_is_missing(project):
    done = project.run("new", "article", "en/tax/vat")
    assert "`tax` is not a category in en yet. Run `kbsync new category content/en/tax`." in done.err
    made = project.run("new", "category", "content/en/tax")
    assert made.out == "content/en/tax/_category.md\n" and "first article" not in made.err
    assert "To write its first article, run " in project.run("new", "category", "content/en/empty").err
    assert read(project, "en/tax/_category.md") == "---\nname: Tax\n---\n"
    assert project.run("lint").code == 0


def test_a_translation_has_the_text_of_its_original_and_links_that_lead_where_they_should(project):
    text = "---\ntitle: Pay\nstatus: published\ntags: [a]\n---\n[r](refunds.md) [i](invoices.md#x)\n\n## X\n"
    project.write("content/en/billing/pay.md", text)
    assert project.run("new", "translation", "fr/billing/pay.md").out == "content/fr/billing/pay.md\n"
    assert read(project, "fr/billing/pay.md") == (
        "---\ntitle: Pay\ntags:\n- a\nstatus: draft\n---\n[r](refunds.md) [i](../../en/billing/invoices.md#x)\n\n## X\n"
    )
    other = project.run("new", "translation", "en/billing/invoices.md", "--locale", "fr")
    assert other.out == "content/fr/billing/invoices.md\n"
    named = project.run("new", "translation", "fr/billing/payer", "--of", "en/billing/pay.md")
    assert named.code == 0 and "translation_of: en/billing/pay.md\n" in read(project, "fr/billing/payer.md")
    assert project.run("lint").code == 0


def test_the_folder_one_is_in_counts(project):
    assert project.run("new", "article", "a", cwd="content/en/billing").out == "a.md\n"
    assert project.run("new", "article", "billing/b", cwd="content/en").out == "billing/b.md\n"
    assert project.run("new", "article", "en/billing/c", cwd="content/en").out == "billing/c.md\n"
    assert {"a.md", "b.md", "c.md"} <= {path.name for path in (project.folder / "content/en/billing").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["article", "en/billing/refunds"], "`en/billing/refunds.md` already exists."),
        (["article", "de/billing/x"], "`de/billing/x.md` is not in a locale folder."),
        (["article", "../../x"], "`../../x.md` is outside of the content folder."),
        (["article", "en/billing/.x"], "kbsync does not read names that begin with a dot."),
        (["article", "en/billing/refunds.md/x"], "refunds.md is not a folder."),
        (["article", "en/billing/_category"], "`en/billing/_category.md` already exists."),
        (["article", "en/other/_category"], "is the name of a file that describes a category."),
        (["category", "en/billing"], "`en/billing/_category.md` already exists."),
        (["category", "en"], "`en` is not a folder for a category."),
        (["translation", "fr/billing/nothing.md"], "There is no original at en/billing/nothing.md."),
        (["translation", "fr/billing/refunds.md"], "`fr/billing/refunds.md` already exists."),
        (["translation", "en/billing/copy.md", "--of", "en/billing/refunds.md"], "is in the language of its original."),
        (["translation", "en/billing/refunds.md"], "run `kbsync new translation en/billing/refunds.md --locale fr`"),
        (["translation", "en/billing/refunds"], "run `kbsync new translation en/billing/refunds.md --locale fr`"),
        (["translation", "en/billing/nope.md", "--locale", "fr"], "There is no article `en/billing/nope.md`."),
    ],
)
def test_what_cannot_be_is_refused(project, arguments, message):
    before = {path: path.read_bytes() for path in project.folder.rglob("*.md")}
    assert project.run("new", *arguments).says(2, err=message)
    assert {path: path.read_bytes() for path in project.folder.rglob("*.md")} == before
