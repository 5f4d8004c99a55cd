"""Requests to hosts whose addresses were looked at first: a name is resolved once, and that is where the request goes.

Resolving a second time would let a resolver change its answer in between, and lead into this network after all. TLS
still asks for the host's name. Where the environment names a proxy, that connects, and resolves for itself.

Also: which hosts are of this machine, of a private network, or of the cloud around it: no link of a text leads there.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

import httpx

from kbsync import __version__
from kbsync.service.exchange import proxy_of

INSIDE_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's translation; also metadata of Alibaba Cloud
        "127.0.0.0/8",  # this machine
        "168.63.129.16/32",  # the host below a machine at Azure
        "169.254.0.0/16",  # link-local, with the metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is metadata at Oracle
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
"""Source: IANA IPv4 Special-Purpose Address Registry, and the clouds' own documents."""

WORLD_6 = IPv6Network("2000::/3")
"""All that was ever given out to be routed in the world."""

INSIDE_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, with Teredo, ORCHID and benchmarks
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
"""Source: IANA IPv6 Special-Purpose Address Registry."""

MAPPED = IPv6Network("::ffff:0:0/96")
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")

NAMES = (".localhost", ".local", ".localdomain", ".internal", ".intranet", ".lan", ".home.arpa")


def is_private(host: str) -> bool:
    """Whether a host certainly belongs to this machine or a private network, by its name."""
    name = host.strip("[]").rstrip(".").lower().partition("%")[0]
    try:
        return is_inside(ipaddress.ip_address(name))
    except ValueError:
        pass
    try:
        # `127.1` and `0x7f.1` are addresses, too.
        return is_inside(IPv4Address(socket.inet_aton(name)))
    except (OSError, UnicodeError):
        return "." not in name or name.endswith(NAMES)


def is_inside(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is not one of a host in the world, or only another way to write one that is not."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in INSIDE_4)
    if address in MAPPED or address in NAT64:
        return is_inside(IPv4Address(int(address) & 0xFFFF_FFFF))
    if address in SIX_TO_FOUR:
        return is_inside(IPv4Address(int(address) >> 80 & 0xFFFF_FFFF))
    return address not in WORLD_6 or any(address in network for network in INSIDE_6)


HEADERS = {"User-Agent": f"Mozilla/5.0 (compatible; kbsync/{__version__}; image check)", "Accept": "*/*"}

UNPACKED = {"Accept-Encoding": "identity"}
"""Of a packed file it is not known how large it is."""

Resolve = Callable[..., Sequence[Any]]
"""The addresses of a host, as `socket.getaddrinfo` gives them."""


class Inside(Exception):
    """A host is one of this machine or of a private network."""


@dataclass(slots=True)
class Sender:
    """Sends requests, one after the other. Each host has connections of its own, even at an address it shares.

    Args:
        stack: closes the connections at its end.
        trust: the certificates to believe.
        private: whether machines of this network are asked, too.
        timeout_s: for connecting and for each silence.
        resolve: the addresses of a host.
    """

    stack: ExitStack
    trust: ssl.SSLContext
    private: bool
    timeout_s: float
    resolve: Resolve
    _clients: dict[tuple[str, str], httpx.Client] = field(default_factory=dict)

    def head_of(self, method: str, url: httpx.URL) -> httpx.Response:
        """The answer without its body, which could be a film.

        Raises:
            Inside: the host is not asked.
            httpx.HTTPError: there is no answer.
            UnicodeError: the host is not a name.
        """
        answer = self._open(method, url)
        answer.close()
        return answer

    def read(self, url: httpx.URL, most_bytes: int) -> tuple[httpx.Response, bytes | None]:
        """The answer with its body, None where that is larger; that of a redirect or an error is not read.

        Raises:
            Inside: the host is not asked.
            httpx.HTTPError: there is no answer.
            UnicodeError: the host is not a name.
        """
        answer = self._open("GET", url)
        try:
            return answer, _body_of(answer, most_bytes) if answer.status_code == httpx.codes.OK else b""
        finally:
            answer.close()

    def _open(self, method: str, url: httpx.URL) -> httpx.Response:
        """The answer, of which the body was not read; it is to be closed."""
        host = url.raw_host.decode("ascii")
        if not self.private and is_private(host):
            raise Inside
        proxy = proxy_of(url, host)
        if not proxy:
            return self._ask_directly(method, url, host)
        with suppress(httpx.ConnectError):  # The proxy may know better.
            self._look_up(host)
        client = self._client_of(host, proxy)
        return client.send(client.build_request(method, url, headers=UNPACKED), stream=True)

    def _ask_directly(self, method: str, url: httpx.URL, host: str) -> httpx.Response:
        """Ask the host at the first of its addresses that can be reached."""
        addresses, client = self._look_up(host), self._client_of(host, "")
        for left in range(len(addresses) - 1, -1, -1):
            request = client.build_request(
                method,
                url.copy_with(host=addresses[-1 - left]),
                headers={"Host": url.netloc.decode("ascii")} | UNPACKED,
                extensions={"sni_hostname": host},
            )
            try:
                return client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
                if not left or any(isinstance(cause, ssl.SSLError) for cause in causes(exc)):
                    raise
        raise httpx.ConnectError("the name has no address")

    def _look_up(self, host: str) -> list[str]:
        try:
            found = self.resolve(host, None, type=socket.SOCK_STREAM)
        except OSError as exc:
            raise httpx.ConnectError(str(exc)) from exc
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not self.private and any(is_inside(ipaddress.ip_address(text.partition("%")[0])) for text in addresses):
            raise Inside
        return addresses

    def _client_of(self, host: str, proxy: str) -> httpx.Client:
        """The connections to a host: one that was made for another name was checked for that name."""
        key = (host, proxy)
        if key not in self._clients:
            client = httpx.Client(
                timeout=httpx.Timeout(self.timeout_s),
                headers=HEADERS,
                # Cookies of one site must not reach another, nor the next request.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                follow_redirects=False,
                verify=self.trust,
                proxy=proxy or None,
                trust_env=False,
            )
            self._clients[key] = self.stack.enter_context(client)
        return self._clients[key]


def _body_of(answer: httpx.Response, most_bytes: int) -> bytes | None:
    """The bytes as they were sent: packed ones could become a thousand times as many."""
    pieces: list[bytes] = []
    left = most_bytes
    for piece in answer.iter_raw():
        left -= len(piece)
        if left < 0:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def causes(exc: BaseException | None) -> Iterator[BaseException]:
    """An exception, what it came from, what that came from, and so on."""
    while exc is not None:
        yield exc
        exc = exc.__cause__ or exc.__context__
