"""The token arrives through a proxy that drops header names with underscores, and never in two headers at once.

Source: docs/service.md, S156.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dropping_proxy import a_dropping_proxy
from kbsync.errors import Denied
from kbsync.service.api import ApiRequest
from kbsync.service.profile import BEARER, TokenHeader, read_profile

from .world import ADMIN, AGENT, a_server, a_service, a_transport, create, reply, update

FIRST, SECOND = "api_access_token", "api-access-token"
PIXEL = b"\x89PNG\r\n\x1a\n"


def test_surprise_156_through_a_proxy_that_drops_underscores_one_request_is_sent_twice_and_all_arrive(sandbox):
    with a_dropping_proxy(sandbox.base_url) as proxy, a_service(proxy.base_url) as service:
        seen = create(service)
        update(service, seen, title="Money back")
        service.upload("a.png", PIXEL, "image/png")
        assert service.send(ApiRequest("GET", "/api/v1/profile")).status == 200
        service.endpoint.fetch_version()
        service.delete("article", seen.remote_id)
        assert service.transport.token_header.dropped == (FIRST,)
    articles = "/api/v1/accounts/1/portals/handbook/articles"
    assert proxy.with_header(FIRST) == [(f"POST {articles}", 401)]
    assert proxy.with_header(SECOND) == [
        (f"POST {articles}", 200),
        (f"PATCH {articles}/1", 200),
        ("POST /api/v1/accounts/1/upload", 200),
        ("GET /api/v1/profile", 200),
        (f"DELETE {articles}/1", 200),
    ]
    assert not any({FIRST, SECOND} <= names for _, names, _ in proxy.requests)
    assert [asked for asked, names, _ in proxy.requests if not names & {FIRST, SECOND}] == ["GET /api"]


def test_where_the_first_form_arrives_the_other_one_is_never_sent(sandbox):
    with (
        a_dropping_proxy(sandbox.base_url, dropped="no such") as proxy,
        a_service(proxy.base_url, token=AGENT) as agent,
    ):
        agent.check_connection()
        with pytest.raises(Denied):
            create(agent)
        assert agent.transport.token_header.dropped == ()
    assert [status for _, status in proxy.with_header(FIRST)] == [200, 401]
    assert proxy.with_header(SECOND) == []


@pytest.mark.parametrize(
    ("dropped", "token", "hint"),
    [("_", "wrong", "The token is wrong."), ("access", ADMIN, "a proxy in front of the service removes its header")],
)
def test_a_token_that_no_form_brings_in_costs_one_request_more_and_the_last_answer_says_why(
    sandbox, dropped, token, hint
):
    with (
        a_dropping_proxy(sandbox.base_url, dropped=dropped) as proxy,
        a_service(proxy.base_url, token=token) as service,
    ):
        with pytest.raises(Denied) as caught:
            service.check_connection()
        assert (service.transport.requests, service.transport.token_header.dropped) == (2, ())
        assert hint in caught.value.hint
        with pytest.raises(Denied):
            service.check_connection()
        assert service.transport.requests == 3


def test_threads_that_are_refused_side_by_side_all_arrive(sandbox):
    with (
        a_dropping_proxy(sandbox.base_url) as proxy,
        a_service(proxy.base_url) as service,
        ThreadPoolExecutor(4) as pool,
    ):
        for work in [pool.submit(service.check_connection) for _ in range(20)]:
            work.result()
        service.check_connection()
    assert len(proxy.with_header(SECOND)) == 21


def test_a_redirect_after_the_401_is_not_followed(sandbox):
    with a_server(reply("[]")) as elsewhere:
        moved = reply("", "302 Found", Location=elsewhere.base_url)
        with a_server(reply("{}", "401 Unauthorized"), moved) as server, a_transport(server.base_url) as transport:
            assert transport.send("GET", "/x").status == 302
    assert elsewhere.requests == []


def test_a_form_with_a_word_before_the_token_is_a_line_of_a_profile(tmp_path):
    (tmp_path / "own.toml").write_text('extends = "chatwoot"\n[token]\nheaders = ["Authorization: Bearer {token}"]\n')
    forms = read_profile("own.toml", folder=tmp_path).token_headers
    with a_server(reply("[]")) as server, a_transport(server.base_url) as transport:
        transport.token_header = TokenHeader(forms)
        transport.send("GET", "/x")
    assert f"Authorization: Bearer {ADMIN}\r\n".encode() in server.requests[0]
    assert FIRST.encode() not in server.requests[0]
    assert [form.partition(":")[0] for form in read_profile("chatwoot", folder=Path()).token_headers] == [FIRST, SECOND]


def test_s161_a_service_that_asks_for_a_bearer_gets_one_and_no_other_does():
    refused = reply("{}", "401 Unauthorized")
    asks = reply("{}", "401 Unauthorized", WWW_Authenticate='Bearer realm="api"')
    with a_server(asks, refused, reply("[]")) as server, a_transport(server.base_url) as transport:
        transport.token_header = TokenHeader((f"{FIRST}: {{token}}", f"{SECOND}: {{token}}"))
        assert [transport.send("GET", "/x").status, transport.send("GET", "/y").status] == [200, 200]
        assert transport.token_header.form == BEARER
    sent = [request.lower() for request in server.requests]
    ways = (f"{FIRST}:", f"{SECOND}:", "authorization: bearer")
    assert [[way for way in ways if way.encode() in request] for request in sent] == [
        [ways[0]], [ways[1]], [ways[2]], [ways[2]]
    ]  # fmt: skip
    with a_server(refused) as server, a_transport(server.base_url) as transport:
        transport.token_header = TokenHeader((f"{FIRST}: {{token}}", f"{SECOND}: {{token}}"))
        assert transport.send("GET", "/x").status == 401
    assert len(server.requests) == 2 and not any(b"uthorization" in request for request in server.requests)
