"""Who may talk to the sandbox: programs and its own pages; no page of another site that runs in the same browser."""

from urllib.parse import urlsplit

import pytest

from kbsync.sandbox import Behaviour, Fault

from .asking import a_file, ask, post
from .world import HANDBOOK, a_sandbox

ROUTES = (
    ("GET", f"{HANDBOOK}/articles"),
    ("POST", f"{HANDBOOK}/articles"),
    ("GET", "/api"),
    ("GET", "/hc/handbook/en"),
    ("GET", "/-/sandbox"),
    ("GET", "/-/sandbox/requests"),
    ("POST", "/-/sandbox/faults"),
    ("DELETE", "/-/sandbox/faults"),
    ("POST", "/api/v1/accounts/1/upload"),
    ("GET", "/favicon-16x16.png"),
    ("GET", "/nowhere"),
    ("OPTIONS", f"{HANDBOOK}/articles"),
)


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path, behaviour=Behaviour(fetches_from_private=True)) as running:
        yield running


def port_of(sandbox):
    return urlsplit(sandbox.base_url).port


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_site_that_points_its_name_at_this_machine_gets_nothing(sandbox, method, path):
    for host in ("evil.example.com", f"evil.example.com:{port_of(sandbox)}", "localhost.evil.example.com", ""):
        assert ask(sandbox, method, path, host=host).status == 421


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_page_of_another_origin_gets_nothing(sandbox, method, path):
    for origin in ("https://evil.example.com", "null", "http://127.0.0.1:1", "http://localhost"):
        assert ask(sandbox, method, path, origin=origin).status == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_programs_and_the_sandboxs_own_pages_are_served_under_each_name_of_this_machine(sandbox, name):
    host = f"{name}:{port_of(sandbox)}"
    assert ask(sandbox, "GET", f"{HANDBOOK}/articles", host=host).status == 200
    assert ask(sandbox, "GET", f"{HANDBOOK}/articles", host=host, origin=f"http://{host}").status == 200


def test_a_name_that_the_sandbox_was_given_is_its_own(tmp_path):
    with a_sandbox(tmp_path, names=frozenset({"help.example.com"})) as sandbox:
        assert ask(sandbox, "GET", "/api", host="help.example.com").status == 200
        assert ask(sandbox, "GET", "/api", host="other.example.com").status == 421


def test_what_is_refused_takes_no_fault_and_is_not_in_the_log(sandbox):
    sandbox.faults.add(Fault("status", status=503))
    assert ask(sandbox, "GET", "/api", host="evil.example.com").status == 421
    assert ask(sandbox, "GET", "/api").status == 503
    assert [row.status for row in sandbox.requests] == [503]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_sets_no_faults(sandbox, kind):
    fault = b'{"kind": "reset"}'
    refused = ask(sandbox, "POST", "/-/sandbox/faults", fault, content_type=kind)
    assert (refused.status, sandbox.faults.waiting) == (415, ())
    assert "application/json" in refused.text
    taken = ask(sandbox, "POST", "/-/sandbox/faults", fault, content_type="application/json; charset=utf-8")
    assert taken.status == 200


# --- uploads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{other}/secret", "http://localhost:{other}/", "http://[::1]:{other}/"]
)
def test_an_upload_by_address_asks_nobody_but_the_sandbox_itself(sandbox, tmp_path, url):
    with a_sandbox(tmp_path / "other") as other:
        body = {"external_url": url.format(other=port_of(other))}
        assert ask(sandbox, "POST", "/api/v1/accounts/1/upload", body).status == 500
        assert other.requests == []


def test_an_upload_by_address_follows_no_redirect_to_another(sandbox, tmp_path):
    with a_sandbox(tmp_path / "other") as other:
        sandbox.faults.add(Fault("redirect", method="GET", location=f"{other.base_url}/favicon-16x16.png"))
        body = {"external_url": f"{sandbox.base_url}/favicon-16x16.png"}
        assert ask(sandbox, "POST", "/api/v1/accounts/1/upload", body).status == 422
        assert other.requests == []


def test_a_file_is_handed_out_inert(sandbox):
    _, told = post(sandbox, a_file("page.html", b"<script>alert(1)</script>", "text/html"))
    redirect = urlsplit(told["file_url"]).path
    addresses = [
        redirect.replace("/redirect/", "/proxy/"),
        urlsplit(ask(sandbox, "GET", redirect).headers["location"]).path,
    ]
    for path in addresses:
        answer = ask(sandbox, "GET", path)
        assert (answer.status, answer.headers["content-security-policy"]) == (200, "sandbox")
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/hc/handbook/en", "/hc/handbook/articles/none", "/-/sandbox"])
def test_pages_share_no_window_with_another_origin(sandbox, path):
    assert ask(sandbox, "GET", path).headers["cross-origin-opener-policy"] == "same-origin"


def test_a_query_that_is_nested_without_end_is_no_query(sandbox):
    assert ask(sandbox, "GET", f"/api?{'a[' * 3_000}=1").status == 400
