"""The slugs that published files had in git: of files that are still there under another slug, and of deleted ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from kbsync.content.compile import Compiler
from kbsync.content.identity import Identity, Site, identify_article, identify_category
from kbsync.content.parse import parse_source
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import SLOW_S
from kbsync.history.past import Past
from kbsync.history.repository import SURE_PERCENT, Repository
from kbsync.history.trail import Text, Trail
from kbsync.plan.known import NEVER

AT_ONCE = 500


class OldSlug(NamedTuple):
    """Who a published file was, until a commit at this time (seconds since 1970); `path` is where it is today."""

    path: str
    was: Identity
    until_s: int


def old_slugs(compiler: Compiler, site: Site, environ: Mapping[str, str] = os.environ) -> Iterator[OldSlug]:
    """Every slug that a file had while its front matter said `published`, the newest first.

    Raises:
        GitFailed: git cannot tell.
    """
    repository = Repository(compiler.tree.root, environ, slow_s=SLOW_S)
    past, today = Past(repository, site), compiler.tree.sources
    trail = Trail(lambda path: path.endswith(".md"), today.__contains__, lambda entry: entry.percent >= SURE_PERCENT)
    waiting: list[Text] = []
    with closing(Blobs(repository)) as blobs, closing(past.commits(trail.concerns)) as commits:
        for commit in commits:
            waiting += [text for text in trail.follow(commit) if text.until_s != NEVER]
            if len(waiting) >= AT_ONCE:
                yield from _read(waiting, blobs, site)
                waiting = []
        yield from _read(waiting, blobs, site)


def _read(texts: list[Text], blobs: Blobs, site: Site) -> Iterator[OldSlug]:
    found = blobs.read([text.oid for text in texts])

    def slug_at(path: str) -> str | None:
        identity = site.categories.get(path)
        return identity.slug if identity else None

    for text in texts:
        blob = found.get(text.oid)
        if blob is None or blob.data is None:
            continue
        source = parse_source(text.name, blob.data, body=False)
        if source.kind == "category":
            yield OldSlug(text.path, identify_category(text.name, source, site), text.until_s)
        elif source.status == "published":
            yield OldSlug(text.path, identify_article(text.name, source, site, slug_at), text.until_s)
