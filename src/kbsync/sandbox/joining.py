"""Using a sandbox that runs already, in another process, on the same data."""

from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import msgspec

from .claim import DataInUse, DataRefused
from .setup import Setup

TIMEOUT_S = 10


def join(base_url: str, token: str, setup: Setup) -> None:
    """Have a running sandbox make what is missing of a setup.

    Raises:
        DataInUse: there is no answer: it has just ended, or is about to.
        DataRefused: it does not take the token, or cannot make what the setup asks for.
    """
    headers = {"content-type": "application/json", "api_access_token": token}
    request = Request(f"{base_url}/-/sandbox/setup", msgspec.json.encode(setup), headers)
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=TIMEOUT_S):
            return
    except HTTPError as exc:
        with exc:
            reason = exc.read(1000).decode("utf-8", "replace")
        raise DataRefused(f"The sandbox at {base_url} refused with {exc.code}: {reason}.") from exc
    except OSError as exc:
        raise DataInUse(f"The sandbox at {base_url} does not answer.") from exc
