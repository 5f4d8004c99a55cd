"""The search index of a locale: title, description and words of every article, for the script that searches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from kbsync.content.body import body_of
from kbsync.content.source import Source
from kbsync.markdown.plain import plain_text
from kbsync.preview.addresses import NO_LOCALE
from kbsync.preview.catalogue import Catalogue

Row = tuple[str, str, str, str, str]
"""Address, title, description, category, text."""


async def index_of(catalogue: Catalogue, locale: str) -> bytes:
    """The index as JSON. The texts are read in a thread."""
    sources, names = of_locale(catalogue, "" if locale == NO_LOCALE else locale)
    return await asyncio.to_thread(encode_index, catalogue.tree.root, sources, names)


def of_locale(catalogue: Catalogue, locale: str) -> tuple[dict[str, Source], dict[str, str]]:
    """The articles of a locale by address, and the names of their categories; what is archived is not found."""
    index = catalogue.index
    sources = {
        index.url_of[path]: catalogue.sources[path]
        for path, identity in index.site.articles.items()
        if identity.locale == locale and catalogue.sources[path].status != "archived"
    }
    return sources, {url: _category(catalogue, source) for url, source in sources.items()}


def encode_index(root: Path, sources: dict[str, Source], names: dict[str, str]) -> bytes:
    """The articles at these addresses, with the names of their categories."""
    rows: list[Row] = [
        (url, (source.title or "").strip(), source.description or "", names[url], _text(root, source))
        for url, source in sources.items()
    ]
    return msgspec.json.encode({"articles": rows})


def _category(catalogue: Catalogue, source: Source) -> str:
    shelf = catalogue.index.shelf_of(source.path)
    path = catalogue.index.shelf_source(shelf)
    return (catalogue.sources[path].name if path else "") or shelf[1]


def _text(root: Path, source: Source) -> str:
    try:
        return plain_text(body_of(source, (root / source.path).read_bytes()))
    except (OSError, UnicodeDecodeError):
        return ""
