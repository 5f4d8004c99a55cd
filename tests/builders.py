"""Builders that tests share: a content tree from a few lines, and what kbsync reads of it.

They name only what a test is about; everything else is the smallest thing that works.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kbsync.config import AssetsSettings, ContentSettings, LintSettings
from kbsync.content.body import body_of
from kbsync.content.compile import Addresses, Compiler
from kbsync.content.identity import identify
from kbsync.content.images import Images, read_images
from kbsync.content.inspection import Inspect
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.content.tree import Tree, read_tree, store_tree
from kbsync.lint import check_tree, inspect
from kbsync.lint.context import Context
from kbsync.memory import Memory
from kbsync.model import Desired, Finding
from kbsync.service.profile import Limits

Files = Mapping[str, str | bytes]

A_CATEGORY = "---\nname: Billing\n---\n"
AN_ARTICLE = "---\ntitle: Refunds\n---\nText.\n"
AUTHORS = {"default": 1, "ana": 12}
LIMITS = Limits(
    title_chars=255,
    slug_chars=255,
    content_chars=20_000,
    description_chars=20_000,
    reserved_slugs=("search", "articles", "categories"),
)
ADDRESSES = Addresses("/hc/{portal}/articles/{slug}", "/hc/{portal}/{locale}/categories/{slug}", "handbook")


def write_files(root: Path, files: Files) -> Path:
    """Write files below a root, byte for byte; gives the root back."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def tree(text: str) -> dict[str, str | bytes]:
    """Files out of one text: a line `== path` begins each."""
    files: dict[str, str | bytes] = {}
    for part in text.split("== ")[1:]:
        name, _, content = part.partition("\n")
        files[name.strip()] = content
    return files


def beside(text: str | bytes, **others: str | bytes) -> dict[str, str | bytes]:
    """`en/billing/refunds.md` with this text, in a declared category, and other files."""
    return {"en/billing/_category.md": A_CATEGORY, "en/billing/refunds.md": text, **others}


def source_of(text: str | bytes, path: str = "en/billing/refunds.md", *, inspect: Inspect | None = None) -> Source:
    """What one file says."""
    return parse_source(path, text if isinstance(text, bytes) else text.encode(), inspect=inspect)


def read_body(text: str | bytes) -> str:
    """The body of one file as it is sent, links as they are written."""
    data = text if isinstance(text, bytes) else text.encode()
    return body_of(source_of(data), data)


@dataclass
class Reading:
    """A tree, identified, compiled on demand, and checked."""

    tree: Tree
    compiler: Compiler
    findings: list[Finding]
    context: Context

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def desired(self) -> dict[str, Desired]:
        return {item.path: item for item in self.compiler.compile().items}

    def content(self, path: str = "en/billing/refunds.md") -> str:
        return self.compiler.content_of(path)


def read_content(
    root: Path,
    *,
    memory: Memory | None = None,
    limits: Limits = LIMITS,
    ignore: tuple[str, ...] = (),
    uploads: bool = True,
    **settings: object,
) -> Reading:
    """Read, identify and check a tree; with a memory also compile it and keep it, as a command does."""
    found = read_tree(root, memory=memory, inspect=inspect)
    site = identify(found, ContentSettings(**settings))
    shown = {link.target for source in found.sources.values() for link in source.links if link.kind == "image"}
    seen = read_images(root, shown, found.others, memory=memory or Memory(root / ".images"), now_ns=time.time_ns())
    images = Images(root, seen, can_upload=uploads)
    compiler = Compiler(found, site, ADDRESSES, AUTHORS, images)
    context = Context(found, site, limits, AUTHORS, images, AssetsSettings())
    findings = check_tree(context, LintSettings(ignore=list(ignore)))
    if memory:
        is_broken = any(finding.level == "error" for finding in findings)
        store_tree(found, memory, {} if is_broken else compiler.compile().contents)
    return Reading(found, compiler, findings, context)


OTHER_USER = 65_534
"""The number of a user without rights."""


@contextmanager
def somebody_else() -> Iterator[None]:
    """Be a user without rights where the tests run as root, for whom no file is unreadable."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(OTHER_USER)
    try:
        yield
    finally:
        os.seteuid(0)
