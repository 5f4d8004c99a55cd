"""Who may talk to a server on the writer's own machine: programs, and the server's own pages.

A browser lets any site send requests here. A site that points its own name at this machine (DNS rebinding) is known by
the Host header; a page of another origin by the Origin header, which browsers send with everything but plain reading.
"""

import ipaddress
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kbsync.hosts import LOOPBACK

ANY = frozenset({"0.0.0.0", "::"})

_NAMED = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]++)\]|(?P<name>[A-Za-z0-9_.-]++))(?::[0-9]{1,5})?")
"""What a Host header says. Nothing that has to be interpreted is taken for the name of this machine."""

HEADERS = (("x-content-type-options", "nosniff"), ("cross-origin-opener-policy", "same-origin"))
"""What every answer says: its type is as it says, and no window of another origin gets a hold of its page."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer to whom the server does not serve."""

    status: int
    words: str


WRONG_HOST = Refusal(421, "This server does not answer at this address.\n")
WRONG_ORIGIN = Refusal(403, "Pages of other sites cannot use this server.\n")


def read_headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a request, names in lower case. What is given twice counts with all that it says."""
    found: dict[str, str] = {}
    for raw, value in pairs:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
        found[name] = f"{found[name]}{'; ' if name == 'cookie' else ', '}{text}" if name in found else text
    return found


def check_request(target: str, headers: Mapping[str, str], host: str, names: Collection[str] = ()) -> Refusal | None:
    """Why a request is refused; None where it is served.

    Args:
        target: what is asked for; with a server's address before the path it is meant for a proxy.
        headers: of the request, as `read_headers` gives them.
        host: the address that the server listens on.
        names: other names of the server, in lower case.
    """
    said = headers.get("host", "")
    if not target.startswith("/"):
        return WRONG_HOST
    if not is_ours(said, host) and _name_of(said) not in names:
        return WRONG_HOST
    if "origin" in headers and _authority(headers["origin"]) != said.lower():
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
