"""The body of an answer, unpacked no further than its limit: a few kilobytes can hold gigabytes of nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from kbsync.errors import Misbehaved

ACCEPTED = "gzip"
"""What kbsync asks for. Other encodings, or several of them, are not unpacked at all."""

STEP_BYTES = 1 << 16
"""How much is unpacked before anybody looks at the size."""

_GZIP = zlib.MAX_WBITS | 16


def unpack(chunks: Iterable[bytes], encoding: str, *, asked: str, most_bytes: int) -> bytes:
    """The whole body.

    Args:
        chunks: the body as it came over the wire.
        encoding: what the header `Content-Encoding` says, or "".
        asked: the request, for messages.
        most_bytes: the limit, counted both before and after unpacking.

    Raises:
        Misbehaved: it is larger than that, compressed in an unexpected way, or damaged.
    """
    name = encoding.strip().lower()
    if name not in {"", "identity", "gzip", "x-gzip"}:
        raise Misbehaved(
            f"{asked}: The answer is compressed as `{name}`, but kbsync asked for {ACCEPTED}.",
            hint="Check [service] base_url, and any proxy between you and the service.",
        )
    pieces = chunks if name in {"", "identity"} else _gunzipped(_bounded(chunks, asked, most_bytes), asked)
    body = bytearray()
    for piece in _bounded(pieces, asked, most_bytes):
        body += piece
    return bytes(body)


def _bounded(chunks: Iterable[bytes], asked: str, most_bytes: int) -> Iterable[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most_bytes:
            raise Misbehaved(
                f"{asked}: The answer is larger than {most_bytes // 2**20} MiB.",
                hint="Check [service] base_url: the service does not send such large answers.",
            )
        yield chunk


def _gunzipped(chunks: Iterable[bytes], asked: str) -> Iterable[bytes]:
    unpacker = zlib.decompressobj(_GZIP)
    begun = False
    for chunk in chunks:
        begun = begun or bool(chunk)
        rest = chunk
        while rest and not unpacker.eof:
            try:
                yield unpacker.decompress(rest, STEP_BYTES)
            except zlib.error as exc:
                raise _damaged(asked, str(exc)) from exc
            rest = unpacker.unconsumed_tail
    # A body that is empty, whatever its header says, is empty (docs/service.md, S17).
    if begun and not unpacker.eof:
        raise _damaged(asked, "it ends too early")


def _damaged(asked: str, reason: str) -> Misbehaved:
    return Misbehaved(
        f"{asked}: The answer cannot be decompressed: {reason}.",
        hint="Run the command again. If it stays, check for a proxy between you and the service.",
    )
