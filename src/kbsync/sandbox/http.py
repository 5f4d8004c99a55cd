"""Requests and answers as values, so that handlers are plain functions from one to the other.

Also: bodies of type multipart/form-data, as far as an upload needs them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?', re.IGNORECASE)
_NAME = re.compile(rb'\bname="([^"]*)"')
_FILENAME = re.compile(rb'\bfilename="((?:[^"\\]|\\.)*)"')
_TYPE = re.compile(rb"^content-type:\s*([^\r\n;]+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """One field; `filename` is None for a plain text field."""

    name: str
    filename: str | None
    content_type: str
    data: bytes


def read_parts(content_type: str, body: bytes) -> list[Part]:
    """The fields of a body; an unfinished one holds none, as far as the service is concerned."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return []
    mark = b"--" + boundary[1].encode("latin-1")
    pieces = (b"\r\n" + body).split(b"\r\n" + mark)
    if not pieces[-1].startswith(b"--"):
        return []
    return [part for piece in pieces[1:-1] if (part := _read_part(piece)) is not None]


def _read_part(piece: bytes) -> Part | None:
    head, separator, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    name = _NAME.search(head)
    if not separator or name is None:
        return None
    filename, kind = _FILENAME.search(head), _TYPE.search(head)
    return Part(
        name[1].decode("utf-8", "replace"),
        None if filename is None else filename[1].decode("utf-8", "replace"),
        kind[1].decode("latin-1").strip() if kind else "application/octet-stream",
        data,
    )


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
