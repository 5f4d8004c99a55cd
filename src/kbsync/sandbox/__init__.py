"""A local service that answers like the real one, oddities included, and can misbehave on request.

The server and its libraries are imported when one of the names is first used, so that importing this package costs
nothing. `Setup` and `Behaviour` say what it holds and how it behaves; `running` starts it in a thread, `serve` in the
foreground; `Fault` is something that goes wrong. The addresses for other processes are listed in `control`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .claim import DataInUse, DataRefused, join
    from .faults import Fault, Faults, random_faults
    from .panel import Panel
    from .server import Sandbox, running, serve
    from .setup import V4_2, V4_10, V4_16, Behaviour, PortalSetup, Setup, UserSetup
    from .tokens import token_for, token_of

__all__ = [
    "V4_2",
    "V4_10",
    "V4_16",
    "Behaviour",
    "DataInUse",
    "DataRefused",
    "Fault",
    "Faults",
    "Panel",
    "PortalSetup",
    "Sandbox",
    "Setup",
    "UserSetup",
    "join",
    "random_faults",
    "running",
    "serve",
    "token_for",
    "token_of",
]

_HOMES = {
    **dict.fromkeys(("V4_2", "V4_10", "V4_16", "Behaviour", "PortalSetup", "Setup", "UserSetup"), "setup"),
    **dict.fromkeys(("Fault", "Faults", "random_faults"), "faults"),
    **dict.fromkeys(("DataInUse", "DataRefused", "join"), "claim"),
    **dict.fromkeys(("Sandbox", "running", "serve"), "server"),
    **dict.fromkeys(("token_for", "token_of"), "tokens"),
    "Panel": "panel",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
