"""The bodies behind a plan, for `plan --diff`: as the portal has them now, and as a push would send them."""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.app.reading import Reading
from kbsync.errors import NotFound
from kbsync.markdown.uploaded import by_key
from kbsync.model import Action, Change, Held, Plan
from kbsync.report.body_diff import Bodies, Body, Key
from kbsync.service.contract import Service


def read_bodies(plan: Plan, reading: Reading, service: Service, *, most: int) -> Bodies:
    """The bodies that differ, in the order of the report, at most so many: each costs a request."""
    wanted = list(_differing(plan)) if service.can("show_article") else []
    texts: dict[Key, Body] = {}
    for item in wanted[:most]:
        assert item.remote_id is not None
        try:
            portal = service.read_article(item.remote_id, locale=item.locale)[1] or ""
        except NotFound:
            continue  # Somebody deleted it since it was listed.
        texts[item.kind, item.remote_id] = Body(by_key(portal), reading.compiler.content_of(item.path))
    return Bodies(texts, max(0, len(wanted) - most))


def _differing(plan: Plan) -> Iterator[Change | Held]:
    for change in sorted(plan.sent, key=lambda change: not change.live):
        if change.action is Action.UPDATE and change.before.get("content") != change.after.get("content"):
            yield change
    for item in plan.held:
        if item.kind == "article" and item.remote_id is not None and item.path and "content" in item.fields:
            yield item
