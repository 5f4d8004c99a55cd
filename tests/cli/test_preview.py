"""`kbsync preview` as its users run it."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from patience import GIVE_UP_S

pytestmark = pytest.mark.slow


@contextmanager
def previewing(project, *arguments: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command while it runs, and the address that it tells."""
    with project.running("preview", *arguments, **environ) as process:
        yield process, process.stdout.readline().rpartition(" ")[2].strip()


def test_it_tells_its_address_serves_the_tree_and_ends_at_ctrl_c(project):
    with previewing(project, "--port", "0") as (_, address):
        assert address.startswith("http://127.0.0.1:")
        assert "Refund a charge" in httpx.get(f"{address}en/articles/refunds", timeout=GIVE_UP_S).text
    assert not (project.folder / ".kbsync/sandbox.db").exists()


def test_open_pages_do_not_keep_it_from_ending(project):
    with (
        previewing(project, "--port", "0") as (_, address),
        httpx.stream("GET", f"{address}-/events?page=/en/", timeout=GIVE_UP_S) as answer,
    ):
        assert next(answer.iter_lines()) == "event: page"


def test_it_begins_with_the_locale_that_is_asked_for(project):
    with previewing(project, "--port", "0", "--locale", "fr") as (_, address):
        assert address.endswith("/fr/")
        assert "Rembourser" in httpx.get(address, timeout=GIVE_UP_S).text
    assert project.run("preview", "--locale", "de").says(2, err="Use one of: en, fr")


def test_a_port_that_was_asked_for_and_is_taken_is_an_error(project):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = project.run("preview", "--port", str(taken.getsockname()[1]))
    assert done.code == 2 and "cannot be used" in done.err


def test_whoever_opens_it_to_others_is_warned(project):
    with previewing(project, "--port", "0", "--host", "0.0.0.0") as (process, address):
        assert httpx.get(f"{address}en/", timeout=GIVE_UP_S).status_code == 200
        assert "can read every draft" in process.stderr.readline()


def test_without_a_content_tree_it_says_so(project):
    project.config('[content]\nroot = "nowhere"\n')
    assert project.run("preview", "--port", "0").says(3, err="There is no content folder")


def test_it_compares_with_the_portal_where_it_is_told_to(remote):
    with previewing(remote, "--port", "0", "--portal") as (_, address):
        told(address, "A push creates it as a draft.")
    assert remote.run("push").code == 0
    with previewing(remote, "--port", "0", "--portal") as (_, address):
        told(address, "Everything is up to date.")
    assert remote.run("preview", "--port", "0", "--portal", KBSYNC_TOKEN="").says(2, err="no token")


def test_by_itself_it_asks_no_portal_and_runs_nothing_but_says_what_changed_since_the_last_push(pushed):
    pushed.config(pushed.read("kbsync.toml").replace("[service]", '[service]\ntoken_command = ["touch", "ran"]'))
    with previewing(pushed, "--port", "0", KBSYNC_TOKEN="", KBSYNC_SERVICE__TIMEOUT_S="1") as (_, address):
        told(address, "Not changed since the last push. To compare with the portal, start the preview with")
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nAnother text.\n")
    with previewing(pushed, "--port", "0") as (_, address):
        told(address, "Changed since the last push: body.")
    assert not (pushed.folder / "ran").exists()


def test_it_compares_with_the_embedded_sandbox(project):
    assert project.run("push").code == 0
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nAnother text.\n")
    with previewing(project, "--port", "0", "--portal") as (_, address):
        told(address, "Body differs.")


def test_a_portal_that_is_away_is_told_and_everything_else_works(remote):
    remote.config('[service]\nbase_url = "http://127.0.0.1:1"\n')
    with previewing(remote, "--port", "0", "--portal") as (_, address):
        told(address, "Not compared: ")


def told(address: str, text: str) -> None:
    """Wait until the page of the article says this."""
    url, until_s, said = f"{address}-/events?page=/en/articles/refunds", time.monotonic() + GIVE_UP_S, [""]
    with httpx.stream("GET", url, timeout=GIVE_UP_S) as answer:
        for line in answer.iter_lines():
            if text in line:
                return
            # The server sends a sign of life every few seconds, so that this comes to an end.
            said += [line] if line.startswith("data: ") else []
            assert time.monotonic() < until_s, said[-1]
    raise AssertionError(said[-1])


def test_it_builds_a_static_site(project):
    assert project.run("preview", "--build", "out").ended(0, "Wrote 9 pages to out. Open out/index.html.\n")
    assert "Refund a charge" in project.read("out/en/articles/refunds.html")
    assert project.run("preview", "--build", "content").code == 2


def test_it_renders_as_the_version_of_the_service_that_is_asked_for(project):
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\n| a |\n| --- |\n")
    for options, table in (((), '<div class="tableWrapper"><table>'), (("--service", "4.10"), "\n<table>")):
        assert project.run("preview", "--build", f"out{len(options)}", *options).code == 0
        assert table in project.read(f"out{len(options)}/en/articles/refunds.html")
    assert project.run("preview", "--build", "other", "--service", "4.9").says(2, err="'4.10', '4.16'")
