"""`kbsync pull`: the portal into an empty folder, panel edits into files, and nothing that anybody wrote is lost."""

import re
import shutil
from collections.abc import Mapping
from typing import Any

import pytest

from kbsync.sandbox import Sandbox

REFUNDS = "content/en/billing/refunds.md"
INVOICES = "content/en/billing/invoices.md"
CATEGORIES = "portals/handbook/categories"


def push(project: Any, files: Mapping[str, str]) -> None:
    """Commit these files and push them."""
    project.commit(files)
    project.push()


def pulled(project: Any, path: str) -> str:
    """What a file has after a pull, which leaves nothing to push."""
    assert (project.run("pull").code, project.run("plan", "--check").code) == (0, 0)
    return project.read(path)


@pytest.fixture
def empty(remote: Any) -> Any:
    """A project whose portal has everything, and whose folder has nothing."""
    remote.push()
    remote.clear()
    remote.forget_ledger()
    return remote


def test_a_portal_comes_into_an_empty_folder_with_nothing_to_push_and_a_second_pull_changes_nothing(empty):
    done = empty.run("pull")
    assert done.code == 0, done.err
    assert done.out.startswith("5 files are new:\n  en/billing/_category.md  Billing\n")
    english, french = empty.read(REFUNDS), empty.read("content/fr/billing/refunds.md")
    assert english == "---\ntitle: Refund a charge\nposition: 30\nstatus: draft\n---\nSee [invoices](invoices.md).\n"
    assert french == "---\ntitle: Rembourser\nposition: 10\nstatus: draft\n---\nTexte.\n"
    assert empty.run("plan", "--check").says(0, "2 categories and 3 articles already match")
    before = empty.files()
    assert empty.run("pull").out == "Everything is up to date.\n"
    assert empty.files() == before


def test_a_push_leaves_nothing_to_pull_and_nothing_is_pulled_into_files_with_errors(shared):
    before = shared.files()
    assert shared.run("pull").out == "Everything is up to date.\n"
    assert shared.files() == before
    shared.write(INVOICES, "---\ntitle: [\n---\n")
    assert shared.run("pull").code == 3


def test_an_edit_in_the_panel_comes_into_the_file_and_no_other_byte_moves(shared, portal: Sandbox):
    push(
        shared,
        {
            INVOICES: "---\r\n# owner: ana\r\ntags:  # for search\r\n  - 'billing'\r\n  - pdf # first\r\n"
            'title: "Invoices"   # keep\r\nposition: 20\r\nstatus: draft\r\ndescription: >-\r\n  all\r\n  of it\r\n---\r\n\r\n'
            "Text.\r\n\r\nSee [refunds](refunds.md).\r\n"
        },
    )
    portal.panel.edit("invoices", title="Your bills", description="short", meta={"tags": ["pdf", "new"]})
    assert shared.run("pull").ended(
        0, "1 file now has edits from the panel:\n  en/billing/invoices.md  title, description, tags\n"
    )
    assert shared.read(INVOICES) == (
        "---\r\n# owner: ana\r\ntags:  # for search\r\n  - pdf # first\r\n  - new\r\n"
        'title: "Your bills"   # keep\r\nposition: 20\r\nstatus: draft\r\ndescription: short\r\n---\r\n\r\n'
        "Text.\r\n\r\nSee [refunds](refunds.md).\r\n"
    )
    assert shared.run("plan", "--check").code == 0
    shared.commit()
    assert shared.run("pull").out == "Everything is up to date.\n"


def test_a_body_from_the_panel_has_relative_links(shared, portal: Sandbox):
    portal.panel.edit("invoices", content="Read [this](/hc/handbook/articles/refunds) and `/hc/handbook/articles/x`.")
    assert pulled(shared, INVOICES).endswith("---\nRead [this](refunds.md) and `/hc/handbook/articles/x`.\n")


def test_a_title_that_is_a_heading_stays_one(shared, portal: Sandbox):
    push(shared, {INVOICES: "\n# Invoices\n\nText.\n"})
    portal.panel.edit("invoices", title="A *new* title", content="Other text.")
    assert pulled(shared, INVOICES) == "\n# A \\*new\\* title\n\nOther text.\n"


def test_edits_of_both_sides_in_other_lines_are_merged(shared, portal: Sandbox):
    push(shared, {INVOICES: "---\ntitle: Invoices\n---\nOne.\n\nTwo.\n\nThree.\n"})
    shared.commit({INVOICES: "---\ntitle: Invoices\n---\nOne, ours.\n\nTwo.\n\nThree.\n"})
    portal.panel.edit("invoices", content="One.\n\nTwo.\n\nThree, theirs.")
    assert shared.run("pull").says(0, "body (both edits, merged)")
    assert shared.read(INVOICES) == "---\ntitle: Invoices\n---\nOne, ours.\n\nTwo.\n\nThree, theirs.\n"
    # A person decides that what was merged replaces the portal's.
    assert shared.run("plan", "--check").code == 4
    shared.commit()
    assert shared.run("pull").out.startswith("No file changes.")
    assert shared.run("resolve", "--ours", INVOICES).code == 0
    assert shared.run("push").code == 0
    assert portal.panel.article("invoices").content == "One, ours.\n\nTwo.\n\nThree, theirs.\n"
    assert shared.run("pull").out == "Everything is up to date.\n"


def test_edits_of_both_sides_in_one_line_are_marked_and_refused(shared, portal: Sandbox):
    shared.commit({INVOICES: "---\ntitle: Ours\n---\nOurs.\n"})
    portal.panel.edit("invoices", title="Theirs", content="Theirs.")
    assert shared.run("pull").says(4, "title, body (two versions, marked)")
    assert shared.read(INVOICES) == (
        "---\n<<<<<<< your file\ntitle: Ours\n=======\ntitle: Theirs\n>>>>>>> portal\n---\n"
        "<<<<<<< your file\nOurs.\n=======\nTheirs.\n>>>>>>> portal\n"
    )
    assert shared.run("push").code == 3
    assert shared.run("pull").code == 3
    assert portal.panel.article("invoices").content == "Theirs."


def test_markers_that_would_be_code_go_around_the_whole_body(shared, portal: Sandbox):
    push(shared, {INVOICES: "---\ntitle: Invoices\n---\n```\none\n```\n"})
    shared.commit({INVOICES: "---\ntitle: Invoices\n---\n```\nours\n```\n"})
    portal.panel.edit("invoices", content="```\ntheirs\n```")
    assert shared.run("pull").code == 4
    assert shared.run("push").code == 3
    assert portal.panel.article("invoices").content == "```\ntheirs\n```"


@pytest.mark.parametrize(("side", "title"), [("--ours", "Ours"), ("--theirs", "Theirs")])
def test_a_side_can_be_named(shared, portal: Sandbox, side: str, title: str):
    shared.commit({INVOICES: "---\ntitle: Ours\nposition: 20\nstatus: draft\n---\nText.\n"})
    portal.panel.edit("invoices", title="Theirs", content="Theirs only.")
    assert shared.run("pull", side).code == 0
    assert shared.read(INVOICES) == f"---\ntitle: {title}\nposition: 20\nstatus: draft\n---\nTheirs only.\n"


def test_uncommitted_work_is_not_touched_unless_somebody_says_so(shared, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    shared.write(INVOICES, "---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\nText, and more.\n")
    before = shared.files()
    assert shared.run("pull").says(4, err=("not committed", "en/billing/invoices.md"))
    assert shared.files() == before
    assert shared.run("pull", "--force").code == 0
    assert shared.read(INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nText, and more.\n"


def test_a_dry_run_shows_the_difference_and_writes_nothing_and_an_article_made_in_the_panel_becomes_a_file(
    shared, portal: Sandbox
):
    portal.panel.edit("invoices", title="Theirs")
    portal.panel.create("handbook", "Made there", "See ![x](/nowhere.png)", slug="made-there", locale="en")
    before = shared.files()
    assert shared.run("pull", "--dry-run").says(0, "-title: Invoices\n+title: Theirs\n", "new file: en/made-there.md")
    assert shared.files() == before
    assert shared.run("pull").says(0, "en/made-there.md  Made there")
    assert shared.run("plan", "--check").code == 0
    assert shared.run("push").code == 0
    assert len(portal.panel.articles("handbook")) == 4


def test_a_file_that_somebody_deleted_does_not_come_back(shared):
    (shared.folder / INVOICES).unlink()
    shared.commit({REFUNDS: "---\ntitle: Refund a charge\n---\nText.\n"})
    done = shared.run("pull")
    assert done.out.startswith("No file changes.\n1 article on the portal is left out, because its file was ")
    assert not (shared.folder / INVOICES).exists()


def test_a_renamed_file_is_still_its_article(shared, portal: Sandbox):
    (shared.folder / REFUNDS).rename(shared.folder / "content/en/billing/money-back.md")
    shared.commit()
    portal.panel.edit("refunds", content="From the panel.")
    assert "new" not in shared.run("pull").out
    assert shared.read("content/en/billing/money-back.md").endswith("---\nFrom the panel.\n")


def test_selectors_limit_what_is_pulled(shared, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    portal.panel.edit("refunds", title="Theirs too")
    portal.panel.create("handbook", "Autre", "Mots.", slug="autre", locale="fr")
    assert shared.run("pull", INVOICES).code == 0
    assert "Theirs" in shared.read(INVOICES) and "Theirs" not in shared.read(REFUNDS)
    assert "fr/autre.md" in shared.run("pull", "locale:fr").out
    assert "Theirs" not in shared.read(REFUNDS)


def test_a_deleted_article_is_named_and_its_file_stays(shared, portal: Sandbox):
    portal.panel.delete("invoices")
    before = shared.files()
    assert "1 deleted on the portal; your files stay:\n  en/billing/invoices.md\n" in shared.run("pull").out
    assert shared.files() == before


def test_a_status_of_the_panel_comes_into_the_file(shared, portal: Sandbox):
    portal.panel.publish("invoices")
    assert "status: published\n" in pulled(shared, INVOICES)
    assert "status" not in shared.read(REFUNDS)


def test_a_category_that_the_panel_renamed_keeps_its_articles(shared, asked):
    push(shared, {INVOICES: "---\ntitle: Invoices\ncategory: billing\n---\nText.\n"})
    rows = asked.get(CATEGORIES, params={"locale": "en"}).json()["payload"]
    asked.patch(f"{CATEGORIES}/{rows[0]['id']}", json={"slug": "money", "name": "Money"}).raise_for_status()
    text = pulled(shared, "content/en/billing/_category.md")
    assert text == "---\nname: Money\nslug: money\naliases: [billing]\n---\n"
    assert "category: money\n" in shared.read(INVOICES)


def test_an_article_moved_in_the_panel_names_its_category(shared, portal: Sandbox, asked):
    push(shared, {"content/en/other/_category.md": "---\nname: Other\n---\n"})
    rows = asked.get(CATEGORIES, params={"locale": "en"}).json()["payload"]
    portal.panel.edit("refunds", category_id=next(row["id"] for row in rows if row["slug"] == "other"))
    assert "category: other\n" in pulled(shared, REFUNDS)
    shared.commit()
    portal.panel.edit("refunds", category_id=None)
    assert "category: ''\n" in pulled(shared, REFUNDS)


def test_a_profile_that_cannot_list_says_so_and_both_sides_at_once_are_refused(remote):
    assert remote.run("pull", KBSYNC_SERVICE__PROFILE="documented").says(2, err="cannot list the portal")
    assert remote.run("pull", "--theirs", "--ours").says(2, err="`--theirs` and `--ours` exclude each other.")


def test_a_decision_puts_the_portal_s_value_into_the_file_and_what_cannot_be_written_is_not_reported_as_done(
    shared, portal: Sandbox
):
    shared.write(INVOICES, "---\ntitle: Ours\nposition: 20\nstatus: draft\n---\nOurs.\n")
    portal.panel.edit("invoices", title="Theirs", content="Theirs.")
    refused = shared.run("resolve", "--into-file", "--field", "title")
    assert (refused.code, refused.out) == (4, "")
    assert "Commit or stash your work first." in refused.err and "kbsync pull" not in refused.err
    shared.commit()
    done = shared.run("resolve", "--into-file", "--field", "title")
    assert done.code == 0
    assert done.out == (
        "en/billing/invoices.md  title: into your file\n1 file now has edits from the panel:\n"
        "  en/billing/invoices.md  title\n"
    )
    assert shared.read(INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nOurs.\n"
    assert shared.run("resolve", "--into-file").says(4, err="not committed")
    shared.commit()
    assert shared.run("resolve", "--into-file").code == 0
    assert shared.read(INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nTheirs.\n"
    assert shared.run("plan", "--check").code == 0


def test_categories_are_linked_in_files_as_they_are_on_the_portal(empty, portal: Sandbox, asked):
    rows = asked.get(CATEGORIES).json()["payload"]
    billing = next(row["id"] for row in rows if row["locale"] == "en")
    new = {"name": "Prix", "slug": "prix", "locale": "fr", "associated_category_id": billing}
    assert asked.post(CATEGORIES, json=new).status_code == 200
    portal.panel.sql("UPDATE categories SET associated_category_id = NULL WHERE name = 'Facturation'")
    assert "\ntranslation_of: ''\n" in pulled(empty, "content/fr/billing/_category.md")
    assert "\ntranslation_of: en/billing/_category.md\n" in empty.read("content/fr/prix/_category.md")
    assert "KB213" not in empty.run("lint").out


@pytest.mark.parametrize("command", [("pull",), ("resolve", "--into-file")])
def test_a_category_that_the_panel_linked_to_another_one_says_so(shared, portal: Sandbox, command: tuple[str]):
    push(shared, {"content/en/other/_category.md": "---\nname: Other\n---\n"})
    portal.panel.sql(
        "UPDATE categories SET associated_category_id = (SELECT id FROM categories WHERE slug = 'other') "
        "WHERE locale = 'fr'"
    )
    assert "translation of on the portal: en/other/_category.md" in shared.run("plan").out
    assert shared.run(*command).code == 0
    text = shared.read("content/fr/billing/_category.md")
    assert text == "---\nname: Facturation\ntranslation_of: en/other/_category.md\n---\n"
    assert shared.run("plan", "--check").code == 0
    shared.commit()
    portal.panel.sql("UPDATE categories SET associated_category_id = NULL WHERE locale = 'fr'")
    assert shared.run(*command).code == 0
    assert shared.run("plan", "--check").code == 0


def test_settings_of_the_portal_that_moved_are_named_and_left_to_a_person(shared, asked):
    shared.commit({"portal.toml": 'color = "#00ff00"\n'})
    assert shared.run("push", "--overwrite", "portal.toml").code == 0
    assert asked.patch("portals/handbook", json={"color": "#ff0000"}).status_code == 200
    assert shared.run("pull").says(4, "portal.toml (color): kbsync does not change this file")
    resolved = shared.run("resolve", "--into-file")
    assert resolved.code == 4 and "portal.toml  color: Kbsync" not in resolved.out, resolved.out
    assert "Copy the value into it by hand." in resolved.out and "Everything is up" not in resolved.out
    assert shared.git("status", "--short") == ""


def test_a_new_article_does_not_become_the_original_of_another_one_by_its_name(shared, portal: Sandbox):
    portal.panel.create("handbook", "Seul", "x", slug="about-fr", locale="fr")
    assert shared.run("pull").code == 0
    shared.commit()
    about = portal.panel.create("handbook", "About", "y", slug="about", locale="en")
    alone = portal.panel.create("handbook", "Prices", "y", slug="prices", locale="en")
    portal.panel.create("handbook", "Prix", "y", slug="prix", locale="fr", associated_article_id=alone.id)
    assert pulled(shared, "content/en/about-en.md").startswith("---\ntitle: About\nslug: about\n")
    shared.commit()
    portal.panel.edit("about-fr", associated_article_id=about.id)
    assert shared.run("plan", "--check").code == 0


def test_a_new_original_gets_the_name_of_its_translation(shared, portal: Sandbox):
    original = portal.panel.create("handbook", "About", "y", slug="about", locale="en")
    portal.panel.create("handbook", "Au sujet", "x", slug="about-fr", locale="fr", associated_article_id=original.id)
    assert shared.run("pull", "locale:fr").code == 0
    shared.commit()
    assert pulled(shared, "content/en/about.md").startswith("---\ntitle: About\n")


def test_an_edit_that_lint_would_refuse_stays_on_the_portal(shared, portal: Sandbox):
    portal.panel.edit("invoices", content="<<<<<<< pasted\nA\n=======\nB\n>>>>>>> other\n")
    portal.panel.edit("refunds", title="Other")
    why = "en/billing/invoices.md (body): the portal's text would be an error in a file: A merge left its"
    assert shared.run("pull").says(4, words=why)
    assert shared.git("diff", "--name-only") == REFUNDS
    assert shared.run("plan").code == 4


def test_a_line_of_prose_that_looks_like_a_marker_is_pulled(shared, portal: Sandbox):
    portal.panel.edit("invoices", content="<<<<<<< a\n\nText.")
    portal.panel.create("handbook", "Other", "<<<<<<< b", slug="other-one")
    portal.panel.create("handbook", "Null", "Text", slug="no-title")
    portal.panel.sql("UPDATE articles SET title = '' WHERE slug = 'no-title'")
    done = shared.run("pull")
    assert "  no-title: it has no title.\n" in done.out
    assert "<<<<<<< a" in shared.read(INVOICES) and "marker" not in done.out, done.out
    assert "KB215" in shared.run("lint").out and shared.run("lint").code == 0


def test_a_pending_edit_that_lint_would_refuse_stays_in_the_panel(shared, portal: Sandbox):
    portal.panel.publish("invoices")
    portal.panel.write("invoices", content="<<<<<<< pasted\n=======\n>>>>>>> other")
    shared.commit({INVOICES: "---\ntitle: Invoices\n---\nOurs.\n"})
    assert shared.run("resolve", "--into-file").says(4, words="would have an error: A merge left its marker")
    assert shared.git("status", "--short") == ""


def test_what_was_merged_before_is_named_until_somebody_decided(shared, portal: Sandbox):
    shared.commit({REFUNDS: "---\ntitle: Ours\n---\nText.\n"})
    portal.panel.edit("refunds", title="Theirs")
    assert shared.run("pull").code == 4
    shared.commit({REFUNDS: "---\ntitle: Of both\n---\nText.\n"})
    assert shared.run("pull").out == (
        "No file changes.\n1 edited in the panel too, so a push needs your decision:\n  en/billing/refunds.md\n"
        "`kbsync resolve en/billing/refunds.md` shows both and asks.\n"
    )
    assert shared.run("pull", REFUNDS).out.startswith("No file changes.\n1 edited in the panel too")
    assert shared.run("resolve", REFUNDS, "--ours").code == 0
    assert shared.run("pull").out == "Everything is up to date.\n"


def test_a_pending_edit_of_what_is_not_pulled_is_not_mentioned(shared, portal: Sandbox):
    portal.panel.create("handbook", "Loin", "Texte.", slug="loin", locale="fr", status=1)
    portal.panel.publish("invoices")
    for slug in ("loin", "invoices"):
        portal.panel.write(slug, content="Nobody published this yet.")
    assert "1 article has an edit that is pending in the panel" in shared.run("pull", "--dry-run", INVOICES).out
    assert "pending" not in shared.run("pull", "--dry-run", REFUNDS).out
    assert "2 articles have edits that are pending in the panel" in shared.run("pull", "--dry-run").out
    shutil.rmtree(shared.folder / "content/fr")
    shared.configure('[content]\nlocales = ["en"]\n')
    done = shared.run("pull", "--dry-run")
    assert "1 article has an edit that is pending" in done.out and "1 article in `fr` left out" in done.out, done.out


def test_the_command_that_a_merge_needs_leaves_an_edit_that_is_pending(shared, portal: Sandbox):
    shared.commit({INVOICES: "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nOne.\n\nTwo.\n\nThree.\n"})
    assert shared.run("push", "--publish").code == 0
    shared.commit(
        {INVOICES: "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nOne.\n\nTwo.\n\nThree, ours.\n"}
    )
    portal.panel.edit("invoices", content="One, theirs.\n\nTwo.\n\nThree.")
    portal.panel.write("invoices", content="Nobody published this yet.")
    command = "kbsync resolve en/billing/invoices.md --ours --field body"
    assert command in shared.run("pull").out.replace("\n", " ")
    assert shared.run(*command.split()[1:]).code == 0
    shared.commit()
    assert "edit pending in the panel" in shared.run("push").out
    assert portal.panel.article("invoices").draft_content == "Nobody published this yet."


@pytest.mark.parametrize("edit", [{"title": "Theirs"}, {"content": "Quite another text, by somebody in the panel."}])
def test_a_file_that_was_renamed_and_not_committed_is_the_article_that_somebody_edited(shared, portal, edit):
    portal.panel.edit("invoices", **edit)
    (shared.folder / INVOICES).rename(shared.folder / "content/en/billing/bills.md")
    assert shared.run("push").says(4, "en/billing/bills.md  edited in the panel: ")
    assert len(portal.panel.articles("handbook")) == 3


@pytest.mark.parametrize(
    ("old", "new"), [("Panel", "Panel"), ("title: Panel", "title: Better"), ("Words.", "Other words.")]
)
def test_a_pulled_file_that_gets_a_plain_slug_before_its_first_commit_makes_no_second_article(shared, portal, old, new):
    text = " ".join(f"word{n}" for n in range(40)) + " Words."
    portal.panel.create("handbook", "Panel", text, category_id=1, locale="en")
    assert shared.run("pull").code == 0
    (path,) = (shared.folder / "content").rglob("*panel.md")
    path.write_text(path.read_text().replace("---\n", "---\nslug: plain\n", 1).replace(old, new))
    shared.commit()
    assert shared.run("push").says(4, "slug in your file:  plain")
    assert len(portal.panel.articles("handbook")) == 4


def test_a_clone_without_a_ledger_asks_about_an_article_that_both_sides_changed_in_every_way(shared, portal: Sandbox):
    words = " ".join(f"word{number}" for number in range(40))
    push(shared, {INVOICES: f"---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\n{words}\n"})
    portal.panel.edit("invoices", title="Bills", content=f"{words} And theirs.")
    portal.panel.sql("UPDATE articles SET slug = 'bills' WHERE slug = 'invoices'")
    shared.write(INVOICES, f"---\ntitle: Our invoices\nposition: 20\nstatus: draft\n---\n{words}\n\nAnd ours.\n")
    shared.forget_ledger()
    assert shared.run("push").says(4, "This file may be article")
    assert len(portal.panel.articles("handbook")) == 3


def test_the_message_for_the_commit_names_what_moved_and_the_author(shared, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    for place, words in (("content/message.txt", "in the content folder"), ("none/m.txt", "does not exist")):
        assert shared.run("pull", "--commit-message", place).says(2, err=words)
    assert shared.run("pull", "--dry-run", "--commit-message", "m.txt").code == 2
    assert shared.run("pull", "--commit-message", "m.txt").code == 0
    shared.git("add", "content")
    shared.git("commit", "-q", "--file", "m.txt")
    message = shared.git("log", "-1", "--format=%B").splitlines()
    assert message[0] == "Edits from the panel: 1 file changed"
    assert message[2:5] == ["en/billing/invoices.md: title", "    Invoices", "    Author in the panel: Ada Admin"]


@pytest.mark.parametrize("name", ["taxes", "en/billing/taxes.md"])
def test_an_article_without_a_file_is_pulled_by_its_slug_or_by_the_path_that_it_gets(remote, portal: Sandbox, name):
    assert remote.run("push").code == 0
    category = portal.panel.article("invoices").category_id
    for slug in ("taxes", "fees"):
        portal.panel.create("handbook", slug.title(), "Text.", slug=slug, locale="en", category_id=category)
    assert remote.run("pull", name).says(0, "1 file is new")
    assert (remote.folder / "content/en/billing/taxes.md").exists()
    assert not (remote.folder / "content/en/billing/fees.md").exists()


def test_an_edit_is_pulled_and_decided_by_the_slug_of_its_article(remote, portal: Sandbox):
    assert remote.run("push").code == 0
    portal.panel.edit("invoices", title="Theirs")
    assert "title: theirs" in remote.run("resolve", "invoices", "--theirs").out
    assert remote.run("pull", "invoices", "--dry-run").code == 0
    assert remote.run("resolve", "invoice", "--theirs").says(2, err="matches `invoice`")


FULL = "See [invoices]({}/hc/handbook/articles/invoices#how), [all]({}/hc/handbook/en/categories/billing), <{}/hc/handbook>.\n"


@pytest.mark.parametrize("host", ["", "http://help.example.com", "https://HELP.example.com"])
def test_full_addresses_of_the_portals_own_articles_become_paths_and_there_is_nothing_to_push(
    shared, portal, asked, host
):
    setting = {"custom_domain": "help.example.com"} if host else {}
    asked.patch("portals/handbook", json={"portal": setting}).raise_for_status()
    host = host or portal.base_url
    full, path = FULL.format(host, host, host), FULL.format("", "", host)
    ours = path.replace("/hc/handbook/articles/invoices", "invoices.md")
    ours = ours.replace("/hc/handbook/en/categories/billing", "_category.md")
    portal.panel.edit("refunds", content=full)
    assert shared.run("pull").code == 0
    assert shared.read(REFUNDS).endswith(f"---\n{ours}")
    shared.commit()
    for _ in range(2):
        assert shared.run("plan", "--check").code == 0
        assert shared.run("pull").out == "Everything is up to date.\n"
        assert shared.run("push").code == 0
        assert portal.panel.article("refunds").content == full, "nothing was sent"
    # Somebody edits on here: that goes out, and can be undone.
    shared.write(REFUNDS, shared.read(REFUNDS).replace("See", "Look at"))
    assert shared.run("plan", "--diff").says(0, "[-See-]{+Look at+}")
    done = shared.run("push")
    assert portal.panel.article("refunds").content == path.replace("See", "Look at")
    # How many pushes of nothing took a number depends on how young the ledger's file was.
    number = re.search(r"`kbsync undo (\d+)`", done.out)
    assert number and shared.run("undo", number[1], "--yes").code == 0
    assert portal.panel.article("refunds").content == path
    # Somebody edits on in the panel: that comes here.
    shared.commit()
    portal.panel.edit("refunds", content=full.replace("See", "Read"))
    assert "edited in both places: body" in shared.run("plan").out
    shared.commit({REFUNDS: shared.read(REFUNDS).replace("Look at", "See")})
    assert "edited in the panel: body" in shared.run("plan").out
    assert pulled(shared, REFUNDS).endswith(f"---\n{ours.replace('See', 'Read')}")


def test_a_full_address_that_a_file_has_stays_and_so_does_one_of_another_host(shared, portal: Sandbox):
    full = FULL.format(*[portal.base_url] * 3)
    shared.push({REFUNDS: f"---\ntitle: Refund a charge\n---\n{full}"})
    assert portal.panel.article("refunds").content == full
    assert shared.run("plan", "--check").code == 0
    assert shared.run("pull").out == "Everything is up to date.\n"
    shared.commit()
    other = FULL.format(*["https://other.example"] * 3)
    portal.panel.edit("refunds", content=other)
    assert pulled(shared, REFUNDS).endswith(f"---\n{other}")
