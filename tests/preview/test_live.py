"""Open pages follow the files."""

import asyncio
import gc
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from watchdog.observers import Observer

from kbsync.preview import live
from kbsync.preview.debounce import SETTLE_S, Debouncer
from kbsync.preview.live import DOUBT_S
from kbsync.preview.watcher import AGAIN_S, Watcher
from patience import GIVE_UP_S
from preview.workshop import BILLING, CHARGES, CONFIG, HOME, REFUNDS, TREE, Running, running

A_REFUND = str(TREE["en/billing/refunds.md"])


async def look_often(seconds: float) -> None:
    """Wait; but a tree that is polled is looked at far more often than once a second."""
    await asyncio.sleep(0.05 if seconds == AGAIN_S else seconds)


@pytest.fixture(params=["watching", "polling"])
def preview(request: pytest.FixtureRequest, tmp_path: Path):
    with running(tmp_path, poll=request.param == "polling", sleep=look_often) as running_preview:
        running_preview.wait_until_read()
        yield running_preview


def test_an_open_page_is_told_its_state_once_and_then_what_changes(preview: Running):
    with preview.tab(REFUNDS) as tab:
        tab.page_with("Text.")
        preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Other words."))
        tab.page_with("Other words.")


def test_the_collector_leaves_the_tree_alone(tmp_path: Path):
    gc.unfreeze()
    with running(tmp_path) as preview:
        preview.wait_until_read()
        assert gc.get_freeze_count()


def test_a_save_by_swapping_files_shows(preview: Running):
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/.new", A_REFUND.replace("Text.", "Swapped."))
        (preview.content / "en/billing/.new").replace(preview.content / "en/billing/refunds.md")
        tab.page_with("Swapped.")


def test_two_tabs_of_one_page_and_one_of_another_each_get_their_own(preview: Running):
    with preview.opened(REFUNDS) as one, preview.opened(REFUNDS) as two, preview.opened(BILLING) as other:
        preview.save("en/billing/refunds.md", A_REFUND.replace("title: Refunds", "title: Money back"))
        one.page_with("Money back")
        two.page_with("Money back")
        other.page_with("Money back")


def test_the_window_gets_the_new_title(preview: Running):
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/refunds.md", A_REFUND.replace("title: Refunds", "title: Money back"))
        while tab.next("page")[1]["title"] != "Money back | Handbook":
            pass


def test_a_new_file_appears_in_its_category(preview: Running):
    with preview.opened(BILLING) as tab:
        preview.save("en/billing/new.md", "---\ntitle: Brand new\n---\nText.\n")
        tab.page_with("Brand new")


def test_a_page_that_is_waited_for_appears(preview: Running):
    with preview.tab("/en/articles/new") as tab:
        tab.page_with("Page not found")
        preview.save("en/billing/new.md", "---\ntitle: Brand new\n---\nText.\n")
        tab.page_with("Brand new")


def test_a_deleted_file_leaves(preview: Running):
    with preview.opened(REFUNDS) as tab, preview.opened(BILLING) as list_tab:
        (preview.content / "en/billing/refunds.md").unlink()
        assert tab.next("gone") == ("gone", {})
        list_tab.page_without("Refunds")


def test_the_page_of_a_renamed_file_goes_along(preview: Running):
    with preview.opened(REFUNDS) as tab:
        (preview.content / "en/billing/refunds.md").rename(preview.content / "en/billing/money-back.md")
        assert tab.next("moved") == ("moved", {"url": "/en/articles/money-back"})
        preview.save("en/billing/money-back.md", A_REFUND.replace("Text.", "Renamed."))
        tab.page_with("Renamed.")
        preview.save("en/billing/money-back.md", A_REFUND.replace("title:", "slug: other\ntitle:"))
        assert tab.next("moved") == ("moved", {"url": "/en/articles/other"})


def test_a_moved_folder_takes_its_articles_along(preview: Running):
    with preview.opened(HOME) as tab:
        (preview.content / "en/teams").rename(preview.content / "en/people")
        assert "/en/categories/people" in tab.page_with("/en/categories/people")
    (preview.content / "en/people").rename(preview.content / "en/teams")


@pytest.mark.parametrize("deleted", [False, True])
def test_while_the_content_folder_is_away_pages_stay_and_say_so_and_then_go_on(preview: Running, deleted: bool):
    away = preview.content.with_name("away")
    with preview.tab(REFUNDS) as tab, preview.tab(HOME) as home:
        assert "Text." in tab.page()
        home.page()
        if deleted:
            shutil.copytree(preview.content, away)
            shutil.rmtree(preview.content)
        else:
            preview.content.rename(away)
        home.page_with("The content folder is gone.")
        assert "The content folder is gone." in preview.get("/en/articles/invite").text
        (away / "en/billing/refunds.md").write_text(A_REFUND.replace("Text.", "Written meanwhile."), "utf-8")
        (away / "en/teams/invite.md").unlink()
        away.rename(preview.content)
        # The folder may be heard of after the file in it.
        if "The content folder is gone." in tab.page_with("Written meanwhile."):
            tab.page_without("The content folder is gone.")
        home.page_without("Invite people")
        preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Saved after that."))
        tab.page_with("Saved after that.")
    assert preview.get("/en/articles/invite").status_code == 404


@pytest.mark.parametrize("url", ["/-/findings", "/-/overview", "/-/codes"])
def test_a_list_says_that_the_content_folder_is_away_or_kbsync_toml_is_broken(preview: Running, url: str):
    away, config = preview.content.with_name("away"), preview.folder / "kbsync.toml"
    with preview.tab(url) as tab:
        assert 'class="broken bar' not in tab.page()
        preview.content.rename(away)
        tab.page_with("The content folder is gone.")
        away.rename(preview.content)
        tab.page_without("The content folder is gone.")
        config.write_text("[content\n", "utf-8")
        tab.page_with("Not valid TOML")
        config.write_text(CONFIG, "utf-8")
        tab.page_without("Not valid TOML")


def test_a_folder_that_is_copied_in_appears(preview: Running):
    with preview.opened(HOME) as tab:
        shutil.copytree(preview.content / "en/teams", preview.content / "en/people")
        tab.page_with("/en/categories/people")


def test_a_thousand_new_files_appear(preview: Running):
    with preview.opened("/en/categories/many") as tab:
        folder = preview.content / "en/many"
        folder.mkdir()
        for number in range(1_000):
            (folder / f"a{number}.md").write_text(f"---\ntitle: Number {number}\n---\nText.\n")
        html = tab.page_with("Number 999")
        assert html.count("Number ") >= 1_000


def test_a_broken_front_matter_shows_its_message_over_the_last_good_page(preview: Running):
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/refunds.md", "---\ntitle: [Refunds\n---\nOther.\n")
        html = tab.page_with("the last version without this error")
        assert "Text." in html
        preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Mended."))
        html = tab.page_with("Mended.")
        assert "the last version without this error" not in html


def test_a_file_that_is_empty_for_a_moment_shows_no_error(tmp_path: Path):
    in_doubt, written = threading.Event(), threading.Event()

    async def wait_for_the_writer(seconds: float) -> None:
        if seconds == DOUBT_S:
            in_doubt.set()
            await asyncio.to_thread(written.wait, GIVE_UP_S)
        else:
            await look_often(seconds)

    for poll in (False, True):
        with running(tmp_path, poll=poll, sleep=wait_for_the_writer) as preview:
            preview.wait_until_read()
            with preview.opened(REFUNDS) as tab:
                in_doubt.clear()
                written.clear()
                os.truncate(preview.content / "en/billing/refunds.md", 0)
                assert in_doubt.wait(GIVE_UP_S)
                preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Written."))
                written.set()
                assert not [html for html in tab.pages_to("Written.") if "last version without this error" in html]


def test_the_search_is_told_to_load_its_index_anew(preview: Running):
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Findable."))
        assert tab.next("search")[1]["revision"]
        assert "Findable." in preview.get("/-/search/en.json").text


def test_after_a_save_the_search_gets_what_is_different(preview: Running):
    def index(since: str) -> dict[str, Any]:
        return preview.get(f"/-/search/en.json?since={since}").json()

    whole = index("")
    assert index(whole["version"]) == {**whole, "since": whole["version"], "articles": []}
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Findable."))
        tab.next("search")
    changed = index(whole["version"])
    assert [row[0] for row in changed["articles"]] == [REFUNDS]
    with preview.opened(HOME) as tab:
        (preview.content / "en/billing/charges.md").unlink()
        tab.next("search")
    assert (index(changed["version"])["articles"], index(changed["version"])["gone"]) == ([], [CHARGES])
    for unknown in ("x-1", whole["version"] + "x", "-", "²"):
        assert (index(unknown)["since"], len(index(unknown)["articles"])) == ("", len(whole["articles"]) - 1)
    assert preview.get("/-/search/zz.json").json()["articles"] == []


def test_another_kbsync_toml_loads_every_page_anew(preview: Running):
    with preview.opened(HOME) as tab:
        (preview.folder / "kbsync.toml").write_text(CONFIG + '[service]\nportal = "manual"\n', "utf-8")
        tab.next("reload")
    assert "Manual" in preview.get(HOME).text


@pytest.mark.parametrize("poll", [False, True])
def test_a_kbsync_toml_that_is_saved_before_the_preview_listens_is_read(tmp_path: Path, poll: bool):
    """As one that an editor empties and then fills: empty, it is a project of its own, and the preview begins anew."""

    def save() -> None:
        (tmp_path / "kbsync.toml").write_text("[content\n", "utf-8")

    with running(tmp_path, poll=poll, sleep=look_often, meanwhile=save) as preview, preview.tab(HOME) as tab:
        tab.page_with("Not valid TOML")
        (tmp_path / "kbsync.toml").write_text(CONFIG, "utf-8")
        tab.page_without("Not valid TOML")


def test_a_broken_kbsync_toml_is_told_and_the_last_good_one_is_kept(preview: Running):
    with preview.opened(HOME) as tab:
        (preview.folder / "kbsync.toml").write_text("[content\n", "utf-8")
        html = tab.page_with("Not valid TOML")
        place = (preview.folder / "kbsync.toml").resolve().as_posix()
        assert f'<a href="vscode://file{place}:1:9">Open kbsync.toml</a>' in html
        (preview.folder / "kbsync.toml").write_text(CONFIG, "utf-8")
        tab.page_without("Not valid TOML")


def test_a_page_that_is_asked_for_is_as_the_file_is_whatever_was_heard(preview: Running):
    preview.save("en/billing/refunds.md", A_REFUND.replace("Text.", "Just now."))
    assert "Just now." in preview.get(REFUNDS).text


# --- the first page --------------------------------------------------------------------------------------------------


MANY = TREE | {
    f"en/many/article-{number}.md": f"---\ntitle: Number {number}\nslug: slug-{number}\n---\nText.\n"
    for number in range(1_200)
}


@pytest.mark.slow
def test_a_tree_of_thousands_is_shown_before_it_is_read_and_completed_after(tmp_path: Path):
    with running(tmp_path, MANY) as preview:
        assert "Text." in preview.get(REFUNDS).text
        # Its slug is not the name of its file: nobody knows before all is read.
        assert "Number 7" in preview.get("/en/articles/slug-7").text
        assert len(preview.get("/-/search/en.json").json()["articles"]) == 1_204


@pytest.mark.slow
def test_a_folder_that_is_away_when_it_is_to_be_read_is_read_when_it_is_back(tmp_path: Path):
    content, away = tmp_path / "content", tmp_path / "away"
    moves = {SETTLE_S: (content, away), AGAIN_S: (away, content)}

    async def sleep(seconds: float) -> None:
        """Before the first batch of changes the folder goes, while another process still begins to read it."""
        if seconds in moves:
            before, after = moves.pop(seconds)
            before.rename(after)
        await asyncio.sleep(seconds)

    with running(tmp_path, MANY, sleep=sleep) as preview:
        assert len(preview.get("/-/search/en.json").json()["articles"]) == 1_204


@pytest.mark.slow
def test_an_open_home_page_is_completed_when_the_tree_is_read(tmp_path: Path):
    with running(tmp_path, MANY) as preview, preview.tab(HOME) as tab:
        tab.page_with("Invite people")


def test_a_preview_that_ends_while_it_begins_to_listen_listens_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    begun, ended, observer = threading.Event(), threading.Event(), Observer()

    class Slow(Watcher):
        def __init__(self, root: Path, config: Path, debouncer: Debouncer) -> None:
            super().__init__(root, config, debouncer, observer)

        def start(self) -> None:
            super().start()
            begun.set()
            ended.wait(2)  # only so long because a preview waits for its threads

        def close(self) -> None:
            ended.set()
            super().close()

    monkeypatch.setattr(live, "Watcher", Slow)
    with running(tmp_path):
        assert begun.wait(GIVE_UP_S)
    assert ended.is_set() and not observer.is_alive()


def test_an_image_that_is_saved_again_has_another_address_and_both_answer(preview: Running):
    with preview.opened(REFUNDS) as tab:
        preview.save("en/billing/x.png", "one")
        preview.save("en/billing/refunds.md", A_REFUND + "\n![x](x.png)\n")
        before = image_in(tab.page_with('<img src="/-/files/'))
        preview.save("en/billing/x.png", "another")
        after = image_in(tab.page_without(before))
    for address in (before, after, "/-/files/en/billing/x.png"):
        assert preview.get(address).content == b"another"
    assert preview.get("/-/files/.2/.2/en/billing/x.png").status_code == 404


def image_in(html: str) -> str:
    return html.partition('<img src="')[2].partition('"')[0]


def test_files_that_are_none_of_the_tree_are_listed_for_as_long_as_they_are_there(preview: Running):
    link = preview.content / "en/billing/outside.md"
    with preview.opened("/-/findings") as tab:
        link.symlink_to("/etc/hostname")
        tab.page_with("KB115")
        link.unlink()
        tab.page_without("KB115")
