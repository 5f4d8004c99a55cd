"""Edits that go both ways: what pull, mv, redirects, status, why and translate know of each other."""

import json
import re
import shlex
from typing import Any

import httpx
import pytest

from cli.test_pull import CATEGORIES, INVOICES, REFUNDS, pulled, push
from kbsync.sandbox import Sandbox

COMMAND = re.compile(r"`kbsync ([^`]*)`")


def hinted(project: Any, word: str) -> list[str]:
    """The command of this name that a plan suggests."""
    commands = (shlex.split(line) for line in COMMAND.findall(project.run("plan").words))
    return next(command for command in commands if command[0] == word)


def change(asked: httpx.Client, portal: Sandbox, slug: str, /, **fields: Any) -> None:
    """A change that only another client makes."""
    number = portal.panel.article(slug).id
    asked.patch(f"portals/handbook/articles/{number}", json=fields).raise_for_status()


def test_the_command_that_a_plan_suggests_for_an_edit_in_the_panel_takes_it_into_the_file(shared, portal: Sandbox):
    portal.panel.edit("refunds", title="Money back")
    assert shared.run(*hinted(shared, "pull")).code == 0
    assert "title: Money back\n" in shared.read(REFUNDS)
    assert shared.run("plan", "--check").code == 0


def test_after_a_pull_and_another_edit_of_the_file_the_command_that_a_plan_suggests_sends_both(shared, portal: Sandbox):
    portal.panel.edit("invoices", content="Text.\n\nTheirs.")
    assert shared.run("pull").code == 0
    shared.write(INVOICES, shared.read(INVOICES) + "\nOurs.\n")
    assert hinted(shared, "resolve") == ["resolve", "en/billing/invoices.md", "--ours", "--field", "body"]
    assert shared.run(*hinted(shared, "resolve")).code == 0
    assert shared.run("push").code == 0
    article = portal.panel.article("invoices")
    assert "Theirs." in article.content and "Ours." in article.content


def test_where_kbsync_knows_no_base_it_suggests_to_take_the_portal_s_value(shared, portal: Sandbox):
    portal.panel.edit("refunds", title="Money back")
    shared.forget_ledger()
    command = hinted(shared, "resolve")
    assert command == ["resolve", "en/billing/refunds.md", "--into-file"]
    assert shared.run(*command).code == 0
    assert "title: Money back\n" in shared.read(REFUNDS)
    assert shared.run("plan", "--check").code == 0


def test_a_merged_body_keeps_the_line_ends_of_its_file(shared, portal: Sandbox):
    text = "---\r\ntitle: Invoices\r\n---\r\nOne.\r\n\r\nTwo.\r\n\r\nThree.\r\n"
    push(shared, {INVOICES: text})
    shared.commit({INVOICES: text.replace("One", "First")})
    portal.panel.edit("invoices", content="One.\n\nTwo.\n\nThree.\n\nFour.\n")
    assert shared.run("pull").code == 0
    merged = text.replace("One", "First").replace("Three.\r\n", "Three.\r\n\r\nFour.\r\n")
    assert shared.read(INVOICES) == merged


def test_a_slug_changed_in_the_panel_leaves_a_redirect(shared, portal: Sandbox, asked):
    change(asked, portal, "refunds", slug="money-back")
    assert shared.run("pull").out == "1 file now has edits from the panel:\n  en/billing/refunds.md  slug\n"
    assert shared.read(REFUNDS).startswith("---\ntitle: Refund a charge\nslug: money-back\naliases: [refunds]\n---\n")
    shared.commit()
    assert shared.run("plan", "--check").code == 0
    assert shared.run("push").code == 0
    assert "/hc/handbook/articles/refunds,/hc/handbook/articles/money-back,301\n" in shared.run("redirects").out
    change(asked, portal, "money-back", slug="refunds")
    assert "aliases: [money-back]\n" in pulled(shared, REFUNDS)


def test_a_new_category_does_not_become_the_original_of_another_one_by_its_folder(shared, asked):
    shared.write("content/fr/plans/_category.md", "---\nname: Tarifs\n---\n")
    push(shared, {"content/fr/plans/free.md": "---\ntitle: Gratuit\n---\nTexte.\n"})
    new = {"category": {"name": "Plans", "slug": "plans", "locale": "en"}}
    asked.post(CATEGORIES, json=new).raise_for_status()
    assert pulled(shared, "content/en/plans-en/_category.md") == "---\nname: Plans\nslug: plans\n---\n"


def test_an_article_moved_to_another_locale_names_the_command_that_follows(shared, portal: Sandbox, asked):
    rows = asked.get(CATEGORIES, params={"locale": "fr"}).json()["payload"]
    change(asked, portal, "refunds", locale="fr", category_id=rows[0]["id"])
    done = shared.run("pull", COLUMNS="60")
    (command,) = COMMAND.findall(done.out)
    assert (done.code, command) == (4, "mv en/billing/refunds.md fr/billing/refunds-2.md --only --keep-slug")
    shared.commit()
    assert shared.run(*shlex.split(command)).code == 0
    assert shared.run("plan", "--check").code == 0


def test_a_move_that_is_not_committed_yet_is_followed_without_a_ledger(shared):
    push(shared, {"content/en/money/_category.md": "---\nname: Money\n---\n"})
    shared.forget_ledger()
    assert shared.run("mv", INVOICES, "content/en/money/bills.md").code == 0
    done = shared.run("plan")
    assert (done.code, "Needs your decision" in done.out) == (0, False), done.out
    assert "category: billing -> money" in done.out and "slug: invoices -> bills" in done.out
    assert "Create" not in done.out


def test_why_and_diff_follow_a_file_that_was_renamed(shared):
    body = "".join(f"Sentence number {number} about money.\n\n" for number in range(12))
    push(shared, {INVOICES: f"---\ntitle: Invoices\n---\n{body}"})
    shared.commit({INVOICES: f"---\ntitle: Bills\n---\n{body}Another.\n"}, "Better words")
    assert shared.run("mv", INVOICES, "content/en/billing/bills.md", "--keep-slug").code == 0
    for when in ("staged", "committed"):
        said = shared.run("why", "en/billing/bills.md").out
        assert "Better words" in said, (when, said)
        shown = shared.run("diff", "--offline").out
        assert "+Another." in shown and "Some bodies" not in shown, (when, shown)
        shared.commit()


def test_a_pull_that_cannot_ask_the_portal_makes_no_folder(remote):
    remote.configure('[content]\nroot = "docs/help"\n')
    assert remote.run("pull", KBSYNC_TOKEN="wrong").code == 5
    assert remote.run("pull", KBSYNC_TOKEN="").code == 2
    assert remote.run("pull", "--dry-run").code == 0
    assert not (remote.folder / "docs").exists()
    assert remote.run("pull").code == 0 and remote.run("plan", "--check").code == 0


@pytest.mark.parametrize("edited", ["", "\n\nOne more sentence."])
def test_an_offline_plan_follows_a_rename_in_git_and_asks_for_no_second_article(remote, edited: str):
    text = "---\ntitle: Invoices\nstatus: published\n---\n" + " ".join(f"word{number}" for number in range(80))
    remote.commit({".gitignore": ".kbsync/\n", INVOICES: f"{text}\n"})
    remote.push({}, "--publish")
    remote.git("mv", INVOICES, INVOICES.replace("invoices", "bills"))
    remote.commit({INVOICES.replace("invoices", "bills"): f"{text}{edited}\n"})
    plan = json.loads(remote.run("plan", "--offline", "--publish", "--format", "json").out)
    sent = {(change["action"], change["slug"], *(f["name"] for f in change["fields"])) for change in plan["changes"]}
    # `refunds` links to it.
    assert sent == {("update", "bills", "slug", *(["content"] if edited else [])), ("update", "refunds", "content")}
    assert plan["held"] == [] and "is gone" not in str(plan["findings"])


def test_an_offline_plan_follows_a_plain_move_that_git_has_not_heard_of(shared):
    (shared.folder / INVOICES).rename(shared.folder / INVOICES.replace("invoices", "bills"))
    for offline in ((), ("--offline",)):
        plan = json.loads(shared.run("plan", *offline, "--format", "json").out)
        sent = {(change["action"], change["slug"]) for change in plan["changes"]}
        assert sent == {("update", "bills"), ("update", "refunds")} and plan["held"] == [], (offline, plan["changes"])
