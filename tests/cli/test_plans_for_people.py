"""What a writer needs to see of a plan and after a push: first what matters, both values, and the next command."""

import json
import re
import shlex

import pytest

from kbsync.sandbox import Sandbox

INVOICES = "content/en/billing/invoices.md"
REFUNDS = "content/en/billing/refunds.md"


def an_article(title: str, body: str = "Text.", **keys: str) -> str:
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return f"---\ntitle: {title}\n{more}---\n{body}\n"


def cost_of(plan: str) -> str:
    found = re.search(r"^\d+ changes?, (\d+ requests?), ", plan, re.MULTILINE)
    assert found, plan
    return found[1]


# --- what a plan shows -----------------------------------------------------------------------------------------------


def test_without_a_ledger_what_matches_is_one_line(pushed):
    (pushed.folder / ".kbsync/ledger.db").unlink()
    pushed.write("content/en/billing/new.md", an_article("New"))
    plan = pushed.run("plan")
    assert "2 categories and 3 articles already match.\n" in plan.out
    assert plan.out.count("invoices.md") == 0
    assert json.loads(pushed.run("plan", "--format", "json").out)["summary"]["adopt"] == 5
    markdown = pushed.run("plan", "--format", "markdown").out
    assert "2 categories and 3 articles already match" in markdown and "invoices.md" not in markdown


def test_a_file_that_is_published_while_its_article_is_a_draft_is_shown_with_its_command(pushed, portal: Sandbox):
    pushed.write(INVOICES, an_article("Invoices", position="20", status="published"))
    plan = pushed.run("plan")
    assert plan.code == 0 and "Everything is up to date" not in plan.out
    assert "Published in your files, but not on the portal: 1\n  en/billing/invoices.md\n" in plan.out
    assert pushed.run("plan").out == plan.out, "also where the plan is remembered"
    assert pushed.run("plan", "--check").code == 0
    found = json.loads(pushed.run("plan", "--format", "json").out)
    assert [item["path"] for item in found["unpublished"]] == ["en/billing/invoices.md"]
    for form in ("markdown", "github"):
        assert "kbsync push en/billing/invoices.md --publish" in pushed.run("plan", "--format", form).out
    (line,) = re.findall(r"run `kbsync ([^`]*)`", plan.out)
    assert "1 article published" in pushed.run(*shlex.split(line)).out
    assert portal.panel.article("invoices").status == 1
    assert "Everything is up to date" in pushed.run("plan").out


@pytest.mark.parametrize("form", ["text", "markdown", "github", "json"])
def test_both_values_of_what_was_edited_and_when_are_in_every_format(pushed, portal: Sandbox, form):
    portal.panel.edit("invoices", title="Bills by Ada")
    out = pushed.run("plan", "--format", form).out
    assert "Bills by Ada" in out and "Invoices" in out
    assert re.search(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", out)


def test_a_plan_with_diff_shows_how_bodies_change_also_of_what_needs_a_decision(pushed, portal: Sandbox):
    pushed.write(REFUNDS, an_article("Refund a charge", "See the [invoices](invoices.md) first."))
    portal.panel.edit("invoices", content="Text by Ada.\n")
    text = pushed.run("plan", "--diff").out
    assert "      body: changed\n        See {+the +}[invoices](/hc/handbook/articles/invoices){+ first+}.\n" in text
    assert "[-Text by Ada.-]" in text or "Text[- by Ada-]." in text
    markdown = pushed.run("plan", "--diff", "--format", "markdown").out
    assert "<details><summary>How `en/billing/refunds.md` changes</summary>\n\n```diff\n-See [" in markdown
    assert "-Text by Ada.\n+Text.\n```\n" in markdown
    found = json.loads(pushed.run("plan", "--diff", "--format", "json").out)
    assert found["held"][0]["diff"] == ["-Text by Ada.", "+Text."]
    assert all("diff" not in change for change in json.loads(pushed.run("plan", "--format", "json").out)["changes"])


def test_what_was_accepted_is_counted_and_listed_with_verbose_and_in_the_ledger(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    pushed.run("resolve", "--theirs", INVOICES)
    assert pushed.run("plan").says(0, "1 article differs from the portal as you decided with `resolve --theirs`")
    verbose = pushed.run("plan", "-v").out
    assert "accepted with `resolve --theirs`: 1\n  en/billing/invoices.md  title\n" in verbose
    assert "title on the portal: Bills\n" in verbose and "title in your file:  Invoices\n" in verbose
    assert "accepted with `resolve --theirs`:\n    en/billing/invoices.md  title\n" in pushed.run("ledger", "show").out
    assert json.loads(pushed.run("plan", "--format", "json").out)["accepted"][0]["path"] == "en/billing/invoices.md"


def test_a_live_article_that_is_protected_is_changed_with_one_consent(remote, portal: Sandbox):
    assert remote.run("push").code == 0
    portal.panel.publish("invoices")
    remote.write(INVOICES, an_article("Invoices", "New text.", position="20"))
    plan = remote.run("plan", KBSYNC_PUSH__LIVE="hold")
    assert plan.code == 4 and "`kbsync push en/billing/invoices.md --live en/billing/invoices.md`" in plan.words
    allowed = remote.run("plan", "--live", INVOICES, KBSYNC_PUSH__LIVE="hold")
    assert allowed.code == 0 and f"Run `kbsync push --live {INVOICES}` to make this change." in allowed.out
    saved = remote.run("plan", "--live", INVOICES, "--out", "p.plan", KBSYNC_PUSH__LIVE="hold")
    pushed = remote.run("push", "p.plan", "--live", INVOICES, KBSYNC_PUSH__LIVE="hold")
    assert (saved.code, pushed.code) == (0, 0) and "1 article updated" in pushed.out
    assert portal.panel.article("invoices").content == "New text.\n"


def test_commands_for_a_file_with_spaces_can_be_pasted(pushed, portal: Sandbox):
    pushed.write("content/en/billing/new one.md", an_article("New", slug="new-one", status="published"))
    for width in ("60", "100"):
        assert "`kbsync push 'en/billing/new one.md' --publish`" in pushed.run("plan", COLUMNS=width).out
    assert pushed.run("push", "en/billing/new one.md", "--publish").code == 0
    assert portal.panel.article("new-one").status == 1


@pytest.mark.parametrize("width", [60, 100, 160])
def test_a_plan_fits_the_screen_but_for_what_must_not_be_broken(pushed, portal: Sandbox, width):
    portal.panel.edit("invoices", title="Bills " * 30)
    pushed.write(REFUNDS, an_article("Refund a charge " * 12, description="One sentence " * 20))
    for line in pushed.run("plan", COLUMNS=str(width)).out.splitlines():
        assert len(line) <= width or "`" in line, line


# --- what a push says ------------------------------------------------------------------------------------------------


def test_a_push_says_its_run_how_to_undo_it_and_where_its_drafts_are(remote, portal: Sandbox):
    pushed = remote.run("push").out
    assert "This was run 1. To reverse it: `kbsync undo 1`.\n" in pushed
    assert f"\n  {portal.base_url}/hc/handbook/articles/invoices\n" in pushed
    again = remote.run("push").out
    assert "undo" not in again and "/hc/" not in again
    remote.write("content/en/billing/new.md", an_article("New", status="published"))
    found = json.loads(remote.run("push", "--format", "json").out)
    assert (found["run"], found["drafts"]) == (3, [f"{portal.base_url}/hc/handbook/articles/new"])
    remote.write("content/en/billing/other.md", an_article("Other", status="published"))
    assert "/hc/" not in remote.run("push", "--publish").out, "what is published at once is no draft"
    markdown = remote.run("undo", "4", "--yes", "--format", "markdown").out
    assert "To reverse it: `kbsync undo 5`." in markdown, "an undo can be undone too"


def test_drafts_in_the_embedded_sandbox_are_read_with_a_command(project):
    assert "run `kbsync sandbox`" in project.run("push").out


def test_a_push_that_sends_nothing_because_of_a_decision_does_not_say_done(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    assert pushed.run("push").says(4, "Nothing was sent: 1 needs your decision.", without="Done")
    pushed.write(REFUNDS, an_article("Refunds"))
    assert "Done, but 1 needs your decision." in pushed.run("push").out


def test_a_push_reports_the_requests_that_its_plan_estimated(remote):
    environ = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__PUBLISH": "true"}

    def compare() -> None:
        cost, pushed = cost_of(remote.run("plan", **environ).out), remote.run("push", **environ)
        assert pushed.code == 0 and f"Done. {cost} in " in pushed.out, (cost, pushed.out)

    compare()
    remote.write(INVOICES, an_article("Bills", "New.", position="20", slug="refunds", status="published"))
    remote.write(REFUNDS, an_article("Refunds", slug="invoices"))
    remote.write("content/en/more/_category.md", "---\nname: More\n---\n")
    remote.write("content/en/more/one.md", an_article("One"))
    (remote.folder / "content/fr/billing/refunds.md").unlink()
    compare()


def test_a_file_with_two_changes_is_counted_once_and_each_heading_is_there_once(pushed):
    pushed.write(INVOICES, an_article("Invoices", position="20", slug="refunds"))
    pushed.write(REFUNDS, an_article("Refund a charge", "See [invoices](invoices.md).", slug="invoices"))
    pushed.write("content/fr/billing/refunds.md", an_article("Rembourser", "Autre texte."))
    plan = pushed.run("plan").out
    assert "Update 3 articles\n" in plan and plan.count("Update ") == 1
    assert "3 articles updated\n" in pushed.run("push").out


def test_a_dry_run_is_a_plan_and_the_answer_has_the_command(remote):
    done = remote.run("push", "--dry-run", "--publish", "content/en/billing/new one.md")
    assert done.code == 2 and "Run `kbsync plan 'content/en/billing/new one.md' --publish`." in done.err


# --- undo without a number -------------------------------------------------------------------------------------------


def test_undo_without_a_number_names_the_last_push_where_nobody_can_be_asked(remote, portal: Sandbox):
    assert remote.run("undo").code == 2
    remote.run("push")
    remote.run("push")
    assert remote.run("undo").says(2, err=("The last one is run 1 (", "Run `kbsync undo 1`."))
    assert len(portal.panel.articles("handbook")) == 3
    assert "Run `kbsync undo 1 --yes`." in remote.run("undo", "--yes").err
