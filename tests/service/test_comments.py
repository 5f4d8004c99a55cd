"""Comments on GitHub and GitLab: only our own one is touched, limits are kept, and refusals say what to do."""

from collections.abc import Iterator

import pytest

from kbsync.app.asking.comment import MOST_PAGES, Client
from kbsync.errors import ConfigError, Denied, Misbehaved, NotFound, Rejected, ServiceError, Throttled
from kbsync.service.forges import GitHub, GitLab, is_too_long

from .forges import FORBIDDEN, SECONDARY, TOKEN, FakeForge, running_forge

MARKER = "<!-- kbsync:comment:0011223344556677 -->"
FORGES = {"github": (GitHub(), "ana/help"), "gitlab": (GitLab(), "42")}


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest) -> Iterator[FakeForge]:
    with running_forge(request.param) as found:
        yield found


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(forge: FakeForge, waits: list[float]) -> Iterator[Client]:
    with Client(FORGES[forge.kind][0], forge.origin, TOKEN, waits.append) as found:
        yield found


def repository(forge: FakeForge) -> str:
    return FORGES[forge.kind][1]


def found_in(client: Client, forge: FakeForge) -> int | None:
    row = client.find(repository(forge), 7, MARKER)
    return row.id if row else None


def refusal(client, forge, kind, *answers):
    """The error of making a comment where the service gives these answers, each (status, headers, value)."""
    forge.faults += [("POST", "/7/", answer) for answer in answers]
    with pytest.raises(kind) as refused:
        client.create(repository(forge), 7, MARKER)
    return refused.value


def test_a_comment_is_made_found_again_and_written_over(client, forge):
    assert found_in(client, forge) is None
    client.create(repository(forge), 7, f"{MARKER}\nOne.")
    number = found_in(client, forge)
    client.update(repository(forge), 7, number, f"{MARKER}\nTwo.")
    assert [row["body"] for row in forge.comments] == [f"{MARKER}\nTwo."]
    assert all(forge.authorized)


def test_our_comment_is_found_on_a_later_page(client, forge):
    forge.per_page = 10
    for number in range(25):
        forge.add(f"Comment {number}.")
    assert found_in(client, forge) is None
    ours = forge.add(f"{MARKER}\nOurs.")
    assert found_in(client, forge) == ours
    assert all(forge.authorized)  # No page was asked for at the address that the answers name.


def test_a_list_of_pages_ends_also_where_the_service_always_has_another(client, forge):
    forge.faults += [("GET", "/7/", (200, {"Link": '<x>; rel="next"'}, []))] * (MOST_PAGES + 5)
    assert found_in(client, forge) is None
    assert len(forge.asked) == MOST_PAGES


def test_somebody_else_s_comment_with_our_marker_is_left_alone(client, forge):
    forge.add(f"{MARKER}\nNot yours.", {"login": "eve", "username": "eve", "type": "User"})
    forge.add(f"> {MARKER}\n> A quotation.")
    forge.add(None)
    assert found_in(client, forge) is None
    ours = forge.add(f"{MARKER}\nOurs.")
    assert found_in(client, forge) == ours


def test_the_token_of_a_job_that_is_not_told_who_it_is_takes_only_what_an_app_wrote():
    with running_forge("github", me=None) as forge, Client(GitHub(), forge.origin, TOKEN) as client:
        forge.add(f"{MARKER}\nNot yours.", {"login": "eve", "type": "User"})
        assert found_in(client, forge) is None
        ours = forge.add(f"{MARKER}\nOurs.")
        assert found_in(client, forge) == ours


def test_gitlab_s_own_notes_are_no_comments():
    with running_forge("gitlab") as forge, Client(GitLab(), forge.origin, TOKEN) as client:
        forge.add(f"{MARKER}\nadded 1 commit", system=True)
        assert found_in(client, forge) is None


@pytest.mark.parametrize(
    "reply", [(429, {"Retry-After": "3"}, {"message": "Too many requests"}), (403, {"Retry-After": "3"}, SECONDARY)]
)
def test_a_limit_with_a_short_wait_is_waited_for_once(client, forge, waits, reply):
    forge.faults.append(("POST", "/7/", reply))
    client.create(repository(forge), 7, MARKER)
    assert waits == [3.0] and len(forge.comments) == 1


def test_a_limit_that_stays_is_given_up(client, forge, waits):
    error = refusal(client, forge, Throttled, *[(403, {}, SECONDARY)] * 2)
    assert "asks kbsync to slow down" in str(error)
    assert waits == [60.0] and forge.comments == []


@pytest.mark.parametrize(
    "headers", [{"Retry-After": "3600"}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9999999999"}]
)
def test_a_long_wait_is_given_up_at_once(client, forge, waits, headers):
    refusal(client, forge, Throttled, (403, headers, {"message": "API rate limit exceeded"}))
    assert waits == []


def test_a_token_of_a_fork_is_refused_with_what_to_do(client, forge, waits):
    error = refusal(client, forge, Denied, FORBIDDEN)
    assert "answered 403: Resource not accessible by integration." in error.message
    assert "fork" in error.hint and waits == []


def test_what_does_not_exist_is_not_found(client, forge):
    with pytest.raises(NotFound, match="answered 404"):
        client.create("no/where", 7, MARKER)


OF_GITHUB = {"message": "Validation Failed", "errors": [{"message": "body is too long (maximum is 65536 characters)"}]}


@pytest.mark.parametrize(
    ("status", "value", "too_long"),
    [
        (422, OF_GITHUB, True),
        (400, {"message": {"note": ["is too long (maximum is 1000000 characters)"]}}, True),
        (422, {"message": "Validation Failed"}, False),
    ],
)
def test_a_comment_that_is_too_long_is_known_as_that_and_another_refusal_is_not(client, forge, status, value, too_long):
    assert is_too_long(refusal(client, forge, Rejected, (status, {}, value))) is too_long


def test_a_redirect_is_not_followed(client, forge):
    with running_forge(forge.kind) as other:
        forge.faults.append(("GET", "/7/", (301, {"Location": f"{other.origin}/elsewhere"}, {"message": "Moved"})))
        with pytest.raises(ServiceError) as refused:
            found_in(client, forge)
        assert "new name" in refused.value.hint and other.asked == []


@pytest.mark.parametrize("body", [b"<html>", b'{"id": 1}', b"[" * 100_000, b'[{"id": "x"}]'])
def test_an_answer_that_is_not_what_it_should_be_is_no_comment(client, forge, body):
    forge.faults.append(("GET", "/7/", (200, {}, body)))
    with pytest.raises(Misbehaved):
        found_in(client, forge)


def test_a_write_is_sent_once_also_where_the_service_failed(client, forge):
    assert "answered 502" in str(refusal(client, forge, ServiceError, (502, {}, b"<html>Bad gateway</html>")))
    assert forge.asked.count(forge.asked[-1]) == 1


def test_the_token_is_in_no_message(client, forge):
    message = refusal(client, forge, Rejected, (400, {}, {"message": f"{TOKEN} is not valid\x1b[2J"})).message
    assert TOKEN not in message + repr(client) and "[token]" in message
    assert "\x1b" not in message


def test_a_machine_that_is_not_there_is_a_refusal_that_names_it():
    with running_forge("github") as forge:
        gone = forge.origin
    with Client(GitHub(), gone, TOKEN) as client, pytest.raises(ServiceError, match="cannot be reached") as refused:
        client.find("ana/help", 7, MARKER)
    assert "base_url" not in refused.value.hint


@pytest.mark.parametrize(
    "url", ["http://api.example.com", "ftp://x", "", "https://", "https://a:b@c", "https://[", "api"]
)
def test_an_address_over_which_the_token_must_not_go_is_refused(url):
    with pytest.raises(ConfigError):
        Client(GitHub(), url, TOKEN)


def test_a_token_that_is_no_header_is_refused_and_not_shown():
    with pytest.raises(ConfigError) as refused:
        Client(GitHub(), "https://api.github.com", "a\nb")
    assert "a\nb" not in refused.value.message


def test_the_pull_request_of_a_commit_is_the_open_one_with_exactly_that_head():
    with running_forge("github") as forge, Client(GitHub(), forge.origin, TOKEN) as client:
        forge.pulls += [
            {"number": 5, "head": {"label": "eve:fix", "sha": "a" * 40}},
            {"number": 6, "head": {"label": "eve:fix", "sha": "b" * 40}},
        ]
        assert client.pull_of("ana/help", "eve", "fix", "b" * 40) == 6
        assert client.pull_of("ana/help", "eve", "fix", "c" * 40) is None
        assert client.pull_of("ana/help", "ana", "fix", "b" * 40) is None
