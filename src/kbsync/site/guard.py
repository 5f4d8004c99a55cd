"""Who may talk to a server on the writer's own machine: programs, and the server's own pages.

A browser lets any site send requests here. A site that points its own name at this machine (DNS rebinding) is known by
the Host header; a page of another origin by the Origin header, which browsers send with everything but plain reading.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kbsync.hosts import LOOPBACK

ANY = frozenset({"0.0.0.0", "::"})

_NAMED = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]++)\]|(?P<name>[A-Za-z0-9_.-]++))(?::[0-9]{1,5})?")
"""What a Host header says. Nothing that has to be interpreted is taken for the name of this machine."""

HEADERS = {"x-content-type-options": "nosniff", "cross-origin-opener-policy": "same-origin"}
"""What every answer says: its type is as it says, and no window of another origin gets a hold of its page."""

WRONG_HOST = PlainTextResponse("This server does not answer at this address.\n", 421)
WRONG_ORIGIN = PlainTextResponse("Pages of other sites cannot use this server.\n", 403)


@dataclass(frozen=True, slots=True)
class Guard:
    """ASGI middleware: refuses whom the server does not serve, and adds headers to every answer that has no other.

    starlette's own test of Host knows no Origin, and cannot tell the numbers of this machine from names. What is
    guarded gets the path as it was sent: decoded, an encoded slash would part it.

    Args:
        app: what it guards.
        host: the address that the server listens on.
        names: other names of the server, in lower case.
        headers: which, besides `HEADERS`.
    """

    app: ASGIApp
    host: str
    names: Collection[str] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_all(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = MutableHeaders(scope=message)
                for name, text in {**HEADERS, **self.headers}.items():
                    said.setdefault(name, text)
            await send(message)

        target = scope["raw_path"].decode("latin-1")
        answer = check_request(target, Headers(scope=scope), self.host, self.names) or self.app
        await answer({**scope, "path": target}, receive, send_all)


def check_request(target: str, headers: Headers, host: str, names: Collection[str] = ()) -> PlainTextResponse | None:
    """Why a request is refused; None where it is served.

    Args:
        target: what is asked for; with a server's address before the path it is meant for a proxy.
        headers: of the request. What is given twice counts with all that it says.
        host: the address that the server listens on.
        names: other names of the server, in lower case.
    """
    said, origin = (", ".join(headers.getlist(name)) for name in ("host", "origin"))
    if not target.startswith("/") or not (is_ours(said, host) or _name_of(said) in names):
        return WRONG_HOST
    if "origin" in headers and _authority(origin) != said.lower():
        return WRONG_ORIGIN
    return None


def is_ours(said: str, host: str) -> bool:
    """Whether the Host header names this server; the port may be another's, that of a tunnel.

    Args:
        said: the header.
        host: the address that the server listens on.
    """
    name = _name_of(said)
    if name in LOOPBACK or (name and name == host.lower()):
        return True
    if host not in ANY:
        return False
    # Every address of this machine was meant. A name could be anybody's; a number can only be ours.
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(said: str) -> str:
    """The name or number in a Host header, in lower case; "" for anything else."""
    found = _NAMED.fullmatch(said)
    if found is None:
        return ""
    if found["six"]:
        return found["six"].lower() if ":" in found["six"] else ""
    return found["name"].lower().removesuffix(".")


def _authority(origin: str) -> str:
    """Host and port of an origin, "" for one that has none (`null`); a tunnel may speak TLS where we do not."""
    scheme, found, rest = origin.lower().partition("://")
    return rest if found and scheme in {"http", "https"} else ""
