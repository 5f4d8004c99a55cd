"""A token belongs to an origin: the service that it was first used with on this machine, or the one that is pinned.

An address of this machine is an origin like any other: another port is another program.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from kbsync.errors import ConfigError
from kbsync.trust.consents import Store

DEFAULT_PORTS = {"https": 443, "http": 80}
PIN = "KBSYNC_TOKEN_ORIGIN"


def origin_of(address: str) -> str:
    """`https://support.example.com`: scheme, host and a port that is not the usual one.

    Raises:
        ValueError: it is not an http or https address.
    """
    parts = urlsplit(address.strip())
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise ValueError(address)
    name = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f":{parts.port}"
    return f"{parts.scheme}://{name}{port}"


def check_token(
    token: str, what: str, base_url: str, *, pinned: str | None, store: Store, note: Callable[[str], None], command: str
) -> None:
    """Refuse to send a token elsewhere than where it belongs; remember it where it is new.

    Args:
        what: what it is called, where it is another secret.
        pinned: what `KBSYNC_TOKEN_ORIGIN` says: the last word, and nothing is remembered then. None where it is not
            set. Set but empty, as a variable that was not filled in, it is refused: it was meant to guard the token.
        note: called where it cannot be remembered.
        command: what allows this address, too.

    Raises:
        ConfigError: it belongs elsewhere.
    """
    origin = origin_of(base_url)
    if pinned is not None:
        _check_pinned(what, origin, pinned)
        return
    known = store.origins_of(token)
    if origin in known:
        return
    if known:
        raise ConfigError(
            f"This {what} belongs to {' and '.join(known)}, "
            f"but kbsync.toml would send it to {origin}. Nothing was sent.",
            hint=f"Fix base_url if it is wrong. If this is the {what} of {origin}, run `{command}`.",
        )
    if not store.keep_origins(token, (origin,)):
        where = store.folder or "a folder outside the repository"
        note(
            f"kbsync cannot write to {where}, so it cannot remember that this {what} belongs to {origin}. "
            f"Set {PIN}={origin} so that the {what} is sent only there."
        )


def _check_pinned(what: str, origin: str, pinned: str) -> None:
    if not pinned.strip():
        raise ConfigError(
            f"{PIN} is set but empty, so kbsync cannot tell where the {what} may be sent. Nothing was sent.",
            hint=f"If {origin} is your service, set it to that. On GitHub it is a repository variable "
            "(Settings > Secrets and variables > Actions > Variables).",
        )
    try:
        wanted = origin_of(pinned)
    except ValueError as exc:
        hint = "Write the address of the service, such as https://support.example.com."
        raise ConfigError(f"{PIN}: expected an address, found {pinned!r}.", hint=hint) from exc
    if origin != wanted:
        raise ConfigError(
            f"The {what} belongs to {wanted} ({PIN}), but kbsync.toml would send it to {origin}. Nothing was sent.",
            hint=f"Fix base_url in kbsync.toml, or {PIN} where it is set.",
        )
