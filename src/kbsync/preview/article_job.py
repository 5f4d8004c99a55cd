"""The page of an article as something to do: all that it is made of, in a form that crosses between processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from kbsync.content.body import body_of, raw_digest, readable
from kbsync.content.source import Link, Source
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.files import read_within
from kbsync.markdown.versions import Version
from kbsync.preview.category_lists import CategoryList, Part
from kbsync.preview.index import CategoryKey
from kbsync.preview.site_addresses import SiteAddresses
from kbsync.site.pages import ArticlePage


class ArticleJob(msgspec.Struct, frozen=True, array_like=True):
    """The page of an article before its body is rendered.

    `name` is the file, `page` is without a body and the list of its category, `links` have their local addresses.
    """

    name: str
    page: ArticlePage
    source: Source
    links: tuple[tuple[Link, str], ...]

    @classmethod
    def of(cls, name: str, page: ArticlePage, source: Source, links: Sequence[tuple[Link, str]]) -> ArticleJob:
        """Of a source only what the body needs: nothing more crosses between processes."""
        kept = Source(
            source.path, source.kind, source.raw_digest, body_start=source.body_start, title_span=source.title_span
        )
        return cls(name, page, kept, tuple(links))


class EncodedJob(NamedTuple):
    """A job as it crosses between processes; `beside` is None for an article without a category."""

    data: bytes
    beside: Part | None


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all pages of a site have in common. `lists` has its categories, with addresses as seen from an article."""

    root: Path
    addresses: SiteAddresses
    version: Version
    portal_look: bool
    lists: Mapping[CategoryKey, CategoryList]


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgspec.msgpack.Decoder(ArticleJob)


def render_job(job: ArticleJob, beside: Part | None, place: Workplace) -> bytes | None:
    """The page; None where the file is no longer the one that was read."""
    # Loaded here: a process that renders nothing needs no parser.
    from kbsync.preview.article_html import plain_body
    from kbsync.site.pages import render

    try:
        data = read_within(place.root / job.source.path, MAX_SOURCE_BYTES)
    except OSError:
        return None
    if raw_digest(data) != job.source.raw_digest:
        return None
    markdown = body_of(job.source, readable(data), job.links)
    locale = job.page.frame.locale
    body = plain_body(markdown, locale, bare=place.portal_look, media=False, version=place.version)
    nav = place.lists[beside.category].beside(beside) if beside else None
    page = replace(job.page, body_html=body.html, toc=body.toc, nav=nav)
    return place.addresses.relative(render(page), job.name).encode()
