"""What the sandbox does when it is told to misbehave."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kbsync.sandbox import Fault, Faults, random_faults
from patience import GIVE_UP_S, eventually

from .asking import read, send
from .world import ADMIN, HANDBOOK, a_sandbox

AS_JSON = {"content-type": "application/json"}
ARTICLE = {"title": "T", "slug": "t", "content": "c" * 500, "author_id": 1}


def tell(sandbox, method, path, body=None, timeout_s=GIVE_UP_S):
    """What a client sees of its request: status and body, or the error."""
    headers = {"api_access_token": ADMIN} | AS_JSON
    try:
        answer = send(sandbox, method, path, body and json.dumps(body), headers, timeout_s)
        return answer.status, answer.text
    except (http.client.HTTPException, OSError) as error:
        return type(error).__name__, ""


def create(sandbox, **options):
    return tell(sandbox, "POST", HANDBOOK + "/articles", ARTICLE, **options)


def exists(sandbox):
    return sandbox.panel.article("t") is not None


@pytest.mark.parametrize(
    ("fault", "seen", "written"),
    [
        (Fault("refuse"), "RemoteDisconnected", False),
        (Fault("reset"), "ConnectionResetError", False),
        (Fault("reset", when="after"), "ConnectionResetError", True),
        (Fault("status", status=502), 502, False),
        (Fault("status", status=502, when="after"), 502, True),
        (Fault("status", status=500, when="after"), 500, True),
        (Fault("status", status=429), 429, False),
        (Fault("cut"), "IncompleteRead", True),
        (Fault("junk"), 200, True),
        (Fault("empty"), 200, True),
        (Fault("redirect"), 302, False),
        (Fault("latency", seconds=0.01), 200, True),
        (Fault("hang", seconds=0.01), "RemoteDisconnected", False),
        (Fault("hang", seconds=0.01, when="after"), "RemoteDisconnected", True),
    ],
    ids=lambda value: f"{value.kind}-{value.when}-{value.status}" if isinstance(value, Fault) else None,
)
def test_a_fault_shows_to_the_client_and_the_write_is_made_or_not(sandbox, fault, seen, written):
    sandbox.faults.add(fault)
    status, _ = create(sandbox)
    assert status == seen
    assert exists(sandbox) == written


def test_after_its_fault_the_sandbox_behaves_again(sandbox):
    sandbox.faults.add(Fault("reset"))
    assert create(sandbox)[0] == "ConnectionResetError"
    assert create(sandbox)[0] == 200


def test_a_client_that_gives_up_on_a_silent_server_finds_its_article_written(sandbox):
    sandbox.faults.add(Fault("hang", seconds=10 * GIVE_UP_S, when="after"))
    assert create(sandbox, timeout_s=0.3)[0] == "TimeoutError"
    eventually(lambda: exists(sandbox), "the article is there")
    assert create(sandbox)[0] == 500


def test_a_hanging_request_does_not_keep_the_sandbox_from_stopping(tmp_path):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(Fault("hang", seconds=10 * GIVE_UP_S))
        sandbox.faults.add(Fault("hold"))
        create(sandbox, timeout_s=0.2)
        create(sandbox, timeout_s=0.2)
        begin = time.monotonic()
    assert time.monotonic() - begin < GIVE_UP_S


def test_held_requests_are_answered_when_they_are_released_and_not_before(sandbox):
    sandbox.faults.add(Fault("hold", method="POST", times=None))
    with ThreadPoolExecutor() as pool:
        answers = [pool.submit(create, sandbox), pool.submit(create, sandbox)]
        eventually(lambda: sandbox.held == 2, "both requests are held")
        assert not exists(sandbox) and not any(answer.done() for answer in answers)
        assert tell(sandbox, "GET", "/api")[0] == 200
        sandbox.release()
        assert sorted(answer.result()[0] for answer in answers) == [200, 500]
    assert (sandbox.held, exists(sandbox)) == (0, True)


def test_what_was_held_is_also_released_from_another_process(sandbox):
    sandbox.faults.add(Fault("hold", method="POST", times=None))
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(create, sandbox)
        eventually(lambda: sandbox.held == 1, "the request is held")
        tell(sandbox, "DELETE", "/-/sandbox/faults")
        assert answer.result()[0] == 200


def test_the_body_of_junk_is_what_was_asked_for(sandbox):
    for junk in ("[]", "{}", '"text"', "<html>", "not json"):
        sandbox.faults.add(Fault("junk", junk=junk))
        assert tell(sandbox, "GET", HANDBOOK + "/articles") == (200, junk)


def test_a_fault_hits_only_the_requests_that_it_means(sandbox):
    sandbox.faults.add(Fault("status", method="POST", path=r"/articles$", times=None))
    assert tell(sandbox, "GET", HANDBOOK + "/articles")[0] == 200
    assert [create(sandbox)[0] for _ in range(3)] == [503, 503, 503]


def test_the_nth_request_of_all_can_be_hit(sandbox):
    sandbox.faults.add(Fault("status", nth=3))
    assert [tell(sandbox, "GET", "/api")[0] for _ in range(4)] == [200, 200, 503, 200]


def test_a_retry_after_is_told_where_one_is_given(sandbox):
    sandbox.faults.add(Fault("status", status=503, retry_after_s=7))
    assert send(sandbox, "GET", "/api").headers["retry-after"] == "7"


def test_a_shift_moves_rows_between_the_pages_of_a_list(sandbox):
    for number in range(60):
        sandbox.panel.create("handbook", f"T{number}", "c", slug=f"s-{number:02}")
    sandbox.faults.add(Fault("shift", path=r"articles\?page=1$"))
    seen = []
    for page in (1, 2, 3):
        _, body = tell(sandbox, "GET", f"{HANDBOOK}/articles?page={page}")
        seen += [row["slug"] for row in json.loads(body)["payload"]]
    assert len(seen) == 60
    assert len(set(seen)) == 59
    assert "s-00" not in seen


def test_chance_is_the_same_for_the_same_seed_and_hits_about_the_share_asked_for():
    one, same, other = (random_faults(seed, 0.2, ["reset", "status"]) for seed in (1, 1, 2))
    decisions = [one(number) for number in range(1000)]
    assert decisions == [same(number) for number in range(1000)]
    assert decisions != [other(number) for number in range(1000)]
    assert 150 < sum(fault is not None for fault in decisions) < 250


def test_waiting_faults_come_before_chance_and_clearing_ends_both():
    faults = Faults()
    faults.follow(lambda number: Fault("reset"))
    faults.add(Fault("empty"))
    assert [faults.pick("GET", "/").kind for _ in range(2)] == ["empty", "reset"]
    faults.clear()
    assert faults.pick("GET", "/") is None


def test_another_process_may_set_faults_and_read_the_log(sandbox):
    url = sandbox.base_url + "/-/sandbox/faults"
    status, body = read(url, json.dumps({"kind": "status", "status": 504, "method": "GET"}).encode(), AS_JSON)
    assert (status, json.loads(body)[0]["status"]) == (200, 504)
    assert read(sandbox.base_url + "/api")[0] == 504
    assert read(sandbox.base_url + "/api")[0] == 200
    _, log = read(sandbox.base_url + "/-/sandbox/requests")
    assert [row[:3] for row in json.loads(log)] == [["GET", "/api", 504], ["GET", "/api", 200]]
    assert [request[:3] for request in sandbox.requests] == [("GET", "/api", 504), ("GET", "/api", 200)]


def test_a_fault_that_makes_no_sense_is_refused(sandbox):
    for body in (b'{"kind": "nonsense"}', b"{", b'{"kind": "reset", "path": 1}', b'{"kind": "reset", "path": "("}'):
        assert read(sandbox.base_url + "/-/sandbox/faults", body, AS_JSON)[0] == 400
    assert read(sandbox.base_url + "/-/sandbox/nowhere")[0] == 404
    assert sandbox.faults.waiting == ()


def test_chance_may_be_set_by_another_process_too(sandbox):
    chance = {"seed": 1, "rate": 1.0, "kinds": ["refuse"]}
    assert read(sandbox.base_url + "/-/sandbox/random", json.dumps(chance).encode(), AS_JSON)[0] == 200
    assert create(sandbox)[0] == "RemoteDisconnected"
