"""The new slugs of a plan, looked up before they are sent: another portal of the service may have them.

Those that another portal has are kept for ten minutes, as nothing of them is sent; `--full` asks again. Of the others
nothing is kept: a slug that was free a moment ago, or seemed so, may be refused now; then the push looks it up.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.markdown.slugs import PLAIN, made_slug
from kbsync.memory import Kind
from kbsync.model import Change, Plan
from kbsync.plan.taken import new_slug
from kbsync.service.contract import Service
from kbsync.service.snapshot import FRESH_S

UNNOTED = 100
"""Look-ups, a request each, that nobody waits for long enough to wonder."""

Kept = dict[str, float]
"""By slug that another portal had: when that was seen, in seconds since 1970."""

TAKEN: Kind[Kept] = Kind("elsewhere", Kept)
"""By the key of the portal."""


def look_up_new_slugs(
    workspace: Workspace, reading: Reading, service: Service, plan: Plan, *, anew: bool = False
) -> Mapping[str, str]:
    """The new slugs of a plan that another portal has, each with what a person can do; `anew`: whatever was kept."""
    changes = {slug: change for change in plan.changes if (slug := new_slug(change))}
    if not changes:
        return {}
    now_s = time.time()
    kept = {} if anew else _load(workspace, now_s)
    asked = [slug for slug in changes if slug not in kept]
    if len(asked) > UNNOTED:
        workspace.session.note(f"Looking up {len(asked):,} new slugs: another portal of the service may have them.")
    found = service.slugs_elsewhere(asked)
    known = {**kept, **dict.fromkeys(found, now_s)}
    if found or anew:
        workspace.memory.put(TAKEN, {workspace.target.key: known})
    return {slug: _what_to_do(workspace, reading, change) for slug, change in changes.items() if slug in known}


def _load(workspace: Workspace, now_s: float) -> Kept:
    """The slugs that another portal had a short while ago."""
    found = workspace.memory.get(TAKEN, workspace.target.key) or {}
    return {slug: seen_s for slug, seen_s in found.items() if 0 <= now_s - seen_s <= FRESH_S}


def _what_to_do(workspace: Workspace, reading: Reading, change: Change) -> str:
    settings = workspace.settings
    source = reading.compiler.tree.sources.get(change.path)
    if settings.content.slug_prefix or (source is not None and source.slug):
        return "Write another `slug:` into the file."
    portal = made_slug(settings.service.portal)
    prefix = f"{portal}-" if PLAIN.fullmatch(portal) else "help-"
    return f'Set `slug_prefix = "{prefix}"` under [content] in kbsync.toml, or write another `slug:` into the file.'
