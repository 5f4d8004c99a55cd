"""What a status number means: an answer that is not a success becomes an error with what to do."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import msgspec

from kbsync.errors import Denied, Misbehaved, NoApi, NotFound, Rejected, ServerFailed, ServiceError
from kbsync.model import visible
from kbsync.service.exchange import Answer

SHOWN_CHARS = 200

READ_BYTES = 100_000
"""Of an error: beyond that it is not taken apart, only shown from its beginning."""

MAX_VALUES = 1_000_000
"""Commas and brackets of one answer. A page of 25 articles has half as many, even if they consist of nothing else; and
as values they take a hundred times the memory that they take as text."""

NO_PERMISSION = ("not authorized to do this action", "not authorized for bots")
NO_API = "API access is not enabled for this account"
"""Source: docs/service.md, S141."""
WITHOUT_API = "The token works, but this account's plan does not include the API. Ask the people who run the service."
OTHER_ACCOUNT = "not authorized to access this account"
NO_TOKEN = "You need to sign in"
"""Source: docs/service.md, section 1."""

CHECK = " `kbsync check` tests each part."
"""The end of a hint; `kbsync check` itself leaves it out."""


def check_status(answer: Answer) -> Answer:
    """Return a 2xx answer; raise what any other one means. Source of the meanings: docs/service.md, sections 1, 6, 7.

    Raises:
        Denied, NotFound, Rejected, ServerFailed, ServiceError
    """
    status = answer.status
    if 200 <= status < 300:
        return answer
    said = message_of(answer)
    message = f"{answer.asked}: The service answered {status}{': ' + said.removesuffix('.') if said else ''}."
    if 300 <= status < 400:
        where = answer.shown(answer.headers.get("location") or "elsewhere")[:SHOWN_CHARS]
        # The token follows no redirect: another host would learn it.
        raise ServiceError(
            f"{answer.asked}: The service redirects to {where}.",
            status=status,
            hint="Set [service] base_url to the address that does not redirect.",
        )
    if status == 403 and NO_API in said:
        raise NoApi(message, hint=WITHOUT_API, status=status)
    if status in {401, 403}:
        raise Denied(message, hint=_denied_hint(said), status=status)
    if status == 404:
        raise NotFound(
            message,
            hint=f"Check base_url, account_id and portal under [service].{CHECK}",
            status=status,
        )
    if status >= 500:
        raise ServerFailed(message, hint=f"Run the command again.{CHECK}", status=status)
    raise Rejected(message, hint="Change what the message names.", status=status)


def _denied_hint(said: str) -> str:
    if any(words in said for words in NO_PERMISSION):
        return "The token works, but its user may not do this. Use an administrator's token."
    if OTHER_ACCOUNT in said:
        return "The token works, but its user is in another account. Check [service] account_id."
    if "suspended" in said:
        return "The account is suspended. Ask the people who run the service."
    if "Invalid Access Token" in said:
        return "The token is wrong. Copy it again from the panel (Profile settings > Access token) into KBSYNC_TOKEN."
    if NO_TOKEN in said:
        return "The token did not arrive. If KBSYNC_TOKEN has it, a proxy in front of the service removes its header."
    return "Check that the token (KBSYNC_TOKEN) belongs to this base_url."


def message_of(answer: Answer) -> str:
    """What an error answer says for itself, in its several shapes, without control characters."""
    if not answer.body:
        return ""
    if answer.content_type == "text/html":
        return "an HTML page"
    if len(answer.body) > READ_BYTES:
        return _beginning(answer, SHOWN_CHARS)
    try:
        body: Any = msgspec.json.decode(answer.body)
        if isinstance(body, dict):
            body = next((body[key] for key in ("message", "error", "errors") if key in body), body)
        said = _flat(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return answer.text.strip()[:SHOWN_CHARS]
    return answer.shown(said)[:SHOWN_CHARS]


def _beginning(answer: Answer, most_chars: int) -> str:
    return answer.shown(answer.body[:READ_BYTES].decode("utf-8", "replace")).strip()[:most_chars]


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_flat(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_flat(inner) for inner in value)
    return str(value)


_taking_apart = threading.Lock()


def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    """What reads JSON of a shape.

    msgspec takes a type apart when it is first used. A second thread that uses it meanwhile finds it half done, and the
    process crashes (seen with 0.22). So that is done by one thread at a time, before anything is read.
    """
    with _taking_apart:
        return _made_decoder(kind)


@cache
def _made_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decode(answer: Answer, kind: Any) -> Any:
    """Read a 2xx answer as JSON of this shape: a type that msgspec knows.

    Raises:
        Misbehaved: it is not; the message says which request and what came instead.
    """
    if not answer.body.strip():
        raise Misbehaved(
            f"{answer.asked}: The service answered {answer.status} with an empty body instead of JSON.",
            hint="Check whether a proxy between you and the service answers for it.",
        )
    if answer.content_type == "text/html":
        raise Misbehaved(
            f"{answer.asked}: The service answered {answer.status} with an HTML page instead of JSON.",
            hint="Check [service] base_url: this is a login page, or not the service's API.",
        )
    if len(answer.body) > MAX_VALUES and sum(map(answer.body.count, (b"{", b"[", b","))) > MAX_VALUES:
        raise Misbehaved(
            f"{answer.asked}: The answer has more than {MAX_VALUES:,} values.",
            hint="Check [service] base_url: the service does not answer like this.",
        )
    try:
        return _decoder_of(kind).decode(answer.body)
    except msgspec.ValidationError as exc:
        reason = visible(str(exc).replace("`", ""))
        raise Misbehaved(
            f"{answer.asked}: The service answered with unexpected JSON: {reason}.",
            hint="Check base_url and profile under [service].",
        ) from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise Misbehaved(
            f"{answer.asked}: The service answered with broken JSON ({len(answer.body):,} bytes from "
            f"{_beginning(answer, 40)!r}): {exc}.",
            hint="Run the command again. If it stays, check for a proxy between you and the service.",
        ) from exc
