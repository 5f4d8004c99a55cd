"""Findings for the preview: of a few sources at once, of the whole tree in the background."""

from __future__ import annotations

import time
from collections.abc import Collection, Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from msgspec import structs

from kbsync.config import Settings
from kbsync.content.identity import Identity, Site
from kbsync.content.images import Images, SeenImages, read_images
from kbsync.content.source import Source
from kbsync.content.tree import Tree, problems_of
from kbsync.content.walk import Stamp
from kbsync.lint import (
    CODES_OF_ALL,
    CODES_OF_THE_TREE,
    OF_A_SOURCE,
    OF_SHAPES,
    OF_THE_TREE,
    TreeCheck,
    check_tree,
    in_order,
)
from kbsync.lint.context import Context, accepts_empty_drafts
from kbsync.markdown.versions import NEWEST, Version
from kbsync.memory import Memory
from kbsync.model import Finding
from kbsync.preview.index import Index
from kbsync.service.profile import Profile

Findings = dict[str, tuple[Finding, ...]]
"""By path of the source; those of no source (a link out of the tree) by the path that they name."""


@dataclass(frozen=True, slots=True)
class Project:
    """What kbsync.toml says, and the profile that it names; read again when the file changes.

    `version` is the portal's whose HTML is shown; with `portal_look` it is shown with nothing added to it. `seen` is
    what is known of its images.
    """

    settings: Settings
    profile: Profile
    version: Version = NEWEST
    portal_look: bool = False
    seen: SeenImages = field(default_factory=SeenImages, compare=False, repr=False)

    @property
    def root(self) -> Path:
        """The content root."""
        return self.settings.content_root


def check_all(
    project: Project, sources: Mapping[str, Source], others: dict[str, Stamp], site: Site, walked: Iterable[Finding]
) -> Findings:
    """Every finding of the tree.

    Args:
        project, sources, others, site: the tree and who is who in it.
        walked: what was found before a file was read: links out of the tree, folders without permission.
    """
    findings = [*walked, *(problem for source in sources.values() for problem in problems_of(source))]
    tree = Tree(project.root, dict(sources), others, findings)
    return _by_path(_check(project, tree, site, OF_A_SOURCE + OF_THE_TREE))


def check_some(
    project: Project, paths: Collection[str], index: Index, others: dict[str, Stamp], known: Findings, *, due: bool
) -> Findings:
    """The findings of some sources, each of them with an entry; the rest of the tree is only looked up.

    A rule compares a source with those of its slug and with what it points to: these are all that it gets to see. What
    it would need all for stays as it was `known`: for good where nothing is `due`, else until the tree is checked.
    """
    sources, site = index.sources, index.site
    own = {path for path in paths if path in sources}
    # An original is compared with its links, which then are looked at like those of the sources themselves.
    originals = {site.translated(path, sources[path].translation_of) for path in own & site.articles.keys()} - {""}
    seen = _with_those_beside(own | originals, index)
    part = structs.replace(site, articles=_only(site.articles, seen), categories=_only(site.categories, seen))
    codes, checks = (CODES_OF_ALL, OF_A_SOURCE + OF_SHAPES) if due else (CODES_OF_THE_TREE, OF_A_SOURCE)
    problems = [*chain.from_iterable(problems_of(sources[path]) for path in own)]
    found = _check(project, Tree(project.root, seen, others, problems, every=sources), part, checks)
    kept = [item for path in paths for item in known.get(path, ()) if item.code in codes]
    by_path = _by_path(in_order(kept + found))
    return {path: by_path.get(path, ()) for path in paths}


def _with_those_beside(whole: AbstractSet[str], index: Index) -> dict[str, Source]:
    """These sources, and without their links those that they are compared with; in order of their paths."""
    beside = {path for one in whole for path in _beside(index.sources[one], index) if path in index.sources} - whole
    seen = {path: index.sources[path] for path in whole}
    seen |= {path: structs.replace(index.sources[path], links=()) for path in beside}
    return dict(sorted(seen.items()))


def _only(identities: Mapping[str, Identity], paths: Container[str]) -> dict[str, Identity]:
    return {path: identity for path, identity in sorted(identities.items()) if path in paths}


def others_than(known: Findings, found: Findings) -> set[str]:
    """The paths of which other findings were found than those that were known."""
    return {path for path in {*known, *found} if found.get(path, ()) != known.get(path, ())}


def _check(project: Project, tree: Tree, site: Site, checks: Iterable[TreeCheck]) -> list[Finding]:
    settings = project.settings
    shown = {link.target for source in tree.sources.values() for link in source.links if link.is_image}
    memory = Memory(settings.state_folder)
    most_bytes = settings.assets.max_bytes
    now_ns, seen = time.time_ns(), project.seen
    found = read_images(
        project.root, shown, tree.others, memory=memory, now_ns=now_ns, most_bytes=most_bytes, seen=seen
    )
    images = Images(project.root, found, settings.assets.base_url, project.profile.can("upload"))
    empty_drafts = accepts_empty_drafts(settings, project.profile)
    context = Context(tree, site, project.profile.limits, settings.authors, images, settings.assets, empty_drafts)
    return list(check_tree(context, settings.lint, checks=checks))


def _beside(source: Source, index: Index) -> set[str]:
    """What a source is compared with: those of its slug, what it points to, what it says that it translates."""
    site, path = index.site, source.path
    beside = {link.target for link in source.links} | {source.translation_of or ""}
    beside |= {site.by_path[link.target].path for link in source.links if link.target in site.by_path}
    if path in site.articles:
        return beside.union(index.by_slug[site.articles[path].slug])
    named = site.categories[path]
    return beside | {
        other for other, it in site.categories.items() if (it.locale, it.slug) == (named.locale, named.slug)
    }


def _by_path(findings: Iterable[Finding]) -> Findings:
    grouped: dict[str, list[Finding]] = {}
    for finding in findings:
        grouped.setdefault(finding.path, []).append(finding)
    return {path: tuple(some) for path, some in grouped.items()}
