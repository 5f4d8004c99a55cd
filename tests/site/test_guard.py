"""Who may talk to a local server: by the address that a request names, and the page that it comes from."""

import pytest
from starlette.datastructures import Headers

from kbsync.site.guard import WRONG_HOST, WRONG_ORIGIN, check_request, is_ours

OWN = "127.0.0.1:4004"


def refusal(*headers: tuple[str, str], target: str = "/en/"):
    raw = [(name.encode(), text.encode("latin-1")) for name, text in headers]
    return check_request(target, Headers(raw=raw), "::1")


@pytest.mark.parametrize("said", [OWN, "localhost", "LOCALHOST:1", "[::1]:65535", "localhost.", "[::1]"])
def test_this_machine_has_these_names(said: str):
    assert refusal(("host", said)) is None
    assert refusal(("host", said), ("origin", f"http://{said.lower()}")) is None


@pytest.mark.parametrize(
    "said",
    [
        "", "evil.example.com", "[::1", "::1]", "::1", "[[::1]]", "[localhost]", "localhost..", "127.0.0.1:\xb2", "127.0.0.1:", "127.0.0.1:1:1",
        "user@127.0.0.1", "127.0.0.1/", "127.0.0.1, evil.example.com", "127.1", "2130706433", "0.0.0.0", "127.0.0.1:123456",
    ],
)  # fmt: skip
def test_what_only_looks_like_one_of_them_is_none(said: str):
    assert not is_ours(said, "127.0.0.1")
    assert refusal(("host", said)) is WRONG_HOST


def test_a_request_names_its_server_once_and_comes_from_one_page():
    assert refusal(("host", OWN), ("host", OWN)) is WRONG_HOST
    assert refusal(("host", OWN), ("host", "evil.example.com")) is WRONG_HOST
    assert refusal(("host", OWN), ("origin", "https://evil.example.com"), ("origin", f"http://{OWN}")) is WRONG_ORIGIN
    assert refusal(("host", OWN), ("origin", f"http://{OWN}"), ("origin", f"http://{OWN}")) is WRONG_ORIGIN


@pytest.mark.parametrize(
    "target", ["http://evil.example.com/en/", f"http://{OWN}/en/", "evil.example.com:443", "*", ""]
)
def test_an_address_is_a_path_and_names_no_other_server(target: str):
    assert refusal(("host", OWN), target=target) is WRONG_HOST
