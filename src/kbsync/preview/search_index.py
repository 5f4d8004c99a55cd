"""The search index of a locale: title, description and words of every article, for the script that searches."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kbsync.content.body import body_of, raw_digest
from kbsync.content.source import Source
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within
from kbsync.markdown.plain import plain_text
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.urls import NO_LOCALE

Row = tuple[str, str, str, str, str]
"""Address, title, description, category, text."""


@dataclass(slots=True)
class Search:
    """Makes indexes, and keeps the words of each text by the name of its bytes: after a save one is read again."""

    _words: dict[bytes, str] = field(default_factory=dict)

    async def index_of(self, live_tree: LiveTree, locale: str) -> bytes:
        """The index as JSON. The texts are read in a thread."""
        sources, names = of_locale(live_tree, "" if locale == NO_LOCALE else locale)
        known = live_tree.sources.values()
        if len(self._words) > 2 * len(known):
            self._words.clear()
        return await asyncio.to_thread(encode_index, live_tree.tree.root, sources, names, self._words)


def of_locale(live_tree: LiveTree, locale: str) -> tuple[dict[str, Source], dict[str, str]]:
    """The articles of a locale by address, and the names of their categories; what is archived is not found."""
    index = live_tree.index
    sources = {
        index.url_of[path]: live_tree.sources[path]
        for path, identity in index.site.articles.items()
        if identity.locale == locale and live_tree.sources[path].status != "archived"
    }
    return sources, {url: _category(live_tree, source) for url, source in sources.items()}


def encode_index(root: Path, sources: dict[str, Source], names: dict[str, str], words: dict[bytes, str]) -> bytes:
    """The articles at these addresses.

    Args:
        root: the content root.
        sources, names: the articles and the names of their categories, by address.
        words: of texts that were read before, by the name of their bytes; gets those that are read now.
    """
    rows: list[Row] = [
        (url, (source.title or "").strip(), source.description or "", names[url], _text(root, source, words))
        for url, source in sources.items()
    ]
    return msgspec.json.encode({"articles": rows})


def _category(live_tree: LiveTree, source: Source) -> str:
    category_key = live_tree.index.shelf_of(source.path)
    path = live_tree.index.shelf_source(category_key)
    return (live_tree.sources[path].name if path else "") or category_key[1]


def _text(root: Path, source: Source, words: dict[bytes, str]) -> str:
    if (known := words.get(source.raw_digest)) is not None:
        return known
    try:
        data = read_within(root / source.path, MAX_SOURCE_BYTES)
        text = plain_text(body_of(source, data))
    except (OSError, UnicodeDecodeError):
        return ""
    words[raw_digest(data)] = text
    return text
