"""Who may talk to a server on the writer's own machine: programs, and the server's own pages.

A browser lets any site send requests here. A site that points its own name at this machine (DNS rebinding) is known by
the Host header; a page of another origin by the Origin header, which browsers send with everything but plain reading.
"""

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ANY = frozenset({"0.0.0.0", "::"})

HEADERS = (("x-content-type-options", "nosniff"), ("cross-origin-opener-policy", "same-origin"))
"""What every answer says: its type is as it says, and no window of another origin gets a hold of its page."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to whom the server does not serve."""

    status: int
    words: str


WRONG_HOST = Refusal(421, "This address is not served here.\n")
WRONG_ORIGIN = Refusal(403, "Pages of other sites get nothing here.\n")


def check_request(headers: Mapping[str, str], host: str, names: Collection[str] = ()) -> Refusal | None:
    """Why a request is refused; None where it is served.

    Args:
        headers: of the request, names in lower case.
        host: the address that the server was told to listen on.
        names: other names of the server, in lower case.
    """
    said = headers.get("host", "")
    if not is_ours(said, host) and _name_of(said) not in names:
        return WRONG_HOST
    if "origin" in headers and _authority(headers["origin"]) != said.lower():
        return WRONG_ORIGIN
    return None


def is_ours(said: str, host: str) -> bool:
    """Whether the Host header names this server; the port may be another's, that of a tunnel.

    Args:
        said: the header.
        host: the address that the server was told to listen on.
    """
    name = _name_of(said)
    if name in LOOPBACK or name == host.lower():
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
    name = said.rpartition(":")[0] if said.rpartition(":")[2].isdigit() else said
    return name.removeprefix("[").removesuffix("]").lower().rstrip(".")


def _authority(origin: str) -> str:
    """Host and port of an origin, "" for one that has none (`null`); a tunnel may speak TLS where we do not."""
    scheme, found, rest = origin.lower().partition("://")
    return rest if found and scheme in {"http", "https"} else ""
