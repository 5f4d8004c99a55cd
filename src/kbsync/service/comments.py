"""Our comment in a pull or merge request: find it, write it, or write over it.

The token goes to the address of the API and nowhere else: redirects are not followed, and pages are asked for by
number, not by the addresses that an answer gives. A comment is ours if it begins with our marker and if we wrote it, so
that nobody can make us write over theirs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from urllib.parse import quote, urlsplit

from kbsync.errors import ConfigError, Denied, NotFound, ServiceError
from kbsync.hosts import LOOPBACK
from kbsync.model import visible
from kbsync.service.exchange import Answer, Connections
from kbsync.service.forges import LONGEST_WAIT_S, SHOWN_CHARS, Forge, Pull, Row, Writer, checked, decoded, wait_of

TIMEOUT_S = 20.0
"""For connecting and for each silence; a whole answer may take four times that."""

ROWS_PER_PAGE = 100
MOST_PAGES = 100
"""Comments beyond 10,000 are not read."""


@dataclass(slots=True)
class Client:
    """Asks one API with one token. Whoever makes one closes it.

    Args:
        forge: how it is asked.
        api_url: its address, with the path before all paths.
        token: goes into a header of each request.
        sleep: waits so many seconds, once, where the API asks for it.
        timeout_s: for connecting and for each silence.

    Raises:
        ConfigError: the address or the token cannot be used.
    """

    forge: Forge
    api_url: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep
    timeout_s: float = TIMEOUT_S
    _connections: Connections = field(init=False, repr=False)
    _has_waited: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        check_api_url(self.api_url)
        if not self.token.isascii() or not self.token.isprintable():
            raise ConfigError(f"The token for {self.forge.name} has characters that cannot be sent.")
        self._connections = Connections(self.api_url, self.forge.headers(self.token), self.timeout_s, most_idle=1)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connections.close()

    def find(self, repository: str, number: int, marker: str) -> Row | None:
        """Our comment with this marker, None where there is none.

        Raises:
            ServiceError: the comments cannot be read.
        """
        marked = [row for row in self._rows(repository, number) if (row.body or "").startswith(marker)]
        if not marked:
            return None
        me = self._me()
        return next((row for row in marked if self.forge.is_ours(row, me)), None)

    def create(self, repository: str, number: int, body: str) -> None:
        """Write a new comment. It is sent once: whether it was made after all, only the next run can see.

        Raises:
            ServiceError: it was not made, or nobody knows.
        """
        self._send("POST", self.forge.comments(repository, number), body={"body": body})

    def update(self, repository: str, number: int, comment_id: int, body: str) -> None:
        """Write over a comment of ours.

        Raises:
            ServiceError: it was not changed, or nobody knows.
        """
        method, path = self.forge.comment(repository, number, comment_id)
        self._send(method, path, body={"body": body})

    def pull_of(self, repository: str, owner: str, branch: str, sha: str) -> int | None:
        """The number of GitHub's open pull request whose head is this commit of this branch; None where none is.

        Raises:
            ServiceError: GitHub cannot be asked.
        """
        query = {"state": "open", "head": f"{owner}:{branch}", "per_page": str(ROWS_PER_PAGE)}
        answer = self._send("GET", f"/repos/{quote(repository)}/pulls", query=query)
        return next((pull.number for pull in decoded(answer, list[Pull]) if pull.head.sha == sha), None)

    def _rows(self, repository: str, number: int) -> Iterator[Row]:
        path = self.forge.comments(repository, number)
        for page in range(1, MOST_PAGES + 1):
            answer = self._send("GET", path, query={"per_page": str(ROWS_PER_PAGE), "page": str(page)})
            yield from (row for row in decoded(answer, list[Row]) if not row.system)
            # Both name the next page here; where it is, is not looked at.
            if 'rel="next"' not in answer.headers.get("link", ""):
                return

    def _me(self) -> Writer | None:
        try:
            return decoded(self._send("GET", "/user"), Writer)
        except (Denied, NotFound):
            return None

    def _send(
        self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: Mapping[str, str] | None = None
    ) -> Answer:
        """One request, and a second one where the API asked to wait, and not for long."""
        answer = self._send_once(method, path, query, body)
        wait_s = wait_of(answer)
        if wait_s is not None and wait_s <= LONGEST_WAIT_S and not self._has_waited:
            self._has_waited = True
            self.sleep(wait_s)
            answer = self._send_once(method, path, query, body)
        return checked(answer, self.forge)

    def _send_once(
        self, method: str, path: str, query: Mapping[str, str] | None, body: Mapping[str, str] | None
    ) -> Answer:
        request = self._connections.request(method, path, params=query, json=body)
        try:
            return self._connections.exchange(request, secret=self.token)
        except ServiceError as exc:
            # Its hint is about the service of kbsync.toml.
            hint = f"Check that this machine can reach {self.forge.name}. The next run writes the comment."
            raise ServiceError(exc.message, hint=hint) from exc


def check_api_url(url: str) -> str:
    """The host of an API's address.

    Raises:
        ConfigError: it is not an address, or the token would go over the net in plain text.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_usable = bool(host) and not (parts.username or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.scheme not in {"https", "http"}:
        raise ConfigError(f"The address of the API is not usable: {visible(url)[:SHOWN_CHARS]}.")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise ConfigError(f"{visible(url)[:SHOWN_CHARS]}: kbsync sends a token over https only.")
    return host
