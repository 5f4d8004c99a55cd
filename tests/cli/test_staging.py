"""Staged edits as users see them: plan, push, publish, resolve, undo, in whole sentences."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from commands import one_line
from kbsync.sandbox import Fault, Sandbox
from patience import eventually

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
LIVE = "---\ntitle: Invoices\nstatus: published\n---\nText. See [refunds](refunds.md).\n"
OURS = "---\ntitle: Bills\nstatus: published\n---\nOur text. See [refunds](refunds.md).\n"
REFUNDS = "/hc/handbook/articles/refunds"
BODY = LIVE.rpartition("---\n")[2].replace("refunds.md", REFUNDS)
THEIRS = "Their text. See [refunds](/hc/handbook/articles/refunds).\n"
OURS_SAID = "en/billing/invoices.md  staged title, staged body: ours\n"
TAKEN_SAID = "en/billing/invoices.md  title, body: into your file\n"


@pytest.fixture
def live(remote, portal: Sandbox):
    """One live article, committed; its file has an edit."""
    remote.commit({".gitignore": ".kbsync\n", INVOICES: LIVE})
    remote.push({}, "--publish")
    remote.commit({INVOICES: OURS})
    return remote


@pytest.fixture
def theirs(live, portal: Sandbox):
    """A colleague has another edit of it pending."""
    portal.panel.write("invoices", title="Their bills", content=THEIRS)
    return live


def seen(portal: Sandbox) -> tuple[str, str, str | None, str | None]:
    """Title and body that readers see, and those that are pending."""
    article = portal.panel.article("invoices")
    return article.title, article.content, article.draft_title, article.draft_content


def test_an_edit_that_begins_while_ours_is_sent_is_named_and_publishing_it_shows_in_the_plan(live, portal):
    portal.faults.add(Fault("hold", method="PATCH"))
    with ThreadPoolExecutor(1) as pool:
        push = pool.submit(live.run_alone, "push")
        eventually(lambda: portal.held == 1, "the push has looked at the article and sends its edit")
        portal.panel.write("invoices", title="Invoices", content=THEIRS)
        portal.release()
        pushed = push.result()
    assert seen(portal)[:2] == ("Bills", OURS.rpartition("---\n")[2].replace("refunds.md", REFUNDS))
    assert seen(portal)[2:] == ("Invoices", THEIRS)
    assert pushed.says(4, "1 article updated", "edit pending in the panel")
    assert "Somebody began this edit while kbsync sent your file." in pushed.words
    assert "`kbsync resolve en/billing/invoices.md` shows both and asks." in pushed.words
    assert "Pending in the panel, and not touched by a push: 1" in live.run("plan").out
    portal.panel.publish_staged("invoices")
    assert live.run("plan").says(4, "edited in the panel")
    assert seen(portal)[1] == THEIRS and live.run("push").code == 4 and seen(portal)[1] == THEIRS


def test_a_staged_edit_goes_its_way_in_sentences(live, portal):
    plan = live.run("plan", "--stage", "--diff")
    assert plan.code == 0
    assert plan.out == (
        "Plan for portal `handbook` at " + portal.base_url + "\n"
        "\n"
        "Stage edits of 1 article. 1 will be staged: readers see it after someone publishes it.\n"
        '  en/billing/invoices.md  "Bills"  STAGED\n'
        "      staged title: Invoices -> Bills\n"
        "      staged body: changed\n"
        "        [-Text-]{+Our text+}. See [refunds](/hc/handbook/articles/refunds).\n"
        "\n"
        "1 change, 2 requests, about 1 second (4 unchanged).\n"
        "Run `kbsync push --stage` to make this change.\n"
    )
    pushed = live.run("push", "--stage")
    assert (pushed.code, pushed.out.partition("\n")[0]) == (0, "1 article staged")
    assert "1 staged edit waits for publication: readers see it after someone publishes it." in pushed.out
    assert f"run `kbsync push {INVOICES.removeprefix('content/')} --publish-staged`" in pushed.words
    again = live.run("plan", "--stage")
    assert again.code == 0 and "Everything is up to date (4 unchanged)." in again.out
    assert (
        "Staged, waiting for publication: 1\n"
        "  en/billing/invoices.md\n"
        "      Publish it in the panel, or run `kbsync push en/billing/invoices.md --publish-staged`. A push\n"
        "      without `--stage` publishes what is staged, too.\n"
    ) in again.out
    published = live.run("push", "--publish-staged")
    assert (published.code, published.out.partition("\n")[0]) == (0, "1 article published from staged edits")
    assert seen(portal)[0] == "Bills" and seen(portal)[2:] == (None, None)
    assert live.run("push", "--publish-staged").ended(0, "No staged edit of kbsync is waiting for publication.\n")
    assert live.run("plan", "--check").code == 0


@pytest.mark.parametrize(("live_is", "published"), [("update", True), ("stage", False), ("hold", False)])
def test_what_a_push_without_stage_does_to_a_staged_edit_is_said_before_and_done(live, portal, live_is, published):
    live.environ["KBSYNC_PUSH__LIVE"] = live_is
    pushed = live.run("push", "--stage")
    assert ("A push without `--stage` publishes what is staged, too." in pushed.words) is published
    plan = live.run("plan")
    assert ("Publish the staged edits of 1 article. 1 is live" in plan.out) is published
    assert ("Staged, waiting for publication: 1" in plan.out) is not published
    assert live.run("push").code == 0
    assert (seen(portal)[0] == "Bills") is published


def test_a_page_that_is_hidden_shows_the_text_that_goes_out_with_that(live):
    live.write(INVOICES, OURS.replace("published", "draft"))
    told = live.run("plan", "--stage", "--publish", "--diff").out
    assert "Unpublish 1 article." in told
    assert "      title: Invoices -> Bills\n      body: changed\n        [-Text-]{+Our text+}." in told


def test_machines_see_it_apart_from_what_is_live(live):
    found = json.loads(live.run("plan", "--stage", "--format", "json").out)
    assert (found["summary"]["staged"], found["summary"]["pending"], found["summary"]["live"]) == (1, 0, 0)
    assert [(change["staged"], change["live"]) for change in found["changes"]] == [(True, False)]
    live.run("push", "--stage")
    found = json.loads(live.run("plan", "--stage", "--format", "json").out)
    assert (found["summary"]["staged"], found["summary"]["pending"]) == (0, 1)
    assert [item["path"] for item in found["pending"]] == ["en/billing/invoices.md"]
    assert "- **Waiting for publication: 1.**" in live.run("plan", "--stage", "--format", "markdown").out


@pytest.mark.parametrize("option", [("--publish",), ("--release", "5.10")], ids=" ".join)
def test_publishing_takes_no_other_option(live, option):
    done = live.run("push", "--publish-staged", *option)
    assert done.says(2, err=f"does nothing else, so {option[0]} cannot be added")


def test_a_saved_plan_stages_and_publishes_what_it_says(live, portal):
    live.run("plan", "--stage", "--out", "stage.plan")
    assert live.run("push", "stage.plan").says(0, err="stage.plan was made with --stage.")
    live.run("plan", "--publish-staged", "--out", "publish.plan")
    portal.panel.discard_staged("invoices")
    assert live.run("push", "publish.plan", "--publish-staged").code == 4 and seen(portal)[0] == "Invoices"


def test_what_nobody_touched_of_a_pending_edit_is_not_shown(live, portal):
    lines = "One.\n\nTwo.\n\nThree. See [refunds](refunds.md).\n"
    live.push({INVOICES: f"---\ntitle: Invoices\nstatus: published\n---\n{lines}"})
    theirs = lines.replace("One", "One of theirs").replace("refunds.md", REFUNDS)
    portal.panel.write("invoices", content=theirs)
    assert seen(portal)[2:] == ("Invoices", theirs)
    live.commit({INVOICES: f"---\ntitle: Bills\nstatus: published\n---\n{lines.replace('Three', 'Three of ours')}"})
    plan = live.run("plan")
    assert "edit pending in the panel: body\n" in plan.out and "title" not in plan.out
    assert live.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  staged body: ours\n"
    assert "staged title" not in live.run("plan").out
    merged = live.run("resolve", INVOICES, "--merge")
    assert merged.words.startswith("en/billing/invoices.md body: merged into your file.")
    plan = live.run("plan")
    assert "      title: Invoices -> Bills\n      body: changed\n      staged body: discarded\n\n" in plan.out
    assert live.run("push").code == 0
    body = theirs.replace("Three", "Three of ours")
    assert seen(portal) == ("Bills", body, None, None)


@pytest.mark.parametrize(("removed", "left"), [("delete", None), ("archive", ("2", None))])
def test_the_file_of_an_article_with_a_pending_edit_is_gone_and_resolve_decides(live, portal, removed, left):
    live.push({INVOICES: LIVE, "content/en/billing/refunds.md": "---\ntitle: Refunds\n---\nText.\n"})
    portal.panel.write("invoices", content=THEIRS)
    (live.folder / INVOICES).unlink()
    path = INVOICES.removeprefix("content/")
    reported = live.run("plan").words
    assert "The file for `invoices` is gone." in reported and "It has an edit pending in the panel" in reported
    live.environ |= {"KBSYNC_PUSH__REMOVED": removed, "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    for command in (("plan",), ("plan", "--diff"), ("why", path)):
        said = live.run(*command).words
        assert f"The file is gone, and to {removed} the article would lose this edit." in said
        assert f"`kbsync resolve {path}` shows the edit and asks." in said and "(nothing)" not in said
    for side in ("--merge", "--into-file"):
        assert live.run("resolve", path, side).says(4, words="The file is gone. Bring it back first.")
    assert "Remove the article with this edit ([o]urs)" in live.on_a_terminal("s\n", "resolve", path)[1]
    assert live.run("push").code == 4
    assert live.run("resolve", path, "--theirs").code == 0
    assert live.run("push").code == 0
    assert seen(portal)[3] == THEIRS
    assert live.run("resolve", path, "--ours").code == 0
    assert live.run("push").code == 0
    article = portal.panel.article("invoices")
    assert (None if article is None else (str(article.status), article.draft_content)) == left
    # An undo gives the edit back to the person whose it was: no push publishes it as ours.
    run = json.loads(live.run("ledger", "show", "--format", "json").out)["runs"][0]["number"]
    undone = live.run("undo", str(run), "--yes")
    if removed == "delete":
        assert undone.says(4, words="without the edit that was pending in the panel") and seen(portal)[3] is None
        return
    assert undone.code == 0 and seen(portal)[3] == THEIRS
    live.write(INVOICES, LIVE)
    found = json.loads(live.run("plan", "--format", "json").out)
    assert ([item["path"] for item in found["panel_edits"]], found["pending"]) == ([path], [])


def test_ours_discards_their_pending_edit_with_the_next_push(theirs, portal):
    assert "edit pending in the panel: title, body" in theirs.run("plan").out
    assert theirs.run("resolve", INVOICES, "--ours").ended(0, OURS_SAID)
    assert theirs.run("push").code == 0
    assert seen(portal) == ("Bills", "Our text. See [refunds](/hc/handbook/articles/refunds).\n", None, None)


def test_ours_was_said_of_the_edit_that_was_seen(theirs, portal):
    theirs.run("resolve", INVOICES, "--ours")
    portal.panel.write("invoices", content="Their next text.\n")
    assert theirs.run("push").code == 4
    assert seen(portal)[3] == "Their next text.\n"


def test_theirs_leaves_it_alone_until_it_is_another_one(theirs, portal):
    assert theirs.run("resolve", INVOICES, "--theirs").code == 0
    assert theirs.run("plan", "--check").code == 0
    assert theirs.run("push").code == 0 and seen(portal)[3] == THEIRS
    portal.panel.write("invoices", content="Their next text.\n")
    assert theirs.run("plan").code == 4


def test_taken_it_is_in_the_file_with_links_as_files_have_them(theirs, portal):
    assert theirs.run("resolve", INVOICES, "--into-file").ended(0, TAKEN_SAID)
    text = theirs.read(INVOICES)
    assert text == "---\ntitle: Their bills\nstatus: published\n---\nTheir text. See [refunds](refunds.md).\n"
    assert theirs.run("plan", "--stage").says(0, "Staged, waiting for publication: 1")
    assert theirs.run("push").code == 0
    assert seen(portal) == ("Their bills", THEIRS, None, None)


def test_what_is_not_committed_is_not_written_over(theirs):
    theirs.write(INVOICES, OURS + "More.\n")
    done = theirs.run("resolve", INVOICES, "--into-file")
    assert done.code == 4 and "changes that are not committed. Nothing was written. Commit it first." in done.words
    assert theirs.read(INVOICES) == OURS + "More.\n"


def test_a_discarded_edit_is_a_decision_that_can_be_overruled(live, portal):
    live.run("push", "--stage")
    portal.panel.discard_staged("invoices")
    assert live.run("plan").says(4, "staged edit discarded in the panel: staged title, staged body")
    assert live.run("resolve", INVOICES, "--theirs").code == 0
    assert live.run("plan", "--check").code == 0
    assert live.run("resolve", INVOICES, "--ours").code == 0
    assert live.run("push", "--stage").code == 0
    assert seen(portal)[2] == "Bills"


def test_a_clone_that_knows_nothing_sees_what_waits_and_publishes_it(live, portal):
    live.run("push", "--stage")
    shutil.rmtree(live.folder / ".kbsync")
    assert live.run("plan", "--stage").says(0, "Staged, waiting for publication: 1")
    assert live.run("push", "--publish-staged").code == 0
    assert (seen(portal)[0], seen(portal)[2:]) == ("Bills", (None, None))
    assert live.run("plan").code == 0


def test_offline_it_waits_as_the_last_push_left_it(live):
    live.run("push", "--stage")
    assert live.run("plan", "--stage", "--offline", KBSYNC_TOKEN="").says(0, "Staged, waiting for publication: 1")


def test_undo_brings_a_staged_edit_back(live, portal):
    live.run("push", "--stage")
    live.run("push", "--publish-staged")
    assert live.run("undo", "3", "--yes").code == 0
    assert (seen(portal)[0], seen(portal)[2]) == ("Invoices", "Bills")
    assert live.run("undo", "2", "--yes").code == 0
    assert (seen(portal)[0], seen(portal)[2]) == ("Invoices", None)


# --- a pending edit of a person where the file has nothing to send ------------------------------------------------------


@pytest.fixture
def unchanged(theirs):
    """The same, but the file is what readers see."""
    theirs.commit({INVOICES: LIVE})
    return theirs


def test_a_plan_with_nothing_to_send_notes_what_is_pending_in_the_panel(unchanged):
    plan = unchanged.run("plan", "--check")
    assert plan.code == 0
    assert (
        "Pending in the panel, and not touched by a push: 1\n"
        "  en/billing/invoices.md\n"
        "      `kbsync resolve en/billing/invoices.md` shows it and asks what to do with it.\n"
    ) in plan.out
    found = json.loads(unchanged.run("plan", "--format", "json").out)
    assert [item["path"] for item in found["panel_edits"]] == ["en/billing/invoices.md"]
    assert (found["held"], found["pending"], found["summary"]["unchanged"]) == ([], [], 5)
    assert "1 edit is pending in the panel" in unchanged.run("plan", "--format", "markdown").out
    assert "pending in the panel, which a push would not touch." in unchanged.run("why", INVOICES).words


def test_a_pending_edit_is_discarded_with_ours_though_the_file_has_nothing_to_send(unchanged, portal):
    assert unchanged.run("resolve", "--ours").out.startswith("Nothing needs your decision.")
    assert unchanged.run("resolve", INVOICES, "--ours").ended(0, OURS_SAID)
    unchanged.write(INVOICES, LIVE.replace("title: Invoices", "title: Invoices\ndescription: New"))
    plan = unchanged.run("plan")
    assert "Discard the staged edits of 1 article" in plan.out and "Update 1 article." in plan.out
    assert "Pending in the panel" not in plan.out
    assert unchanged.run("push").code == 0
    assert seen(portal)[2:] == (None, None) and seen(portal)[0] == "Invoices"
    assert "Pending" not in unchanged.run("plan", "--check").out
    assert unchanged.run("undo", "2", "--yes").code == 0
    assert seen(portal)[2:] == ("Their bills", THEIRS)


def test_theirs_leaves_it_pending_and_what_the_file_says_later_is_still_held(unchanged, portal):
    unchanged.run("resolve", INVOICES, "--ours")
    done = unchanged.run("resolve", INVOICES, "--theirs")
    assert done.code == 0
    assert done.words == (
        "en/billing/invoices.md edit pending in the panel: It stays pending. Your file has nothing to send, so nothing "
        "has to be decided."
    )
    assert unchanged.run("push").code == 0 and seen(portal)[3] == THEIRS
    unchanged.write(INVOICES, OURS)
    assert unchanged.run("push").code == 4 and seen(portal)[3] == THEIRS


def test_a_pending_edit_goes_into_a_file_that_has_nothing_to_send(unchanged, portal):
    assert unchanged.run("resolve", INVOICES, "--into-file").ended(0, TAKEN_SAID)
    assert unchanged.run("push").code == 0
    assert seen(portal) == ("Their bills", THEIRS, None, None)


def test_three_texts_have_names_and_the_pending_one_goes_into_the_file_and_to_readers(theirs, portal):
    portal.panel.edit("invoices", title="Their live bills")
    plan = theirs.run("plan")
    assert plan.says(4, "title on the portal: Their live bills")
    assert "title pending in the panel: Their bills\n      title in your file:         Bills\n" in plan.out
    assert "What readers see, this pending edit and your file are three different texts." in plan.words
    done = theirs.run("resolve", INVOICES, "--into-file")
    assert done.code == 0
    assert done.words == (
        "en/billing/invoices.md title, body: into your file "
        "en/billing/invoices.md edited in both places: The next push replaces it with your file, which has the pending "
        "edit now."
    )
    assert "title: Their bills" in theirs.read(INVOICES)
    assert theirs.run("push").code == 0
    assert seen(portal) == ("Their bills", THEIRS, None, None)


@pytest.mark.parametrize("is_recorded", [True, False], ids=["recorded", "without a ledger"])
def test_of_three_texts_the_hint_about_the_live_one_offers_nothing_that_loses_the_pending_one(
    theirs, portal, is_recorded
):
    portal.panel.edit("invoices", title="Their live bills")
    if not is_recorded:
        shutil.rmtree(theirs.folder / ".kbsync")
    held = json.loads(theirs.run("plan", "--format", "json").out)["held"]
    live, pending = (next(it["hint"] for it in held if (it["reason"] == "staged") is about) for about in (False, True))
    assert "An edit of this article is pending in the panel, too." in live
    assert "--overwrite" not in live and "--into-file" not in live and "`kbsync resolve" in live
    assert "are three different texts" in pending


def test_of_three_texts_none_goes_into_the_file_where_it_is_not_named(theirs, portal):
    portal.panel.edit("invoices", title="Their live bills")
    before = theirs.read(INVOICES)
    done = theirs.run("resolve", "--into-file")
    assert done.code == 4 and "three texts. `kbsync resolve en/billing/invoices.md` shows them" in one_line(done.err)
    assert theirs.read(INVOICES) == before
    assert theirs.run("push").code == 4 and seen(portal)[::2] == ("Their live bills", "Their bills")


def test_of_three_texts_what_changes_after_the_decision_is_held_again(theirs, portal):
    portal.panel.edit("invoices", title="Their live bills")
    assert theirs.run("resolve", INVOICES, "--into-file").code == 0
    portal.panel.edit("invoices", title="Another title")
    assert theirs.run("push").code == 4
    portal.panel.write("invoices", title="Another edit")
    assert theirs.run("push").code == 4
    assert seen(portal)[::2] == ("Another title", "Another edit")


@pytest.mark.parametrize(("side", "left"), [("--ours", ("Bills", None)), ("--theirs", ("Live bills", "Their bills"))])
def test_of_three_texts_ours_or_theirs_decides_about_both(theirs, portal, side, left):
    portal.panel.edit("invoices", title="Live bills")
    assert theirs.run("resolve", INVOICES, side).code == 0
    assert theirs.run("push").code == 0
    assert seen(portal)[::2] == left
    assert theirs.run("plan", "--full", "--check").code == 0


@pytest.mark.parametrize(("side", "title"), [("--into-file", "Their bills"), ("--ours", "Bills")])
def test_of_three_texts_the_one_that_was_chosen_is_published_where_edits_are_staged(theirs, portal, side, title):
    stage = {"KBSYNC_PUSH__LIVE": "stage"}
    portal.panel.edit("invoices", title="Live bills")
    assert theirs.run("resolve", INVOICES, side, **stage).code == 0
    assert theirs.run("push", **stage).code == 0
    assert seen(portal)[::2] == ("Live bills", title)
    portal.panel.edit("invoices", title="Live bills, again")
    assert theirs.run("push", "--publish-staged", **stage).code == 4
    portal.panel.edit("invoices", title="Live bills")
    assert theirs.run("push", "--publish-staged", **stage).code == 0
    assert seen(portal)[::2] == (title, None)


def test_of_three_texts_all_edits_are_merged_into_the_file(theirs, portal):
    portal.panel.edit("invoices", content=f"{BODY}\nLive line.\n")
    portal.panel.write("invoices", title="Their bills", content=f"{BODY}\nLive line.\n\nStaged line.\n")
    theirs.commit({INVOICES: LIVE.replace("\nText. See", "\nOurs.\n\nText. See")})
    assert theirs.run("resolve", INVOICES, "--merge").code == 0
    text = theirs.read(INVOICES)
    assert "title: Their bills\n" in text
    assert text.endswith("Ours.\n\nText. See [refunds](refunds.md).\n\nLive line.\n\nStaged line.\n")
    assert theirs.run("push").code == 0
    assert seen(portal)[0] == "Their bills" and seen(portal)[2:] == (None, None)
    assert all(line in seen(portal)[1] for line in ("Ours.", "Live line.", "Staged line."))


def test_of_three_texts_an_edit_of_the_live_text_is_kept_where_the_pending_one_began_before_it(theirs, portal):
    portal.panel.write("invoices", title="Their bills", content=f"Staged line.\n\n{BODY}")
    portal.panel.edit("invoices", content=f"{BODY}\nLive line.\n")
    theirs.commit({INVOICES: LIVE})
    assert theirs.run("resolve", INVOICES, "--merge").code == 0
    assert theirs.read(INVOICES).endswith("---\nStaged line.\n\nText. See [refunds](refunds.md).\n\nLive line.\n")
    assert theirs.run("push").code == 0
    assert "Live line." in seen(portal)[1] and seen(portal)[2:] == (None, None)


def test_a_difference_is_shown_once_where_a_pending_edit_is_overwritten(theirs):
    told = theirs.run("plan", "--overwrite", INVOICES, "--diff").out
    assert told.count("{+Our text+}") == 1 and "staged body: discarded" in told


def test_one_hint_says_all_where_live_articles_are_held_and_an_edit_is_pending(theirs, portal):
    hold = {"KBSYNC_PUSH__LIVE": "hold"}
    plan = theirs.run("plan", **hold)
    both = "kbsync push en/billing/invoices.md --live en/billing/invoices.md --overwrite en/billing/invoices.md"
    assert plan.code == 4 and f"`{both}`" in plan.words
    assert f"`{both}`" in theirs.run("plan", "--live", INVOICES, **hold).words
    assert theirs.run("push", *both.split()[2:], **hold).code == 0
    assert seen(portal)[0] == "Bills" and seen(portal)[2:] == (None, None)


def test_both_edits_are_merged_into_the_file_and_go_out_together(theirs, portal):
    portal.panel.write("invoices", title="Invoices", content=f"{BODY}\nTheirs.\n")
    theirs.commit({INVOICES: OURS.replace("\nOur text. See", "\nOurs.\n\nText. See")})
    said = "merged into your file. The next push sends it and discards the pending edit."
    assert theirs.run("resolve", INVOICES, "--merge").says(0, words=said)
    text = theirs.read(INVOICES)
    assert text == "---\ntitle: Bills\nstatus: published\n---\nOurs.\n\nText. See [refunds](refunds.md).\n\nTheirs.\n"
    assert theirs.run("push").code == 0
    assert seen(portal)[0] == "Bills" and seen(portal)[1].startswith("Ours.") and "Theirs." in seen(portal)[1]
    assert seen(portal)[2:] == (None, None)


def test_what_both_changed_is_not_merged_and_nothing_is_written(theirs, portal):
    for title, why in (("Their bills", "have different titles"), ("Invoices", "change the same lines")):
        portal.panel.write("invoices", title=title)
        assert theirs.run("resolve", INVOICES, "--merge").says(4, words=why)
        assert theirs.read(INVOICES) == OURS
    portal.panel.edit("invoices", title="Their live bills")
    done = theirs.run("resolve", INVOICES, "--merge")
    assert done.code == 4 and "Your file and what readers see have different titles." in done.words
    assert "`kbsync pull en/billing/invoices.md` merges what readers see." in done.words
    assert theirs.read(INVOICES) == OURS
