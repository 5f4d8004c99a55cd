"""Every error says what was asked, what was answered and what to do, and never the token."""

import gzip
import json
import socket
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.errors import (
    AnswerLost,
    ConfigError,
    Denied,
    KbsyncError,
    Misbehaved,
    NotFound,
    Rejected,
    ServerFailed,
    ServiceError,
    Unreachable,
)
from kbsync.sandbox import Fault
from kbsync.service import wire
from kbsync.service.answers import MAX_VALUES, check_status, decode
from kbsync.service.exchange import MAX_BODY_BYTES, Answer, unpack
from patience import GIVE_UP_S, eventually

from .world import ADMIN, OTHER, SETUP, a_sandbox, a_server, a_service, a_transport, create, observe, reply

INBOXES = "GET /api/v1/accounts/1/inboxes"


def told(work, kind=ServiceError):
    """The error of some work, which must name a request, give a hint and keep the token to itself."""
    with pytest.raises(kind) as caught:
        work()
    error = caught.value
    shown = f"{error.message} {error.hint} {error!r}"
    assert "/api/" in error.message
    assert error.hint
    for token in (ADMIN, OTHER, "wrong-token"):
        assert token not in shown
    return error


def test_surprise_141_an_account_without_the_api_is_not_taken_for_a_wrong_token():
    refusal = b'{"error":"API access is not enabled for this account"}'
    with a_server(reply(refusal, "403 Forbidden")) as server, a_service(server.base_url) as service:
        for work in (service.check_connection, service.fetch_portal):
            error = told(work, Denied)
            assert "403: API access is not enabled for this account" in error.message
            assert error.hint.startswith("The token works, but this account's plan does not include the API.")


def test_a_suspended_account_is_told_as_such(tmp_path):
    with a_sandbox(tmp_path, replace(SETUP, suspended=True)) as sandbox, a_service(sandbox.base_url) as service:
        assert "suspended" in told(service.check_connection, Denied).hint


@pytest.mark.parametrize(
    ("options", "kind", "message", "hint"),
    [
        ({"token": "wrong-token"}, Denied, "401: Invalid Access Token.", "The token is wrong."),
        ({"token": ""}, Denied, "401: You need to sign in or sign up before continuing.", "KBSYNC_TOKEN"),
        ({"token": OTHER}, Denied, "401: You are not authorized to access this account.", "account_id"),
        ({"account_id": 77}, NotFound, "404: Resource could not be found.", "account_id"),
    ],
    ids=["a wrong token", "no token", "a token of another account", "no such account"],
)
def test_who_is_not_let_in_is_told_why_and_what_to_do(sandbox, options, kind, message, hint):
    with a_service(sandbox.base_url, **options) as service:
        error = told(service.check_connection, kind)
    inboxes = f"GET /api/v1/accounts/{options.get('account_id', 1)}/inboxes"
    assert error.message == f"{inboxes}: The service answered {message}"
    assert hint in error.hint


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("junk"), "an HTML page instead of JSON"),
        (Fault("empty"), "an empty body instead of JSON"),
        (Fault("junk", junk='{"payl'), "broken JSON (6 bytes from '{\"payl')"),
        (Fault("junk", junk="not json"), "broken JSON"),
        (Fault("junk", junk='"text"'), "unexpected JSON"),
        (Fault("junk", junk='{"payload": null}'), "unexpected JSON"),
        (Fault("junk", junk='[{"slug": "a"}]'), "without an id"),
        (Fault("junk", junk='{"x":' + "[" * 100_000), "broken JSON"),
    ],
    ids=lambda value: value.junk[:12] if isinstance(value, Fault) else None,
)
def test_an_answer_that_is_none_is_told_with_what_came_instead(sandbox, service, fault, words):
    sandbox.faults.add(replace(fault, path="/articles"))
    error = told(lambda: observe(service), Misbehaved)
    assert words in error.message
    assert error.message.startswith("GET /api/v1/accounts/1/portals/handbook/articles: ")


def test_a_write_that_is_answered_with_an_empty_object_has_misbehaved(sandbox, service):
    sandbox.faults.add(Fault("junk", junk="{}", method="POST"))
    assert "without an id" in told(lambda: create(service), Misbehaved).message


def test_a_cut_off_body_is_a_lost_answer_that_a_read_repeats_and_a_write_does_not(sandbox, service):
    sandbox.faults.add(Fault("cut", method="GET"))
    service.check_connection()
    sandbox.faults.add(Fault("cut", method="POST"))
    error = told(lambda: create(service), AnswerLost)
    assert "The connection broke before the answer was complete" in error.message
    assert [method for method, *_ in sandbox.requests].count("POST") == 1


def test_a_redirect_is_not_followed_and_the_token_stays_here(sandbox):
    with a_server(reply("[]")) as elsewhere:
        sandbox.faults.add(Fault("redirect", location=elsewhere.base_url + "/login", times=None))
        with a_service(sandbox.base_url) as service:
            error = told(service.check_connection)
            told(lambda: create(service))
    assert elsewhere.requests == []
    assert f"redirects to {elsewhere.base_url}/login" in error.message
    assert "base_url" in error.hint
    assert error.status == 302


def test_the_token_goes_into_one_header_and_not_to_public_pages():
    with a_server(reply('{"version": "9"}')) as server, a_service(server.base_url) as service:
        assert service.endpoint.fetch_version() == "9"
        service.check_connection()
    public, private = server.requests
    assert ADMIN.encode() not in public
    assert private.count(ADMIN.encode()) == 1
    assert f"api_access_token: {ADMIN}".encode() in private


@pytest.mark.parametrize(
    "body",
    [f'{{"access_token": "{ADMIN}", "id', f'{{"access_token":"{ADMIN}"}}', f'{{"id": "{ADMIN}", "accounts": 1}}'],
)
def test_a_spoilt_answer_that_has_the_token_in_it_is_shown_without(body):
    with a_server(reply(body)) as server, a_service(server.base_url) as service:
        told(service.fetch_owner, Misbehaved)


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_refusal_that_repeats_the_token_is_shown_without(kind):
    answer = reply(f'{{"error": "bad token {ADMIN}\\u001b[31m"}}', "401 Unauthorized", kind)
    with a_server(answer) as server, a_service(server.base_url) as service:
        message = told(service.check_connection, Denied).message
    assert "bad token [token]" in message
    assert "\x1b" not in message


def test_the_token_is_in_no_repr(service):
    assert ADMIN not in repr(service)
    assert ADMIN not in repr(service.endpoint.transport.send("GET", "/api"))


@pytest.mark.parametrize("token", ["with\nline", "tök", "a\0b"])
def test_a_token_that_no_header_can_carry_is_refused_before_anything_is_sent_and_not_shown(token):
    with pytest.raises(ConfigError) as caught, a_transport("http://127.0.0.1:1", token=token):
        pass
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    "base_url",
    ["", "help", "ftp://help.example.com", "http://", "http://[::1", "http://a:99999", "http://a:x", "https://:80"],
)
def test_an_address_that_is_none_is_told_before_anything_is_sent(base_url):
    with pytest.raises(ConfigError, match="base_url") as caught, a_transport(base_url):
        pass
    assert caught.value.hint


def test_an_address_with_a_path_keeps_it():
    with a_server(reply("[]")) as server, a_service(server.base_url + "/support") as service:
        service.check_connection()
    assert server.requests[0].startswith(b"GET /support/api/v1/accounts/1/inboxes ")


@pytest.mark.parametrize("given_id", ["../../2/articles/1", "..", "1?x=1", "a/b", "#"])
def test_an_id_never_leaves_its_place_in_the_path(given_id):
    with a_server(reply("{}", "404 Not Found")) as server, a_service(server.base_url) as service:
        told(lambda: service.read_article(given_id, locale="en"), NotFound)
    path = server.requests[0].split(b" ")[1]
    assert path.startswith(b"/api/v1/accounts/1/portals/handbook/articles/")
    assert path.count(b"/") == 8
    assert b"?" not in path
    assert not path.endswith(b"..")


def test_an_operation_that_the_profile_has_not_is_told_and_not_sent(sandbox):
    with a_service(sandbox.base_url, profile="documented") as service:
        with pytest.raises(ConfigError, match="`documented` has no operation `update_article`"):
            service.delete("article", 1) if service.profile.can("delete_article") else service.endpoint.ask(
                "update_article"
            )
        assert not service.can_find("x")
    assert sandbox.requests == []


def test_the_three_shapes_of_a_422_are_read(sandbox):
    bodies = ['{"message":"A, B","attributes":["a"]}', '{"error":"A, B"}', '{"error":{"slug":["A","B"]}}']
    said = []
    for body in bodies:
        with a_server(reply(body, "422 Unprocessable Entity")) as server, a_service(server.base_url) as service:
            said.append(told(lambda: create(service), Rejected).message.partition("422: ")[2])
    assert said == ["A, B.", "A, B.", "slug A, B."]


def test_a_server_that_nobody_reaches_is_told_after_some_tries():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    with a_service(f"http://127.0.0.1:{port}") as service:
        error = told(lambda: create(service), Unreachable)
        assert service.transport.requests == 4
        assert len(service.endpoint.transport.sleep.__self__.waits_s) == 3
    assert f"http://127.0.0.1:{port} cannot be reached" in error.message


# --- answers that do not end ---------------------------------------------------------------------------------------


def drip(start):
    """Sends a byte a moment, for ever; never silent for long."""

    def send(connection, stop):
        connection.sendall(start)
        while not stop.wait(0.02):
            connection.sendall(b"x")

    return send


def silence(connection, stop):
    stop.wait(GIVE_UP_S)


BODY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
CHUNKS = BODY.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked") + b"1;"


@pytest.mark.parametrize(
    "start", [BODY, b"HTTP/1.1 200 OK\r\nX-Long: ", b"", CHUNKS], ids=["body", "header", "status", "chunk"]
)
def test_an_answer_that_drips_for_ever_ends_at_the_deadline_and_a_write_is_not_repeated(start):
    begin = time.monotonic()
    with a_server(drip(start)) as server, a_service(server.base_url, timeout_s=0.25) as service:
        error = told(lambda: create(service), AnswerLost)
        assert time.monotonic() - begin < GIVE_UP_S
        eventually(lambda: len(server.requests) > 0, "the server has seen the request")
    assert len(server.requests) == 1
    assert "POST " in error.message
    assert error.message.endswith("The answer was not complete after 1 s.")


def test_silence_ends_after_the_timeout_and_a_read_is_tried_once_more():
    with a_server(silence) as server, a_service(server.base_url, timeout_s=0.1) as service:
        error = told(service.check_connection, AnswerLost)
        eventually(lambda: len(server.requests) > 1, "the server has seen both requests")
    assert error.message == f"{INBOXES}: No answer within 0.1 s."
    assert len(server.requests) == 2


def test_a_slow_answer_is_told_once_with_what_is_waited_for_and_for_how_long():
    notes: list[str] = []
    with a_server(silence) as server, a_transport(server.base_url, timeout_s=0.2) as transport:
        transport.note, transport.slow_s = notes.append, 0.05
        told(lambda: transport.send("GET", "/api/x"), AnswerLost)
    assert notes == [f"Still waiting for {server.base_url}: GET /api/x. kbsync waits up to 0.8 s for an answer."]


def test_answers_left_behind_do_not_take_the_place_of_later_ones():
    answers = [drip(b"HTTP/1.1 200 OK\r\nX: ")] * 6 + [reply("[]")]
    with a_server(*answers) as server, a_service(server.base_url, timeout_s=0.05, concurrency=1) as service:
        for _ in range(3):
            told(service.check_connection, AnswerLost)

        def is_answered():
            try:
                service.check_connection()
            except AnswerLost:
                return False  # a busy machine needs longer than this client's patience
            return True

        eventually(is_answered, "there is a place for one more exchange")


def test_a_huge_body_is_not_read_to_its_end():
    def flood(connection, stop):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n")
        while not stop.is_set():
            connection.sendall(b" " * 1_000_000)

    with a_server(flood) as server, a_service(server.base_url) as service:
        error = told(service.check_connection, Misbehaved)
    assert "larger than 64 MiB" in error.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("part", [b"{}", b"[]", b"0"])
def test_an_answer_of_very_many_small_values_is_not_taken_apart(part):
    """As values they would take gigabytes, and a minute."""
    body = b'{"payload":[' + b",".join([part] * (MAX_VALUES + 1)) + b"]}"
    with a_server(reply(body)) as server, a_service(server.base_url) as service:
        assert "more than 1,000,000 values" in told(service.fetch_portal, Misbehaved).message


def test_a_page_full_of_commas_and_brackets_in_its_texts_is_taken():
    article = {"id": 1, "slug": "a", "title": "A", "content": "{,[" * 6_666}
    body = json.dumps({"payload": [article] * 25, "meta": {"articles_count": 1}}).encode()
    with a_server(reply(body)) as server, a_service(server.base_url) as service:
        assert service.find_article("a.b", locale="en") is None


FAR = "https://other.example/" + "a" * 60_000


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (reply("x" * 100_000, "400 Bad Request", "text/plain"), Rejected, "x"),
        (reply(b'{"message":[' + b"[]," * 1_000_000 + b"[]]}", "422 X"), Rejected, '{"message":[[],[]'),
        (reply(b"", "302 Found", Location=FAR), ServiceError, "redirects to https://other.example/aaa"),
    ],
    ids=["a text", "broken JSON", "a redirect"],
)
def test_what_a_server_says_at_length_is_shown_from_its_beginning_and_cut(answer, kind, words):
    with a_server(answer) as server, a_service(server.base_url) as service:
        error = told(service.check_connection, kind)
    assert words in error.message and len(error.message) < 300


def test_of_very_many_portals_a_few_are_named():
    portals = [{"id": number, "slug": f"p{number}" + "x" * 1_000} for number in range(500)]
    answer = reply(json.dumps({"payload": portals}))
    with a_server(answer) as server, a_service(server.base_url) as service, pytest.raises(NotFound) as caught:
        service.fetch_portal()
    assert "p0xx" in caught.value.hint and "and 490 more" in caught.value.hint and len(caught.value.hint) < 3_000


def test_a_portal_of_very_many_locales_is_not_listed():
    portal = {"id": 1, "slug": "handbook", "config": {"allowed_locales": [f"l{number}" for number in range(501)]}}
    answer, refused = reply(json.dumps([portal])), pytest.raises(Misbehaved, match="has 501 locales")
    with a_server(answer) as server, a_service(server.base_url) as service, refused:
        service.fetch_portal()


def test_nothing_of_a_body_is_unpacked_beyond_the_limit():
    unpacked = 0

    def counted():
        nonlocal unpacked
        packed = gzip.compress(b" " * 50_000_000)
        for start in range(0, len(packed), 10):
            unpacked = start
            yield packed[start : start + 10]

    with pytest.raises(Misbehaved, match="larger than 1 MiB"):
        unpack(counted(), "gzip", asked="GET /", most_bytes=2**20)
    assert unpacked < 2_000


@pytest.mark.parametrize("encoding", ["gzip", "X-GZIP", "identity"])
def test_a_body_with_one_encoding_is_read(encoding):
    body = b'{"payload": []}'
    packed = body if encoding == "identity" else gzip.compress(body)
    with a_server(reply(packed, Content_Encoding=encoding)) as server, a_service(server.base_url) as service:
        service.check_connection()


def test_a_server_that_speaks_another_protocol_is_told():
    with a_server(b"SSH-2.0-OpenSSH_9.6\r\n") as server, a_service(server.base_url) as service:
        assert "broke" in told(service.check_connection, AnswerLost).message


def packed(encoding: str, body: bytes) -> bytes:
    return reply(body, Content_Encoding=encoding)


TWICE = gzip.compress(gzip.compress(b" " * 1_000_000))
TWO_HEADERS = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b"

# What a server answers, made when it is needed; and the words of the error.
REFUSED = {
    "a small body that unpacks to a huge one": (
        lambda: packed("gzip", gzip.compress(b" " * (MAX_BODY_BYTES + 1))), "larger than 64 MiB"),
    **{f"a body that is packed as nobody asked: {encoding}": (
        lambda encoding=encoding: packed(encoding, TWICE), f"compressed as `{encoding}`, but kbsync asked for gzip")
       for encoding in ("gzip, gzip", "gzip,gzip", "br", "deflate", "gzip, identity")},
    "two headers that each say gzip": (lambda: TWO_HEADERS % (len(TWICE), TWICE), "compressed as `gzip, gzip`"),
    "a packed body that ends too early": (
        lambda: packed("gzip", gzip.compress(b"[1, 2, 3]")[:-12]), "cannot be decompressed: it ends too early"),
    "a body that is packed wrongly": (lambda: packed("gzip", b"[]"), "cannot be decompressed"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "words"), REFUSED.values(), ids=REFUSED)
def test_a_packed_body_that_is_too_large_damaged_or_as_nobody_asked_is_refused(answer, words):
    with a_server(answer()) as server, a_service(server.base_url) as service:
        assert words in told(service.check_connection, Misbehaved).message


@given(
    st.integers(200, 599),
    st.binary() | st.sampled_from([b"[" * 5000, b'"\xff"', b'{"error":' * 3000, b"1" * 400, b'{"error": null}']),
    st.sampled_from(["text/html", "application/json", ""]),
)
def test_whatever_is_answered_ends_as_a_value_or_as_an_error_that_kbsync_means(status, body, kind):
    answer = Answer("GET /x", status, {"content-type": kind, "date": body.decode("latin-1")}, body)
    assert answer.server_time_s is None or answer.server_time_s
    for shape in (wire.ArticleAnswer, wire.ArticlePage | list[wire.WireArticle], wire.WireOwner):
        try:
            decode(check_status(answer), shape)
        except KbsyncError as error:
            assert "GET /x" in error.message
            assert error.message.isprintable()


def test_a_server_failure_tells_its_number(sandbox, service):
    sandbox.faults.add(Fault("status", status=503, times=None))
    error = told(service.check_connection, ServerFailed)
    assert error.message == f"{INBOXES}: The service answered 503: an HTML page."
    assert error.status == 503
