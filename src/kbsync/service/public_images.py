"""Whether the addresses of published images give readers an image: asked without a token, only as far as the headers."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

import httpx

from kbsync.service.deadline import Deadlines
from kbsync.service.inside import is_private
from kbsync.service.pinned import Inside, Resolve, Sender

HOPS = 5
"""The address of an upload redirects to the one of the storage. Source: docs/service.md, section 5."""


@dataclass(slots=True)
class ImageCheck:
    """Asks for images at the pace of the other requests.

    Args:
        host: of the service: where that is in a private network, its images may be, too.
        timeout_s: for connecting and for each silence; a whole answer may take three times that.
        pace: called before each request.
        resolve, trust: the addresses of a host, and the certificates to believe.
    """

    host: str
    timeout_s: float
    pace: Callable[[], object]
    resolve: Resolve = socket.getaddrinfo
    trust: Callable[[], ssl.SSLContext] = httpx.create_ssl_context
    requests: int = 0
    _deadlines: Deadlines = field(init=False, repr=False, default_factory=Deadlines)

    def problems(self, addresses: Iterable[str], pool: ThreadPoolExecutor, at_once: int) -> dict[str, str]:
        """What is wrong with each address, in a few words; "" for those that give an image."""
        wanted = list(dict.fromkeys(addresses))
        if not wanted:
            return {}
        shares = [wanted[start::at_once] for start in range(at_once)]
        with self._deadlines:
            found: dict[str, str] = {}
            for some in pool.map(partial(self._ask_all, self.trust()), [share for share in shares if share]):
                found |= some
            return found

    def _ask_all(self, trust: ssl.SSLContext, addresses: Sequence[str]) -> dict[str, str]:
        with ExitStack() as stack:
            sender = Sender(stack, trust, is_private(self.host), self.timeout_s, self.resolve)
            return {address: self._problem(sender, address) for address in addresses}

    def _problem(self, sender: Sender, address: str) -> str:
        try:
            return self._follow(sender, httpx.URL(address))
        except (httpx.TimeoutException, TimeoutError):
            return "does not answer in time"
        except Inside:
            return "is in a private network, so it was not asked"
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            return "is not a valid address"
        except httpx.HTTPError:
            return "cannot be reached"

    def _follow(self, sender: Sender, at: httpx.URL) -> str:
        for _ in range(HOPS):
            self.pace()
            self.requests += 1
            asked = at.copy_with(username=None, password=None, fragment=None)
            # Not HEAD: the signature of a storage's address is that of a GET.
            answer = self._deadlines.within(3 * self.timeout_s, partial(sender.head_of, "GET", asked))
            if not answer.has_redirect_location:
                return _judged(answer)
            at = at.join(answer.headers["location"])
        return f"redirects more than {HOPS} times"


def _judged(answer: httpx.Response) -> str:
    if not 200 <= answer.status_code < 300:
        return f"answers {answer.status_code}"
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    return "" if kind.startswith("image/") else f"answers with {kind or 'no type'} instead of an image"
