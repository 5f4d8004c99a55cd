"""The main job as a user sees it: the whole screen, the exit code, and what the portal then holds."""

import json
import os
import re
import subprocess

import pytest

from commands import Done
from kbsync.sandbox import Sandbox

PLAN = """\
Plan for portal `handbook` in the sandbox

Create 2 categories
  en/billing/_category.md  "Billing"
  fr/billing/_category.md  "Facturation"

Create 3 articles as drafts
  en/billing/invoices.md  "Invoices"
  en/billing/refunds.md  "Refund a charge"
  fr/billing/refunds.md  "Rembourser"

5 changes, 5 requests, about 1 second.
Run `kbsync push` to make these changes.
"""


def test_a_first_plan_changes_nothing_a_push_makes_drafts_and_a_second_one_has_nothing_to_do(project):
    assert project.run("plan") == project.run("plan") == Done(0, PLAN, "")
    assert not (project.folder / ".kbsync" / "ledger.db").exists()
    assert project.run("plan", "--check").code == 10
    pushed = project.run("push")
    assert pushed.out.startswith("2 categories created\n3 articles created as drafts\n\nDone. ")
    assert pushed.code == 0
    assert project.run("push").out.startswith("Everything is up to date (5 unchanged;")
    assert project.run("plan", "--check").code == 0


def test_drafts_on_the_portal_have_addresses_for_links_and_an_edit_here_is_sent_and_shown_field_by_field(
    remote, portal: Sandbox
):
    assert remote.run("push").code == 0
    article = portal.panel.article("refunds")
    assert article.content == "See [invoices](/hc/handbook/articles/invoices).\n"
    assert article.status == 0
    remote.write("content/en/billing/invoices.md", "---\ntitle: Invoices and receipts\nposition: 20\n---\nText.\n")
    plan = remote.run("plan").out
    assert '  en/billing/invoices.md  "Invoices and receipts"\n      title: Invoices -> Invoices and receipts\n' in plan
    pushed = remote.run("push")
    assert pushed.out.startswith("1 article updated\n") and pushed.code == 0


def test_an_edit_in_the_panel_is_held_and_the_hint_is_a_command_that_works(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    plan = pushed.run("plan")
    assert plan.says(4, "Needs your decision: 1\n  en/billing/invoices.md  edited in the panel: title\n")
    overwrite = ("push", "en/billing/invoices.md", "--overwrite", "en/billing/invoices.md")
    assert f"`kbsync {' '.join(overwrite)}`" in plan.words
    assert pushed.run("push").code == 4
    assert portal.panel.article("invoices").title == "Bills"
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Money back\n---\nText.\n")
    assert pushed.run(*overwrite).code == 0
    assert portal.panel.article("invoices").title == "Invoices"
    assert portal.panel.article("refunds").title == "Refund a charge"


@pytest.mark.parametrize("option", ["--overwrite", "--live"])
def test_an_option_for_what_is_not_selected_is_an_error_with_the_command_that_selects_it(pushed, portal, option: str):
    """`push --overwrite A B` takes B for the selection. What nobody asked to overwrite is not overwritten."""
    portal.panel.edit("invoices", title="Theirs")
    portal.panel.edit("refunds", title="Theirs")
    invoices, refunds = "content/en/billing/invoices.md", "content/en/billing/refunds.md"
    for command in ("plan", "push"):
        done = pushed.run(command, option, invoices, refunds)
        assert done.code == 2 and f"{option}: `en/billing/invoices.md` is outside of the selection." in done.err, done
    line = f"kbsync push {refunds} {invoices} {option} {invoices}"
    assert f"run `{line}`" in " ".join(done.err.split())
    assert pushed.run(*line.split()[1:]).code == 4
    assert portal.panel.article("refunds").title == "Theirs"


def test_a_published_article_is_marked_live(pushed, portal: Sandbox):
    portal.panel.publish("invoices")
    pushed.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nposition: 20\n---\nNew text.\n")
    plan = pushed.run("plan").out
    assert "Update 1 article. 1 is live: readers see the change immediately.\n" in plan
    assert '  en/billing/invoices.md  "Invoices"  LIVE\n      body: changed\n' in plan


def test_the_json_of_a_plan_has_the_shape_of_the_design_and_that_of_a_push_tells_each_outcome(remote, portal: Sandbox):
    found = json.loads(remote.run("plan", "--format", "json").out)
    assert found["schema"] == "kbsync.plan/1"
    assert found["target"] == {
        "base_url": portal.base_url, "account_id": 1, "portal": "handbook", "profile": "chatwoot",
        "version": "4.16.2",
    }  # fmt: skip
    assert list(found["summary"]) == [
        "create", "adopt", "update", "publish", "unpublish", "archive", "delete", "upload", "unchanged", "held",
        "unmanaged", "live", "staged", "pending", "requests", "seconds", "waiting",
    ]  # fmt: skip
    change = next(change for change in found["changes"] if change["slug"] == "invoices")
    assert {key: change[key] for key in ("action", "kind", "locale", "path", "remote_id", "title", "live")} == {
        "action": "create", "kind": "article", "locale": "en", "path": "en/billing/invoices.md", "remote_id": None,
        "title": "Invoices", "live": False,
    }  # fmt: skip
    assert {"name": "position", "before": None, "after": 20} in change["fields"]
    found = json.loads(remote.run("push", "--format", "json").out)
    assert found["schema"] == "kbsync.push/1"
    assert {change["outcome"] for change in found["changes"]} == {"done"}
    assert all(change["remote_id"] for change in found["changes"])
    assert found["summary"]["requests"] >= 5


def test_errors_of_the_tree_stop_a_push_before_anything_is_asked(remote, portal: Sandbox):
    remote.write("content/en/billing/bad.md", "---\ntitle: Bad\nstatus: live\n---\nText.\n")
    done = remote.run("push")
    assert done.code == 3 and done.out == ""
    assert "content/en/billing/bad.md:3:1: error KB109 `live` is not a value of `status`" in done.err
    assert portal.requests == []
    printed = json.loads(remote.run("plan", "--format", "json").out)
    assert [finding["code"] for finding in printed["findings"]] == ["KB109"]


def test_a_push_that_errors_stop_shows_these_alone_counts_the_warnings_and_has_all_in_json(remote):
    remote.write("content/en/billing/bad.md", "---\ntitle: Bad\nstatus: live\n---\n[a](gone.md)\n")
    planned, pushed = (json.loads(remote.run(command, "--format", "json").out) for command in ("plan", "push"))
    assert {finding["code"] for finding in pushed["findings"]} == {"KB109", "KB301"}
    assert pushed["findings"] == planned["findings"]
    for command in ("plan", "push"):
        shown = remote.run(command).err
        assert "KB109" in shown and "KB301" not in shown and "1 error, 1 warning." in shown


def test_selectors_limit_a_push_to_what_they_mean_and_the_categories_it_needs(remote):
    assert "1 category created\n1 article created as a draft\n" in remote.run("push", "locale:fr").out
    there = remote.run("push", "refunds.md", cwd="content/en/billing").out
    assert "1 category created\n1 article created as a draft\n" in there
    assert remote.run("push", "locale:de").says(2, err="No file, category or locale matches `locale:de`")
    for command in ("plan", "push", "pull"):
        assert "Did you mean `en/billing/refunds.md`?" in remote.run(command, "en/billing/refunds").err


def test_a_deleted_file_is_reported_and_its_article_stays_and_a_plan_that_would_remove_too_much_refuses_itself(
    remote, portal: Sandbox
):
    remote.run("push")
    (remote.folder / "content/en/billing/invoices.md").unlink()
    assert remote.run("plan").says(0, "KB501: The file for `invoices` is gone. The article stays on the portal")
    remote.run("push")
    assert portal.panel.article("invoices").title == "Invoices"
    strict = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "0%"}
    refused, pushed = remote.run("plan", **strict), remote.run("push", **strict)
    for done in (refused, pushed):
        assert done.code == 4 and "[push] max_removals allows 0%" in done.out
        assert "DELETE 1 article (its file is gone)\n  en: invoices" in done.out and ": REFUSED\n" in done.out
    assert "`kbsync push --allow-removals 1`" in refused.out
    for form in ("json", "markdown", "github"):
        assert remote.run("push", "--format", form, **strict).says(4, "removals allows 0%")
    skipped = json.loads(remote.run("push", "--format", "json", **strict).out)
    assert "delete" in {change["action"] for change in skipped["changes"] if change["outcome"] == "skipped"}
    assert skipped["refused"]["removals"] == 1
    assert remote.run("plan", "--out", "p.plan", **strict).code == 4 and not (remote.folder / "p.plan").exists()
    assert remote.run("push", "--allow-removals", "1", **strict).says(0, "1 article deleted\n")


def test_the_documented_profile_creates_from_the_ledger_alone(remote, portal: Sandbox):
    remote.config(
        f'[service]\nbase_url = "{portal.base_url}"\nprofile = "documented"\n[authors]\ndefault = 1\n'
        "[pace]\nrequests_per_minute = 60000\n"
    )
    assert remote.run("push").says(4, err="--first-push")
    assert remote.run("push", "--first-push").code == 0
    assert remote.run("plan", "--check").code == 0
    remote.write("content/fr/billing/refunds.md", "---\ntitle: Rembourser\n---\nAutre texte.\n")
    assert remote.run("plan").says(4, "not possible with this profile: body")
    assert len(portal.panel.articles("handbook")) == 3


def test_a_quiet_push_still_prints_its_data_and_nothing_else(project):
    done = project.run("push", "-q")
    assert done.err == "" and done.out != ""


def test_a_plan_ends_with_the_command_that_makes_that_very_plan_so(project):
    project.write("it's.toml", project.read("kbsync.toml") + "[env.staging.push]\npublish = true\n")

    def next_of(*options: str) -> str:
        return project.run("plan", *options).out.splitlines()[-1]

    assert next_of() == "Run `kbsync push` to make these changes."
    told = next_of("content/en", "--overwrite", "locale:en", "--recreate", "--publish")
    assert told == "Run `kbsync push content/en --overwrite locale:en --recreate --publish` to make these changes."
    told = next_of("--config", "it's.toml", "--env", "staging")
    assert told == """Run `kbsync push --config 'it'"'"'s.toml' --env staging` to make these changes."""
    assert next_of("--publish", "--out", "p.json") == "Run `kbsync push p.json --publish` to make these changes."
    project.run("push")
    assert "Run `" not in project.run("plan", "content/en").out


@pytest.mark.parametrize(
    "name", ["$(touch X).md", "`touch X`.md", "a  b; touch X.md", "--publish.md", "it's.md", "##[error]x.md"]
)
def test_the_commands_of_a_plan_can_be_pasted_whatever_the_file_is_called(remote, portal, name):
    remote.push({f"content/en/billing/{name}": "---\ntitle: Odd\nslug: odd\n---\nText.\n"})
    portal.panel.edit("odd", title="Theirs")
    remote.write("bin/kbsync", """#!/bin/sh\nprintf '%s\\0' "$@"\n""").chmod(0o755)
    held = remote.run("plan").out.split("Needs your decision: 1")[1]
    pull, overwrite, resolve = re.findall(r"`(kbsync [^`]*)`", held)
    environ = {**os.environ, "PATH": f"{remote.folder}/bin:{os.environ['PATH']}"}
    decide = [resolve.replace("kbsync resolve", f"kbsync resolve --{side}") for side in ("theirs", "ours")]
    for command in (*decide, overwrite, pull):
        # A shell takes the line apart as it would for a user, and kbsync gets those very words.
        words = subprocess.run(["sh", "-c", command], cwd=remote.folder, env=environ, capture_output=True, check=True)
        done = remote.run(*words.stdout.decode().split("\0")[:-1])
        assert (done.code, words.stderr, list(remote.folder.glob("X"))) == (0, b"", []), (command, done)
    assert portal.panel.article("odd").title == "Odd"


def test_articles_without_a_position_stand_in_path_order_on_the_portal_also_after_a_second_push(remote, portal):
    names = [f"{letter}{number}" for letter in "abcd" for number in range(8)]
    for name in names:
        remote.write(f"content/en/many/{name}.md", f"---\ntitle: {name}\n---\nText.\n")
    remote.push({"content/en/many/_category.md": "---\nname: Many\n---\n"}, KBSYNC_PACE__CONCURRENCY="16")
    remote.push({"content/en/many/b3x.md": "---\ntitle: b3x\n---\nText.\n"})
    query = """SELECT a.slug, a.position FROM articles a JOIN categories c ON c.id = a.category_id
               WHERE c.slug = 'many' ORDER BY a.position"""
    rows = portal.panel.run(lambda world: world.store.rows(query))
    assert [slug for slug, _ in rows] == sorted([*names, "b3x"])
    assert len({position for _, position in rows}) == len(rows)
    assert remote.run("plan", "--check").code == 0
