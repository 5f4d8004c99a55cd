"""`kbsync api`: one request with the project's token, and nothing that goes past plan or host."""

import json

import pytest

from cli.conftest import TOKEN
from kbsync.sandbox import Fault, Sandbox

ARTICLES = "portals/{portal}/articles"


def asked(portal: Sandbox) -> list[str]:
    return [f"{verb} {path}" for verb, path, *_ in portal.requests]


def test_a_get_prints_the_answer_as_json_and_its_fields_are_the_query_beside_one_that_the_path_brings(pushed, portal):
    done = pushed.run("api", "get", ARTICLES, "-f", "locale=fr", "-F", "page=1")
    assert (done.code, done.err) == (0, "")
    assert [article["slug"] for article in json.loads(done.out)["payload"]] == ["refunds-fr"]
    assert asked(portal)[-1] == "GET /api/v1/accounts/1/portals/handbook/articles?locale=fr&page=1"
    assert "\n  " in done.out
    pushed.run("api", "GET", f"{ARTICLES}?locale=en", "-f", "status=0")
    assert asked(portal)[-1].endswith("/articles?locale=en&status=0")


def test_the_token_is_not_in_what_is_printed_although_the_answer_has_it(remote):
    done = remote.run("api", "GET", "/api/v1/profile", "-v", "--log-file", "log")
    assert json.loads(done.out)["access_token"] == "[token]"
    assert TOKEN not in done.out + done.err + remote.read("log")


def test_all_pages_become_one_list(remote, portal: Sandbox):
    for number in range(60):
        portal.panel.create("handbook", f"Article {number}", "Text", slug=f"article-{number:02}")
    done = remote.run("api", "GET", ARTICLES, "-f", "locale=en", "--paginate")
    assert done.code == 0
    assert {article["slug"] for article in json.loads(done.out)} == {f"article-{number:02}" for number in range(60)}
    assert [line.rpartition("page=")[2] for line in asked(portal)] == ["1", "2", "3", "4"]


def test_a_list_without_pages_is_printed_once_and_what_is_not_a_list_cannot_be_paged(remote, portal: Sandbox):
    assert len(json.loads(remote.run("api", "GET", "inboxes", "--paginate").out)) == 1 and len(asked(portal)) == 2
    assert remote.run("api", "GET", "/api/v1/profile", "--paginate").ended(2, "", "The answer is not a list.")
    assert remote.run("api", "POST", "labels", "--paginate").code == 2


WRITES = ("changes your help center", "`--yes`")
TITLE = ("-f", "title=x")
ELSEWHERE = ("is not a path of the service",)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("PATCH", "portals/{portal}/articles/1", *TITLE), WRITES),
        (("POST", "portals/{portal}/categories", *TITLE), WRITES), (("DELETE", "portals/{portal}", *TITLE), WRITES),
        (("DELETE", "/api/v1/accounts/1/portals/handbook/articles/1", *TITLE), WRITES),
        (("GET", "https://evil.example.com/api"), ELSEWHERE), (("GET", "//evil.example.com/api"), ELSEWHERE),
        (("GET", "../../../x"), ELSEWHERE), (("GET", "/"), ELSEWHERE),
        (("POST", "labels", "-f", "title"), ()), (("POST", "labels", "-f", "=x"), ()),
        (("POST", "labels", "-F", "meta={"), ()), (("POST", "labels", "-f", "a=1", "-F", "a=2"), ()),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_write_to_the_help_center_without_yes_another_host_and_a_field_without_sense_are_never_sent(
    remote, portal: Sandbox, words, said
):
    assert remote.run("api", *words).ended(2, "", *said)
    assert asked(portal) == []


def test_with_yes_fields_are_sent_as_json_of_their_type(pushed, portal: Sandbox):
    number = portal.panel.article("refunds").id
    fields = ["-f", "title=42", "-F", "status=1", "-F", 'meta={"tags":["a"]}']
    done = pushed.run("api", "PATCH", f"{ARTICLES}/{number}", *fields, "--yes")
    assert done.code == 0
    article = portal.panel.article("refunds")
    assert (article.title, article.status) == ("42", 1)
    assert json.loads(done.out)["payload"]["meta"]["tags"] == ["a"]
    assert pushed.run("plan").code == 4


def test_an_empty_answer_prints_nothing_and_says_so(pushed, portal: Sandbox):
    done = pushed.run("api", "DELETE", f"{ARTICLES}/{portal.panel.article('refunds').id}", "--yes")
    assert (done.code, done.out) == (0, "") and done.err.endswith(": 200, without a body.\n")


def test_a_file_is_uploaded(remote, portal: Sandbox):
    (remote.folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    done = remote.run("api", "POST", "upload", "-f", "attachment=@image.png", "-F", "size=1")
    assert done.code == 0 and json.loads(done.out)["file_url"].startswith(portal.base_url)
    assert remote.run("api", "POST", "upload", "-f", "attachment=@nowhere.png").code == 2
    assert remote.run("api", "GET", "inboxes", "-f", "attachment=@image.png").code == 2


def test_an_error_of_the_service_prints_its_body_and_ends_with_5(remote):
    done = remote.run("api", "GET", f"{ARTICLES}/99999")
    assert done.code == 5 and "error" in json.loads(done.out)
    assert "kbsync: GET /api/v1/accounts/1/portals/handbook/articles/99999: The service answered 404" in done.err


def test_a_redirect_is_an_answer_and_is_not_followed(remote, portal: Sandbox):
    portal.faults.add(Fault("redirect", location="http://evil.example.com/"))
    assert remote.run("api", "GET", "inboxes").says(5, err="redirects to http://evil.example.com/")
    assert len(asked(portal)) == 1


def test_a_token_of_another_service_is_not_sent(remote, portal: Sandbox):
    done = remote.run("api", "GET", "inboxes", KBSYNC_TOKEN_ORIGIN="https://support.example.com")
    assert done.code == 2 and asked(portal) == []


def test_the_embedded_sandbox_can_be_asked_too(project):
    project.run("push")
    assert "refunds" in [row["slug"] for row in json.loads(project.run("api", "GET", ARTICLES, "--paginate").out)]


def test_what_is_no_json_is_printed_as_it_is(remote, portal: Sandbox):
    portal.faults.add(Fault("junk", junk="a,b\n1,2\n"))
    assert remote.run("api", "GET", "reports").out == "a,b\n1,2\n"
