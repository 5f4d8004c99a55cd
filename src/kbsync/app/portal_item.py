"""portal.toml held against the content tree, and its item on all sides. Loaded only where there is such a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from kbsync.config.portal_file import PortalFile, read_portal_file
from kbsync.fields import GROUPS, POPULAR, in_order
from kbsync.model import PORTAL_FILE, Base, Desired, Value
from kbsync.plan.known import Node
from kbsync.plan.portal_settings import PortalSides, with_ids
from kbsync.words import did_you_mean

if TYPE_CHECKING:
    from kbsync.app.sides import Portal
    from kbsync.config import Settings
    from kbsync.content.identity import Site
    from kbsync.plan.match import Weighed


def portal_item(settings: Settings, site: Site) -> Desired | None:
    """The portal as portal.toml wants it, its popular items by source path; None where there is no such file.

    Raises:
        ConfigError: the file cannot be used; the message names file, line and key.
    """
    file = read_portal_file(settings.folder)
    if file is None:
        return None
    fields = dict(file.fields)
    default = settings.content.default_locale
    for name in in_order("portal", fields):
        root, _, locale = name.partition(".")
        if root == "draft_locales":
            _check_hidden(file, fields[name], site, default)
        elif root in POPULAR:
            _check_locale(file, "popular", locale, locale, site)
            path_of = _category if root == "popular_categories" else _article
            fields[name] = tuple(path_of(file, locale, said, site) for said in _texts(fields[name]))
        elif locale and root not in GROUPS:
            _check_locale(file, "locale", locale, locale, site)
    return Desired(kind="portal", locale="", slug=settings.service.portal, path=PORTAL_FILE, fields=fields)


def portal_sides(
    desired: Iterable[Desired], bases: Sequence[Base], weighed: Weighed, portal: Portal | None
) -> PortalSides | None:
    """The portal itself on its three sides; None where it has no file, or was not chosen.

    Args:
        desired: what is planned, the portal among it.
        bases: of the ledger.
        weighed: which source is which article.
        portal: as it was looked at; None where it was not.
    """
    wanted = next((item for item in desired if item.kind == "portal"), None)
    if wanted is None:
        return None
    base = next((base for base in bases if base.kind == "portal"), None)
    nodes = weighed.index.nodes
    # What the record has and the portal has no more is not shown by it either.
    found = {path: node for path, node in weighed.found.items() if nodes[node].observed is not None}
    wanted = with_ids(wanted, found)
    sides = PortalSides(wanted, base, None, names=_names(weighed, found))
    if portal is None or portal.info is None:
        return sides
    info = portal.info
    return structs.replace(sides, observed=info.settings, known_keys=info.known_keys, locales=info.locales)


def _names(weighed: Weighed, found: Mapping[str, Node]) -> dict[Node | str, str]:
    """What people call what may be popular: the slug of a category, the path of an article that has one."""
    called = {path: item.slug if item.kind == "category" else path for path, item in weighed.items.items()}
    slugs: dict[Node | str, str] = {node: article.some.slug for node, article in weighed.index.nodes.items()}
    return slugs | called | {node: called[path] for path, node in found.items()}


def _texts(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _check_hidden(file: PortalFile, value: Value, site: Site, default: str) -> None:
    for locale in _texts(value):
        if locale == default:
            hint = "Visitors need one language that the menu shows."
            file.wrong("", "draft_locales", f"`{locale}` is the default language and cannot be hidden.", hint)
        _check_locale(file, "", "draft_locales", locale, site)


def _check_locale(file: PortalFile, table: str, key: str, locale: str, site: Site) -> None:
    if locale not in site.locales:
        hint = did_you_mean(locale, site.locales) or f"Use one of: {', '.join(site.locales)}."
        file.wrong(table, key, f"`{locale}` is not one of your languages.", hint)


def _article(file: PortalFile, locale: str, path: str, site: Site) -> str:
    """The path of an article of this locale."""
    table = f"popular.{locale}"
    found = site.articles.get(path)
    if found is None:
        hint = did_you_mean(path, site.articles) or f"Write the path below the content folder, such as {locale}/a.md."
        file.wrong(table, "articles", f"There is no article `{path}`.", hint)
    if found.locale != locale:
        message = f"`{path}` is in `{found.locale}`, so the home page of `{locale}` would not show it."
        file.wrong(table, "articles", message, f"Name an article of `{locale}`.")
    return path


def _category(file: PortalFile, locale: str, slug: str, site: Site) -> str:
    """The path of a category of this locale."""
    path = site.declared.get((locale, slug))
    if path is None:
        known = [other for of, other in site.declared if of == locale]
        hint = did_you_mean(slug, known) or (f"Use one of: {', '.join(known)}." if known else "")
        file.wrong(f"popular.{locale}", "categories", f"There is no category `{slug}` in `{locale}`.", hint)
    return path
