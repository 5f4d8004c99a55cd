"""The new slugs of a plan, looked up before they are sent: another portal of the service may have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.markdown.slugs import PLAIN, made_slug
from kbsync.model import Change, Plan
from kbsync.plan.taken import new_slug
from kbsync.service.contract import Service

MOST = 100
"""Slugs that one plan looks up, a request each. Of more, a sample shows whether there are any; what it misses costs one
look-up each in the push, once the service has refused it."""


def changes_to_look_up(plan: Plan) -> Sequence[Change]:
    """Those of the changes with a new slug that are looked up, evenly spread."""
    new = [change for change in plan.changes if new_slug(change)]
    step = max(1.0, len(new) / MOST)
    return [new[int(number * step)] for number in range(min(len(new), MOST))]


def look_up_new_slugs(workspace: Workspace, reading: Reading, service: Service, plan: Plan) -> Mapping[str, str]:
    """The new slugs of a plan that another portal has, each with what a person can do."""
    changes = changes_to_look_up(plan)
    if not changes:
        return {}
    elsewhere = service.slugs_elsewhere([new_slug(change) for change in changes])
    new = sum(1 for change in plan.changes if new_slug(change))
    sample = f" kbsync looked up {len(changes):,} of {new:,} new slugs." if new > len(changes) else ""
    return {
        slug: _what_to_do(workspace, reading, change) + sample
        for change in changes
        if (slug := new_slug(change)) in elsewhere
    }


def _what_to_do(workspace: Workspace, reading: Reading, change: Change) -> str:
    settings = workspace.settings
    source = reading.compiler.tree.sources.get(change.path)
    if settings.content.slug_prefix or (source is not None and source.slug):
        return "Write another `slug:` into the file."
    portal = made_slug(settings.service.portal)
    prefix = f"{portal}-" if PLAIN.fullmatch(portal) else "help-"
    return f'Set `slug_prefix = "{prefix}"` under [content] in kbsync.toml, or write another `slug:` into the file.'
