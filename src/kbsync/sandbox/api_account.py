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
