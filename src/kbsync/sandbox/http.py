"""Answers as the service words them, and what all handlers read from a request."""

from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

import msgspec
from starlette.requests import Request
from starlette.responses import Response

JSON_TYPE = "application/json; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"
REVALIDATE = {"cache-control": "max-age=0, private, must-revalidate"}
NO_CACHE = {"cache-control": "no-cache"}

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


class Halt(Exception):
    """Ends the handling of a request with an answer."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def respond(
    status: int, body: bytes | str = b"", kind: str = JSON_TYPE, headers: Mapping[str, str] | None = None
) -> Response:
    """One answer. Its type is sent as it is: by itself, starlette adds a charset, which the service does not."""
    return Response(body, status, {"content-type": kind, **(headers or {})})


def encode(value: object) -> bytes:
    """JSON as the service writes it: compact, with `&`, `<` and `>` escaped."""
    body = msgspec.json.encode(value)
    for plain, escaped in ESCAPES:
        if plain in body:
            body = body.replace(plain, escaped)
    return body


def answer(value: object) -> Response:
    """200 with JSON."""
    return respond(200, encode(value), headers=REVALIDATE)


def refusal(status: int, value: object) -> Response:
    """An error that the application itself answers."""
    return respond(status, encode(value), headers=NO_CACHE)


def done() -> Response:
    """The empty 200 of delete and reorder, which still claims to be JSON."""
    return respond(200, kind="application/json", headers=NO_CACHE)


def redirect(location: str, cache: str = "no-cache", status: int = 302) -> Response:
    """302 to an absolute address, or another redirection."""
    page = f'<html><body>You are being <a href="{location}">redirected</a>.</body></html>'
    return respond(status, page, HTML_TYPE, {"location": location, "cache-control": cache})


def parts_of(path: str) -> tuple[str, ...]:
    """The decoded parts of a path, without empty ones."""
    return tuple(unquote(part) for part in path.split("/") if part)


def media_type(request: Request) -> str:
    """The content type of the body, without parameters, lower case."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def wants_json(request: Request) -> bool:
    """Whether an error of the framework itself comes as JSON."""
    return bool(request.scope["raw_path"].endswith(b".json")) or "application/json" in request.headers.get("accept", "")
