"""What plans and pushes need of a help-center service. `client.py` is the one that speaks HTTP, as a profile says.

A second service is another class with these methods; nothing above this folder knows which one it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from kbsync.fields import SideEffects
from kbsync.markdown.own_pages import OwnPages
from kbsync.markdown.versions import Version
from kbsync.model import Fields, Kind, Observed, RemoteId, Status

if TYPE_CHECKING:
    from kbsync.service.api import ApiRequest
    from kbsync.service.article_lister import Page
    from kbsync.service.category_lister import Expected
    from kbsync.service.exchange import Answer
    from kbsync.service.facts import Facts
    from kbsync.service.portal import Owner, PortalInfo
    from kbsync.service.snapshot import LocaleRows, Snapshot


class Service(Protocol):
    """One portal of one service. Every method raises a `ServiceError` that names the request and what came back."""

    @property
    def categories(self) -> Mapping[RemoteId, Observed]:
        """Those of the portal by id, as far as they were looked at."""
        ...

    @property
    def version(self) -> str:
        """Its version, as kbsync.toml or the service gives it; "" before it is known, and where nobody tells."""
        ...

    @property
    def told_version(self) -> str:
        """What it said of its version when it was asked by this client; "" where nobody asked, or it did not tell."""
        ...

    @property
    def lacks(self) -> Mapping[str, Version]:
        """What its version does not have of what newer ones have, with the version that each came with."""
        ...

    @property
    def own_pages(self) -> OwnPages:
        """Where the portal's own pages are, as far as that is known."""
        ...

    @property
    def base_url(self) -> str:
        """Where it is."""
        ...

    @property
    def side_effects(self) -> SideEffects:
        """What it changes along with what is sent."""
        ...

    @property
    def facts(self) -> Facts:
        """What is so in its version."""
        ...

    @property
    def dropped_headers(self) -> tuple[str, ...]:
        """Names of headers in which the token does not arrive, although it does in the one that is used now."""
        ...

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        ...

    @property
    def latency_s(self) -> float:
        """How long an answer takes, seconds."""
        ...

    def close(self) -> None:
        """Send nothing any more, from no thread. What was sent is not waited for."""
        ...

    def can(self, operation: str) -> bool:
        """Whether it has an operation."""
        ...

    def keeps(self, kind: Kind, name: str) -> bool:
        """Whether it keeps this field of an article or category."""
        ...

    # --- looking

    def check_connection(self) -> None: ...
    def fetch_version(self) -> str: ...
    def use_version(self, version: str) -> None: ...
    def fetch_owner(self) -> Owner: ...
    def fetch_portal(self) -> PortalInfo: ...
    def peek(
        self, locales: Iterable[str], expected: Expected = ..., known: Mapping[str, LocaleRows] = ...
    ) -> dict[str, Page]: ...
    def update(
        self,
        locales: Iterable[str],
        known: Snapshot,
        *,
        full: bool = False,
        peeked: Mapping[str, Page] | None = None,
        expected: Expected = ...,
        max_age_s: int = ...,
    ) -> bool: ...
    def observed(self, locales: Iterable[str]) -> tuple[Observed, ...]: ...
    @property
    def snapshot(self) -> Snapshot: ...
    def look_again(self, known: Snapshot, categories: Iterable[tuple[str, str]]) -> bool: ...
    def keep_written(self) -> Snapshot | None:
        """Put the answers to writes into the snapshot, where these are all that moved; None where there is none."""

    def use_categories(self, found: Mapping[RemoteId, Observed]) -> None: ...
    def list_categories(self, locales: Iterable[str] = (), expected: Expected = ...) -> object: ...
    def show_article(self, remote_id: RemoteId, *, locale: str) -> Observed: ...
    def read_article(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None]: ...
    def read_staged(self, remote_id: RemoteId, *, locale: str) -> tuple[Observed, str | None, str | None]: ...
    def read_bodies(self, locale: str) -> Iterator[tuple[RemoteId, str]]: ...
    def show_category(self, remote_id: RemoteId, *, locale: str) -> Observed: ...
    def show_portal(self) -> Observed: ...
    def find_category(self, slug: str, *, locale: str) -> Observed | None: ...
    def find_article(self, slug: str, *, locale: str, thorough: bool = False) -> Observed | None: ...
    def slugs_elsewhere(self, slugs: Collection[str]) -> frozenset[str]: ...
    def is_elsewhere(self, slug: str) -> bool: ...
    def category_id(self, slug: object, *, locale: str) -> RemoteId | None: ...
    def can_find(self, slug: str) -> bool: ...

    def send(self, request: ApiRequest) -> Answer: ...

    # --- changing; what answers with an item, answers with what the portal now holds

    def create_category(self, fields: Fields, *, locale: str) -> Observed: ...
    def update_category(self, remote_id: RemoteId, fields: Fields, *, locale: str) -> Observed: ...
    def update_portal(self, fields: Fields) -> Observed: ...
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
        draft_content: str | None = None,
    ) -> Observed: ...
    def update_statuses(self, remote_ids: Sequence[RemoteId], status: Status) -> None: ...
    def delete(self, kind: Kind, remote_id: RemoteId) -> None: ...
    def upload(self, name: str, data: bytes, kind: str) -> str: ...
