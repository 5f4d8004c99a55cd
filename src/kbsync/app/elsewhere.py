"""The new slugs of a plan, looked up before they are sent: another portal of the service may have them.

Those that another portal has are kept for ten minutes, so that a plan, its push and the next ones ask once. Nothing of
them is sent meanwhile; `--full` asks again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kbsync import __version__
from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.digests import blake2b
from kbsync.files import load_sealed, store_sealed
from kbsync.markdown.slugs import PLAIN, made_slug
from kbsync.model import Change, Plan
from kbsync.plan.taken import new_slug
from kbsync.service.contract import Service
from kbsync.service.snapshot import FRESH_S

HEAD = f"kbsync.elsewhere/1 {__version__}\n".encode()

MOST = 100
"""Slugs that one plan looks up, a request each. Of more, a sample shows whether there are any; what it misses costs one
look-up each in the push, once the service has refused it."""


def changes_to_look_up(plan: Plan) -> Sequence[Change]:
    """Those of the changes with a new slug that are looked up, evenly spread."""
    new = [change for change in plan.changes if new_slug(change)]
    step = max(1.0, len(new) / MOST)
    return [new[int(number * step)] for number in range(min(len(new), MOST))]


def look_up_new_slugs(
    workspace: Workspace, reading: Reading, service: Service, plan: Plan, *, anew: bool = False
) -> Mapping[str, str]:
    """The new slugs of a plan that another portal has, each with what a person can do; `anew`: whatever was kept."""
    changes = changes_to_look_up(plan)
    if not changes:
        return {}
    name = blake2b(workspace.target.key.encode(), digest_size=6).hexdigest()
    path = workspace.cache_folder / f"elsewhere-{name}.cache"
    now_s = time.time()
    kept = _load(path, now_s)
    slugs = [new_slug(change) for change in changes]
    known = {} if anew else {slug: kept[slug] for slug in slugs if slug in kept}
    found = service.slugs_elsewhere([slug for slug in slugs if slug not in known])
    elsewhere = {**dict.fromkeys(found, now_s), **known}
    others = {slug: at for slug, at in kept.items() if slug not in slugs}
    if {**others, **elsewhere} != kept:
        store_sealed(path, HEAD, msgspec.msgpack.encode({**others, **elsewhere}))
    new = sum(1 for change in plan.changes if new_slug(change))
    sample = f" kbsync looked up {len(changes):,} of {new:,} new slugs." if new > len(changes) else ""
    return {
        slug: _what_to_do(workspace, reading, change) + sample
        for change in changes
        if (slug := new_slug(change)) in elsewhere
    }


def _load(path: Path, now_s: float) -> dict[str, float]:
    """The slugs that another portal had a short while ago, with when that was."""
    body = load_sealed(path, HEAD)
    try:
        found = msgspec.msgpack.decode(body, type=dict[str, float]) if body is not None else {}
    except msgspec.DecodeError:
        return {}
    return {slug: at for slug, at in found.items() if 0 <= now_s - at <= FRESH_S}


def _what_to_do(workspace: Workspace, reading: Reading, change: Change) -> str:
    settings = workspace.settings
    source = reading.compiler.tree.sources.get(change.path)
    if settings.content.slug_prefix or (source is not None and source.slug):
        return "Write another `slug:` into the file."
    portal = made_slug(settings.service.portal)
    prefix = f"{portal}-" if PLAIN.fullmatch(portal) else "help-"
    return f'Set `slug_prefix = "{prefix}"` under [content] in kbsync.toml, or write another `slug:` into the file.'
