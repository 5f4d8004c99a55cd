"""`kbsync status`: where the articles are, on one screen, and what a job may fail on."""

import json

import pytest

from kbsync.sandbox import Sandbox


def report(project, *arguments: str) -> dict:
    return json.loads(project.run("status", *arguments, "--format", "json").out)


def of(found: dict, locale: str) -> dict:
    return next(entry for entry in found["locales"] if entry["locale"] == locale)


INVOICES = "content/en/billing/invoices.md"
PUBLISHED = "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nText.\n"


def test_before_the_first_push_everything_is_new(remote):
    found = report(remote)
    assert (of(found, "en")["files"], of(found, "en")["new"], of(found, "fr")["new"]) == (2, 2, 1)
    assert found["total"]["draft"] == 0 and found["other_changes"] == 2
    assert found["next"] == ["kbsync diff", "kbsync push"]


def test_it_tells_drafts_live_articles_edits_orphans_and_others_apart(pushed, portal: Sandbox):
    portal.panel.publish("refunds")
    portal.panel.edit("invoices", title="Bills")
    portal.panel.create("handbook", "Other", "Text", slug="other-one")
    (pushed.folder / "content/fr/billing/refunds.md").unlink()
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    found = report(pushed)
    english = of(found, "en")
    numbers = {name: english[name] for name in ("files", "live", "draft", "others", "new", "changed", "edited")}
    assert numbers == {"files": 2, "live": 1, "draft": 1, "others": 1, "new": 0, "changed": 1, "edited": 1}
    assert (english["decide"], of(found, "fr")["orphans"]) == (1, 1)
    assert found["next"] == ["kbsync resolve", "kbsync diff"]


def test_when_both_sides_match_it_says_so_and_names_no_command(remote):
    remote.push({INVOICES: PUBLISHED}, "--publish")
    done = remote.run("status")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("Your files and the portal match.\n")
    remote.push({"content/fr/billing/invoices.md": "---\ntitle: Factures\n---\nTexte.\n"}, "--publish")
    assert remote.run("status").out.endswith("Everything is up to date.\n")


def test_an_edit_that_is_staged_in_the_panel_is_pending(remote, portal: Sandbox):
    remote.configure('[push]\nlive = "stage"\n')
    assert remote.run("push").code == 0
    portal.panel.publish("invoices")
    remote.push({"content/en/billing/invoices.md": "---\ntitle: Bills\nposition: 20\nstatus: draft\n---\nText.\n"})
    found = report(remote)
    assert (of(found, "en")["pending"], of(found, "en")["changed"]) == (1, 0)
    assert found["next"] == ["kbsync push --publish-staged"]
    assert remote.run("status", "--fail-on", "pending").code == 4


def test_beside_an_edit_that_is_pending_it_never_says_that_both_sides_match(remote, portal: Sandbox):
    for number in range(26):  # more than one page of the list
        text = f"---\ntitle: Article {number}\nstatus: published\nlint_ignore: [KB60]\n---\nText.\n"
        remote.write(f"content/en/billing/article-{number}.md", text)
    assert remote.run("push", "--publish").code == 0
    portal.panel.write("article-0", title="Other title")
    assert "Pending in the panel" in remote.run("plan", "--full").out
    done = remote.run("status", COLUMNS="60")
    assert done.out.endswith("Run `kbsync plan --full` to read every article and list what\nis pending in the panel.\n")
    assert "match" not in done.out and "Everything is up to date" not in done.out
    assert "1 edit pending in the panel" in remote.run("status", "--format", "markdown").out


def test_translations_count_published_originals_without_a_file_in_the_other_locale(remote):
    assert of(report(remote), "fr")["translations"]["missing"] == 0
    remote.write(INVOICES, PUBLISHED)
    assert of(report(remote), "en")["translations"] is None
    french = of(report(remote), "fr")["translations"]
    assert french == {"fresh": 0, "stale": 0, "missing": 1, "unknown": 1}
    assert of(report(remote, "locale:fr"), "fr")["translations"] == french


@pytest.mark.parametrize(("word", "code"), [("missing", 10), ("changes", 10), ("stale", 0), ("decide", 0)])
def test_a_job_fails_on_what_it_names_and_on_nothing_else(remote, word, code):
    remote.write(INVOICES, PUBLISHED)
    assert remote.run("status", "--fail-on", word).code == code


def test_an_edit_in_the_panel_fails_as_a_plan_does(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    assert pushed.run("status").code == 0
    assert pushed.run("status", "--fail-on", "edited", "--fail-on", "missing").code == 4


def test_a_selector_limits_it_and_what_was_not_looked_for_is_null(pushed):
    found = report(pushed, "locale:fr")
    assert [entry["locale"] for entry in found["locales"]] == ["fr"]
    assert (of(found, "fr")["draft"], of(found, "fr")["others"], of(found, "fr")["orphans"]) == (1, None, None)
    assert pushed.run("status", "locale:de").code == 2


def test_it_fits_into_60_columns(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Bills")
    portal.panel.create("handbook", "Other", "Text", slug="other-one")
    (pushed.folder / "content/fr/billing/refunds.md").unlink()
    done = pushed.run("status", COLUMNS="60")
    assert max(len(line) for line in done.out.splitlines()) <= 60
    assert "\x1b" not in done.out


def test_without_a_token_it_shows_what_the_last_push_recorded(pushed):
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n")
    assert pushed.run("status", "--offline", KBSYNC_TOKEN="").says(0, "Compared with run 1")
    found = json.loads(pushed.run("status", "--offline", "--format", "json", KBSYNC_TOKEN="").out)
    assert (of(found, "en")["draft"], of(found, "en")["changed"], of(found, "en")["others"]) == (2, 1, None)
    assert found["as_of"]["run"] == 1
    assert pushed.run("status", KBSYNC_TOKEN="").code == 2


def test_offline_without_a_record_says_what_to_do(remote):
    assert remote.run("status", "--offline").says(4, err="The ledger is empty")


def test_errors_in_files_are_shown_and_nothing_is_counted(remote):
    remote.write("content/en/billing/refunds.md", "---\ntitle: Broken\nstatus: nonsense\n---\nText.\n")
    assert remote.run("status").ended(3, "", "Nothing was compared")


def test_markdown_has_one_row_for_each_locale(remote):
    done = remote.run("status", "--format", "markdown")
    assert "| en | 2 |" in done.out and "| fr | 1 |" in done.out and "Run `kbsync push` to send it." in done.out


def test_commands_are_about_the_same_project_from_elsewhere(remote):
    done = remote.run("--config", str(remote.folder / "kbsync.toml"), "status", cwd="content")
    assert "kbsync push --config" in done.out


def test_what_readers_read_most_is_to_be_translated_first(remote, portal: Sandbox):
    for name in ("a", "b", "c"):
        remote.write(f"content/en/billing/{name}.md", f"---\ntitle: Article {name}\nstatus: published\n---\nText.\n")
    assert remote.run("push", "--publish").code == 0
    portal.panel.sql("UPDATE articles SET views = 7 WHERE slug = 'b'")
    portal.panel.sql("UPDATE articles SET views = 1200 WHERE slug = 'c'")
    for _ in range(2):  # counted, and then from what was kept
        found = report(remote)["owed"]
        assert [(item["path"][-4:], item["views"]) for item in found] == [("c.md", 1200), ("b.md", 7), ("a.md", None)]
    text = remote.run("status", COLUMNS="60").out
    assert "To translate, most read first\n  fr/billing/c.md  missing, 1,200 views\n" in text
    assert "| `fr/billing/c.md` | missing | - | 1,200 |" in remote.run("status", "--format", "markdown").out
    assert remote.run("translate", "--out", "handoff").code == 0
    manifest = json.loads(remote.read("handoff/manifest.json"))
    assert [item["views"] for item in manifest["articles"]] == [1200, 7, None]
    # Readers who open an article move nothing: the plan is still one with nothing to do, from its record.
    assert remote.run("plan", "--check").code == 0
    offline = json.loads(remote.run("status", "--offline", "--format", "json", KBSYNC_TOKEN="").out)
    found = [(item["path"][-4:], item["views"]) for item in offline["owed"]]
    assert found == [("a.md", None), ("b.md", None), ("c.md", None)]
