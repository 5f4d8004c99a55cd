"""What plans and pushes need of a help-center service. `client.py` is the one that speaks HTTP, as a profile says.

A second service is another class with these methods; nothing above this folder knows which one it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from kbsync.fields import SideEffects
from kbsync.model import Fields, Kind, Observed, RemoteId, Status

if TYPE_CHECKING:
    from kbsync.service.api import ApiRequest
    from kbsync.service.article_lister import Page
    from kbsync.service.category_lister import Expected
    from kbsync.service.exchange import Answer
    from kbsync.service.portal import Owner, Portal, PortalInfo
    from kbsync.service.snapshot import Snapshot


class Service(Protocol):
    """One portal of one service. Every method raises a `ServiceError` that names the request and what came back.

    `categories` are those of the portal by id, as far as they were looked at.
    """

    categories: dict[RemoteId, Observed]

    @property
    def base_url(self) -> str:
        """Where it is."""
        ...

    @property
    def side_effects(self) -> SideEffects:
        """What it changes along with what is sent."""
        ...

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        ...

    @property
    def latency_s(self) -> float:
        """How long an answer takes, seconds."""
        ...

    def can(self, operation: str) -> bool:
        """Whether it has an operation."""
        ...

    # --- looking

    def check_connection(self) -> None: ...
    def fetch_version(self) -> str: ...
    def fetch_owner(self) -> Owner: ...
    def fetch_portal(self) -> PortalInfo: ...
    def peek(self, locales: Iterable[str], expected: Expected = ...) -> dict[str, Page]: ...
    def observe(
        self,
        locales: Iterable[str],
        known: Snapshot,
        *,
        full: bool = False,
        peeked: Mapping[str, Page] | None = None,
        expected: Expected = ...,
    ) -> Portal: ...
    def list_categories(self, locales: Iterable[str] = (), expected: Expected = ...) -> object: ...
    def show_article(self, remote_id: RemoteId, *, locale: str) -> Observed: ...
    def read_article(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None]: ...
    def read_bodies(self, locale: str) -> Iterator[tuple[RemoteId, str]]: ...
    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed: ...
    def find_category(self, slug: str, *, locale: str) -> Observed | None: ...
    def find_article(self, slug: str, *, locale: str, thorough: bool = False) -> Observed | None: ...
    def category_id(self, slug: object, *, locale: str) -> RemoteId | None: ...
    def can_find(self, slug: str) -> bool: ...

    def send(self, request: ApiRequest) -> Answer: ...

    # --- changing; each answers with what the portal now holds

    def create_category(self, fields: Fields, *, locale: str) -> Observed: ...
    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed: ...
    def create_article(
        self, fields: Fields, *, content: str, locale: str, category_id: RemoteId | None
    ) -> Observed: ...
    def update_article(
        self,
        remote_id: RemoteId,
        fields: Fields,
        *,
        before: Observed,
        content: str | None,
        category_id: RemoteId | None,
        status: Status | None = None,
        discard: bool = False,
    ) -> Observed: ...
    def delete(self, kind: Kind, remote_id: RemoteId) -> None: ...
    def upload(self, name: str, data: bytes, kind: str) -> str: ...
