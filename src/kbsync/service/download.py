"""Files of the service and of other hosts, read to a limit; no token goes along, and only http and https are asked.

The service's own host may be anywhere, for somebody wrote it into kbsync.toml. Any other host, also one that a redirect
leads to, must be one of the world: an image in a text must not make a CI runner knock at what only it can reach.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

import httpx

from kbsync.service.deadline import within
from kbsync.service.pinned import Inside, Resolve, Sender

HOPS = 5
WHOLE_FACTOR = 4
"""A whole file may take this many times the longest silence."""


class NotLoaded(Exception):
    """A file was not read; the message says why, for a sentence that names it."""


@dataclass(slots=True)
class Downloader:
    """Reads files, one after the other.

    Args:
        base_url: the service.
        timeout_s: for connecting and for each silence.
        resolve: the addresses of a host, as `socket.getaddrinfo` gives them.
        trust: gives the certificates to believe.
    """

    base_url: str
    timeout_s: float
    resolve: Resolve = socket.getaddrinfo
    trust: Callable[[], ssl.SSLContext] = httpx.create_ssl_context
    _stack: ExitStack = field(default_factory=ExitStack)
    _own: Sender | None = None
    _other: Sender | None = None

    @contextmanager
    def opened(self) -> Iterator[Downloader]:
        """Connections stay open until the end of the block."""
        with self._stack:
            yield self

    def load(self, url: str, *, most_bytes: int) -> bytes:
        """The bytes of a file.

        Raises:
            NotLoaded: it is too large, cannot be had, or lies where nobody may be asked.
        """
        try:
            at = httpx.URL(url)
            for _ in range(HOPS):
                if at.scheme not in {"http", "https"} or not at.host:
                    raise NotLoaded("its address is not one of the web")
                asked = at.copy_with(username=None, password=None, fragment=None)
                work = partial(self._sender(at).read, asked, most_bytes)
                answer, data = within(WHOLE_FACTOR * self.timeout_s, work)
                if answer.has_redirect_location:
                    at = at.join(answer.headers["location"])
                    continue
                if answer.status_code != 200:
                    raise NotLoaded(f"the answer is {answer.status_code}")
                if data is None:
                    raise NotLoaded(f"it has more than {most_bytes // 1000:,} kB ([assets] max_kb)")
                return data
        except Inside as exc:
            raise NotLoaded("its host is in a private network") from exc
        except (httpx.TimeoutException, TimeoutError) as exc:
            raise NotLoaded("no answer in time") from exc
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as exc:
            raise NotLoaded("it cannot be reached") from exc
        raise NotLoaded(f"more than {HOPS} redirects")

    def _sender(self, url: httpx.URL) -> Sender:
        if self._own is None or self._other is None:
            trust = self.trust()
            self._own = Sender(self._stack, trust, True, self.timeout_s, self.resolve)
            self._other = Sender(self._stack, trust, False, self.timeout_s, self.resolve)
        own = urlsplit(self.base_url)
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        is_own = (url.host, port) == (own.hostname, own.port or {"http": 80}.get(own.scheme, 443))
        return self._own if is_own else self._other
