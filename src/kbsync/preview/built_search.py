"""The search index of a locale as a file of the site. The words of texts that did not change come from the old file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from kbsync.preview.built_pages import BuiltPages, digest_of
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.search_index import Indexed, SearchIndex, Texts, encode_index, of_locale
from kbsync.preview.site_addresses import SiteAddresses

HEAD, TAIL = b"kbsyncPage.takeIndex(", b");\n"
"""Around the index, which is a script: a page that was opened as a file may load one, and may not read files."""


@dataclass(frozen=True, slots=True)
class SearchFile:
    """What an index is made of: the articles by address."""

    articles: dict[str, Indexed]

    @classmethod
    def of(cls, live_tree: LiveTree, addresses: SiteAddresses, locale: str) -> SearchFile:
        """The index of a locale, with addresses as seen from the folder's top, where the file lies."""
        articles = of_locale(live_tree, locale).items()
        return cls({quote(addresses.files[url]): article for url, article in articles})

    @property
    def texts(self) -> tuple[bytes, ...]:
        """The sources in order, by the names of their bytes."""
        return tuple(source.raw_digest for source, _ in self.articles.values())

    @property
    def inputs(self) -> bytes:
        """The name of all that it is made of."""
        rows = [
            (url, source.title, source.description, category, source.raw_digest)
            for url, (source, category) in self.articles.items()
        ]
        return digest_of(msgspec.msgpack.encode(rows))

    def encode(self, root: Path, words: Texts) -> bytes:
        """The file. The words that are not known are read, and known then."""
        return HEAD + encode_index(root, self.articles, words) + TAIL


def known_words(data: bytes | None, known: BuiltPages, name: str) -> Texts:
    """The words of each text in an index that an earlier build wrote, by the name of the text's bytes.

    Args:
        data: the file as it is, or None.
        known: what is known of that build.
        name: the file.
    """
    row, texts = known.rows.get(name), known.texts.get(name)
    if data is None or row is None or texts is None or digest_of(data) != row.content:
        return {}
    articles = msgspec.json.decode(data.removeprefix(HEAD).removesuffix(TAIL), type=SearchIndex).articles
    return {text: found[-1] for text, found in zip(texts, articles, strict=False)}
