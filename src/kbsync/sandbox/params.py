"""What a request says: bodies and query strings as nested parameters, wrapped as the service wraps them."""

from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from .auth import Call
from .http import Params, media_type
from .refusals import bare, crashed, malformed, missing_root

MAX_DEPTH = 100
"""Nesting beyond this is a malformed body. Source: docs/service.md, section 7 (120 levels are refused)."""

FORM = "application/x-www-form-urlencoded"


def read_body(request: Request, body: bytes) -> Params:
    """The parameters in the body.

    Raises:
        Halt: 400 for a body that is not JSON, 406 for an invalid content type.
    """
    kind = media_type(request)
    if kind and "/" not in kind:
        raise bare(406)
    if kind == "application/json" and body:
        return _read_json(request, body)
    return read_pairs(request, body) if kind == FORM else {}


def _read_json(request: Request, body: bytes) -> Params:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise malformed(request) from exc
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise malformed(request)
    return value if isinstance(value, dict) else {"_json": value}


def _depth(value: object) -> int:
    level, depth = [value], 0
    while level:
        depth += 1
        level = [inner for outer in level for inner in _children(outer)]
    return depth


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def read_pairs(request: Request, raw: bytes) -> Params:
    """The parameters of a query string, or of a form.

    starlette's own readers replace bytes that are not UTF-8, and know no nesting.

    Raises:
        Halt: 400 for bytes that are no UTF-8, and for names nested too deep.
    """
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as exc:
        raise malformed(request) from exc
    if any(name.count("[") > MAX_DEPTH for name, _ in pairs):
        raise malformed(request)
    return nested(pairs)


def nested(pairs: Iterable[tuple[str, str]]) -> Params:
    """`a[b]=1&c[]=2` as `{"a": {"b": "1"}, "c": ["2"]}`."""
    result: Params = {}
    for name, text in pairs:
        head, *keys = name.replace("]", "").split("[")
        _place(result, [head, *keys], text)
    return result


def _place(target: Params, keys: list[str], text: str) -> None:
    key, *rest = keys
    if not rest:
        target[key] = text
    elif rest == [""]:
        present = target.setdefault(key, [])
        if isinstance(present, list):
            present.append(text)
    else:
        inner = target.setdefault(key, {})
        if isinstance(inner, dict):
            _place(inner, rest, text)


def wrapped(call: Call, root: str, columns: Collection[str]) -> Params | None:
    """The part of the body under `root`; of JSON that comes without the root, what has the name of a column.

    Returns:
        The parameters, or None where the body says nothing about the resource.

    Raises:
        Halt: 500 where the root is there and no object.
    """
    inner: Any = call.params.get(root)
    if root not in call.params and media_type(call.request) == "application/json":
        inner = {name: value for name, value in call.params.items() if name in columns}
    if not inner:
        return None
    if not isinstance(inner, dict):
        raise crashed()
    return inner


def required(call: Call, root: str, columns: Collection[str]) -> Params:
    """Like `wrapped`, but a body without the resource is refused.

    Raises:
        Halt: 422.
    """
    inner = wrapped(call, root, columns)
    if inner is None:
        raise missing_root(root)
    return inner
