"""Whether addresses of other sites are dead: asked a few at a time, politely, without any token or cookie.

    answer                                           verdict
    -------------------------------------------------+---------------------------------------------------------
    2xx, 3xx that lead there, 401                    | alive
    404, 410                                         | dead
    the name does not exist                          | dead, unless nothing else answered: then it is this machine
    the certificate is not valid                     | dead
    no address at all                                | dead
    anything else: 403, 429, 5xx, silence, refused   | unsure: a machine was turned away, a person may not be

HEAD is asked first, and GET where that brings bad news; of a GET only the head is read. Silence, 429 and 5xx are tried
again; a host that stays silent is left alone. Machines of this network are not asked unless that is allowed: a link in
a text should not make a CI runner knock at what only it can reach. Redirects are held to the same, and so is a name
whose addresses change (`pinned.py`).
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

from kbsync.service.deadline import Deadlines
from kbsync.service.exchange import http_date_s
from kbsync.service.httpx_alone import httpx
from kbsync.service.pinned import Inside, Resolve, Sender, causes

AT_ONCE = 8
AT_ONCE_PER_HOST = 2
TIMEOUT_S = 10.0
"""For connecting, and for each silence; a whole answer may take three times that."""

TRIES = 3
HOPS = 8
LONGEST_WAIT_S = 10.0
"""What Retry-After may ask for; longer than that and the address stays unsure."""

State = Literal["alive", "dead", "unsure", "private"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one address. `heard` means that some server answered, `nowhere` that its name was not found."""

    state: State
    reason: str = ""
    heard: bool = False
    nowhere: bool = False


NO_PAGE = Verdict("unsure", "it is not a web page", heard=True)


@dataclass(slots=True)
class Checker:
    """Asks for addresses, once.

    Args:
        private: whether machines of this network are asked, too.
        timeout_s: for connecting and for each silence.
        sleep: waits for some seconds; by default until an interrupt.
        clock: gives seconds since 1970.
        resolve: the addresses of a host, as `socket.getaddrinfo` gives them.
        trust: gives the certificates to believe.
    """

    private: bool = False
    timeout_s: float = TIMEOUT_S
    sleep: Callable[[float], object] | None = None
    clock: Callable[[], float] = time.time
    resolve: Resolve = socket.getaddrinfo
    trust: Callable[[], ssl.SSLContext] = httpx.create_ssl_context
    _stop: threading.Event = field(default_factory=threading.Event)
    _deadlines: Deadlines = field(default_factory=Deadlines)
    _silent: set[str] = field(default_factory=set)

    def check(self, urls: Collection[str]) -> dict[str, Verdict]:
        """A verdict for each address."""
        verdicts: dict[str, Verdict] = {}
        with self._deadlines, ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                for asked in pool.map(partial(self._ask_all, self.trust()), _shares(urls)):
                    verdicts.update(asked)
            finally:
                # Interrupted: what waits is not asked any more.
                self._stop.set()
                pool.shutdown(cancel_futures=True)
        if not any(verdict.heard for verdict in verdicts.values()):
            return {url: replace(found, state="unsure") if found.nowhere else found for url, found in verdicts.items()}
        return verdicts

    def _ask_all(self, trust: ssl.SSLContext, urls: Collection[str]) -> list[tuple[str, Verdict]]:
        with ExitStack() as stack:
            sender = Sender(stack, trust, self.private, self.timeout_s, self.resolve)
            return [(url, self._ask(sender, url)) for url in urls]

    def _ask(self, sender: Sender, url: str) -> Verdict:
        if _host(url) in self._silent:
            return Verdict("unsure", "its host does not answer")
        for tries in range(1, TRIES + 1):
            if self._stop.is_set():
                break
            verdict, wait_s = self._ask_once(sender, url)
            if wait_s is None or wait_s > LONGEST_WAIT_S or tries == TRIES:
                if verdict.state == "unsure" and not verdict.heard:
                    self._silent.add(_host(url))
                return verdict
            (self.sleep or self._stop.wait)(wait_s or 0.5 * 2 ** (tries - 1))
        return Verdict("unsure", "not checked")

    def _ask_once(self, sender: Sender, url: str) -> tuple[Verdict, float | None]:
        """A verdict, and how long to wait before the next try: None where another would say the same."""
        try:
            found = self._follow(sender, "HEAD", url)
            if isinstance(found, httpx.Response) and found.status_code >= 400 and found.status_code not in {401, 429}:
                found = self._follow(sender, "GET", url)
        except (httpx.TimeoutException, TimeoutError):
            return Verdict("unsure", "no answer in time"), 0.0
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            return Verdict("dead", "it is not a valid address"), None
        except httpx.HTTPError as exc:
            return _failed(exc)
        return (found, None) if isinstance(found, Verdict) else self._judged(found)

    def _follow(self, sender: Sender, method: str, url: str) -> httpx.Response | Verdict:
        """The last answer of a chain of redirects, or a verdict where the chain must not be followed."""
        at = httpx.URL(url)
        for hop in range(HOPS):
            if not at.host:
                return Verdict("dead", "it is not a valid address")
            # A name and password in an address must not be tried.
            asked = at.copy_with(username=None, password=None, fragment=None)
            try:
                answer = self._deadlines.within(3 * self.timeout_s, partial(sender.head_of, method, asked))
                if not answer.has_redirect_location:
                    return answer
                at = at.join(answer.headers["location"])
            except Inside:
                return (
                    Verdict("unsure", "it redirects into a private network", heard=True) if hop else Verdict("private")
                )
            except (httpx.InvalidURL, httpx.UnsupportedProtocol):
                # The request was well: httpx looks at where the answer leads before anybody asks it to.
                return NO_PAGE
            if at.scheme not in {"http", "https"}:
                return NO_PAGE
        return Verdict("unsure", f"more than {HOPS} redirects", heard=True)

    def _judged(self, answer: httpx.Response) -> tuple[Verdict, float | None]:
        status = answer.status_code
        if status < 400 or status == 401:
            return Verdict("alive", str(status), heard=True), None
        if status in {404, 410}:
            return Verdict("dead", f"the answer is {status}", heard=True), None
        again = status == 429 or status >= 500
        return Verdict("unsure", f"the answer is {status}", heard=True), self._retry_after_s(answer) if again else None

    def _retry_after_s(self, answer: httpx.Response) -> float:
        text = answer.headers.get("retry-after", "").strip()
        if text.isdecimal():
            return float(text)
        moment_s = http_date_s(text)
        return 0.0 if moment_s is None else max(0.0, moment_s - self.clock())


def _failed(exc: httpx.HTTPError) -> tuple[Verdict, float | None]:
    for cause in causes(exc):
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = f"its certificate is not valid: {cause.verify_message}"
            return Verdict("dead", reason, heard=True), None
        if isinstance(cause, socket.gaierror):
            if cause.errno in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
                return Verdict("dead", "its host does not exist", nowhere=True), None
            return Verdict("unsure", "its name could not be looked up", nowhere=True), 0.0
    return Verdict("unsure", "it cannot be reached"), 0.0


def _shares(urls: Collection[str]) -> list[list[str]]:
    """The addresses in lists that are each asked one after the other: a host is in a few of them, the longest first."""
    hosts: dict[str, list[str]] = {}
    for url in urls:
        hosts.setdefault(_host(url), []).append(url)
    shares = [found[start::AT_ONCE_PER_HOST] for found in hosts.values() for start in range(AT_ONCE_PER_HOST)]
    return sorted((share for share in shares if share), key=len, reverse=True)


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def by_reason(verdicts: Mapping[str, Verdict]) -> dict[str, int]:
    """How many addresses are unsure, by the reason."""
    counts: dict[str, int] = {}
    for verdict in verdicts.values():
        if verdict.state == "unsure":
            counts[verdict.reason] = counts.get(verdict.reason, 0) + 1
    return counts
