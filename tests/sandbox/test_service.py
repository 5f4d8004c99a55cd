"""The surprises of the service that the recordings show only in part, and the sandbox's own life."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import kbsync.sandbox
from kbsync.sandbox import V4_2, Behaviour, PortalSetup
from patience import GIVE_UP_S

from .asking import PNG, a_file, ask, call, post, read
from .world import ACME, HANDBOOK, Clock, a_sandbox, serving


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def sandbox(tmp_path, clock):
    with a_sandbox(tmp_path, clock=clock) as running:
        yield running


def an_article(sandbox, slug, **fields):
    sent = {"title": slug, "slug": slug, "content": "c", "author_id": 1} | fields
    return call(sandbox, "POST", HANDBOOK + "/articles", sent)["payload"]


def scan(sandbox, query=""):
    slugs, page = [], 1
    while True:
        rows = call(sandbox, "GET", f"{HANDBOOK}/articles?page={page}{query}")["payload"]
        if not rows:
            return slugs
        slugs += [row["slug"] for row in rows]
        page += 1


def test_a_quiet_portal_is_listed_whole_newest_first(sandbox):
    for number in range(60):
        an_article(sandbox, f"s-{number:02}")
    assert scan(sandbox) == [f"s-{number:02}" for number in reversed(range(60))]


@pytest.mark.parametrize(("ties", "distinct"), [("lose", 198), ("stable", 200)])
def test_200_tied_articles_come_out_as_200_rows_of_which_two_may_be_lost(tmp_path, ties, distinct):
    with a_sandbox(tmp_path, behaviour=Behaviour(ties=ties)) as sandbox:
        for number in range(200):
            sandbox.panel.create("handbook", "t", "c", slug=f"s-{number}")
        sandbox.panel.sql("UPDATE articles SET updated_at = 1767225600000000")
        slugs = scan(sandbox)
        assert (len(slugs), len(set(slugs))) == (200, distinct)


def test_an_article_deleted_between_two_pages_hides_another(sandbox):
    for number in range(30):
        an_article(sandbox, f"s-{number:02}")
    first = call(sandbox, "GET", f"{HANDBOOK}/articles?page=1")["payload"]
    sandbox.panel.delete("s-29")
    second = call(sandbox, "GET", f"{HANDBOOK}/articles?page=2")["payload"]
    assert "s-04" not in {row["slug"] for row in first + second}


def test_the_counters_follow_every_kind_of_change(sandbox):
    call(sandbox, "POST", HANDBOOK + "/categories", {"name": "G", "slug": "g", "locale": "fr"})
    article = an_article(sandbox, "a", status=1)
    an_article(sandbox, "b", author_id=2)
    path = f"{HANDBOOK}/articles/{article['id']}"
    call(sandbox, "PATCH", path, {"status": 2})
    call(sandbox, "PATCH", path, {"category_id": 1})
    meta = call(sandbox, "GET", HANDBOOK + "/articles?locale=fr")["meta"]
    counted = [meta[f"{name}_count"] for name in ("all_articles", "articles", "archived_articles", "published")]
    assert counted == [2, 1, 1, 0]
    call(sandbox, "DELETE", path)
    meta = call(sandbox, "GET", HANDBOOK + "/articles")["meta"]
    assert (meta["articles_count"], meta["draft_articles_count"], meta["mine_articles_count"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"title": "a"}, False),
        ({"title": "a", "slug": "a", "content": "c", "author_id": "1", "status": "draft"}, False),
        ({"meta": {"tags": ["x"], "title": "m", "hash": "z"}}, False),
        ({"locale": "ja"}, False),
        ({"zzz": 1}, False),
        ({"content": "d"}, True),
        ({"position": 99}, True),
        ({"status": 1}, True),
        ({"author_id": 2}, True),
        ({"meta": {"tags": ["y"], "title": "m"}}, True),
    ],
)
def test_updated_at_moves_only_with_a_real_change(sandbox, clock, change, moves):
    call(sandbox, "POST", HANDBOOK + "/categories", {"name": "G", "slug": "g", "locale": "fr"})
    before = an_article(sandbox, "a", category_id=1, meta={"title": "m", "tags": ["x"]})
    clock.pass_s(10)
    after = call(sandbox, "PATCH", f"{HANDBOOK}/articles/{before['id']}", change)["payload"]
    assert after["updated_at"] - before["updated_at"] == (10 if moves else 0)


def test_reordering_to_the_same_place_and_renaming_the_category_leave_updated_at_alone(sandbox, clock):
    call(sandbox, "POST", HANDBOOK + "/categories", {"name": "G", "slug": "g", "locale": "en"})
    before = an_article(sandbox, "a", category_id=1)
    clock.pass_s(10)
    call(sandbox, "POST", HANDBOOK + "/articles/reorder", {"positions_hash": {before["id"]: before["position"]}})
    call(sandbox, "PATCH", HANDBOOK + "/categories/1", {"name": "H"})
    call(sandbox, "DELETE", HANDBOOK + "/categories/1")
    after = call(sandbox, "GET", f"{HANDBOOK}/articles/{before['id']}")["payload"]
    assert after["updated_at"] == before["updated_at"]
    assert after["category"]["id"] is None


def test_of_twenty_at_once_with_one_slug_one_is_made(sandbox):
    body = {"title": "t", "slug": "t", "content": "c", "author_id": 1}
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: ask(sandbox, "POST", HANDBOOK + "/articles", body), range(20))
    assert sorted(answer.status for answer in answers) == [200] + [500] * 19


def test_a_category_decides_the_locale_of_its_articles_when_they_are_saved(sandbox):
    call(sandbox, "POST", HANDBOOK + "/categories", {"name": "G", "slug": "g", "locale": "en"})
    an_article(sandbox, "a", category_id=1)
    call(sandbox, "PATCH", HANDBOOK + "/categories/1", {"locale": "fr"})
    assert sandbox.panel.article("a").locale == "en"
    assert sandbox.panel.edit("a", title="b").locale == "fr"


def test_the_minute_of_a_limit_ends_with_the_minute_of_the_clock(tmp_path, clock):
    clock.pass_s(30)
    with a_sandbox(tmp_path, behaviour=Behaviour(requests_per_minute=3), clock=clock) as sandbox:
        assert [ask(sandbox, "GET", "/api").status for _ in range(4)] == [200, 200, 200, 429]
        assert read(sandbox.base_url + "/hc/handbook/en")[0] == 429
        assert read(sandbox.base_url + "/-/sandbox/faults")[0] == 200
        clock.pass_s(29)
        assert ask(sandbox, "GET", "/api").status == 429
        clock.pass_s(1)
        assert ask(sandbox, "GET", "/api").status == 200


def test_an_upload_is_read_back_from_an_address_that_ends(sandbox, clock):
    status, told = post(sandbox, a_file())
    assert status == 200
    assert read(told["file_url"]) == (200, PNG)
    again = post(sandbox, a_file())[1]
    assert again["file_url"] != told["file_url"]
    ticket = ask(sandbox, "GET", urlsplit(told["file_url"]).path).headers["location"]
    assert read(ticket) == (200, PNG)
    clock.pass_s(301)
    assert read(ticket)[0] == 404
    assert read(told["file_url"]) == (200, PNG)


def test_an_upload_without_a_file_is_refused_and_an_external_address_stays_on_this_machine(sandbox):
    assert post(sandbox, a_file(name="file")) == (422, '{"error":"No file or URL provided"}')
    refused = ask(sandbox, "POST", "/api/v1/accounts/1/upload", {"external_url": "https://example.com/x"})
    assert (refused.status, refused.text) == (422, '{"error":"Invalid URL provided"}')


def test_4_2_makes_drafts_and_numbers_its_files(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_2) as sandbox:
        assert an_article(sandbox, "a", status=1)["status"] == "draft"
        assert post(sandbox, a_file())[1]["blob_id"] == 1
        assert call(sandbox, "GET", "/api")["version"] == "4.2.0"


def test_a_database_is_continued_and_the_setup_adds_what_is_missing(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        an_article(sandbox, "a")
    handbook = replace(ACME.portals[0], locales=("de", "en"))
    more = replace(ACME, portals=(handbook, PortalSetup("new", "New", ("en",), "en")))
    with a_sandbox(tmp_path, setup=more) as sandbox:
        assert an_article(sandbox, "b")["id"] == 2
        portals = call(sandbox, "GET", "/api/v1/accounts/1/portals")["payload"]
    assert [portal["slug"] for portal in portals] == ["handbook", "other", "new"]
    assert [row["code"] for row in portals[0]["config"]["allowed_locales"]] == ["en", "fr", "ja", "de"]


def test_a_person_in_the_panel_creates_edits_publishes_and_deletes(sandbox):
    made = sandbox.panel.create("handbook", "By hand", "text")
    assert made.slug.endswith("-by-hand")
    assert sandbox.panel.edit(made.slug, title="Another").title == "Another"
    assert sandbox.panel.publish(made.slug).status == 1
    assert [article.id for article in sandbox.panel.articles("handbook")] == [made.id]
    sandbox.panel.delete(made.slug)
    assert sandbox.panel.article(made.slug) is None
    with pytest.raises(LookupError):
        sandbox.panel.delete(made.slug)


def test_every_answer_waits_for_the_latency(tmp_path):
    with a_sandbox(tmp_path, behaviour=Behaviour(latency_s=0.05)) as sandbox:
        call(sandbox, "GET", "/api")
        call(sandbox, "GET", "/api")
        first, second = sandbox.requests
        assert second.at - first.at >= 0.05


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_it_tells_its_address_and_stops_on_a_signal(tmp_path, number):
    with serving(tmp_path / "s.db") as process:
        url = process.stdout.readline().strip()
        assert read(url + "/api")[0] == 200
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=GIVE_UP_S)
    assert (process.returncode, errors) == (0, "")


def test_importing_the_package_imports_no_server():
    heavy = ("uvicorn", "starlette", "jinja2", "sqlite3", "asyncio", "msgspec")
    code = f"import sys, kbsync.sandbox; print([name for name in {heavy} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_of_kbsync_the_sandbox_imports_only_site_markdown_and_small_tools():
    import ast

    folder = Path(kbsync.sandbox.__file__).parent
    found = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            found |= {name.split(".")[1] for name in names if name.startswith("kbsync.")}
    assert found <= {"site", "markdown", "files", "hosts"}
