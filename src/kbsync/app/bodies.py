"""The bodies behind a plan, for `plan --diff`: as the portal has them now, and as a push would send them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kbsync.app.reading import Reading
from kbsync.errors import NotFound
from kbsync.markdown.own_pages import with_paths
from kbsync.markdown.uploaded import body_digest, by_key
from kbsync.model import Change, Held, Plan, Reason
from kbsync.report.body_diff import TEXT_ACTIONS, Bodies, Body, Key, key_of

if TYPE_CHECKING:
    from kbsync.service.client import Service


def read_bodies(plan: Plan, reading: Reading, service: Service, *, most: int) -> Bodies:
    """The bodies that differ, in the order of the report, at most so many: each costs a request."""
    sources = reading.compiler.tree.sources  # Of a file that is gone there is no body to compare with.
    wanted = [item for item in _differing(plan) if item.path in sources] if service.profile.can("show_article") else []
    texts: dict[Key, Body] = {}
    for item in wanted[:most]:
        assert item.remote_id is not None
        try:
            _, live, staged = service.read_article(item.remote_id, locale=item.locale)
        except NotFound:
            continue  # Somebody deleted it since it was listed.
        portal, ours = live or "", reading.compiler.content_of(item.path)
        if staged is not None and isinstance(item, Held) and item.reason is Reason.STAGED:
            portal = staged
        elif staged is not None and isinstance(item, Change) and item.publishes_staged:
            ours = by_key(staged)
        by_path = with_paths(portal, service.endpoint.own)
        fields = item.values if isinstance(item, Held) else item.fields
        if by_path != portal and body_digest(by_path) in [field.before for field in fields]:
            portal = by_path  # As it was compared.
        texts[key_of(item)] = Body(by_key(portal), ours)
    return Bodies(texts, max(0, len(wanted) - most))


def _differing(plan: Plan) -> Iterator[Change | Held]:
    for change in sorted(plan.sent, key=lambda change: not change.live):
        is_moved = change.stages or change.before.get("content") != change.after.get("content")
        if change.path and change.action in TEXT_ACTIONS and is_moved:
            yield change
    for item in plan.held:
        if item.kind == "article" and item.remote_id is not None and item.path and "content" in item.fields:
            yield item
