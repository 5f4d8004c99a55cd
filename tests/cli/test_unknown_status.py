"""An article whose status has no name here, as a newer service may give one: shown as it is, held, never changed."""

import json
from typing import Any

import httpx
import pytest

from in_process import InProcess

REFUNDS = "content/en/billing/refunds.md"
HINT = "Its status on the portal is `in_review`, which kbsync does not know. Change it in the panel."


def told(value: Any) -> Any:
    """An answer in which refunds are reviewed."""
    if isinstance(value, list):
        return [told(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: told(one) for key, one in value.items()}
    return {**found, "status": "in_review"} if found.get("slug") == "refunds" and "status" in found else found


class Reviewed(InProcess):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if "json" not in answer.headers.get("content-type", ""):
            return answer
        body = json.dumps(told(json.loads(answer.read()))).encode()
        headers = [pair for pair in answer.headers.raw if pair[0].lower() != b"content-length"]
        return httpx.Response(answer.status_code, headers=headers, stream=httpx.ByteStream(body))


class ReviewedAlone(Reviewed):
    """Lists do not tell yet."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        is_alone = request.url.path.rpartition("/")[2].isdecimal()
        return super().handle_request(request) if is_alone else InProcess.handle_request(self, request)


@pytest.fixture
def reviewed(remote, portal, monkeypatch):
    """The project, pushed, with an edit of the file that is not sent yet."""
    remote.write(REFUNDS, "---\ntitle: Refunds\nstatus: published\nposition: 3\n---\nText.\n")
    assert remote.run("push", "--publish").code == 0
    monkeypatch.setattr("httpx._client.HTTPTransport", Reviewed)
    remote.write(REFUNDS, "---\ntitle: Refunds\nstatus: published\nposition: 7\n---\nOther.\n")
    return remote


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("command", [("plan",), ("push",), ("push", "--publish"), ("why", REFUNDS)])
def test_it_is_held_with_the_word_of_the_service(reviewed, portal, command):
    place = portal.panel.article("refunds").position
    done = reviewed.run(*command)
    assert HINT in words(done.out) and "which article belongs" not in words(done.out)
    article = portal.panel.article("refunds")
    assert (article.content, article.position) == ("Text.\n", place)


@pytest.mark.parametrize("side", ["--ours", "--theirs", "--into-file"])
def test_nobody_can_decide_it_here(reviewed, side):
    assert reviewed.run("resolve", REFUNDS, side).code == 4
    assert HINT in words(reviewed.run("resolve", REFUNDS, side).out)
    assert HINT in words(reviewed.run("plan").out)


def test_delete_says_the_same(reviewed, portal):
    done = reviewed.run("delete", REFUNDS, "--yes")
    assert done.code == 4 and HINT in words(done.out) and (reviewed.folder / REFUNDS).exists()


def test_a_status_that_comes_between_plan_and_push_is_seen_by_the_last_look(remote, portal, monkeypatch):
    remote.write(REFUNDS, "---\ntitle: Refunds\n---\nText.\n")
    assert remote.run("push").code == 0
    remote.write(REFUNDS, "---\ntitle: Refunds\n---\nOther.\n")
    monkeypatch.setattr("httpx._client.HTTPTransport", ReviewedAlone)
    assert remote.run("push").code == 4 and portal.panel.article("refunds").content == "Text.\n"


@pytest.mark.parametrize("removed", ["delete", "archive"])
def test_its_file_may_go_and_it_stays(reviewed, portal, removed):
    (reviewed.folder / REFUNDS).unlink()
    assert HINT in words(reviewed.run("push", KBSYNC_PUSH__REMOVED=removed).out)
    assert portal.panel.article("refunds").status == 1
