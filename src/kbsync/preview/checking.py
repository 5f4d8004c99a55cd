"""Findings for the preview: of a few sources at once, of the whole tree in the background."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import msgspec
from msgspec import structs

from kbsync.config import Settings
from kbsync.content.identity import Site
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


class Due(IntEnum):
    """What has to be looked at for the findings of the whole tree, after what was found with each change."""

    NOTHING = 0
    SHAPES = 1
    """Some files are others to the rest (`preview/live_tree.py`), under the names that they had."""

    EVERYTHING = 2


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


def check_shapes(
    project: Project,
    sources: Mapping[str, Source],
    others: dict[str, Stamp],
    site: Site,
    walked: Iterable[Finding],
    known: Findings,
) -> Findings:
    """The same, where only what needs the shapes of all can be different from what is `known`: a tenth of the time."""
    found = _check(project, Tree(project.root, dict(sources), others, list(walked)), site, OF_THE_TREE)
    now = _by_path(finding for finding in found if finding.code in CODES_OF_THE_TREE)
    before = {path for path, some in known.items() if any(finding.code in CODES_OF_THE_TREE for finding in some)}
    return known | {
        path: tuple(in_order([*_of_no_shape(known.get(path, ())), *now.get(path, ())])) for path in before | now.keys()
    }


def _of_no_shape(findings: Iterable[Finding]) -> Iterator[Finding]:
    return (finding for finding in findings if finding.code not in CODES_OF_THE_TREE)


def check_some(
    project: Project, paths: Collection[str], index: Index, others: dict[str, Stamp], known: Findings, due: Due
) -> Findings:
    """The findings of some sources, each of them with an entry; the rest of the tree is only looked up.

    A rule compares a source with those of its slug and with what it points to: these are all that it gets to see. What
    it would need all for stays as it was `known`: for good where nothing is `due`, else until the tree is checked.
    """
    sources, site = index.sources, index.site
    own = {path for path in paths if path in sources}
    # An original is compared with its links, which then are looked at like those of the sources themselves.
    originals = {site.translated(path, sources[path].translation_of) for path in own & site.articles.keys()} - {""}
    whole = own | originals
    beside = {path for one in whole for path in _beside(sources[one], index) if path in sources} - whole
    seen = {path: sources[path] for path in whole}
    seen |= {path: msgspec.structs.replace(sources[path], links=()) for path in beside}
    part = structs.replace(
        site,
        articles={path: site.articles[path] for path in sorted(seen) if path in site.articles},
        categories={path: site.categories[path] for path in sorted(seen) if path in site.categories},
    )
    problems = [problem for path in own for problem in problems_of(sources[path])]
    tree = Tree(project.root, dict(sorted(seen.items())), others, problems, every=sources)
    codes, checks = (CODES_OF_ALL, OF_A_SOURCE + OF_SHAPES) if due else (CODES_OF_THE_TREE, OF_A_SOURCE)
    found = _check(project, tree, part, checks)
    kept = (item for path in paths for item in known.get(path, ()) if item.code in codes)
    by_path = _by_path(in_order([*kept, *(finding for finding in found if finding.path in paths)]))
    return {path: by_path.get(path, ()) for path in paths}


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
