"""A portal that asks its readers for a password. Source of what it answers: docs/service.md, S158."""

from functools import partial

import httpx
import pytest

from kbsync.sandbox import Behaviour
from kbsync.service.public_site import PASSWORD
from service.world import a_server, reply

WORD = "open sesame"
LOCKED = pytest.mark.parametrize("portal", [Behaviour(reader_password=WORD)], indirect=True, ids=["locked"])
ASKS = "The portal `handbook` asks its readers for a password."


def as_readers(portal) -> httpx.Client:
    return httpx.Client(base_url=portal.base_url, trust_env=False)


@pytest.fixture
def published(remote, portal):
    """The project with one article that readers see."""
    remote.push({"content/en/billing/invoices.md": "---\ntitle: Invoices\nstatus: published\n---\nText.\n"})
    portal.panel.publish("invoices")
    remote.push()
    return remote


@LOCKED
def test_a_push_needs_no_password_and_verify_says_what_it_needs(published, portal):
    assert published.run("plan", "--check").code == 0
    done = published.run("verify")
    assert done.says(4, err=ASKS) and f"Set {PASSWORD} to it" in done.err and portal.base_url in done.err
    asked = [request for request in portal.requests if request.method == "POST" and request.path.endswith("/unlock")]
    assert asked == []
    assert published.run("check").says(0, words=f"{ASKS.replace(' `handbook`', '')} Set {PASSWORD} to it")


@LOCKED
def test_with_the_password_verify_reads_what_readers_get_and_types_it_once(published, portal):
    published.environ[PASSWORD] = WORD
    assert published.run("verify").code == 0 and published.run("verify", "--all").code == 0
    portal.panel.edit("invoices", content="Other text.")
    before = len(portal.requests)
    assert published.run("verify").says(10, "Other text.")
    typed = [request for request in portal.requests[before:] if request.path.endswith("/unlock")]
    assert [request.method for request in typed] == ["POST"]


@LOCKED
def test_a_wrong_password_is_told_and_is_neither_printed_nor_logged(published, portal):
    published.environ[PASSWORD] = "friend-and-enter"
    done = published.run("verify", "--log-file", "requests.log")
    assert done.says(4, err=f"{PASSWORD} is not the password of the portal `handbook`.")
    log = published.read("requests.log")
    assert "/unlock" in log and "friend-and-enter" not in done.out + done.err + log


@LOCKED
def test_the_password_goes_to_the_service_that_it_was_first_used_with_and_to_no_other(published, portal):
    published.environ[PASSWORD] = WORD
    assert published.run("verify").code == 0
    with a_server(reply(b"", "401 Unauthorized", X_Robots_Tag="noindex")) as other:
        published.environ["KBSYNC_SERVICE__BASE_URL"] = other.base_url
        assert published.run("verify").says(2, err=f"This password belongs to {portal.base_url}")
        assert {request.partition(b" ")[0] for request in other.requests} == {b"GET"}


@pytest.mark.parametrize(
    "answer",
    [
        reply('{"error":"Domain: x is not registered"}', "401 Unauthorized"),
        reply("", "401 Unauthorized", WWW_Authenticate="Basic realm=x"),
    ],
    ids=["an unknown host", "a proxy"],
)
def test_another_401_is_not_taken_for_the_portal_s(project, answer):
    project.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nstatus: published\n---\nText.\n")
    project.environ[PASSWORD] = WORD
    with a_server(answer) as other:
        project.config(f'[service]\nbase_url = "{other.base_url}"\nportal = "handbook"\n')
        assert project.run("verify").says(5, without="password")
        assert {request.partition(b" ")[0] for request in other.requests} == {b"GET"}


@LOCKED
def test_s158_a_locked_sandbox_shows_readers_a_page_and_programs_nothing(portal):
    with as_readers(portal) as client:
        for path in ("/hc/handbook/en", "/hc/handbook/articles/nowhere"):
            page = client.get(path)
            assert page.status_code == 401 and "password" in page.text
            assert page.headers["x-robots-tag"] == "noindex, nofollow" and page.headers["cache-control"] == "no-store"
        for path in ("/hc/handbook/en/articles.json", "/hc/handbook/sitemap.xml", "/hc/handbook/articles/x.md"):
            answer = client.get(path)
            assert (answer.status_code, answer.content) == (401, b"")
        assert client.post("/hc/handbook/unlock", data={"password": "no"}).status_code == 422
        assert client.get("/hc/handbook/en").status_code == 401
        answer = client.post("/hc/handbook/unlock", data={"password": WORD})
        assert (answer.status_code, answer.headers["location"]) == (302, f"{portal.base_url}/hc/handbook")
        assert client.get("/hc/handbook/en").status_code == 200


def test_an_open_sandbox_sends_who_types_a_password_home(portal):
    with as_readers(portal) as client:
        assert client.post("/hc/handbook/unlock", data={"password": "x"}).status_code == 302
        assert client.get("/hc/handbook/en").status_code == 200


def test_the_built_in_sandbox_takes_a_password_too(project, monkeypatch):
    project.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nstatus: published\n---\nText.\n")
    assert project.run("push", "--publish").code == 0
    monkeypatch.setattr("kbsync.sandbox.Behaviour", partial(Behaviour, reader_password=WORD))
    assert project.run("verify").says(4, err=ASKS)
    assert project.run("verify", **{PASSWORD: WORD}).code == 0
