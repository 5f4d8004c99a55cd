"""HTTP/1.1 on one connection: a request out, the head of its answer in, and the body as it comes.

Strict where an answer could be taken for another one: with anything unclear about where it ends, the connection is not
used again, or there is no answer at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from kbsync.service.address import Address
from kbsync.service.failures import Broken, NotSendable

if TYPE_CHECKING:
    from kbsync.service.network import Stream

KEPT_S = 5.0
"""How long a connection that nobody uses stays open."""

READ_BYTES = 1 << 16
MAX_HEAD_BYTES = 100 * 1024
"""Of all headers of an answer."""

MAX_DIGITS = 18
"""Of a length. A larger one is none."""

TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""What the name of a header is made of. Source: RFC 9110, section 5.6.2."""

HEXADECIMAL = b"0123456789abcdefABCDEF"

NO_BODY = frozenset({204, 304})
CUT = "Server disconnected without sending a response"
CUT_BODY = "The answer ended before it was complete"


class Request(msgspec.Struct, frozen=True):
    """A request to one address. `headers` are all of them, in order; the token is one."""

    method: str
    address: Address
    target: str
    headers: tuple[tuple[str, str], ...]
    content: bytes = b""

    def __repr__(self) -> str:
        return f"<{self.method} {self.target.partition('?')[0]}>"

    def encoded(self) -> bytes:
        """All of it as it goes over the wire, absolutely nothing of which can be taken for another header or request.

        Raises:
            NotSendable: it is not one.
        """
        if not all(text.isascii() and text.isprintable() and " " not in text for text in (self.method, self.target)):
            raise NotSendable("The method or the path is not valid")
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        for name, value in self.headers:
            if value != value.strip() or not value.isprintable():
                raise NotSendable(f"The header {name} is not valid")
            lines.append(f"{name}: {value}")
        try:
            return "\r\n".join([*lines, "", ""]).encode("ascii") + self.content
        except UnicodeEncodeError as exc:
            raise NotSendable("A header is not ASCII") from exc


class Response(msgspec.Struct, frozen=True):
    """An answer. Names of `headers` are in lower case; one that came more than once is joined with commas."""

    status: int
    headers: Mapping[str, str]
    cookies: tuple[str, ...]
    chunks: Iterator[bytes]


class Http1:
    """One connection. Whoever uses it does so alone, and reads a body to its end before the next request."""

    __slots__ = ("_buffer", "_is_idle", "_stream", "_timeout_s", "_until_s")

    def __init__(self, stream: Stream, timeout_s: float) -> None:
        self._stream, self._timeout_s = stream, timeout_s
        self._buffer = bytearray()
        self._is_idle, self._until_s = True, 0.0

    def ask(self, request: Request) -> Response:
        """The answer, of which the body was not read yet.

        Raises:
            Failure: there is none.
        """
        encoded = request.encoded()
        self._is_idle = False
        self._stream.write(encoded, self._timeout_s)
        status = 100
        while status < 200:  # What comes before an answer is none.
            version, status, fields = parsed_head(self._head())
            if status == 101:
                raise Broken("The service answered in another protocol")
        headers, cookies = joined(fields)
        size, is_chunked = length_of(request.method, status, headers)
        keeps = version == b"HTTP/1.1" and "close" not in _words(headers.get("connection", ""))
        chunks = self._chunked() if is_chunked else self._sized(size) if size is not None else self._to_the_end()
        return Response(status, headers, cookies, self._body(chunks, keeps=keeps and (is_chunked or size is not None)))

    def _body(self, chunks: Iterable[bytes], *, keeps: bool) -> Iterator[bytes]:
        yield from chunks
        # What came beyond the answer was not asked for: whose it is, nobody knows.
        if keeps and not self._buffer:
            self._is_idle, self._until_s = True, time.monotonic() + KEPT_S

    def _sized(self, size: int) -> Iterator[bytes]:
        while size:
            if not self._buffer:
                self._more(CUT_BODY)
            piece = self._taken(min(size, len(self._buffer)))
            size -= len(piece)
            yield piece

    def _to_the_end(self) -> Iterator[bytes]:
        piece = self._taken(len(self._buffer)) or self._stream.read(READ_BYTES, self._timeout_s)
        while piece:
            yield piece
            piece = self._stream.read(READ_BYTES, self._timeout_s)

    def _chunked(self) -> Iterator[bytes]:
        while size := size_of(self._line()):
            yield from self._sized(size)
            if self._line():
                raise Broken("A piece of the answer is longer than it says")
        while self._line():
            pass  # Headers behind the body: nothing that is needed is in them.

    def _line(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise Broken("A line of the answer is too long")
            self._more(CUT_BODY)
        return self._taken(end + 1)[:-1].removesuffix(b"\r")

    def _head(self) -> bytes:
        """Status and headers, without the empty line behind them."""
        while (end := end_of_head(self._buffer)) is None:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise Broken("The headers of the answer are too long")
            self._more(CUT)
        return self._taken(end)

    def _more(self, cut: str) -> None:
        data = self._stream.read(READ_BYTES, self._timeout_s)
        if not data:
            raise Broken(cut)
        self._buffer += data

    def _taken(self, size: int) -> bytes:
        """The first bytes that came, which are not there any more."""
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    @property
    def is_idle(self) -> bool:
        """Whether it can take the next request."""
        return self._is_idle

    @property
    def is_over(self) -> bool:
        """Whether an idle one can be used no more: the service closed it, or sent what nobody asked for."""
        return time.monotonic() > self._until_s or bool(self._stream.get_extra_info("is_readable"))

    def close(self) -> None:
        """Close the connection."""
        self._is_idle = False
        self._stream.close()


def end_of_head(data: bytes | bytearray) -> int | None:
    """Where what follows the headers begins; None where they do not end yet."""
    found = (at + len(empty) for empty in (b"\n\r\n", b"\n\n") if (at := data.find(empty)) >= 0)
    return min(found, default=None)


def size_of(line: bytes) -> int:
    """How long the next piece of a body is, 0 after the last.

    Raises:
        Broken: the line does not say.
    """
    digits = line.partition(b";")[0].strip(b" \t")
    if not 0 < len(digits) <= MAX_DIGITS or digits.strip(HEXADECIMAL):
        raise Broken("A piece of the answer has no length")
    return int(digits, 16)


def parsed_head(head: bytes) -> tuple[bytes, int, list[tuple[str, str]]]:
    """Version, status and headers of an answer, their names in lower case.

    Raises:
        Broken: this is no HTTP.
    """
    first, *lines = head.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    version, _, rest = first.partition(b" ")
    digits, after = rest[:3], rest[3:4]
    if version not in {b"HTTP/1.1", b"HTTP/1.0"} or not digits.isdigit() or digits < b"100" or after not in {b"", b" "}:
        raise Broken("The answer is not HTTP")
    fields: list[tuple[str, str]] = []
    for line in lines:
        if line[:1] in {b" ", b"\t"} and fields:  # A header on several lines, as it was once allowed.
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {_text(line)}".strip())
            continue
        name, colon, value = line.partition(b":")
        if not colon or not name or name.translate(None, TOKEN) or b"\0" in value or b"\r" in value:
            raise Broken("A header of the answer is not valid")
        fields.append((name.decode("ascii").lower(), _text(value)))
    return version, int(digits), fields


def length_of(method: str, status: int, headers: Mapping[str, str]) -> tuple[int | None, bool]:
    """How long a body is, None where only the end of the connection ends it; and whether it comes in pieces.

    Source: RFC 9112, section 6.3.

    Raises:
        Broken: there are two lengths, or one that is none.
    """
    if method == "HEAD" or status in NO_BODY:
        return 0, False
    if (coding := headers.get("transfer-encoding")) is not None:
        if coding.lower() != "chunked":
            raise Broken("The answer is encoded in a way that kbsync did not ask for")
        return None, True
    if "content-length" not in headers:
        return None, False
    lengths = {text.strip() for text in headers["content-length"].split(",")}
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdigit()) or len(length) > MAX_DIGITS:
        raise Broken("The length of the answer is not a number")
    return int(length), False


def joined(fields: Iterable[tuple[str, str]]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Headers by name, those that came more than once joined with commas; and the cookies, each by itself."""
    found: dict[str, str] = {}
    cookies = []
    for name, value in fields:
        if name == "set-cookie":
            cookies.append(value)
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found, tuple(cookies)


def _words(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",")]


def _text(value: bytes) -> str:
    value = value.strip(b" \t")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
