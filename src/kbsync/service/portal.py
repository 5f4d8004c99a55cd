"""A portal, its contents and whose token it is, as the client found them."""

from __future__ import annotations

import msgspec

from kbsync.errors import Misbehaved
from kbsync.model import Observed, RemoteId
from kbsync.service import wire
from kbsync.service.answers import SHOWN_CHARS
from kbsync.service.category_lister import MAX_LOCALES, Counts
from kbsync.service.portal_fields import known_keys, observed_portal


class PortalInfo(msgspec.Struct, frozen=True):
    """A portal as the service describes it; `categories` is None where it does not say how many it has.

    `hidden` are those of the locales that its language menu leaves out.
    `domain` is the host that readers know it by, "" for that of the service.
    `asks_readers` for a password before they see a page (docs/service.md, S158).
    `settings` is the portal as an item of its own, `known_keys` are the keys of its config that the service has.
    """

    slug: str
    name: str
    locales: tuple[str, ...]
    archived: bool
    categories: Counts | None = None
    hidden: tuple[str, ...] = ()
    settings: Observed | None = None
    known_keys: frozenset[str] = frozenset()
    domain: str = ""
    asks_readers: bool = False


class Owner(msgspec.Struct, frozen=True):
    """Whose token it is. `role` is "" where the service does not say."""

    id: RemoteId
    name: str
    role: str


def portal_info(portal: wire.WirePortal) -> PortalInfo:
    """A portal of the list."""
    total = portal.meta.categories_count if portal.meta else None
    counts = None if total is None else Counts(total, portal.category_counts)
    name = (portal.name or portal.slug)[:SHOWN_CHARS]
    return PortalInfo(
        portal.slug,
        name,
        portal.locales,
        bool(portal.archived),
        counts,
        portal.hidden_locales,
        observed_portal(portal),
        known_keys(portal),
        portal.custom_domain or "",
        "password" in str(portal.config.visibility),
    )


def check_locales(portal: PortalInfo) -> PortalInfo:
    """Each locale is listed by itself, so there is an end to them.

    Raises:
        Misbehaved: the portal has too many.
    """
    if len(portal.locales) > MAX_LOCALES:
        raise Misbehaved(
            f"The portal `{portal.slug}` has {len(portal.locales):,} locales; kbsync reads {MAX_LOCALES} at most.",
            hint="Check [service] base_url and portal.",
        )
    return portal
