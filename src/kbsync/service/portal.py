"""A portal, its contents and whose token it is, as the client found them."""

from __future__ import annotations

from dataclasses import dataclass

from kbsync.model import Observed, RemoteId
from kbsync.service import wire


@dataclass(frozen=True, slots=True)
class PortalInfo:
    """A portal as the service describes it."""

    slug: str
    name: str
    locales: tuple[str, ...]
    archived: bool


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose token it is. `role` is "" where the service does not say."""

    id: RemoteId
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Portal:
    """Everything on the portal, as observed. `complete` is False where the list did not add up to its own count."""

    categories: tuple[Observed, ...] = ()
    articles: tuple[Observed, ...] = ()
    complete: bool = True


def portal_info(portal: wire.WirePortal) -> PortalInfo:
    """A portal of the list."""
    return PortalInfo(portal.slug, portal.name or portal.slug, portal.locales, bool(portal.archived))
