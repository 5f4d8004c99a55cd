"""A push of a large tree leaves the record of a plan with nothing to do, and never one that is not true."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cli.test_plan_cache import LONG_AGO_NS, REFUNDS, records, settle, told, told_anew
from kbsync.app.listing_ahead import LARGE
from kbsync.errors import ExitCode
from kbsync.sandbox import Fault, Sandbox
from patience import eventually

if TYPE_CHECKING:
    from conftest import Project

pytestmark = pytest.mark.slow

PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


@pytest.fixture
def large(remote: Project, portal: Sandbox) -> Project:
    """As many files as make a tree large, five of which are articles and categories; all of it pushed and settled."""
    for number in range(LARGE):
        path = remote.write(f"content/en/billing/a{number}.md", f"---\ntitle: Article {number}\nmanage: false\n---\n")
        os.utime(path, ns=LONG_AGO_NS)
    rewrite(remote, "See [invoices](invoices.md).")
    assert remote.run("push").code == ExitCode.DONE
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    settle(remote)
    remote.run("plan")
    assert records(remote)
    return remote


def rewrite(project: Project, text: str = "Other words.") -> None:
    project.write(REFUNDS, f"---\ntitle: Refund a charge\n---\n{text}\n")
    os.utime(project.folder / REFUNDS, ns=LONG_AGO_NS)
    settle(project)


def leaves_a_record(project: Project) -> bool:
    """Whether the next plan decodes no source, and says what one without a memory says; it makes no scan cache then."""
    scan = project.folder / ".kbsync" / "cache" / "scan.cache"
    kept = scan.read_bytes()
    scan.unlink()
    found = told(project)
    made = scan.exists()
    scan.write_bytes(kept)
    assert found == told_anew(project)
    return not made


def test_a_push_leaves_a_record_also_after_the_next_edit_of_the_same_file(large: Project, portal: Sandbox):
    for text in ("Other words.", "Yet other words."):
        rewrite(large, text)
        before = len(portal.requests)
        found = json.loads(large.run("push", "--format", "json").out)
        assert found["summary"]["requests"] == len(portal.requests) - before
        assert [change["outcome"] for change in found["changes"]] == ["done"]
        # Where the few texts were pushed, no category was read again to be sure.
        assert not any("category_slug" in request.path for request in portal.requests[before:])
        assert leaves_a_record(large)
    assert portal.panel.article("refunds").content == "Yet other words.\n"
    portal.panel.edit("refunds", title="Money back")
    assert told(large) == told_anew(large)
    assert told(large)[0] == ExitCode.HELD


def test_an_edit_that_waits_for_an_upload_reads_no_other_article_either(large: Project, portal: Sandbox):
    (large.folder / "content/en/billing/a.png").write_bytes(PIXEL)
    rewrite(large, "![the button](a.png)")
    assert large.run("push").code == ExitCode.DONE
    # Of an image that lies elsewhere, adopted with its article, no ledger has an address.
    elsewhere = re.sub(r"http://[^/]+", "https://old.example.com", portal.panel.article("refunds").content)
    portal.panel.edit("refunds", content=elsewhere)
    with closing(sqlite3.connect(large.folder / ".kbsync/ledger.db")) as ledger, ledger:
        ledger.execute("DELETE FROM picture")
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    settle(large)
    large.run("plan")
    assert records(large)
    rewrite(large, "![the button](a.png) More.")
    before = len(portal.requests)
    found = json.loads(large.run("push", "--format", "json").out)
    assert [(change["action"], change["outcome"]) for change in found["changes"]] == [
        ("upload", "done"),
        ("update", "done"),
    ]
    assert not any("category_slug" in request.path for request in portal.requests[before:])
    assert leaves_a_record(large)


def test_a_push_of_all_that_is_new_leaves_a_record_too(large: Project, portal: Sandbox):
    large.write("content/en/billing/new.md", "---\ntitle: New\n---\nText.\n")
    os.utime(large.folder / "content/en/billing/new.md", ns=LONG_AGO_NS)
    settle(large)
    before = len(portal.requests)
    found = json.loads(large.run("push", "--format", "json").out)
    assert [change["action"] for change in found["changes"]] == ["create"]
    assert found["summary"]["requests"] == len(portal.requests) - before
    assert leaves_a_record(large)


def test_in_a_ci_job_a_record_is_left_only_where_one_was_kept(large: Project, portal: Sandbox):
    rewrite(large)
    large.run("push", CI="true")
    assert leaves_a_record(large)
    for name in records(large):
        (large.folder / ".kbsync" / "cache" / name).unlink()
    rewrite(large, "Yet other words.")
    large.run("push", CI="true")
    assert not records(large)
    # A push without a record that finds nothing to do leaves one; nothing was sent, so each locale is listed once.
    before = len(portal.requests)
    assert large.run("push").code == ExitCode.DONE
    listed = [request.path for request in portal.requests[before:] if "/articles?" in request.path]
    assert len(listed) == 2, listed
    assert leaves_a_record(large)


@pytest.mark.parametrize("words", [("locale:fr",), ("--stage",)])
def test_a_push_of_a_part_or_of_staged_edits_leaves_no_record(large: Project, words: tuple[str, ...]):
    rewrite(large)
    large.run("push", *words)
    assert told(large) == told_anew(large)


def test_a_small_tree_is_read_faster_than_the_look_takes(large: Project, portal: Sandbox):
    for number in range(LARGE):
        (large.folder / f"content/en/billing/a{number}.md").unlink()
    settle(large)
    large.run("plan")
    rewrite(large)
    before = len(portal.requests)
    large.run("push")
    asked = [request.method for request in portal.requests[before:]]
    assert asked[-1] == "PATCH", asked


MEANWHILE = {
    "the article edited": lambda panel: panel.edit("refunds", title="Money back"),
    "the article dragged": lambda panel: panel.drag("refunds", 2000),
    "another article edited": lambda panel: panel.edit("invoices", title="By hand"),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_what_a_person_does_between_the_last_change_and_the_look_is_seen(large: Project, portal: Sandbox, name: str):
    rewrite(large)
    # The look begins with the second time that the portals are asked for.
    portal.faults.add(Fault("latency", path="/portals$"))
    portal.faults.add(Fault("hold", path="/portals$"))
    with ThreadPoolExecutor(1) as pool:
        pushing = pool.submit(large.run_alone, "push", "--format", "json")
        eventually(lambda: bool(portal.held), "the push looks at what it left")
        MEANWHILE[name](portal.panel)
        portal.release()
        done = pushing.result()
    assert [change["outcome"] for change in json.loads(done.out)["changes"]] == ["done"]
    assert told(large) == told_anew(large)
