"""Requests and answers as values, so that handlers are plain functions from one to the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

JSON_TYPE = "application/json; charset=utf-8"
REVALIDATE = ("cache-control", "max-age=0, private, must-revalidate")
NO_CACHE = ("cache-control", "no-cache")

ESCAPES = (
    (b"&", b"\\u0026"),
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
)
"""What the service escapes inside JSON strings; none of it occurs outside them. Source: docs/service.md, section 4."""

Params: TypeAlias = dict[str, Any]
"""Parameters as they came in: strings, lists and nested objects out of JSON, a form or a query string."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, read to its end.

    `segments` are the decoded parts of the path without empty ones; `suffix` is the part after the last dot of
    the last segment where the API takes it for a format. `query` holds nested parameters. `server` is the address and
    the port that the request came in at.
    """

    method: str
    target: str
    segments: tuple[str, ...]
    suffix: str
    query: Params
    headers: Mapping[str, str]
    body: bytes
    client: str
    server: tuple[str, int]

    @property
    def host(self) -> str:
        """The Host header, with port."""
        return self.headers.get("host", "127.0.0.1")

    @property
    def wants_json(self) -> bool:
        """Whether an error of the framework itself comes as JSON."""
        return self.suffix == "json" or "application/json" in self.headers.get("accept", "")


@dataclass(frozen=True, slots=True)
class Response:
    """One answer."""

    status: int
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: tuple[tuple[str, str], ...] = field(default=())


class Halt(Exception):
    """Ends the handling of a request with an answer."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def encode(value: object) -> bytes:
    """JSON as the service writes it: compact, with `&`, `<` and `>` escaped."""
    body = msgspec.json.encode(value)
    for plain, escaped in ESCAPES:
        if plain in body:
            body = body.replace(plain, escaped)
    return body


def answer(value: object) -> Response:
    """200 with JSON."""
    return Response(200, encode(value), JSON_TYPE, (REVALIDATE,))


def refusal(status: int, value: object) -> Response:
    """An error that the application itself answers."""
    return Response(status, encode(value), JSON_TYPE, (NO_CACHE,))


def done() -> Response:
    """The empty 200 of delete and reorder, which still claims to be JSON."""
    return Response(200, b"", "application/json", (NO_CACHE,))


def redirect(location: str, cache: str = "no-cache", status: int = 302) -> Response:
    """302 to an absolute address, or another redirection."""
    page = f'<html><body>You are being <a href="{location}">redirected</a>.</body></html>'
    headers = (("location", location), ("cache-control", cache))
    return Response(status, page.encode(), "text/html; charset=utf-8", headers)
