"""What is sent again, after how long, and what is not."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate

import pytest

from kbsync.errors import AnswerLost, ServerFailed, Throttled
from kbsync.model import Status
from kbsync.sandbox import Behaviour, Fault
from kbsync.service.api import ApiRequest
from kbsync.service.transport import File

from .world import MINUTE_S, Sleepless, a_sandbox, a_server, a_service, a_transport, create, create_category, reply

BUSY = "429 Too Many Requests"


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_surprise_13_without_retry_after_waits_are_short_first_and_grow_and_every_method_is_repeated(method, clock):
    answers = [reply("Retry later\n", BUSY, "text/plain")] * 5 + [reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send(method, "/x").status == 200
        assert transport.requests == 6
    assert clock.waits_s == sorted(clock.waits_s)
    assert max(clock.waits_s[:2]) < 2
    assert [round(wait / 0.5 / 2**place, 1) for place, wait in enumerate(clock.waits_s)] == pytest.approx(
        [1.0] * 5, abs=0.3
    )


@pytest.mark.parametrize("into_minute_s", [0.0, 20.0, 59.0, 59.99])
def test_surprise_13_no_wait_goes_beyond_the_end_of_the_minute_in_which_a_window_ends(into_minute_s):
    clock = Sleepless(MINUTE_S + into_minute_s)
    answers = [reply("", BUSY)] * 12 + [reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        transport.send("GET", "/x")
    at_s = clock.start_s
    for wait_s in clock.waits_s:
        assert wait_s <= 60 - at_s % 60 + 0.5 + 1e-6
        at_s += wait_s


def test_surprise_13_a_window_of_the_real_rule_is_survived_and_halves_what_goes_at_once(tmp_path):
    clock = Sleepless(MINUTE_S)
    with (
        a_sandbox(tmp_path, behaviour=Behaviour(requests_per_minute=10), clock=clock.time) as sandbox,
        a_transport(sandbox.base_url, clock=clock) as transport,
    ):
        for _ in range(25):
            assert transport.send("GET", "/api", public=True).status == 200
        assert transport.gate.allowed < 4


PNG = File("attachment", "a.png", "image/png", b"\x89PNG\r\n\x1a\n")
UPLOAD = "/api/v1/accounts/1/upload"


def test_surprise_13_the_limit_by_the_minute_is_waited_out_by_uploads_too(tmp_path):
    clock = Sleepless(MINUTE_S)
    behaviour = Behaviour(requests_per_minute=10, uploads_per_hour=60)
    with (
        a_sandbox(tmp_path, behaviour=behaviour, clock=clock.time) as sandbox,
        a_transport(sandbox.base_url, clock=clock) as transport,
        ThreadPoolExecutor(4) as pool,
    ):
        answers = pool.map(lambda _: transport.send("POST", UPLOAD, file=PNG), range(25))
        assert [answer.status for answer in answers] == [200] * 25


@pytest.mark.parametrize("into_minute_s", [0.0, 59.9])
def test_surprise_14_the_limit_of_uploads_by_the_hour_is_told_at_once(tmp_path, into_minute_s):
    clock = Sleepless(MINUTE_S + into_minute_s)
    with (
        a_sandbox(tmp_path, behaviour=Behaviour(uploads_per_hour=3), clock=clock.time) as sandbox,
        a_transport(sandbox.base_url, clock=clock) as transport,
    ):
        for _ in range(3):
            transport.send("POST", UPLOAD, file=PNG)
        with pytest.raises(Throttled, match="too many uploads"):
            transport.send("POST", UPLOAD, file=PNG)
        # The refused one twice, and another request behind each.
        assert transport.requests == 3 + 4
    assert clock.now() < 1


def test_surprise_13_an_upload_whose_minute_ends_behind_its_429_is_sent_again(clock):
    answers = [reply("", BUSY), reply("{}"), reply("", BUSY), reply("", BUSY), reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send("POST", UPLOAD, file=PNG).status == 200


def test_the_retry_after_of_an_upload_says_which_limit_it_is(clock):
    short = [reply("", BUSY, Retry_After="30"), reply("[]")]
    with a_server(*short) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send("POST", UPLOAD, file=PNG).status == 200
        assert clock.waits_s == [30]
    with (
        a_server(reply("", BUSY, Retry_After="1800")) as server,
        a_transport(server.base_url, clock=clock) as transport,
    ):
        with pytest.raises(Throttled, match="too many uploads"):
            transport.send("POST", UPLOAD, file=PNG)
        assert clock.waits_s == [30]


def test_a_throttle_that_does_not_end_is_told_after_three_windows(clock):
    with a_server(reply("", BUSY)) as server, a_transport(server.base_url, clock=clock) as transport:
        with pytest.raises(Throttled) as caught:
            transport.send("POST", "/api/x")
        assert transport.requests < 40
    assert caught.value.message == "POST /api/x: The service still answers 429 (too many requests) after 185 s."
    assert "requests_per_minute" in caught.value.hint
    assert 185 < clock.now() < 185 + 61


def test_a_wait_that_all_threads_share_is_told_once():
    told: list[str] = []
    clock = Sleepless(MINUTE_S)
    answers = [reply("", BUSY, Retry_After="30")] * 4 + [reply("[]")]
    still = {"now": lambda: 0.0, "note": told.append}
    with (
        a_server(*answers) as server,
        a_transport(server.base_url, clock=clock, **still) as transport,
        ThreadPoolExecutor(4) as pool,
    ):
        assert {answer.status for answer in pool.map(lambda _: transport.send("GET", "/x"), range(4))} == {200}
    assert told == ["The service answers 429 (too many requests). Trying again in 30 s."]


BUSY_503 = "503 Service Unavailable"


@pytest.mark.parametrize(("status", "method"), [(BUSY, "GET"), (BUSY, "POST"), (BUSY_503, "GET"), (BUSY_503, "HEAD")])
def test_a_retry_after_is_kept_to_in_seconds_and_as_a_date(status, method, clock):
    date = formatdate(MINUTE_S + 7 + 11, usegmt=True)
    answers = [reply("", status, Retry_After="7"), reply("", status, Retry_After=date), reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send(method, "/x").status == 200
    assert clock.waits_s == [7.0, 11.0]


@pytest.mark.parametrize("told", ["0", "-5", "soon", "", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_retry_after_that_says_nothing_useful_neither_hurries_nor_ends_the_client(told, clock):
    answers = [reply("", BUSY, Retry_After=told)] * 3 + [reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send("GET", "/x").status == 200
    assert min(clock.waits_s) >= 0.1


def test_a_retry_after_of_a_year_is_no_reason_to_wait_a_year(clock):
    answers = [reply("", BUSY, Retry_After="31536000"), reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        transport.send("GET", "/x")
    assert clock.waits_s == [185]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_read_is_repeated_after_a_server_error_and_then_answered(sandbox, service, status):
    sandbox.faults.add(Fault("status", status=status, times=2))
    service.check_connection()
    assert service.transport.requests == 3


def test_a_read_that_fails_again_and_again_is_given_up(sandbox, service):
    sandbox.faults.add(Fault("status", status=500, times=None))
    with pytest.raises(ServerFailed):
        service.check_connection()
    assert service.transport.requests == 3


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "fault",
    [Fault("status", status=500), Fault("status", status=502), Fault("status"), Fault("reset"), Fault("refuse")],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
def test_a_create_is_never_repeated_after_an_answer_that_says_nothing(sandbox, service, fault, when):
    sandbox.faults.add(replace(fault, method="POST", when=when))
    with pytest.raises(AnswerLost):
        create(service)
    assert service.transport.requests == 1
    assert service.endpoint.transport.sleep.__self__.waits_s == []


def test_a_write_is_not_repeated_when_the_service_hangs(sandbox):
    sandbox.faults.add(Fault("hold"))
    with a_service(sandbox.base_url, timeout_s=0.2) as service:
        with pytest.raises(AnswerLost, match=r"No answer within 0\.2 s"):
            create(service)
        assert service.transport.requests == 1


def test_a_read_with_a_503_and_retry_after_is_repeated_a_few_times_and_no_more(clock):
    with a_server(reply("", BUSY_503, Retry_After="3")) as server:
        with a_service(server.base_url, clock=clock) as service, pytest.raises(ServerFailed):
            service.check_connection()
        assert len(server.requests) == 3
    assert clock.waits_s == [3.0, 3.0]


@pytest.mark.parametrize(
    "write",
    [
        create,
        lambda service: create_category(service, "a"),
        lambda service: service.update_category(4, {"name": "A"}, locale="en"),
        lambda service: service.update_statuses([4, 5], Status.PUBLISHED),
        lambda service: service.delete("article", 4),
    ],
)
def test_a_write_with_a_503_and_retry_after_is_waited_for_and_then_for_the_caller_to_look_up(write, clock):
    """It may have been carried out: a repetition that fails otherwise would hide that."""
    told: list[str] = []
    with a_server(reply("", BUSY_503, Retry_After="3")) as server:
        with (
            a_service(server.base_url, clock=clock, note=told.append) as service,
            pytest.raises(AnswerLost, match="answered 503"),
        ):
            write(service)
        assert len(server.requests) == 1
    assert clock.waits_s == [3.0] and told == ["The service answers 503. Trying again in 3 s."]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_a_person_worded_ends_with_the_503_at_once(method, clock):
    """`kbsync api` has nobody who looks afterwards."""
    with a_server(reply("", BUSY_503, Retry_After="3")) as server:
        with a_service(server.base_url, clock=clock) as service:
            assert service.send(ApiRequest(method, "/x")).status == 503
        assert (len(server.requests), clock.waits_s) == (1, [])


def test_an_upload_with_a_503_and_retry_after_is_sent_again(clock):
    """A second copy harms nobody, and the next push would make it anyway."""
    answers = [reply("", BUSY_503, Retry_After="3"), reply('{"file_url": "https://h/a.png", "blob_id": "a"}')]
    with a_server(*answers) as server, a_service(server.base_url, clock=clock) as service:
        assert service.upload("a.png", b"x", "image/png") == "https://h/a.png"
    assert clock.waits_s == [3.0]


def test_a_read_that_was_throttled_often_is_still_repeated_after_a_server_error(clock):
    answers = [reply("", BUSY)] * 5 + [reply("", "500 Error"), reply("[]")]
    with a_server(*answers) as server, a_transport(server.base_url, clock=clock) as transport:
        assert transport.send("GET", "/x").status == 200


def test_every_request_that_is_sent_is_counted_and_takes_a_token(sandbox, service):
    sandbox.faults.add(Fault("status", times=2))
    service.check_connection()
    service.endpoint.fetch_version()
    assert service.transport.requests == len(sandbox.requests) == 4
