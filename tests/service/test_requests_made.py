"""A request with a body that is ready: what leaves is what httpx makes of it."""

from __future__ import annotations

from contextlib import closing

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.service.connections import Connections

HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Connection": "keep-alive",
    "User-Agent": "kbsync/1",
}
ADDRESSES = ("http://127.0.0.1:3000", "http://127.0.0.1:80", "http://[::1]:8080", "http://127.0.0.1/under/a/path/")
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
NAMES = st.sampled_from(["api_access_token", "Content-Type", "If-None-Match"])


def by_httpx(base_url, method, path, headers, content, cookies):
    """What kbsync would send if it left everything to `httpx.Request`."""
    address = base_url.rstrip("/") + path
    return httpx.Request(method, address, headers={**HEADERS, **headers}, content=content, cookies=cookies)


@given(
    base_url=st.sampled_from(ADDRESSES),
    method=st.sampled_from(["POST", "PATCH", "PUT"]),
    headers=st.dictionaries(NAMES, VALUES),
    content=st.binary(min_size=0, max_size=50) | st.none(),
    cookies=st.dictionaries(st.sampled_from(["a", "session"]), st.sampled_from(["1", "x"]), max_size=1),
)
def test_a_request_with_a_body_is_what_httpx_makes_of_it(base_url, method, headers, content, cookies):
    with closing(Connections(base_url, HEADERS, 30.0, 2)) as connections:
        for name, value in cookies.items():
            connections._cookies.set(name, value)
        made = connections.request(method, "/api/v1/articles", headers=headers, content=content, params=None)
        wanted = by_httpx(base_url, method, "/api/v1/articles", headers, content, connections._cookies or None)
    assert made.headers.raw == wanted.headers.raw
    assert (made.method, made.url, b"".join(made.stream)) == (wanted.method, wanted.url, b"".join(wanted.stream))


@pytest.mark.parametrize(
    "parts", [{"params": {"page": 2}}, {"data": {"a": "b"}}, {"files": {"f": ("x.png", b"1", "image/png")}}]
)
def test_everything_else_is_left_to_httpx(parts):
    with closing(Connections(ADDRESSES[0], HEADERS, 30.0, 2)) as connections:
        made = connections.request("POST", "/upload", headers={"api_access_token": "t"}, **parts)
    assert made.headers["host"] == "127.0.0.1:3000"
    assert made.headers["content-length"] == str(len(made.read()))
