"""One request to the service as a person words it: its path, its fields, and whether it changes the help center. Pure.

Whatever is asked for goes to the host of kbsync.toml: a path that could lead elsewhere is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from kbsync.errors import UsageError
from kbsync.service.exchange import Answer
from kbsync.service.transport import File
from kbsync.service.wire import path_part

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
READS = frozenset({"GET", "HEAD"})

REPORTS = frozenset({"reports", "summary_reports"})
"""What is below `/api/v2`, by the first part of its path; all else of an account is below `/api/v1`."""

HELP_CENTER = frozenset({"portals", "categories", "articles"})
"""A write to a path with one of these changes what kbsync publishes: a portal is deleted with all its articles."""

WITHOUT_TOKEN = ("/public/", "/hc/")
"""What the service answers to everybody: no token is sent along."""

MAX_PAGES = 10_000
"""A list that goes on beyond this does not end."""

_ODD = re.compile(r"[\\#\s\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})")


class ApiRequest(msgspec.Struct, frozen=True):
    """What is asked. `path` begins with `/`; `body` is sent as JSON, `file` with `body` as a form instead."""

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    file: File | None = None

    @property
    def is_public(self) -> bool:
        """Whether it needs no token."""
        return self.path.startswith(WITHOUT_TOKEN)

    @property
    def changes_help_center(self) -> bool:
        """Whether it could change what kbsync publishes, past plan and ledger."""
        # Decoded and in small letters: what a server takes for the same path counts as the same.
        parts = unquote(self.path).lower().partition("?")[0].split("/")
        words = {part.partition(".")[0] for part in parts}
        return self.method not in READS and not words.isdisjoint(HELP_CENTER)


def read_path(path: str, *, account_id: int, portal: str) -> tuple[str, dict[str, list[str]]]:
    """Where a path leads, and the parameters behind its `?`.

    Args:
        path: from `/` it is taken as it is; else it is of the account, as `inboxes` or `reports/summary`.
        account_id, portal: stand in for `{account_id}` and `{portal}`.

    Raises:
        UsageError: it is no path of this service.
    """
    filled = path.replace("{account_id}", str(account_id)).replace("{portal}", path_part(portal))
    place, _, query = filled.partition("?")
    parts = unquote(place).split("/")
    if _ODD.search(place) or not place.strip("/") or "" in parts[1:-1] or {".", ".."} & set(parts):
        raise UsageError(
            f"`{path}` is not a path of the service.",
            hint="Write a path such as `inboxes` or `/api/v1/profile`, without a host.",
        )
    if not place.startswith("/"):
        version = "v2" if parts[0] in REPORTS else "v1"
        place = f"/api/{version}/accounts/{account_id}/{place}"
    found: dict[str, list[str]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        found.setdefault(key, []).append(value)
    return place, found


def typed(text: str) -> Any:
    """The value of a text: a number, true, false, null or other JSON; a text that is none of these is itself.

    Raises:
        ValueError: it begins like JSON and is not.
    """
    try:
        return msgspec.json.decode(text.encode())
    except msgspec.DecodeError as exc:
        if text.lstrip().startswith(("{", "[", '"')):
            raise ValueError(str(exc)) from exc
        return text


def in_query(value: Any) -> str:
    """A value as a parameter: a text as it is, everything else as JSON writes it."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def rows_of(answer: Answer) -> list[msgspec.Raw] | None:
    """The rows of one page of a list; None for an answer that is not a list. Source: docs/service.md, section 11."""
    for shape in (list[msgspec.Raw], _Page, _Inner, _Outer):
        try:
            found: Any = msgspec.json.decode(answer.body, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(found, _Page | _Outer):
            return found.payload if isinstance(found, _Page) else found.data.payload
        return found.data if isinstance(found, _Inner) else found
    return None


class _Page(msgspec.Struct):
    payload: list[msgspec.Raw]


class _Inner(msgspec.Struct):
    data: list[msgspec.Raw]


class _Outer(msgspec.Struct):
    data: _Page
