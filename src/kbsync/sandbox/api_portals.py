"""The portal endpoints. Source: docs/service.md, section 2."""

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response

from . import categories, listing, portal_config
from .api_json import Json, portal_json
from .auth import Call, World, check_administrator
from .casts import is_blank, taken, to_text
from .http import Params, answer, done
from .params import required, wrapped
from .records import Portal
from .refusals import crashed, invalid, no_feature
from .store import COLOR as DEFAULT_COLOR
from .store import PORTAL_COLUMNS, STAMPS

TEXTS = dict.fromkeys(("name", "slug", "color", "header_text", "homepage_link", "page_title"), to_text)
COLUMNS = (*PORTAL_COLUMNS.split(", "), *STAMPS)

COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
"""What 4.16 takes for a colour. Source: docs/service.md, S139."""


def portal_outline(world: World, portal: Portal, meta: Json | None = None) -> Json:
    """A portal with its counters; without `meta` those of the articles are null, as in every answer but `show`.

    Raises:
        Halt: 500 for a portal whose config is empty, from 4.16 on only where it is null.
    """
    is_4_16 = world.behaviour.is_4_16
    articles, sections = (
        listing.count_by_locale(world.store, portal.id),
        categories.counts_by_locale(world.store, portal.id),
    )
    hidden = portal_config.draft_locales(portal)
    locales = [
        {"code": code, "articles_count": articles.get(code, 0), "categories_count": sections.get(code, 0)}
        | ({"draft": code in hidden} if is_4_16 else {})
        for code in portal_config.locales_of(portal, is_4_16=is_4_16)
    ]
    config: Json = {"allowed_locales": locales} | (
        portal_config.settings_of(portal, has_analytics=world.behaviour.has_analytics) if is_4_16 else {}
    )
    config |= {"visibility": "private_with_password"} if world.behaviour.reader_password else {}
    unknown = {"archived_articles_count": None, "published_count": None, "draft_articles_count": None}
    counted = meta or {"all_articles_count": 0} | unknown
    told = portal_json(portal, config, counted | {"categories_count": sum(sections.values())})
    return told | ({"color": portal.color or DEFAULT_COLOR} if is_4_16 else {})


def list_portals(call: Call) -> Response:
    """All portals of the account; `page` is echoed and has no effect."""
    portals = [portal_outline(call.world, portal) for portal in call.store.portals(call.account_id)]
    meta = {"current_page": call.query.get("page", 1), "portals_count": len(portals)}
    return answer({"payload": portals, "meta": meta})


def show_portal(call: Call) -> Response:
    """One portal, not wrapped in `payload`, with all its counters."""
    portal = call.portal(crashed)
    locale = call.query.get("locale")
    filters = listing.Filters(locales=(locale,) if isinstance(locale, str) and locale else ())
    counters = listing.count(call.store, portal.id, filters, call.user.id)
    meta: Json = {
        "all_articles_count": counters.matching,
        "archived_articles_count": counters.by_status.get(2, 0),
        "published_count": counters.by_status.get(1, 0),
        "draft_articles_count": counters.by_status.get(0, 0),
    }
    if counters.matching:
        meta["mine_articles_count"] = counters.mine
    return answer(portal_outline(call.world, portal, meta))


def create_portal(call: Call) -> Response:
    """A new portal; leaving `custom_domain` out is an exception before 4.16, an empty one is fine."""
    check_administrator(call)
    sent = required(call, "portal", COLUMNS)
    if not isinstance(sent.get("custom_domain"), str) and not call.world.behaviour.is_4_16:
        raise crashed()
    fields = {"name": None, "slug": None, "config": {}} | _sent_fields(call, sent, {})
    _check(call.world, fields, None)
    fields |= {"id": call.store.take_id("portals"), "account_id": call.account_id}
    call.store.insert("portals", _stored(fields))
    return _shown(call, fields["id"], fields)


def update_portal(call: Call) -> Response:
    """A partial change; `config` is merged by key, and was replaced whole before 4.16."""
    check_administrator(call)
    portal = call.portal(crashed)
    # From 4.16, a body without the resource is one that changes nothing (S139).
    read = wrapped if call.world.behaviour.is_4_16 else required
    sent = read(call, "portal", COLUMNS) or {}
    fields = _sent_fields(call, sent, portal.config or {})
    _check(call.world, {"name": portal.name, "slug": portal.slug} | fields, portal.id)
    if fields:
        call.store.change("portals", portal.id, _stored(fields))
    return _shown(call, portal.id, fields)


def archive_portal(_call: Call) -> Response:
    """The route exists and always fails."""
    raise crashed()


def show_ssl_status(_call: Call) -> Response:
    """The enterprise code would answer this; without it the route leads nowhere (S140)."""
    raise no_feature()


def delete_portal(call: Call) -> Response:
    """A portal with everything in it."""
    check_administrator(call)
    portal = call.portal(crashed)
    with call.store.transaction():
        call.store.run("DELETE FROM articles WHERE portal_id = ?", (portal.id,))
        call.store.run("DELETE FROM categories WHERE portal_id = ?", (portal.id,))
        call.store.run("DELETE FROM portals WHERE id = ?", (portal.id,))
    return done()


def _sent_fields(call: Call, sent: Params, config: portal_config.Config) -> dict[str, Any]:
    fields = taken(sent, TEXTS)
    if isinstance(sent.get("custom_domain"), str):
        fields["custom_domain"] = _domain(call, sent["custom_domain"]) or None
    if isinstance(sent.get("archived"), bool):
        fields["archived"] = sent["archived"]
    config_sent, is_4_16 = sent.get("config"), call.world.behaviour.is_4_16
    if isinstance(config_sent, dict):
        kept = {name: config_sent[name] for name in ("allowed_locales", "default_locale") if name in config_sent}
        fields["config"] = _merged(call, config, config_sent) if is_4_16 else kept
    return fields


def _merged(call: Call, config: portal_config.Config, sent: Params) -> portal_config.Config:
    return portal_config.merged(config, sent, has_analytics=call.world.behaviour.has_analytics)


def _domain(call: Call, text: str) -> str:
    """A domain; from 4.16 an address is stored as its host (S140)."""
    return urlsplit(text).hostname or text if call.world.behaviour.is_4_16 and "://" in text else text


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    if "config" not in fields:
        return fields
    return fields | {"config": json.dumps(portal_config.stored_order(fields["config"]))}


def _check(world: World, fields: dict[str, Any], portal_id: int | None) -> None:
    problems = [(name, f"{name.capitalize()} can't be blank") for name in ("name", "slug") if is_blank(fields[name])]
    if world.store.row("SELECT 1 FROM portals WHERE slug = ? AND id IS NOT ?", (fields["slug"], portal_id)):
        problems.append(("slug", "Slug has already been taken"))
    if world.behaviour.is_4_16 and not COLOR.fullmatch(fields.get("color") or DEFAULT_COLOR):
        problems.append(("color", "Color is invalid"))
    if problems:
        raise invalid(problems)


def _shown(call: Call, portal_id: int, fields: dict[str, Any]) -> Response:
    """The stored portal; just after a write, its settings still have the order in which they were sent."""
    portal = call.store.portal_by_id(portal_id)
    if portal is None:
        raise crashed()
    return answer(portal_outline(call.world, replace(portal, config=fields.get("config", portal.config))))
