"""Which function answers which path.

Also: the endpoints around the help center: version, profile, account, inboxes. Source: docs/service.md, section 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from . import api_articles, api_bulk, api_categories, api_order, api_portals, api_upload
from .api_json import Json, profile_json
from .auth import Call, World, enter_account, read_user, sent_token
from .http import Request, Response, answer
from .params import read_body
from .refusals import bare, error_page, not_acceptable_xml
from .store import Store

INBOX: Json = {
    "id": 1,
    "avatar_url": "",
    "channel_id": 1,
    "name": "API inbox",
    "channel_type": "Channel::Api",
    "greeting_enabled": False,
    "greeting_message": None,
    "working_hours_enabled": False,
    "timezone": "UTC",
    "inbox_identifier": "sandbox",
    "additional_attributes": {},
    "provider": None,
}
"""The one inbox of the account: enough of it for a check of the connection."""


def show_version(world: World, _request: Request) -> Response:
    """`GET /api`, the only answer that has the version and needs no token."""
    now = datetime.fromtimestamp(world.store.clock(), UTC)
    found = {"version": world.behaviour.version, "timestamp": f"{now:%Y-%m-%d %H:%M:%S}"}
    return answer(found | {"queue_services": "ok", "data_services": "ok"})


def show_profile(world: World, request: Request) -> Response:
    """`GET /api/v1/profile`: the token's owner and their accounts.

    The token is left out where none of the accounts has API access (S141).
    """
    user = read_user(world.store, request)
    accounts = _accounts(world.store, user.id)
    has_access = not {number for number, *_ in accounts} <= world.behaviour.accounts_without_api
    token = sent_token(request) if has_access or not accounts else ""
    return answer(profile_json(user, token, accounts, is_4_16=world.behaviour.is_4_16))


def _accounts(store: Store, user_id: int) -> list[tuple[int, str, bool, str]]:
    sql = (
        "SELECT a.id, a.name, a.suspended, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id "
        "WHERE m.user_id = ? ORDER BY a.id"
    )
    return [(number, name, bool(suspended), role) for number, name, suspended, role in store.rows(sql, (user_id,))]


def show_account(call: Call) -> Response:
    """The account itself."""
    found = call.store.row("SELECT name FROM accounts WHERE id = ?", (call.account_id,))
    account: Json = {"settings": {}, "created_at": "2026-01-01T00:00:00.000Z", "domain": None, "features": {}}
    account |= {"id": call.account_id, "locale": "en", "name": found[0] if found else "", "support_email": None}
    keys = dict.fromkeys(("label", "inbox", "team"), "0000000000")
    return answer(account | {"status": "active", "cache_keys": keys, "latest_chatwoot_version": None})


def list_inboxes(call: Call) -> Response:
    """An administrator sees the inbox, an agent, who is a member of none, an empty list."""
    inbox = INBOX | ({"secret": "sandbox"} if call.world.behaviour.is_4_16 else {})
    return answer({"payload": [inbox] if call.user.role == "administrator" else []})


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
"""What the service takes for a method at all."""

Handler = Callable[[Call], Response]
OpenHandler = Callable[[World, Request], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path below the account whose parts in braces are names, and what answers it.

    Routes of 4.16 are unknown before.
    """

    methods: frozenset[str]
    pattern: tuple[str, ...]
    handler: Handler
    is_4_16: bool = False


def _route(methods: str, path: str, handler: Handler) -> Route:
    return Route(frozenset(methods.split()), tuple(path.split("/")) if path else (), handler)


def _new_route(methods: str, path: str, handler: Handler) -> Route:
    return replace(_route(methods, path, handler), is_4_16=True)


ACCOUNT_ROUTES = (
    _route("GET", "", show_account),
    _route("GET", "inboxes", list_inboxes),
    _route("POST", "upload", api_upload.upload),
    _route("GET", "portals", api_portals.list_portals),
    _route("POST", "portals", api_portals.create_portal),
    _route("GET", "portals/{portal}", api_portals.show_portal),
    _route("PATCH PUT", "portals/{portal}", api_portals.update_portal),
    _route("DELETE", "portals/{portal}", api_portals.delete_portal),
    _route("PATCH", "portals/{portal}/archive", api_portals.archive_portal),
    _new_route("GET", "portals/{portal}/ssl_status", api_portals.show_ssl_status),
    _route("GET", "portals/{portal}/articles", api_articles.list_articles),
    _route("POST", "portals/{portal}/articles", api_articles.create_article),
    _route("POST", "portals/{portal}/articles/reorder", api_order.reorder_articles),
    _new_route("PATCH", "portals/{portal}/articles/bulk_actions/update_status", api_bulk.update_status),
    _new_route("PATCH", "portals/{portal}/articles/bulk_actions/update_category", api_bulk.update_category),
    _new_route("DELETE", "portals/{portal}/articles/bulk_actions/delete_articles", api_bulk.delete_articles),
    _new_route("POST", "portals/{portal}/articles/bulk_actions/translate", api_bulk.translate),
    _route("GET", "portals/{portal}/articles/{article}", api_articles.show_article),
    _route("GET", "portals/{portal}/articles/{article}/edit", api_articles.show_article),
    _route("PATCH PUT", "portals/{portal}/articles/{article}", api_articles.update_article),
    _route("DELETE", "portals/{portal}/articles/{article}", api_articles.delete_article),
    _route("GET", "portals/{portal}/categories", api_categories.list_categories),
    _route("POST", "portals/{portal}/categories", api_categories.create_category),
    _new_route("POST", "portals/{portal}/categories/reorder", api_order.reorder_categories),
    _route("GET", "portals/{portal}/categories/{category}", api_categories.show_category),
    _route("PATCH PUT", "portals/{portal}/categories/{category}", api_categories.update_category),
    _route("DELETE", "portals/{portal}/categories/{category}", api_categories.delete_category),
)

OPEN_ROUTES: dict[tuple[str, ...], OpenHandler] = {
    ("api",): show_version,
    ("api", "v1", "profile"): show_profile,
    ("favicon-16x16.png",): api_upload.show_icon,
}

BLOB_ROUTES: tuple[tuple[tuple[str, ...], int, OpenHandler], ...] = (
    (("rails", "active_storage", "blobs", "redirect"), 6, api_upload.show_redirect),
    (("rails", "active_storage", "blobs", "proxy"), 6, api_upload.show_proxy),
    (("rails", "active_storage", "disk"), 5, api_upload.show_disk),
)


def match(route: Route, method: str, path: tuple[str, ...]) -> dict[str, str] | None:
    """The named parts of a path, or None where the route is another."""
    if method not in route.methods or len(path) != len(route.pattern):
        return None
    names = {}
    for part, piece in zip(route.pattern, path, strict=True):
        if part.startswith("{"):
            names[part[1:-1]] = piece
        elif part != piece:
            return None
    return names


def read_call(world: World, request: Request) -> tuple[Handler, Call]:
    """The function for a request below an account, and the call it is to answer.

    The order is the service's: route, format, body, token, account; only then the permission and the row.

    Raises:
        Halt: 404, 405, 406, 400, 401 or 403.
    """
    method = "GET" if request.method == "HEAD" else request.method
    if method not in METHODS:
        raise bare(405)
    path = request.segments[4:]
    for route in ACCOUNT_ROUTES:
        names = match(route, method, path)
        if names is not None and (world.behaviour.is_4_16 or not route.is_4_16):
            break
    else:
        raise error_page(request, 404)
    if request.suffix not in {"", "json"}:
        raise not_acceptable_xml()
    params = read_body(request)
    user = read_user(world.store, request)
    account_id, member = enter_account(world, user, request.segments[3])
    return route.handler, Call(world, request, member, account_id, names, params)


def is_account_path(segments: tuple[str, ...]) -> bool:
    """Whether a path is one of the account's API."""
    return len(segments) > 3 and segments[:3] == ("api", "v1", "accounts")


def open_handler(request: Request) -> OpenHandler | None:
    """The function for a path that needs no account, other than the public pages."""
    if request.method not in {"GET", "HEAD"}:
        return None
    for prefix, length, handler in BLOB_ROUTES:
        if request.segments[: len(prefix)] == prefix and len(request.segments) == length:
            return handler
    return OPEN_ROUTES.get(request.segments)
