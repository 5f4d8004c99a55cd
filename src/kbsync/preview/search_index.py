"""The search index of a locale: every article by heading, for the script that searches.

Measured beside libraries that search in a browser (bench/RESULTS.md): the words themselves are smaller than an index of
them, and are needed for the results anyway.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from kbsync.content.body import body_of, raw_digest
from kbsync.content.source import Source
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within
from kbsync.markdown.plain import PlainSection, plain_sections
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.urls import NO_LOCALE

Row = tuple[str, str, str, str, msgspec.Raw]
"""Address, title, description, category, and the sections as JSON: `PlainSection`s."""

Texts = dict[bytes, msgspec.Raw]
"""The sections of texts that were read before, by `raw_digest`."""


class Indexed(NamedTuple):
    """An article in the index."""

    source: Source
    category: str


class SearchIndex(msgspec.Struct, frozen=True, kw_only=True):
    """What the script gets.

    Args:
        version: the name of this state, for the next request.
        since: the state that this one is the difference to; "" for all of it.
        articles: those that are new or different.
        gone: the addresses of those that are no longer there.
    """

    version: str
    since: str
    articles: list[Row]
    gone: list[str]


@dataclass(slots=True)
class Versions:
    """What was sent of a locale: after a save only the difference is.

    `_sent` has what each article's row was made of, and the number of the state in which it last changed; `_gone` the
    numbers of the states in which articles went.
    """

    _name: str = field(default_factory=lambda: secrets.token_hex(4))
    _number: int = 0
    _sent: dict[str, tuple[tuple[bytes, str], int]] = field(default_factory=dict)
    _gone: dict[str, int] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The name of the state; another run of the preview has other names."""
        return f"{self._name}-{self._number}"

    def take(self, articles: dict[str, Indexed]) -> None:
        """The articles as they are now."""
        number = self._number + 1
        changed = {
            url: ((article.source.raw_digest, article.category), number)
            for url, article in articles.items()
            if (known := self._sent.get(url)) is None or known[0] != (article.source.raw_digest, article.category)
        }
        gone = self._sent.keys() - articles.keys()
        if not changed and not gone:
            return
        self._number = number
        for url in gone:
            del self._sent[url]
        self._gone |= dict.fromkeys(gone, number)
        self._sent |= changed
        for url in changed:
            self._gone.pop(url, None)

    def since(self, version: str) -> tuple[list[str], list[str]] | None:
        """The addresses that changed and those that went since a state; None for one that is not known."""
        name, _, number = version.partition("-")
        if name != self._name or not number.isdecimal() or not number.isascii():
            return None
        before = int(number[:18])
        changed = [url for url, (_, at) in self._sent.items() if at > before]
        return changed, [url for url, at in self._gone.items() if at > before]


@dataclass(slots=True)
class Search:
    """Makes indexes, and keeps the words of each text by the name of its bytes: after a save one is read again."""

    _texts: Texts = field(default_factory=dict)
    _versions: dict[str, Versions] = field(default_factory=dict)

    async def index_of(self, live_tree: LiveTree, locale: str, since: str = "") -> bytes:
        """The index as JSON. The texts are read in a thread.

        Args:
            live_tree: what is searched.
            locale: whose articles, as an address has it.
            since: the version that the page already has; "" for none.
        """
        if locale not in {known or NO_LOCALE for known in live_tree.index.locales}:
            return encode_index(live_tree.tree.root, {}, {})
        articles = of_locale(live_tree, "" if locale == NO_LOCALE else locale)
        versions = self._versions.setdefault(locale, Versions())
        versions.take(articles)
        version = versions.version
        gone: list[str] = []
        if (difference := versions.since(since)) is None:
            since = ""
        else:
            changed, gone = difference
            articles = {url: articles[url] for url in changed}
        if len(self._texts) > 2 * len(live_tree.sources):
            self._texts.clear()
        rows = await asyncio.to_thread(_rows, live_tree.tree.root, articles, self._texts)
        return msgspec.json.encode(SearchIndex(version=version, since=since, articles=rows, gone=gone))


def of_locale(live_tree: LiveTree, locale: str) -> dict[str, Indexed]:
    """The articles of a locale by address; what is archived is not found."""
    index = live_tree.index
    return {
        index.url_of[path]: Indexed(live_tree.sources[path], _category(live_tree, path))
        for path, identity in index.site.articles.items()
        if identity.locale == locale and live_tree.sources[path].status != "archived"
    }


def encode_index(root: Path, articles: dict[str, Indexed], texts: Texts) -> bytes:
    """All of an index, for a folder of files.

    Args:
        root: the content root.
        articles: what is in it, by address.
        texts: of files that were read before; gets those that are read now.
    """
    return msgspec.json.encode(SearchIndex(version="", since="", articles=_rows(root, articles, texts), gone=[]))


def _rows(root: Path, articles: dict[str, Indexed], texts: Texts) -> list[Row]:
    return [
        (url, (source.title or "").strip(), source.description or "", category, _text(root, source, texts))
        for url, (source, category) in articles.items()
    ]


def _category(live_tree: LiveTree, path: str) -> str:
    category_key = live_tree.index.shelf_of(path)
    declared = live_tree.index.shelf_source(category_key)
    return (live_tree.sources[declared].name if declared else "") or category_key[1]


def _text(root: Path, source: Source, texts: Texts) -> msgspec.Raw:
    if (known := texts.get(source.raw_digest)) is not None:
        return known
    try:
        data = read_within(root / source.path, MAX_SOURCE_BYTES)
        sections = plain_sections(body_of(source, data))
    except (OSError, UnicodeDecodeError):
        return msgspec.Raw(b"[]")
    text = msgspec.Raw(msgspec.json.encode([_short(section) for section in sections]))
    texts[raw_digest(data)] = text
    return text


def _short(section: PlainSection) -> Iterable[str]:
    """A section without the empty words at its end."""
    return section if section.code else section[:3]
