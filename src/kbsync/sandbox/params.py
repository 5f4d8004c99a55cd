"""What a request says: bodies and query strings as nested parameters, wrapped as the service wraps them."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_plus

import msgspec

from .http import Params, Request
from .refusals import bare, crashed, malformed, missing_root

MAX_DEPTH = 100
"""Nesting beyond this is a malformed body. Source: docs/service.md, section 7 (120 levels are refused)."""

FORM = "application/x-www-form-urlencoded"

ARTICLE_COLUMNS = frozenset(
    {
        "id",
        "account_id",
        "portal_id",
        "category_id",
        "folder_id",
        "title",
        "description",
        "content",
        "status",
        "views",
        "created_at",
        "updated_at",
        "author_id",
        "associated_article_id",
        "meta",
        "slug",
        "position",
        "locale",
    }
)
NEW_ARTICLE_COLUMNS = ARTICLE_COLUMNS | {"draft_title", "draft_content"}
"""From 4.16. Source: docs/service.md, S101."""

CATEGORY_COLUMNS = frozenset(
    {
        "id",
        "account_id",
        "portal_id",
        "name",
        "description",
        "position",
        "created_at",
        "updated_at",
        "locale",
        "slug",
        "parent_category_id",
        "associated_category_id",
        "icon",
    }
)
NEW_CATEGORY_COLUMNS = CATEGORY_COLUMNS | {"icon_color"}
"""From 4.16. Source: docs/service.md, S102."""

PORTAL_COLUMNS = frozenset(
    {
        "id",
        "account_id",
        "name",
        "slug",
        "custom_domain",
        "color",
        "homepage_link",
        "page_title",
        "header_text",
        "created_at",
        "updated_at",
        "config",
        "archived",
    }
)


def content_type(request: Request) -> str:
    """The media type of the body, without parameters, lower case."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def read_body(request: Request) -> Params:
    """The parameters in the body.

    Raises:
        Halt: 400 for a body that is not JSON, 406 for an invalid content type.
    """
    kind = content_type(request)
    if kind and "/" not in kind:
        raise bare(406)
    if kind == "application/json" and request.body:
        return _read_json(request)
    if kind == FORM:
        return nested(_pairs(request, request.body))
    return {}


def _read_json(request: Request) -> Params:
    try:
        value = msgspec.json.decode(request.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise malformed(request) from exc
    if request.body.count(b"{") + request.body.count(b"[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
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


def read_query(request: Request, query: bytes) -> Params:
    """The parameters of the query string.

    Raises:
        Halt: 400 for bytes that are no UTF-8, and for names nested too deep.
    """
    return nested(_pairs(request, query)) if query else {}


def _pairs(request: Request, raw: bytes) -> list[tuple[str, str]]:
    try:
        parts = [part.partition("=") for part in raw.decode("utf-8").split("&") if part]
        pairs = [(unquote_plus(name, errors="strict"), unquote_plus(text, errors="strict")) for name, _, text in parts]
    except UnicodeDecodeError as exc:
        raise malformed(request) from exc
    if any(name.count("[") > MAX_DEPTH for name, _ in pairs):
        raise malformed(request)
    return pairs


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


def wrapped(request: Request, body: Params, root: str, columns: frozenset[str]) -> Params | None:
    """The part of the body under `root`; JSON that comes without the root is wrapped first.

    Returns:
        The parameters, or None where the body says nothing about the resource.

    Raises:
        Halt: 500 where the root is there and no object.
    """
    if root in body:
        inner: Any = body[root]
    elif content_type(request) == "application/json":
        inner = {name: value for name, value in body.items() if name in columns}
    else:
        inner = None
    if not inner:
        return None
    if not isinstance(inner, dict):
        raise crashed()
    return inner


def required(request: Request, body: Params, root: str, columns: frozenset[str]) -> Params:
    """Like `wrapped`, but a body without the resource is refused.

    Raises:
        Halt: 422.
    """
    inner = wrapped(request, body, root, columns)
    if inner is None:
        raise missing_root(root)
    return inner
