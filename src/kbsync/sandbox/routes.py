"""Which function answers which path.

Also: the endpoints around the help center: version, profile, account, inboxes. Source: docs/service.md, section 1.
"""

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import TypeAlias
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kbsync.site.server import with_etag

from . import api_articles, api_bulk, api_categories, api_order, api_portals, api_upload
from .api_json import Json, profile_json
from .auth import Call, World, enter_account, read_user, sent_token
from .http import REVALIDATE, answer
from .params import read_body
from .refusals import not_acceptable_xml
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


def show_public(world: World, request: Request) -> Response:
    """The public pages, whose libraries are loaded when one is first asked for."""
    from . import public

    return public.show_public(world, request)


Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
"""Each is asynchronous: the others starlette would call in threads, several at once."""

Handler: TypeAlias = Callable[[Call], Response | Awaitable[Response]]
OpenHandler: TypeAlias = Callable[[World, Request], Response]

ACCOUNT = "/api/v1/accounts/{account}"
PORTAL = "/portals/{portal}"
ARTICLES, CATEGORIES = f"{PORTAL}/articles", f"{PORTAL}/categories"
ARTICLE, CATEGORY, BULK = f"{ARTICLES}/{{article}}", f"{CATEGORIES}/{{category}}", f"{ARTICLES}/bulk_actions"

ACCOUNT_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "", show_account),
    ("GET", "/inboxes", list_inboxes),
    ("POST", "/upload", api_upload.upload),
    ("GET", "/portals", api_portals.list_portals),
    ("POST", "/portals", api_portals.create_portal),
    ("GET", PORTAL, api_portals.show_portal),
    ("PATCH PUT", PORTAL, api_portals.update_portal),
    ("DELETE", PORTAL, api_portals.delete_portal),
    ("PATCH", f"{PORTAL}/archive", api_portals.archive_portal),
    ("GET", ARTICLES, api_articles.list_articles),
    ("POST", ARTICLES, api_articles.create_article),
    ("POST", f"{ARTICLES}/reorder", api_order.reorder_articles),
    ("GET", ARTICLE, api_articles.show_article),
    ("GET", f"{ARTICLE}/edit", api_articles.show_article),
    ("PATCH PUT", ARTICLE, api_articles.update_article),
    ("DELETE", ARTICLE, api_articles.delete_article),
    ("GET", CATEGORIES, api_categories.list_categories),
    ("POST", CATEGORIES, api_categories.create_category),
    ("GET", CATEGORY, api_categories.show_category),
    ("PATCH PUT", CATEGORY, api_categories.update_category),
    ("DELETE", CATEGORY, api_categories.delete_category),
)
"""Methods, a path below the account, and what answers it."""

NEW_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", f"{PORTAL}/ssl_status", api_portals.show_ssl_status),
    ("PATCH", f"{BULK}/update_status", api_bulk.update_status),
    ("PATCH", f"{BULK}/update_category", api_bulk.update_category),
    ("DELETE", f"{BULK}/delete_articles", api_bulk.delete_articles),
    ("POST", f"{BULK}/translate", api_bulk.translate),
    ("POST", f"{CATEGORIES}/reorder", api_order.reorder_categories),
)
"""Those of 4.16, unknown before."""

BLOBS = "/rails/active_storage"

OPEN_ROUTES: tuple[tuple[str, OpenHandler], ...] = (
    ("/api", show_version),
    ("/api/v1/profile", show_profile),
    ("/favicon-16x16.png", api_upload.show_icon),
    (f"{BLOBS}/blobs/redirect/{{signed}}/{{name}}", api_upload.show_redirect),
    (f"{BLOBS}/blobs/proxy/{{signed}}/{{name}}", api_upload.show_proxy),
    (f"{BLOBS}/disk/{{signed}}/{{name}}", api_upload.show_disk),
    ("/hc/{path:path}", show_public),
)
"""What is read without an account."""


def service_routes(world: World) -> Iterator[Route]:
    """All paths of the service."""
    yield Route("/hc/{portal}/unlock", _unlock(world), methods=["POST"])
    for path, open_handler in OPEN_ROUTES:
        yield Route(path, _open(world, open_handler))
    for methods, path, handler in ACCOUNT_ROUTES + (NEW_ROUTES if world.behaviour.is_4_16 else ()):
        yield Route(ACCOUNT + path, _in_account(world, handler), methods=methods.split())


def _open(world: World, handler: OpenHandler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return _tagged(request, handler(world, request))

    return endpoint


def _unlock(world: World) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        from . import public

        return public.unlock(world, request, read_body(request, await request.body()))

    return endpoint


def _in_account(world: World, handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        response = handler(_read_call(world, request, await request.body()))
        return _tagged(request, response if isinstance(response, Response) else await response)

    return endpoint


def _tagged(request: Request, response: Response) -> Response:
    is_kept = request.method in {"GET", "HEAD"} and response.headers.get("cache-control") == REVALIDATE["cache-control"]
    return with_etag(request, response) if is_kept and response.status_code == 200 else response


def _read_call(world: World, request: Request, body: bytes) -> Call:
    """The call that a request below an account is.

    The order is the service's: route, format, body, token, account; only then the permission and the row.

    Raises:
        Halt: 406, 400, 404, 401 or 403.
    """
    if request.state.suffix not in {"", "json"}:
        raise not_acceptable_xml()
    params = read_body(request, body)
    user = read_user(world.store, request)
    names = {name: unquote(text) for name, text in request.path_params.items()}
    account_id, member = enter_account(world, user, names.pop("account"))
    return Call(world, request, member, account_id, names, request.state.query, params)
