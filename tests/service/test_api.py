"""A request as a person words it: where it leads, and that this is never another host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.errors import UsageError
from kbsync.service.api import ApiRequest, in_query, read_path, rows_of, typed
from kbsync.service.exchange import Answer


def path_of(path: str) -> str:
    return read_path(path, account_id=7, portal="hand/book")[0]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("inboxes", "/api/v1/accounts/7/inboxes"),
        ("contacts/search", "/api/v1/accounts/7/contacts/search"),
        ("reporting_events", "/api/v1/accounts/7/reporting_events"),
        ("reports", "/api/v2/accounts/7/reports"),
        ("reports/summary", "/api/v2/accounts/7/reports/summary"),
        ("summary_reports/agent", "/api/v2/accounts/7/summary_reports/agent"),
        ("/api/v1/profile", "/api/v1/profile"),
        ("/public/api/v1/inboxes/x/contacts", "/public/api/v1/inboxes/x/contacts"),
        ("portals/{portal}/articles", "/api/v1/accounts/7/portals/hand%2Fbook/articles"),
        ("/api/v1/accounts/{account_id}", "/api/v1/accounts/7"),
    ],
)
def test_a_path_without_a_slash_is_of_the_account_and_one_with_it_is_taken_as_it_is(path, place):
    assert path_of(path) == place


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "//", "//evil.example.com/x", "https://evil.example.com/x", "http://127.0.0.1/x", "\\\\evil\\x", "/\\evil",
        "../../x", "a/../../b", "/a/./b", "a/%2e%2e/b", "a/%2E./b", "a%2f..%2fb", "a b", "a#b", "a\nHost: b", "a//b", "a%b", "a%0", "a%2f%2fb",
    ],
)  # fmt: skip
def test_what_could_lead_elsewhere_is_refused(path):
    with pytest.raises(UsageError, match="is not a path of the service"):
        path_of(path)


@given(st.text("/\\.:@#?% ab2fFeE", max_size=12))
def test_no_path_leaves_the_service(path):
    try:
        place = path_of(path)
    except UsageError:
        return
    assert place.startswith("/") and not place.startswith("//") and "\\" not in place
    assert not {".", ".."} & set(place.split("/"))


def test_parameters_behind_the_path_are_kept_repeated_ones_too():
    _, query = read_path("conversations?status=open&labels[]=a&labels[]=b&q=", account_id=7, portal="p")
    assert query == {"status": ["open"], "labels[]": ["a", "b"], "q": [""]}


@pytest.mark.parametrize(
    ("method", "path", "is_write"),
    [
        ("PATCH", "/api/v1/accounts/1/portals/handbook/articles/4", True),
        ("POST", "/api/v1/accounts/1/portals/handbook/categories", True),
        ("DELETE", "/api/v1/accounts/1/portals/handbook", True),
        ("DELETE", "/api/v1/accounts/1/Portals%2Fhandbook", True),
        ("PUT", "/api/v1/accounts/1/x/%61rticles.json", True),
        ("GET", "/api/v1/accounts/1/portals/handbook/articles", False),
        ("HEAD", "/api/v1/accounts/1/portals/handbook/articles", False),
        ("POST", "/api/v1/accounts/1/labels", False),
        ("POST", "/api/v1/accounts/1/upload", False),
    ],
)
def test_a_write_to_the_help_center_is_recognised_however_it_is_spelt(method, path, is_write):
    assert ApiRequest(method, path).changes_help_center is is_write


def test_the_token_stays_away_from_what_everybody_may_ask():
    assert ApiRequest("GET", "/public/api/v1/inboxes/x").is_public and ApiRequest("GET", "/hc/handbook/en").is_public
    assert not ApiRequest("GET", "/api/v1/profile").is_public


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-2.5", -2.5), ("true", True), ("false", False), ("null", None), ("[1,2]", [1, 2]),
        ('{"a":null}', {"a": None}), ('"1"', "1"), ("open", "open"), ("", ""), ("1a", "1a"), ("NaN", "NaN"), ("@x", "@x"),
    ],
)  # fmt: skip
def test_a_typed_value_is_what_json_makes_of_it_and_else_a_text(text, value):
    assert typed(text) == value and type(typed(text)) is type(value)


@pytest.mark.parametrize("text", ['{"a":', "[1", '"x'])
def test_what_begins_like_json_has_to_be_json(text):
    with pytest.raises(ValueError, match=r"."):
        typed(text)


def test_values_of_a_query_are_texts():
    assert [in_query(value) for value in ("a", 1, True, None, [1])] == ["a", "1", "true", "null", "[1]"]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (b'[{"id":1}]', 1), (b"[]", 0), (b'{"payload":[1,2],"meta":{}}', 2), (b'{"data":[1]}', 1),
        (b'{"data":{"meta":{},"payload":[1]}}', 1), (b'{"id":1}', None), (b"<html>", None), (b"", None), (b"\xff", None),
    ],
)  # fmt: skip
def test_the_rows_of_a_page_are_found_in_every_shape_that_lists_have(body, rows):
    found = rows_of(Answer("GET /x", 200, {}, body))
    assert (None if found is None else len(found)) == rows
