"""The endpoints around the help center: version, profile, account, inboxes. Source: docs/service.md, section 1."""

from datetime import UTC, datetime

from .api_json import Json, profile_json
from .auth import Call, World, read_user, sent_token
from .http import Request, Response, answer
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
    """`GET /api/v1/profile`: the token's owner and their accounts."""
    user = read_user(world.store, request)
    return answer(profile_json(user, sent_token(request), _accounts(world.store, user.id)))


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
    return answer({"payload": [INBOX] if call.user.role == "administrator" else []})
