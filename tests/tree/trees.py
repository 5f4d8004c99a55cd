"""Content trees from a few lines, and what is read of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kbsync.config import ContentSettings
from kbsync.content.compile import Addresses, Compiler
from kbsync.content.identity import identify
from kbsync.content.tree import read_tree, store_tree
from kbsync.lint import check_tree
from kbsync.lint.context import Context
from kbsync.model import Desired, Finding
from kbsync.service.profile import Limits

CATEGORY = "---\nname: Billing\n---\n"
LIMITS = Limits(title_chars=255, slug_chars=255, content_chars=20_000, description_chars=20_000)
ADDRESSES = Addresses("/hc/{portal}/articles/{slug}", "/hc/{portal}/{locale}/categories/{slug}", "handbook")


@dataclass
class Read:
    """A tree, compiled and checked."""

    compiler: Compiler
    findings: list[Finding]

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def desired(self) -> dict[str, Desired]:
        return {item.path: item for item in self.compiler.compile()}

    def content(self, path: str) -> str:
        return self.compiler.content_of(path)


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below a root, byte for byte."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def read(root: Path, *, cache: Path | None = None, ignore: tuple[str, ...] = (), **settings: object) -> Read:
    """Read, identify, compile, check; the cache is kept where there is one."""
    tree = read_tree(root, cache=cache)
    site = identify(tree, ContentSettings(**settings))
    compiler = Compiler(tree, site, ADDRESSES, {"default": 1, "ana": 12})
    findings = check_tree(Context(tree, site, LIMITS, compiler.authors), ignore=ignore)
    if cache:
        if not any(finding.level == "error" for finding in findings):
            compiler.compile()
        store_tree(tree, cache)
    return Read(compiler, findings)


def an_article(text: str, **files: str) -> dict[str, str | bytes]:
    """One article in a declared category."""
    return {"en/billing/_category.md": CATEGORY, "en/billing/refunds.md": text, **files}
