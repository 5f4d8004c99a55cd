"""What the last build made its pages of, kept so that the next one renders only what is different.

A row names what a page was made of and the bytes that came of it. A page is kept while both are so: what somebody
deleted or changed in the folder is made again. The cache is for one version of kbsync and of what renders, and is
trusted as the other caches are; one that cannot be used is as good as none.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import msgspec

from kbsync import __version__
from kbsync.digests import blake2b
from kbsync.files import load_sealed, store_sealed
from kbsync.preview.article_job import Asked
from kbsync.preview.checking import Project

HEAD = f"kbsync.built/2 {__version__}\n".encode()
DIGEST_BYTES = 16

RENDERERS = ("markdown-it-py", "Jinja2", "MarkupSafe", "Pygments", "pyromark")
"""The libraries that pages are rendered with; another version of one may render otherwise."""


class PageRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One file of the site: what it was made of, its bytes, and what its body asked of the site."""

    inputs: bytes
    content: bytes
    asked: Asked = ()


class BuiltPages(msgspec.Struct, frozen=True, array_like=True):
    """All files by name. `texts` has the sources of each search index in order, by the names of their bytes."""

    salt: bytes
    rows: dict[str, PageRow] = {}
    texts: dict[str, tuple[bytes, ...]] = {}


def digest_of(*parts: bytes) -> bytes:
    """The name of what something is made of, or of the bytes of a file."""
    name = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        name.update(part)
    return name.digest()


def load_pages(project: Project) -> BuiltPages:
    """What is known of the last build; nothing, where it was made by something else or otherwise."""
    salt, body = _salt(project), load_sealed(_path(project), HEAD)
    try:
        known = msgspec.msgpack.decode(body, type=BuiltPages) if body is not None else None
    except msgspec.DecodeError:
        known = None
    return known if known is not None and known.salt == salt else BuiltPages(salt)


def store_pages(project: Project, pages: BuiltPages) -> None:
    """Keep it for the next build. Where that cannot be done, the next one takes longer."""
    store_sealed(_path(project), HEAD, msgspec.msgpack.encode(pages))


def _path(project: Project) -> Path:
    return project.settings.state_folder / "cache" / "pages.cache"


def _salt(project: Project) -> bytes:
    """Everything that all pages depend on and that is in none of them."""
    look = msgspec.json.encode((str(project.version), project.portal_look))
    libraries = [f"{name} {_version(name)}\n".encode() for name in RENDERERS]
    ours = [
        entry.name.encode() + entry.read_bytes()
        for folder in ("templates", "locales")
        for entry in sorted((files("kbsync.site") / folder).iterdir(), key=lambda entry: entry.name)
        if entry.is_file()
    ]
    return digest_of(sys.version.encode(), look, *libraries, *ours)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""  # Installed without its metadata.
