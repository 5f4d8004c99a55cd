"""Bodies of type multipart/form-data, as far as an upload needs them."""

import re
from dataclasses import dataclass

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
