"""Values of the right type that cannot work: refused, with file, line and key."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from kbsync.config.moments import zone_of
from kbsync.config.places import Origin
from kbsync.config.settings import SANDBOX, ContentSettings, ServiceSettings, Settings
from kbsync.errors import ConfigError
from kbsync.hosts import LOOPBACK

EDITORS = (
    "vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "positron", "zed", "subl", "txmt", "mvim", "emacs",
    "org-protocol", "nvim", "idea", "jetbrains", "pycharm", "phpstorm", "webstorm", "goland", "rubymine", "clion",
    "rider", "fleet", "atom", "pulsar", "nova", "bbedit", "x-bbedit", "kate", "lapce", "editor", "obsidian", "typora",
)  # fmt: skip
"""The schemes of addresses that editors open."""

PAGE = re.compile(
    # The panel has pages of its own beside its portals, such as /portals/new: below a portal there is more.
    r"/(?:super_admin|(?:app|api/v[12])/(?:login|accounts(?:/(?P<account>[1-9][0-9]{0,17})(?:/portals/(?P<in_panel>[\w.~-]+)(?=/.))?)?)"
    r"|hc/(?:(?P<in_center>[\w.~-]+)|[^/]+))(?:/|\Z)"
)
"""In the path of an address that was copied from the panel or from the help center."""

VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?")


def check_settings(settings: Settings, origin: Origin) -> None:
    """Refuse values of the right type that cannot work.

    Raises:
        ConfigError: with file, line and key.
    """
    check_base_url(settings.service, f"{origin.in_force('service', 'base_url')}: ")
    check_editor(settings.preview.editor, origin)
    if not re.fullmatch(r"\d{1,3}(\.\d+)?%", settings.push.max_removals) or settings.push.max_fraction > 1:
        raise ConfigError(f'{origin.in_force("push", "max_removals")}: Expected a share such as "10%".')
    if settings.push.timezone:
        check_timezone(settings.push.timezone, origin)
    if not 1 <= settings.pace.concurrency <= 64:
        raise ConfigError(
            f"{origin.in_force('pace', 'concurrency')}: Expected 1 to 64, found {settings.pace.concurrency}."
        )
    for key in ("requests_per_minute", "uploads_per_hour"):
        if getattr(settings.pace, key) < 0:
            raise ConfigError(f"{origin.in_force('pace', key)}: Expected a number of 1 or more.")
    for key in ("max_kb", "max_pixels"):
        if getattr(settings.assets, key) < 1:
            raise ConfigError(f"{origin.in_force('assets', key)}: Expected a number of 1 or more.")
    if settings.assets.base_url and split_address(settings.assets.base_url) is None:
        raise ConfigError(
            f"{origin.in_force('assets', 'base_url')}: Expected an address such as https://cdn.example.com/help, "
            f"found {settings.assets.base_url!r}."
        )
    # Else a push would move a branch or a tag that kbsync.toml names.
    if settings.ledger.ref and not settings.ledger.ref.startswith("refs/kbsync/"):
        raise ConfigError(
            f"{origin.in_force('ledger', 'ref')}: Expected a name that begins with refs/kbsync/, "
            f"found {settings.ledger.ref!r}.",
            hint="Write one like refs/kbsync/handbook, or leave it out. A branch or a tag cannot hold the ledger.",
        )
    _check_service(settings.service, origin)
    _check_content(settings.content, origin)


def _check_service(service: ServiceSettings, origin: Origin) -> None:
    if not 0 < service.timeout_s <= 3600:
        raise ConfigError(f"{origin.in_force('service', 'timeout_s')}: Expected seconds, more than 0 and at most 3600.")
    if service.version and not VERSION.fullmatch(service.version):
        raise ConfigError(
            f'{origin.in_force("service", "version")}: Expected a version such as "4.16", found {service.version!r}.',
            hint="`GET /api` of the service shows its version. Without this key, kbsync asks for it.",
        )
    if not service.portal:
        raise ConfigError(f"{origin.in_force('service', 'portal')}: The portal's slug is missing.")


def _check_content(content: ContentSettings, origin: Origin) -> None:
    if not re.fullmatch(r"[a-z0-9_-]{0,100}", content.slug_prefix):
        raise ConfigError(
            f"{origin.in_force('content', 'slug_prefix')}: Expected lower case letters, digits and hyphens, "
            f"found {content.slug_prefix!r}.",
            hint='Write a prefix such as "handbook-".',
        )
    if content.locales and content.default_locale not in content.locales:
        raise ConfigError(
            f"{origin.in_force('content', 'default_locale')}: `{content.default_locale}` is not among the locales.",
            hint=f"Add it to `locales`, or use one of: {', '.join(content.locales)}.",
        )


def check_timezone(name: str, origin: Origin) -> None:
    """A date without a time is a day of this zone.

    Raises:
        ConfigError: this machine knows no such zone.
    """
    try:
        zone_of(name)
    except LookupError as exc:
        raise ConfigError(
            f"{origin.in_force('push', 'timezone')}: {name!r} is not a time zone that this computer knows.",
            hint='Write a name such as "Europe/Paris" or "UTC". On Windows, also run `pip install tzdata`.',
        ) from exc


def check_editor(address: str, origin: Origin) -> None:
    """A link of the preview opens an editor and nothing else: `javascript:` and `file:` do more.

    Raises:
        ConfigError: the address begins otherwise.
    """
    if address and address.partition(":")[0] not in EDITORS:
        raise ConfigError(
            f"{origin.in_force('preview', 'editor')}: {address!r} does not begin like the address of an editor.",
            hint=f'Begin with one of: {", ".join(f"{name}:" for name in EDITORS)}. Or write "" for no links.',
        )


class PageAddress(NamedTuple):
    """What the address of a page says: the service's own address, and account and portal, where they are in it."""

    base_url: str
    account_id: int | None = None
    portal: str = ""


def take_apart(address: str) -> PageAddress:
    """An address as a person copies it from the panel or the help center; any other is the service's own."""
    parts = split_address(address)
    page = PAGE.search(parts.path) if parts else None
    if parts is None or page is None:
        return PageAddress(address.rstrip("/"))
    account, portal = page["account"], page["in_panel"] or page["in_center"] or ""
    base_url = f"{parts.scheme}://{parts.netloc}{parts.path[: page.start()]}"
    return PageAddress(base_url, int(account) if account else None, portal)


def check_base_url(service: ServiceSettings, where: str) -> None:
    """Plain http goes to loopback only, unless `allow_http` is set.

    Args:
        service: with the address.
        where: how messages begin: the place at which it was written.

    Raises:
        ConfigError: the address cannot or should not be used.
    """
    if service.base_url == SANDBOX:
        return
    # First of all, so that no later message repeats a password.
    if set(service.base_url) & set("@?#"):
        raise ConfigError(
            f"{where}The address must have no user name, password, query or fragment.",
            hint="Write the address alone, such as https://support.example.com.",
        )
    parts = split_address(service.base_url)
    if parts is None:
        raise ConfigError(
            f"{where}Expected an address such as https://support.example.com, found {service.base_url!r}.",
            hint='Or write "sandbox" for the embedded service.',
        )
    if PAGE.search(parts.path):
        raise ConfigError(
            f"{where}{service.base_url} is the address of a page, not of the service.",
            hint=f"Write {take_apart(service.base_url).base_url}.",
        )
    if parts.scheme == "http" and parts.hostname not in LOOPBACK and not service.allow_http:
        raise ConfigError(
            f"{where}Plain http would send the token unencrypted to {parts.hostname}.",
            hint="Use https, or set `allow_http = true` in [service] if you must.",
        )


def split_address(address: str) -> SplitResult | None:
    """The parts of an http or https address with a host, or None."""
    if not re.fullmatch(r"[!-~]+", address) or "\\" in address:
        return None
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, half a bracket
        return None
    return parts if usable else None
