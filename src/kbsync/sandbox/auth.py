"""Who is asking, and may they. Source: docs/service.md, sections 1 and 6."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request

from .casts import leading_integer
from .http import Halt, Params
from .records import Portal, User
from .refusals import not_found, not_signed_in, unauthorized, without_api
from .setup import Behaviour
from .store import Store

TOKEN_HEADERS = ("api_access_token", "api-access-token")


@dataclass(frozen=True, slots=True)
class World:
    """What every handler works on."""

    store: Store
    behaviour: Behaviour


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a known person to one account.

    `names` are the parts of the path that the route names; `query` is the query string, `params` is the body, not yet
    looked into.
    """

    world: World
    request: Request
    user: User
    account_id: int
    names: dict[str, str]
    query: Params
    params: Params

    @property
    def store(self) -> Store:
        """The database."""
        return self.world.store

    def portal(self, missing: Callable[[], Halt]) -> Portal:
        """The portal in the path.

        Raises:
            Halt: what `missing` makes, for an unknown one: each endpoint has its own.
        """
        portal = self.store.portal(self.account_id, self.names["portal"])
        if portal is None:
            raise missing()
        return portal


def sent_token(request: Request) -> str:
    """The token in the header, without the spaces around it."""
    return next((request.headers[name].strip() for name in TOKEN_HEADERS if name in request.headers), "")


def read_user(store: Store, request: Request) -> User:
    """The person behind the token.

    Raises:
        Halt: 401 without a token, with a wrong one, and with a bot's.
    """
    token = sent_token(request)
    if not token:
        raise not_signed_in()
    owner = store.token_owner(token)
    if owner is None:
        raise unauthorized("Invalid Access Token")
    user = None if owner[0] is None else store.user(owner[0], None)
    if user is None:
        raise unauthorized("Access to this endpoint is not authorized for bots")
    return user


def enter_account(world: World, user: User, account: str) -> tuple[int, User]:
    """The account in the path, and the person with their role in it. The token is looked at first.

    Raises:
        Halt: 404 for no account, 401 for a suspended one and for a stranger, 403 for one without API access (S141).
    """
    store, account_id = world.store, leading_integer(account)
    found = store.row("SELECT suspended FROM accounts WHERE id = ?", (account_id,)) if account_id < 2**63 else None
    if found is None:
        raise not_found()
    if found[0]:
        raise unauthorized("Account is suspended")
    member = store.user(user.id, account_id)
    if member is None or member.role is None:
        raise unauthorized("You are not authorized to access this account")
    if account_id in world.behaviour.accounts_without_api:
        raise without_api()
    return account_id, member


def check_administrator(call: Call) -> None:
    """Refuse an agent, before anything is looked up.

    Raises:
        Halt: 401.
    """
    if call.user.role != "administrator":
        raise unauthorized("You are not authorized to do this action")


def administrator_with(store: Store, token: str) -> int | None:
    """The id of the administrator behind a token; None for all other tokens."""
    owner = store.token_owner(token) or (None,)
    sql = "SELECT user_id FROM memberships WHERE user_id = ? AND role = 'administrator'"
    found = store.row(sql, owner)
    return int(found[0]) if found else None
