"""The content tree of a project, read, checked and compiled: all of it, or the few sources that moved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import structs

from kbsync.app.file_transaction import Changes
from kbsync.app.portal_item import portal_item
from kbsync.app.workspace import Workspace
from kbsync.config import ContentSettings
from kbsync.content.compile import Addresses, Compiler
from kbsync.content.hosted import read_hosted
from kbsync.content.identity import Site, identify, kept_slugs
from kbsync.content.images import Images, read_images
from kbsync.content.inspection import Inspect
from kbsync.content.parse import parse_source
from kbsync.content.tree import Tree, problems_of, read_tree, store_tree
from kbsync.content.walk import Walk
from kbsync.errors import ExitCode, KbsyncError
from kbsync.lint import OF_A_SOURCE, OF_THE_TREE, TreeCheck, check_tree, inspect
from kbsync.lint.context import Context, accepts_empty_drafts
from kbsync.model import PORTAL_FILE, Desired, Finding


class Reading(msgspec.Struct, frozen=True):
    """The content tree, read, checked and compiled; one with errors is not compiled."""

    compiler: Compiler
    findings: Sequence[Finding]
    desired: tuple[Desired, ...] = ()

    @property
    def errors(self) -> list[Finding]:
        """The findings that stop a plan."""
        return [finding for finding in self.findings if finding.level == "error"]


class TreeRefused(KbsyncError):
    """The content tree of a workspace has errors, so that nothing is planned; `reading` has its findings."""

    exit_code = ExitCode.FINDINGS

    def __init__(self, workspace: Workspace, reading: Reading) -> None:
        super().__init__("Your files have errors.", hint="Run `kbsync lint` to see them.")
        self.workspace, self.reading = workspace, reading


def read_sound(workspace: Workspace, walk: Walk | None = None, begun: Callable[[], None] = lambda: None) -> Reading:
    """Read and compile a tree that can be planned; `begun` is called once there may be threads beside.

    Raises:
        TreeRefused: it has errors.
        ContentError: a command was interrupted that changes files, and some are as before it.
    """
    Changes.of(workspace).check()
    reading = read_content(workspace, walk, begun=begun)
    if reading.errors:
        raise TreeRefused(workspace, reading)
    return reading


def read_content(
    workspace: Workspace, walk: Walk | None = None, *, compiled: bool = True, begun: Callable[[], None] = lambda: None
) -> Reading:
    """Read, check and compile the tree; a tree with errors is not compiled.

    `walk` are its files, where they were listed just now. Who only wants findings need not have it `compiled`.
    """
    root, memory = workspace.content_root, workspace.memory
    tree = read_tree(root, memory=memory, walk=walk, inspect=inspect, begun=begun)
    reading = _check(workspace, tree, identify(tree, workspace.settings.content), OF_A_SOURCE + OF_THE_TREE)
    if not compiled or reading.errors:
        store_tree(tree, memory)
        return reading
    found = reading.compiler.compile()
    store_tree(tree, memory, found.contents)
    return structs.replace(reading, desired=(*found.items, *_portal_itself(workspace, reading)))


def with_texts(workspace: Workspace, reading: Reading, texts: Mapping[str, bytes]) -> Reading:
    """The tree, checked as if some of its files had other bytes; not compiled, and nothing is kept of it."""
    tree = overlaid(reading.compiler.tree, texts, inspect)
    return _check(workspace, tree, identify(tree, workspace.settings.content), OF_A_SOURCE + OF_THE_TREE)


def has_portal_file(folder: Path) -> bool:
    """Whether there is a file of the portal itself."""
    return os.path.lexists(folder / PORTAL_FILE)


def check_portal_file(workspace: Workspace, reading: Reading) -> None:
    """Refuse a portal.toml that cannot be used with this tree.

    Raises:
        ConfigError: with file, line and key.
    """
    _portal_itself(workspace, reading)


def _portal_itself(workspace: Workspace, reading: Reading) -> Iterable[Desired]:
    """The portal, where it has a file."""
    if not has_portal_file(workspace.settings.folder):
        return ()
    found = portal_item(workspace.settings, reading.compiler.site)
    return (found,) if found is not None else ()


def keep_slugs(settings: ContentSettings, reading: Reading, recorded: Iterable[str]) -> Reading:
    """The tree with the default slugs that articles have already, where these were made otherwise before.

    Args:
        settings: of the content.
        reading: the whole tree, as it is for a new portal.
        recorded: the slugs of all articles on the portal and in the ledger.
    """
    before = reading.compiler
    kept = kept_slugs(frozenset(recorded), before.tree, settings.slug_prefix)
    if not kept:
        return reading
    compiler = structs.replace(before, site=identify(before.tree, settings, kept))
    if compiler.site.articles == before.site.articles:
        return structs.replace(reading, compiler=compiler)
    portal = (item for item in reading.desired if item.kind == "portal")
    return structs.replace(reading, compiler=compiler, desired=(*compiler.compile().items, *portal))


def _check(workspace: Workspace, tree: Tree, site: Site, checks: Iterable[TreeCheck]) -> Reading:
    """Find what is wrong in a tree."""
    settings = workspace.settings
    profile = workspace.profile
    addresses = Addresses(profile.article_url, profile.category_url, settings.service.portal)
    images = _look_at_images(workspace, tree)
    compiler = Compiler(tree, site, addresses, settings.authors, images, settings.push.timezone)
    empty_drafts = accepts_empty_drafts(settings, profile)
    context = Context(tree, site, profile.limits, settings.authors, images, settings.assets, empty_drafts)
    found = check_tree(context, settings.lint, checks=checks)
    return Reading(compiler, tuple(found) if isinstance(found, list) else found)


def _look_at_images(workspace: Workspace, tree: Tree) -> Images:
    root, settings = workspace.content_root, workspace.settings.assets
    paths = {link.target for source in tree.sources.values() for link in source.links if link.is_image}
    memory, now_ns = workspace.memory, time.time_ns()
    found = read_images(root, paths, tree.others, memory=memory, now_ns=now_ns, most_bytes=settings.max_bytes)
    hosted = read_hosted(root, tree.others)
    return Images(root, found, settings.base_url, workspace.profile.can("upload"), hosted)


def overlaid(tree: Tree, texts: Mapping[str, bytes], inspect: Inspect) -> Tree:
    """The tree with these texts.

    Args:
        tree: as it was read.
        texts: the bytes of some of its sources, by path.
        inspect: what else looks for problems in the bodies.
    """
    parsed = {path: parse_source(path, data, inspect=inspect) for path, data in texts.items()}
    gone = {found for path in parsed for found in problems_of(tree.sources[path])}
    findings = [found for found in tree.findings if found.path not in parsed or found not in gone]
    findings += (found for source in parsed.values() for found in problems_of(source))
    rows = {**tree.rows} | {
        path: msgspec.structs.replace(tree.rows[path], source=source, links_key=b"", content_digest="")
        for path, source in parsed.items()
    }
    return replace(tree, sources={**tree.sources, **parsed}, findings=findings, rows=rows)
