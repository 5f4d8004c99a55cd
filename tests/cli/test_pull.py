"""`kbsync pull`: the portal into an empty folder, panel edits into files, and nothing that anybody wrote is lost."""

from __future__ import annotations

import re
import shutil
from typing import Any

import httpx
import pytest

from kbsync.sandbox import Sandbox

REFUNDS = "content/en/billing/refunds.md"
INVOICES = "content/en/billing/invoices.md"


def commit(project: Any, *written: str) -> None:
    """Commit all that there is, where a path and a text are given with this file."""
    if written:
        project.write(*written)
    project.git("add", "-A")
    project.git("commit", "-q", "--allow-empty", "-m", "As it is")


def push(project: Any, *written: str) -> None:
    """The same, and push it."""
    commit(project, *written)
    assert project.run("push").code == 0


def read(project: Any, path: str) -> str:
    return (project.folder / path).read_bytes().decode()


def pulled(project: Any, path: str, *options: str) -> str:
    """What a file has after a pull."""
    assert project.run("pull", *options).code == 0
    return read(project, path)


def files(project: Any) -> dict[str, bytes]:
    root = project.folder / "content"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def client(project: Any, portal: Sandbox) -> httpx.Client:
    """Another client of the service."""
    base_url = f"{portal.base_url}/api/v1/accounts/1/portals/handbook/"
    return httpx.Client(base_url=base_url, headers={"api_access_token": project.environ["KBSYNC_TOKEN"]})


@pytest.fixture
def pushed(remote: Any) -> Any:
    """The project, committed and pushed."""
    remote.write(".gitignore", ".kbsync/\n")
    remote.git("init", "-q")
    push(remote)
    return remote


@pytest.fixture
def empty(remote: Any) -> Any:
    """A project whose portal has everything, and whose folder has nothing."""
    assert remote.run("push").code == 0
    for path in sorted((remote.folder / "content").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    remote.forget_ledger()
    return remote


def test_a_portal_comes_into_an_empty_folder_with_nothing_to_push_and_a_second_pull_changes_nothing(empty: Any):
    done = empty.run("pull")
    assert done.code == 0, done.err
    assert done.out.startswith("5 files are new:\n  en/billing/_category.md  Billing\n")
    assert read(empty, REFUNDS) == (
        "---\ntitle: Refund a charge\nposition: 30\nstatus: draft\n---\nSee [invoices](invoices.md).\n"
    )
    assert read(empty, "content/fr/billing/refunds.md") == (
        "---\ntitle: Rembourser\nposition: 10\nstatus: draft\n---\nTexte.\n"
    )
    assert empty.run("plan", "--check").says(0, "2 categories and 3 articles already match")
    before = files(empty)
    assert empty.run("pull").out == "Everything is up to date.\n"
    assert files(empty) == before


def test_a_push_leaves_nothing_to_pull_and_nothing_is_pulled_into_files_with_errors(pushed: Any):
    before = files(pushed)
    assert pushed.run("pull").out == "Everything is up to date.\n"
    assert files(pushed) == before
    pushed.write(INVOICES, "---\ntitle: [\n---\n")
    assert pushed.run("pull").code == 3


def test_an_edit_in_the_panel_comes_into_the_file_and_no_other_byte_moves(pushed: Any, portal: Sandbox):
    push(
        pushed,
        INVOICES,
        "---\r\n# owner: ana\r\ntags:  # for search\r\n  - 'billing'\r\n  - pdf # first\r\n"
        'title: "Invoices"   # keep\r\nposition: 20\r\nstatus: draft\r\ndescription: >-\r\n  all\r\n  of it\r\n---\r\n\r\n'
        "Text.\r\n\r\nSee [refunds](refunds.md).\r\n",
    )
    portal.panel.edit("invoices", title="Your bills", description="short", meta={"tags": ["pdf", "new"]})
    done = pushed.run("pull")
    assert (done.code, done.out) == (
        0,
        "1 file now has edits from the panel:\n  en/billing/invoices.md  title, description, tags\n",
    )
    assert read(pushed, INVOICES) == (
        "---\r\n# owner: ana\r\ntags:  # for search\r\n  - pdf # first\r\n  - new\r\n"
        'title: "Your bills"   # keep\r\nposition: 20\r\nstatus: draft\r\ndescription: short\r\n---\r\n\r\n'
        "Text.\r\n\r\nSee [refunds](refunds.md).\r\n"
    )
    assert pushed.run("plan", "--check").code == 0
    commit(pushed)
    assert pushed.run("pull").out == "Everything is up to date.\n"


def test_a_body_from_the_panel_has_relative_links(pushed: Any, portal: Sandbox):
    portal.panel.edit("invoices", content="Read [this](/hc/handbook/articles/refunds) and `/hc/handbook/articles/x`.")
    assert pulled(pushed, INVOICES).endswith("---\nRead [this](refunds.md) and `/hc/handbook/articles/x`.\n")
    assert pushed.run("plan", "--check").code == 0


def test_a_title_that_is_a_heading_stays_one(pushed: Any, portal: Sandbox):
    push(pushed, INVOICES, "\n# Invoices\n\nText.\n")
    portal.panel.edit("invoices", title="A *new* title", content="Other text.")
    assert pulled(pushed, INVOICES) == "\n# A \\*new\\* title\n\nOther text.\n"
    assert pushed.run("plan", "--check").code == 0


def test_edits_of_both_sides_in_other_lines_are_merged(pushed: Any, portal: Sandbox):
    push(pushed, INVOICES, "---\ntitle: Invoices\n---\nOne.\n\nTwo.\n\nThree.\n")
    commit(pushed, INVOICES, "---\ntitle: Invoices\n---\nOne, ours.\n\nTwo.\n\nThree.\n")
    portal.panel.edit("invoices", content="One.\n\nTwo.\n\nThree, theirs.")
    assert pushed.run("pull").says(0, "body (both edits, merged)")
    assert read(pushed, INVOICES) == "---\ntitle: Invoices\n---\nOne, ours.\n\nTwo.\n\nThree, theirs.\n"
    # A person decides that what was merged replaces the portal's.
    assert pushed.run("plan", "--check").code == 4
    commit(pushed)
    assert pushed.run("pull").out.startswith("No file changes.")
    assert pushed.run("resolve", "--ours", INVOICES).code == 0
    assert pushed.run("push").code == 0
    assert portal.panel.article("invoices").content == "One, ours.\n\nTwo.\n\nThree, theirs.\n"
    assert pushed.run("pull").out == "Everything is up to date.\n"


def test_edits_of_both_sides_in_one_line_are_marked_and_refused(pushed: Any, portal: Sandbox):
    commit(pushed, INVOICES, "---\ntitle: Ours\n---\nOurs.\n")
    portal.panel.edit("invoices", title="Theirs", content="Theirs.")
    assert pushed.run("pull").says(4, "title, body (two versions, marked)")
    assert read(pushed, INVOICES) == (
        "---\n<<<<<<< your file\ntitle: Ours\n=======\ntitle: Theirs\n>>>>>>> portal\n---\n"
        "<<<<<<< your file\nOurs.\n=======\nTheirs.\n>>>>>>> portal\n"
    )
    assert pushed.run("push").code == 3
    assert pushed.run("pull").code == 3
    assert portal.panel.article("invoices").content == "Theirs."


def test_markers_that_would_be_code_go_around_the_whole_body(pushed: Any, portal: Sandbox):
    push(pushed, INVOICES, "---\ntitle: Invoices\n---\n```\none\n```\n")
    commit(pushed, INVOICES, "---\ntitle: Invoices\n---\n```\nours\n```\n")
    portal.panel.edit("invoices", content="```\ntheirs\n```")
    assert pushed.run("pull").code == 4
    assert pushed.run("push").code == 3
    assert portal.panel.article("invoices").content == "```\ntheirs\n```"


@pytest.mark.parametrize(("side", "title"), [("--ours", "Ours"), ("--theirs", "Theirs")])
def test_a_side_can_be_named(pushed: Any, portal: Sandbox, side: str, title: str):
    commit(pushed, INVOICES, "---\ntitle: Ours\nposition: 20\nstatus: draft\n---\nText.\n")
    portal.panel.edit("invoices", title="Theirs", content="Theirs only.")
    assert pushed.run("pull", side).code == 0
    assert read(pushed, INVOICES) == f"---\ntitle: {title}\nposition: 20\nstatus: draft\n---\nTheirs only.\n"


def test_uncommitted_work_is_not_touched_unless_somebody_says_so(pushed: Any, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    pushed.write(INVOICES, "---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\nText, and more.\n")
    before = files(pushed)
    done = pushed.run("pull")
    assert done.code == 4 and "not committed" in done.err and "en/billing/invoices.md" in done.err
    assert files(pushed) == before
    assert pushed.run("pull", "--force").code == 0
    assert read(pushed, INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nText, and more.\n"


def test_a_dry_run_shows_the_difference_and_writes_nothing_and_an_article_made_in_the_panel_becomes_a_file(
    pushed: Any, portal: Sandbox
):
    portal.panel.edit("invoices", title="Theirs")
    portal.panel.create("handbook", "Made there", "See ![x](/nowhere.png)", slug="made-there", locale="en")
    before = files(pushed)
    assert pushed.run("pull", "--dry-run").says(0, "-title: Invoices\n+title: Theirs\n", "new file: en/made-there.md")
    assert files(pushed) == before
    assert pushed.run("pull").says(0, "en/made-there.md  Made there")
    assert pushed.run("plan", "--check").code == 0
    assert pushed.run("push").code == 0
    assert len(portal.panel.articles("handbook")) == 4


def test_a_file_that_somebody_deleted_does_not_come_back(pushed: Any):
    (pushed.folder / INVOICES).unlink()
    commit(pushed, REFUNDS, "---\ntitle: Refund a charge\n---\nText.\n")
    done = pushed.run("pull")
    assert done.out.startswith("No file changes.\n1 article on the portal is left out, because its file was ")
    assert not (pushed.folder / INVOICES).exists()


def test_a_renamed_file_is_still_its_article(pushed: Any, portal: Sandbox):
    (pushed.folder / REFUNDS).rename(pushed.folder / "content/en/billing/money-back.md")
    commit(pushed)
    portal.panel.edit("refunds", content="From the panel.")
    done = pushed.run("pull")
    assert "new" not in done.out
    assert read(pushed, "content/en/billing/money-back.md").endswith("---\nFrom the panel.\n")


def test_selectors_limit_what_is_pulled(pushed: Any, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    portal.panel.edit("refunds", title="Theirs too")
    portal.panel.create("handbook", "Autre", "Mots.", slug="autre", locale="fr")
    assert pushed.run("pull", INVOICES).code == 0
    assert "Theirs" in read(pushed, INVOICES) and "Theirs" not in read(pushed, REFUNDS)
    assert "fr/autre.md" in pushed.run("pull", "locale:fr").out
    assert "Theirs" not in read(pushed, REFUNDS)


def test_a_deleted_article_is_named_and_its_file_stays(pushed: Any, portal: Sandbox):
    portal.panel.delete("invoices")
    before = files(pushed)
    done = pushed.run("pull")
    assert "1 deleted on the portal; your files stay:\n  en/billing/invoices.md\n" in done.out
    assert files(pushed) == before


def test_a_status_of_the_panel_comes_into_the_file(pushed: Any, portal: Sandbox):
    portal.panel.publish("invoices")
    assert "status: published\n" in pulled(pushed, INVOICES)
    assert "status" not in read(pushed, REFUNDS)


def test_a_category_that_the_panel_renamed_keeps_its_articles(pushed: Any, portal: Sandbox):
    push(pushed, INVOICES, "---\ntitle: Invoices\ncategory: billing\n---\nText.\n")
    with client(pushed, portal) as asked:
        rows = asked.get("categories", params={"locale": "en"}).json()["payload"]
        asked.patch(f"categories/{rows[0]['id']}", json={"slug": "money", "name": "Money"}).raise_for_status()
    assert (
        pulled(pushed, "content/en/billing/_category.md") == "---\nname: Money\nslug: money\naliases: [billing]\n---\n"
    )
    assert "category: money\n" in read(pushed, INVOICES)
    assert pushed.run("plan", "--check").code == 0


def test_an_article_moved_in_the_panel_names_its_category(pushed: Any, portal: Sandbox):
    push(pushed, "content/en/other/_category.md", "---\nname: Other\n---\n")
    with client(pushed, portal) as asked:
        rows = asked.get("categories", params={"locale": "en"}).json()["payload"]
    other = next(row["id"] for row in rows if row["slug"] == "other")
    portal.panel.edit("refunds", category_id=other)
    assert "category: other\n" in pulled(pushed, REFUNDS)
    assert pushed.run("plan", "--check").code == 0
    commit(pushed)
    portal.panel.edit("refunds", category_id=None)
    assert "category: ''\n" in pulled(pushed, REFUNDS)
    assert pushed.run("plan", "--check").code == 0


def test_a_profile_that_cannot_list_says_so_and_both_sides_at_once_are_refused(remote: Any):
    assert remote.run("pull", KBSYNC_SERVICE__PROFILE="documented").says(2, err="cannot list the portal")
    assert remote.run("pull", "--theirs", "--ours").says(2, err="`--theirs` and `--ours` exclude each other.")


def test_a_decision_puts_the_portal_s_value_into_the_file_and_what_cannot_be_written_is_not_reported_as_done(
    pushed: Any, portal: Sandbox
):
    pushed.write(INVOICES, "---\ntitle: Ours\nposition: 20\nstatus: draft\n---\nOurs.\n")
    portal.panel.edit("invoices", title="Theirs", content="Theirs.")
    refused = pushed.run("resolve", "--into-file", "--field", "title")
    assert (refused.code, refused.out) == (4, "")
    assert "Commit or stash your work first." in refused.err and "kbsync pull" not in refused.err
    commit(pushed)
    done = pushed.run("resolve", "--into-file", "--field", "title")
    assert done.code == 0
    assert done.out == (
        "en/billing/invoices.md  title: into your file\n1 file now has edits from the panel:\n"
        "  en/billing/invoices.md  title\n"
    )
    assert read(pushed, INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nOurs.\n"
    assert pushed.run("resolve", "--into-file").says(4, err="not committed")
    commit(pushed)
    assert pushed.run("resolve", "--into-file").code == 0
    assert read(pushed, INVOICES) == "---\ntitle: Theirs\nposition: 20\nstatus: draft\n---\nTheirs.\n"
    assert pushed.run("plan", "--check").code == 0


def test_categories_are_linked_in_files_as_they_are_on_the_portal(empty: Any, portal: Sandbox):
    with client(empty, portal) as asked:
        rows = asked.get("categories").json()["payload"]
        billing = next(row["id"] for row in rows if row["locale"] == "en")
        new = {"name": "Prix", "slug": "prix", "locale": "fr", "associated_category_id": billing}
        assert asked.post("categories", json=new).status_code == 200
    portal.panel.sql("UPDATE categories SET associated_category_id = NULL WHERE name = 'Facturation'")
    assert "\ntranslation_of: ''\n" in pulled(empty, "content/fr/billing/_category.md")
    assert "\ntranslation_of: en/billing/_category.md\n" in read(empty, "content/fr/prix/_category.md")
    assert empty.run("plan", "--check").code == 0 and "KB213" not in empty.run("lint").out


@pytest.mark.parametrize("command", [("pull",), ("resolve", "--into-file")])
def test_a_category_that_the_panel_linked_to_another_one_says_so(pushed: Any, portal: Sandbox, command: tuple[str]):
    push(pushed, "content/en/other/_category.md", "---\nname: Other\n---\n")
    portal.panel.sql(
        "UPDATE categories SET associated_category_id = (SELECT id FROM categories WHERE slug = 'other') "
        "WHERE locale = 'fr'"
    )
    assert "translation of on the portal: en/other/_category.md" in pushed.run("plan").out
    assert pushed.run(*command).code == 0
    assert read(pushed, "content/fr/billing/_category.md") == (
        "---\nname: Facturation\ntranslation_of: en/other/_category.md\n---\n"
    )
    assert pushed.run("plan", "--check").code == 0
    commit(pushed)
    portal.panel.sql("UPDATE categories SET associated_category_id = NULL WHERE locale = 'fr'")
    assert pushed.run(*command).code == 0
    assert pushed.run("plan", "--check").code == 0


def test_settings_of_the_portal_that_moved_are_named_and_left_to_a_person(pushed: Any, portal: Sandbox):
    commit(pushed, "portal.toml", 'color = "#00ff00"\n')
    assert pushed.run("push", "--overwrite", "portal.toml").code == 0
    with client(pushed, portal) as asked:
        assert asked.patch("../handbook", json={"color": "#ff0000"}).status_code == 200
    assert pushed.run("pull").says(4, "portal.toml (color): kbsync does not change this file")
    resolved = pushed.run("resolve", "--into-file")
    assert resolved.code == 4 and "portal.toml  color: Kbsync" not in resolved.out, resolved.out
    assert "Copy the value into it by hand." in resolved.out and "Everything is up" not in resolved.out
    assert pushed.git("status", "--short") == ""


def test_a_new_article_does_not_become_the_original_of_another_one_by_its_name(pushed: Any, portal: Sandbox):
    portal.panel.create("handbook", "Seul", "x", slug="about-fr", locale="fr")
    assert pushed.run("pull").code == 0
    commit(pushed)
    about = portal.panel.create("handbook", "About", "y", slug="about", locale="en")
    alone = portal.panel.create("handbook", "Prices", "y", slug="prices", locale="en")
    portal.panel.create("handbook", "Prix", "y", slug="prix", locale="fr", associated_article_id=alone.id)
    assert pulled(pushed, "content/en/about-en.md").startswith("---\ntitle: About\nslug: about\n")
    assert pushed.run("plan", "--check").code == 0
    commit(pushed)
    portal.panel.edit("about-fr", associated_article_id=about.id)
    assert pushed.run("plan", "--check").code == 0


def test_a_new_original_gets_the_name_of_its_translation(pushed: Any, portal: Sandbox):
    original = portal.panel.create("handbook", "About", "y", slug="about", locale="en")
    portal.panel.create("handbook", "Au sujet", "x", slug="about-fr", locale="fr", associated_article_id=original.id)
    assert pushed.run("pull", "locale:fr").code == 0
    commit(pushed)
    assert pulled(pushed, "content/en/about.md").startswith("---\ntitle: About\n")
    assert pushed.run("plan", "--check").code == 0


def test_an_edit_that_lint_would_refuse_stays_on_the_portal(pushed: Any, portal: Sandbox):
    portal.panel.edit("invoices", content="<<<<<<< pasted\nA\n=======\nB\n>>>>>>> other\n")
    portal.panel.edit("refunds", title="Other")
    assert pushed.run("pull").says(
        4, words="en/billing/invoices.md (body): the portal's text would be an error in a file: A merge left its"
    )
    assert pushed.git("diff", "--name-only") == REFUNDS
    assert pushed.run("plan").code == 4


def test_a_line_of_prose_that_looks_like_a_marker_is_pulled(pushed: Any, portal: Sandbox):
    portal.panel.edit("invoices", content="<<<<<<< a\n\nText.")
    portal.panel.create("handbook", "Other", "<<<<<<< b", slug="other-one")
    portal.panel.create("handbook", "Null", "Text", slug="no-title")
    portal.panel.sql("UPDATE articles SET title = '' WHERE slug = 'no-title'")
    done = pushed.run("pull")
    assert "  no-title: it has no title.\n" in done.out
    assert "<<<<<<< a" in read(pushed, INVOICES) and "marker" not in done.out, done.out
    assert "KB215" in pushed.run("lint").out and pushed.run("lint").code == 0


def test_a_pending_edit_that_lint_would_refuse_stays_in_the_panel(pushed: Any, portal: Sandbox):
    portal.panel.publish("invoices")
    portal.panel.write("invoices", content="<<<<<<< pasted\n=======\n>>>>>>> other")
    commit(pushed, INVOICES, "---\ntitle: Invoices\n---\nOurs.\n")
    assert pushed.run("resolve", "--into-file").says(4, words="would have an error: A merge left its marker")
    assert pushed.git("status", "--short") == ""


def test_what_was_merged_before_is_named_until_somebody_decided(pushed: Any, portal: Sandbox):
    commit(pushed, REFUNDS, "---\ntitle: Ours\n---\nText.\n")
    portal.panel.edit("refunds", title="Theirs")
    assert pushed.run("pull").code == 4
    commit(pushed, REFUNDS, "---\ntitle: Of both\n---\nText.\n")
    assert pushed.run("pull").out == (
        "No file changes.\n1 edited in the panel too, so a push needs your decision:\n  en/billing/refunds.md\n"
        "`kbsync resolve en/billing/refunds.md` shows both and asks.\n"
    )
    assert pushed.run("pull", REFUNDS).out.startswith("No file changes.\n1 edited in the panel too")
    assert pushed.run("resolve", REFUNDS, "--ours").code == 0
    assert pushed.run("pull").out == "Everything is up to date.\n"


def test_a_pending_edit_of_what_is_not_pulled_is_not_mentioned(pushed: Any, portal: Sandbox):
    portal.panel.create("handbook", "Loin", "Texte.", slug="loin", locale="fr", status=1)
    portal.panel.publish("invoices")
    for slug in ("loin", "invoices"):
        portal.panel.write(slug, content="Nobody published this yet.")
    assert "1 article has an edit that is pending in the panel" in pushed.run("pull", "--dry-run", INVOICES).out
    assert "pending" not in pushed.run("pull", "--dry-run", REFUNDS).out
    assert "2 articles have edits that are pending in the panel" in pushed.run("pull", "--dry-run").out
    shutil.rmtree(pushed.folder / "content/fr")
    pushed.configure('[content]\nlocales = ["en"]\n')
    done = pushed.run("pull", "--dry-run")
    assert "1 article has an edit that is pending" in done.out and "1 article in `fr` left out" in done.out, done.out


def test_the_command_that_a_merge_needs_leaves_an_edit_that_is_pending(pushed: Any, portal: Sandbox):
    commit(pushed, INVOICES, "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nOne.\n\nTwo.\n\nThree.\n")
    assert pushed.run("push", "--publish").code == 0
    commit(
        pushed, INVOICES, "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nOne.\n\nTwo.\n\nThree, ours.\n"
    )
    portal.panel.edit("invoices", content="One, theirs.\n\nTwo.\n\nThree.")
    portal.panel.write("invoices", content="Nobody published this yet.")
    command = "kbsync resolve en/billing/invoices.md --ours --field body"
    assert command in pushed.run("pull").out.replace("\n", " ")
    assert pushed.run(*command.split()[1:]).code == 0
    commit(pushed)
    assert "edit pending in the panel" in pushed.run("push").out
    left = portal.panel.article("invoices")
    assert left is not None and left.draft_content == "Nobody published this yet."


@pytest.mark.parametrize("edit", [{"title": "Theirs"}, {"content": "Quite another text, by somebody in the panel."}])
def test_a_file_that_was_renamed_and_not_committed_is_the_article_that_somebody_edited(pushed, portal, edit):
    portal.panel.edit("invoices", **edit)
    (pushed.folder / INVOICES).rename(pushed.folder / "content/en/billing/bills.md")
    assert pushed.run("push").says(4, "en/billing/bills.md  edited in the panel: ")
    assert len(portal.panel.articles("handbook")) == 3


@pytest.mark.parametrize(
    ("old", "new"), [("Panel", "Panel"), ("title: Panel", "title: Better"), ("Words.", "Other words.")]
)
def test_a_pulled_file_that_gets_a_plain_slug_before_its_first_commit_makes_no_second_article(pushed, portal, old, new):
    portal.panel.create(
        "handbook", "Panel", " ".join(f"word{n}" for n in range(40)) + " Words.", category_id=1, locale="en"
    )
    assert pushed.run("pull").code == 0
    (path,) = (pushed.folder / "content").rglob("*panel.md")
    path.write_text(path.read_text().replace("---\n", "---\nslug: plain\n", 1).replace(old, new))
    commit(pushed)
    assert pushed.run("push").says(4, "slug in your file:  plain")
    assert len(portal.panel.articles("handbook")) == 4


def test_a_clone_without_a_ledger_asks_about_an_article_that_both_sides_changed_in_every_way(pushed, portal: Sandbox):
    words = " ".join(f"word{number}" for number in range(40))
    push(pushed, INVOICES, f"---\ntitle: Invoices\nposition: 20\nstatus: draft\n---\n{words}\n")
    portal.panel.edit("invoices", title="Bills", content=f"{words} And theirs.")
    portal.panel.sql("UPDATE articles SET slug = 'bills' WHERE slug = 'invoices'")
    pushed.write(INVOICES, f"---\ntitle: Our invoices\nposition: 20\nstatus: draft\n---\n{words}\n\nAnd ours.\n")
    pushed.forget_ledger()
    assert pushed.run("push").says(4, "This file may be article")
    assert len(portal.panel.articles("handbook")) == 3


def test_the_message_for_the_commit_names_what_moved_and_the_author(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    for place, words in (("content/message.txt", "in the content folder"), ("none/m.txt", "does not exist")):
        assert pushed.run("pull", "--commit-message", place).says(2, err=words)
    assert pushed.run("pull", "--dry-run", "--commit-message", "m.txt").code == 2
    assert pushed.run("pull", "--commit-message", "m.txt").code == 0
    pushed.git("add", "content")
    pushed.git("commit", "-q", "--file", "m.txt")
    message = pushed.git("log", "-1", "--format=%B").splitlines()
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
def test_full_addresses_of_the_portals_own_articles_become_paths_and_there_is_nothing_to_push(pushed, portal, host):
    setting = {"custom_domain": "help.example.com"} if host else {}
    with client(pushed, portal) as panel:
        panel.patch("", json={"portal": setting}).raise_for_status()
    host = host or portal.base_url
    full, path = FULL.format(host, host, host), FULL.format("", "", host)
    ours = path.replace("/hc/handbook/articles/invoices", "invoices.md")
    ours = ours.replace("/hc/handbook/en/categories/billing", "_category.md")
    portal.panel.edit("refunds", content=full)
    assert pushed.run("pull").code == 0
    assert read(pushed, REFUNDS).endswith(f"---\n{ours}")
    commit(pushed)
    for _ in range(2):
        assert pushed.run("plan", "--check").code == 0
        assert pushed.run("pull").out == "Everything is up to date.\n"
        assert pushed.run("push").code == 0
        assert portal.panel.article("refunds").content == full, "nothing was sent"
    # Somebody edits on here: that goes out, and can be undone.
    pushed.write(REFUNDS, read(pushed, REFUNDS).replace("See", "Look at"))
    assert pushed.run("plan", "--diff").says(0, "[-See-]{+Look at+}")
    done = pushed.run("push")
    assert portal.panel.article("refunds").content == path.replace("See", "Look at")
    # How many pushes of nothing took a number depends on how young the ledger's file was.
    number = re.search(r"`kbsync undo (\d+)`", done.out)
    assert number and pushed.run("undo", number[1], "--yes").code == 0
    assert portal.panel.article("refunds").content == path
    # Somebody edits on in the panel: that comes here.
    commit(pushed)
    portal.panel.edit("refunds", content=full.replace("See", "Read"))
    assert "edited in both places: body" in pushed.run("plan").out
    commit(pushed, REFUNDS, read(pushed, REFUNDS).replace("Look at", "See"))
    assert "edited in the panel: body" in pushed.run("plan").out
    assert pulled(pushed, REFUNDS).endswith(f"---\n{ours.replace('See', 'Read')}")
    assert pushed.run("plan", "--check").code == 0


def test_a_full_address_that_a_file_has_stays_and_so_does_one_of_another_host(pushed: Any, portal: Sandbox):
    full = FULL.format(*[portal.base_url] * 3)
    pushed.write(REFUNDS, f"---\ntitle: Refund a charge\n---\n{full}")
    assert pushed.run("push").code == 0
    assert portal.panel.article("refunds").content == full
    assert pushed.run("plan", "--check").code == 0
    assert pushed.run("pull").out == "Everything is up to date.\n"
    commit(pushed)
    other = FULL.format(*["https://other.example"] * 3)
    portal.panel.edit("refunds", content=other)
    assert pulled(pushed, REFUNDS).endswith(f"---\n{other}")
    assert pushed.run("plan", "--check").code == 0
