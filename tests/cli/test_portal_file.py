"""portal.toml as its users meet it: whole commands, and what they print."""

import json
from typing import Any

import httpx
import pytest

from cli.conftest import TOKEN, Project
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

HOME = "/api/v1/accounts/1/portals/handbook"
BRAND = """
name = "Acme Help"
color = "#123456"
[locale.fr]
name = "Aide Acme"
[popular.en]
categories = ["billing"]
articles = ["en/billing/refunds.md"]
"""


def ask(portal: Sandbox, **body: Any) -> dict[str, Any]:
    method = "PATCH" if body else "GET"
    found = httpx.request(method, portal.base_url + HOME, headers={"api_access_token": TOKEN}, json=body or None)
    assert found.status_code == 200
    return found.json()


@pytest.fixture
def branded(remote: Project, portal: Sandbox) -> Project:
    """Both sides agree on the portal."""
    remote.push({"portal.toml": BRAND}, "--overwrite", "portal.toml")
    return remote


def test_a_plan_says_what_becomes_of_the_portal_in_a_writers_words_and_machines_are_given_paths_and_slugs_too(pushed):
    pushed.write("portal.toml", BRAND)
    plan = pushed.run("plan")
    assert plan.code == 4 and "Update the portal. 1 is live: readers see the change immediately." in plan.out
    assert "name (fr): (nothing) -> Aide Acme" in plan.out
    assert "popular categories (en): (nothing) -> billing" in plan.out
    assert "popular articles (en): (nothing) -> en/billing/refunds.md" in plan.out
    assert "portal.toml  differs on the portal: name, color" in plan.out
    assert "kbsync push portal.toml --overwrite portal.toml" in plan.words
    printed = json.loads(pushed.run("plan", "--format", "json").out)
    fields = {field["name"]: field["after"] for change in printed["changes"] for field in change["fields"]}
    assert fields["popular_articles.en"] == "en/billing/refunds.md"
    assert {change["kind"] for change in printed["changes"]} == {"portal"}


def test_why_does_not_say_that_the_portal_matched_where_nothing_was_agreed_on(pushed):
    pushed.write("portal.toml", 'name = "Acme help"\n')
    assert pushed.run("push").code == 4
    done = pushed.run("why", "portal.toml")
    assert "differ" in done.out and "matched" not in done.words


def test_the_next_plan_has_nothing_and_remembers_so_until_the_file_or_the_portal_changes(branded, portal):
    for _ in range(2):
        assert branded.run("plan", "--check").code == 0
    branded.write("portal.toml", BRAND.replace("#123456", "#abcdef"))
    assert "color: #123456 -> #abcdef" in branded.run("plan").out
    branded.write("portal.toml", BRAND + "nothing = 1\n")
    assert branded.run("plan").code == 2
    branded.write("portal.toml", BRAND)
    assert branded.run("plan", "--check").code == 0
    ask(portal, color="#ff0000")
    assert branded.run("plan", "--check").says(4, "edited in the panel: color")


def test_a_value_that_kbsync_cannot_put_into_the_file_is_open_until_it_is_accepted_and_stays_accepted(branded, portal):
    ask(portal, color="#000000")
    done = branded.run("resolve", "--into-file", "portal.toml")
    assert "kbsync does not write portal.toml. Copy the value into it by hand." in done.out and done.code == 4
    assert branded.run("plan").code == 4
    ask(portal, color="#ff0000")
    assert branded.run("resolve", "--theirs", "portal.toml").code == 0
    assert branded.run("plan", "--check").code == 0
    ask(portal, color="#00ff00")
    assert branded.run("plan", "--check").code == 4
    assert branded.run("resolve", "--ours", "portal.toml").code == 0
    assert branded.run("push").code == 0
    assert ask(portal)["color"] == "#123456"


def test_a_person_who_put_other_articles_first_is_asked_about_with_names(branded, portal):
    made = portal.panel.create("handbook", "Theirs", "Text.", slug="theirs", locale="en")
    ask(portal, config={"popular_content": {"en": {"category_ids": [], "article_ids": [made.id]}}})
    plan = branded.run("plan")
    assert "popular articles (en) on the portal: theirs" in plan.out
    assert "popular articles (en) in your file:  en/billing/refunds.md" in plan.out
    assert branded.run("resolve", "--theirs", "portal.toml").code == 0
    assert branded.run("plan", "--check").code == 0


def test_an_undo_puts_the_portal_back_but_not_over_a_later_edit(branded, portal):
    branded.write("portal.toml", BRAND.replace("#123456", "#abcdef").replace("Acme Help", "Acme Guide"))
    assert branded.run("push").code == 0
    ask(portal, color="#ff0000")
    assert branded.run("undo", "2", "--yes").says(4, "color")
    assert (ask(portal)["name"], ask(portal)["color"]) == ("Acme Help", "#ff0000")


def test_an_undo_of_the_first_push_takes_back_what_was_made_in_it_too(remote, portal):
    before = ask(portal)
    remote.push({"portal.toml": BRAND}, "--overwrite", "portal.toml")
    assert ask(portal)["config"]["popular_content"]["en"]["article_ids"]
    assert remote.run("undo", "1", "--yes").code == 0
    after = ask(portal)
    assert (after["name"], after["color"]) == (before["name"], before["color"])
    assert after["config"]["popular_content"]["en"] == {"category_ids": [], "article_ids": []}
    assert after["config"]["locale_translations"] == {"fr": {}}


def test_a_saved_plan_carries_the_portal_and_is_refused_where_the_file_moved_on(remote, portal):
    remote.write("portal.toml", BRAND)
    remote.run("plan", "--out", "p.plan", "--overwrite", "portal.toml")
    assert remote.run("push", "p.plan", "--overwrite", "portal.toml").code == 0
    assert ask(portal)["name"] == "Acme Help"
    again = remote.run("push", "p.plan", "--overwrite", "portal.toml")
    assert again.code == 0 and "done already" in again.out + again.err
    remote.write("portal.toml", BRAND.replace("Acme Help", "Acme Guide"))
    assert remote.run("push", "p.plan").says(4, err="Your files have changed")


def test_a_plan_without_the_portal_says_what_the_ledger_knows(branded):
    branded.write("portal.toml", BRAND.replace("#123456", "#abcdef") + '[social]\nx = "acme"\n')
    plan = branded.run("plan", "--offline")
    assert "color: #123456 -> #abcdef" in plan.out
    assert "portal.toml  not clear: social link (x)" in plan.out


def test_lint_tells_a_wrong_file_and_a_wrong_path_in_it(branded):
    branded.write("portal.toml", 'colour = "#123456"\n')
    found = branded.run("lint")
    assert found.says(2, err=("portal.toml:1: `colour`: This is not a known key.", "Did you mean `color`?"))
    branded.write("portal.toml", '[popular.en]\narticles = ["en/billing/refund.md"]\n')
    assert branded.run("lint").says(2, err="Did you mean `en/billing/refunds.md`?")


def test_the_portal_can_be_named_alone_and_from_another_folder(branded):
    branded.write("portal.toml", BRAND.replace("#123456", "#abcdef"))
    branded.write("content/en/billing/refunds.md", "---\ntitle: Refund\n---\nOther.\n")
    alone = branded.run("plan", "portal.toml")
    assert "color" in alone.out and "refunds.md" not in alone.out
    assert "color" in branded.run("plan", "../portal.toml", cwd="content").out
    assert "color" in branded.run("plan", "portal.toml", cwd="content").out
    assert "color" not in branded.run("plan", "content/en/billing").out
    assert branded.run("push", "portal.toml").code == 0


def test_the_ledger_in_git_has_the_portal_in_a_file_of_its_own(branded, portal, tmp_path_factory):
    origin = tmp_path_factory.mktemp("origin")
    for command in (("init", "--bare", "-q", str(origin)), ("init", "-q"), ("remote", "add", "origin", str(origin))):
        branded.git(*command)
    branded.configure('[ledger]\nurl = "git:origin"\n')
    branded.commit({".gitignore": ".kbsync/\n"})
    branded.push()
    branded.commit({"portal.toml": BRAND.replace("#123456", "#abcdef")})
    branded.push()
    ref = branded.git("ls-remote", str(origin)).split()[0]
    assert '"color":"#abcdef"' in branded.git("--git-dir", str(origin), "show", f"{ref}:items/_portal.jsonl")
    assert branded.run("plan", "--check").code == 0
    assert branded.run("undo", "2", "--yes").code == 0
    assert ask(portal)["color"] == "#123456"


def test_the_content_folder_does_not_hold_the_portal_and_the_projects_folder_does_and_annotations_name_its_file(
    branded, portal
):
    ask(portal, color="#ff0000")
    assert "file=portal.toml,line=1" in branded.run("plan", "--format", "github").out
    assert branded.run("push", "--overwrite", "content").code == 4
    assert ask(portal)["color"] == "#ff0000"
    assert "color" in branded.run("plan", ".").out
    assert branded.run("plan", ".", "--overwrite", ".", "--out", "p.plan").code == 0
    assert branded.run("push", "p.plan", "--overwrite", ".").code == 0
    assert ask(portal)["color"] == "#123456"
