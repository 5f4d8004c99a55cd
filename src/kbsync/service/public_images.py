"""Whether the addresses of published images give readers an image. Asked without a token, as far as the headers."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import httpx

from kbsync.service.deadline import within
from kbsync.service.pinned import Inside, Resolve, Sender, is_private

HOPS = 5
"""The address of an upload redirects to the one of the storage. Source: docs/service.md, section 5."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with an address, in a few words. Not `is_sure`: a reader may get it all the same."""

    message: str
    is_sure: bool = True


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

    def problems(self, addresses: Iterable[str], pool: ThreadPoolExecutor, at_once: int) -> dict[str, Flaw]:
        """What is wrong with each address; those that give an image are left out."""
        wanted = list(dict.fromkeys(addresses))
        if not wanted:
            return {}
        shares = [wanted[start::at_once] for start in range(at_once)]
        found: dict[str, Flaw] = {}
        for some in pool.map(partial(self._ask_all, self.trust()), [share for share in shares if share]):
            found |= some
        return found

    def _ask_all(self, trust: ssl.SSLContext, addresses: Sequence[str]) -> dict[str, Flaw]:
        with ExitStack() as stack:
            sender = Sender(stack, trust, is_private(self.host), self.timeout_s, self.resolve)
            return {address: flaw for address in addresses if (flaw := self._flaw(sender, address))}

    def _flaw(self, sender: Sender, address: str) -> Flaw | None:
        try:
            return self._follow(sender, httpx.URL(address))
        except (httpx.TimeoutException, TimeoutError):
            return Flaw("does not answer in time", is_sure=False)
        except Inside:
            return Flaw("is in a private network, so it was not asked", is_sure=False)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            return Flaw("is not a valid address")
        except httpx.HTTPError:
            return Flaw("cannot be reached", is_sure=False)

    def _follow(self, sender: Sender, at: httpx.URL) -> Flaw | None:
        for _ in range(HOPS):
            self.pace()
            self.requests += 1
            asked = at.copy_with(username=None, password=None, fragment=None)
            # Not HEAD: the signature of a storage's address is that of a GET.
            answer = within(3 * self.timeout_s, partial(sender.head_of, "GET", asked))
            if not answer.has_redirect_location:
                return _judged(answer)
            at = at.join(answer.headers["location"])
        return Flaw(f"redirects more than {HOPS} times")


def flaw_of(status: int) -> Flaw | None:
    """What a status is to a reader. 500 is that of a slug that another portal has (docs/service.md, S2)."""
    if 200 <= status < 300:
        return None
    return Flaw(f"answers {status}", is_sure=status != 429 and status <= 500)


def _judged(answer: httpx.Response) -> Flaw | None:
    if (flaw := flaw_of(answer.status_code)) is not None:
        return flaw
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_shown = kind.startswith(("image/", "video/"))
    return None if is_shown else Flaw(f"answers with {kind or 'no type'} instead of an image or a video")
