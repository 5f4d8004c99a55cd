"""The search index of a locale as a file of the site. The words of texts that did not change come from the old file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from kbsync.content.source import Source
from kbsync.preview.built_pages import BuiltPages, digest_of
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import Row, encode_index, of_locale
from kbsync.preview.site_addresses import SiteAddresses


class SearchIndex(msgspec.Struct, frozen=True):
    """What `encode_index` writes."""

    articles: list[Row]


@dataclass(frozen=True, slots=True)
class SearchFile:
    """What an index is made of: the articles and the names of their categories, by address."""

    sources: dict[str, Source]
    names: dict[str, str]

    @classmethod
    def of(cls, live_tree: LiveTree, addresses: SiteAddresses, locale: str) -> SearchFile:
        """The index of a locale, with addresses as seen from the folder's top, where the file lies."""
        sources, names = of_locale(live_tree, locale)
        moved = {url: quote(addresses.files[url]) for url in sources}
        return cls(
            {moved[url]: source for url, source in sources.items()}, {moved[url]: name for url, name in names.items()}
        )

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The sources in order, by the names of their bytes."""
        return tuple(source.raw_digest for source in self.sources.values())

    @property
    def inputs(self) -> bytes:
        """The name of all that it is made of."""
        rows = [
            (url, source.title, source.description, self.names[url], source.raw_digest)
            for url, source in self.sources.items()
        ]
        return digest_of(msgspec.msgpack.encode(rows))

    def encode(self, root: Path, words: dict[bytes, str]) -> bytes:
        """The index. The words that are not known are read, and known then."""
        return encode_index(root, self.sources, self.names, words)


def known_words(data: bytes | None, known: BuiltPages, name: str) -> dict[bytes, str]:
    """The words of each text in an index that an earlier build wrote, by the name of the text's bytes.

    Args:
        data: the file as it is, or None.
        known: what is known of that build.
        name: the file.
    """
    row, texts = known.rows.get(name), known.texts.get(name)
    if data is None or row is None or texts is None or digest_of(data) != row.content:
        return {}
    articles = msgspec.json.decode(data, type=SearchIndex).articles
    return {text: found[-1] for text, found in zip(texts, articles, strict=False)}
