"""The content tree of a project, read, checked and compiled: all of it, or the few sources that moved."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kbsync.app.workspace import Workspace
from kbsync.errors import ContentError, ExitCode, KbsyncError
from kbsync.model import Change, Desired, Finding, Observed, body_digest

if TYPE_CHECKING:
    # What reads and compiles is imported where it is used: a command seldom needs all of it.
    from kbsync.content.compile import Compiler
    from kbsync.content.identity import Site
    from kbsync.content.part import Moved
    from kbsync.content.pictures import Pictures
    from kbsync.content.tree import Tree
    from kbsync.content.walk import Walk
    from kbsync.lint import Family


@dataclass(frozen=True, slots=True)
class Reading:
    """The content tree, read and compiled.

    `tree` is what everybody who has this tree gets; `desired` also knows where pictures were put, once that is settled.
    """

    compiler: Compiler
    findings: list[Finding]
    desired: list[Desired]
    tree: list[Desired] = field(default_factory=list)

    def settle_pictures(self, known: Mapping[str, str], observed: Iterable[Observed], *, of: str) -> None:
        """Now that the ledger and the portal were asked where pictures are, say what the articles with some become.

        Args:
            known: addresses by key, of the ledger.
            observed: the portal's items.
            of: how the addresses of the service begin; an image elsewhere was not uploaded by kbsync.
        """
        pictures = self.compiler.pictures
        pictures.settled = True
        if not pictures.by_path or not pictures.can_upload:
            return
        from kbsync.markdown.uploaded import key_in

        own = {
            item.slug: {key_in(address): address for address in item.pictures if address.startswith(of)}
            for item in observed
            if item.pictures
        }
        for found in own.values():
            pictures.known.update(found)
        pictures.known.update(known)
        sources, articles = self.compiler.tree.sources, self.compiler.site.articles
        for place, item in enumerate(self.desired):
            if item.kind == "article" and self.compiler.has_pictures(item.path):
                if item.slug in own:
                    pictures.own[item.path] = own[item.slug]
                self.desired[place] = self.compiler.article(sources[item.path], articles[item.path])

    @property
    def errors(self) -> list[Finding]:
        """The findings that stop a plan."""
        return [finding for finding in self.findings if finding.level == "error"]

    def content_of(self, change: Change) -> str:
        """The body that a change of a source sends.

        Raises:
            ContentError: it would be another than was planned.
        """
        text = self.compiler.content_of(change.path)
        if change.after.get("content") != body_digest(text):
            raise ContentError(
                f"{change.path}: Its images have other addresses than in the plan.",
                hint="Run `kbsync plan` again.",
            )
        return text


class TreeRefused(KbsyncError):
    """The content tree has errors, so that nothing is planned; `reading` has its findings."""

    exit_code = ExitCode.FINDINGS

    def __init__(self, reading: Reading) -> None:
        super().__init__("Your files have errors.", hint="Run `kbsync lint` to see them.")
        self.reading = reading


def read_sound(workspace: Workspace, walk: Walk | None = None) -> Reading:
    """Read and compile a tree that can be planned.

    Raises:
        TreeRefused: it has errors.
    """
    reading = read_content(workspace, walk)
    if reading.errors:
        raise TreeRefused(reading)
    return reading


def read_content(workspace: Workspace, walk: Walk | None = None, *, compiled: bool = True) -> Reading:
    """Read, check and compile the tree; a tree with errors is not compiled.

    `walk` are its files, where they were listed just now. Who only wants findings need not have it `compiled`.
    """
    from kbsync.content.identity import identify
    from kbsync.content.tree import read_tree, store_tree
    from kbsync.lint import OF_A_SOURCE, OF_THE_TREE, inspect

    tree = read_tree(workspace.content_root, cache=workspace.scan_cache, walk=walk, inspect=inspect)
    reading = _check(workspace, tree, identify(tree, workspace.settings.content), OF_A_SOURCE + OF_THE_TREE)
    if compiled and not reading.errors:
        reading.tree.extend(reading.compiler.compile())
        reading.desired.extend(reading.tree)
    store_tree(tree, workspace.scan_cache)
    return reading


def read_part(workspace: Workspace, walk: Walk, moved: Moved, findings: Iterable[Finding]) -> Reading | None:
    """Read and compile the sources that moved; None where more has to be looked at, or they have errors.

    Args:
        workspace: the settings.
        walk: the files of the tree.
        moved: what moved since the tree was read.
        findings: those of the tree before; the result has those of the tree now.
    """
    from kbsync.content.identity import identify, locales_of
    from kbsync.content.part import read_part
    from kbsync.lint import CODES_OF_THE_TREE, OF_A_SOURCE, in_order, inspect

    content = workspace.settings.content
    tree = read_part(workspace.content_root, walk, moved, cache=workspace.scan_cache, inspect=inspect)
    if tree is None:
        return None
    site = identify(tree, replace(content, locales=content.locales or list(locales_of(walk.sources))))
    reading = _check(workspace, tree, site, OF_A_SOURCE)
    of_these = [finding for finding in reading.findings if finding.path in moved]
    rest = [item for item in findings if item.path not in moved or item.code in CODES_OF_THE_TREE]
    reading.findings[:] = in_order([*rest, *of_these])
    if reading.errors:
        return None
    compiler = reading.compiler
    reading.desired.extend(compiler.article(tree.sources[path], site.articles[path]) for path in moved)
    return reading


def _check(workspace: Workspace, tree: Tree, site: Site, families: Iterable[Family]) -> Reading:
    from kbsync.content.compile import Addresses, Compiler
    from kbsync.lint import check_tree
    from kbsync.lint.context import Context

    settings = workspace.settings
    addresses = Addresses(workspace.profile.article_url, workspace.profile.category_url, settings.service.portal)
    pictures = _look_at_pictures(workspace, tree)
    compiler = Compiler(tree, site, addresses, settings.authors, pictures)
    context = Context(tree, site, workspace.profile.limits, settings.authors, pictures, settings.assets)
    return Reading(compiler, check_tree(context, settings.lint, families=families), [])


def _look_at_pictures(workspace: Workspace, tree: Tree) -> Pictures:
    from kbsync.content.pictures import Pictures, read_pictures

    root, settings = workspace.content_root, workspace.settings.assets
    paths = {link.target for source in tree.sources.values() for link in source.links if link.is_picture}
    cache = workspace.cache_folder / "pictures.cache"
    found = read_pictures(root, paths, tree.others, cache=cache, now_ns=time.time_ns(), most_bytes=settings.max_bytes)
    return Pictures(root, found, settings.base_url, workspace.profile.can("upload"))
