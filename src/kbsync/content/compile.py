"""Sources become what the portal shall hold: defaults filled in, links between sources turned into addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote, unquote

import msgspec

from kbsync.config.moments import read_moment
from kbsync.content.body import body_of
from kbsync.content.identity import Identity, Site
from kbsync.content.images import Image, Images
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.fields import AS_GIVEN
from kbsync.markdown.uploaded import body_digest, image_name
from kbsync.model import MANAGED, STATUSES, Desired, Fields, Value

SIZES = ("cw_image_", "cw_video_")
"""How the parameters begin with which the panel sizes an image or a player."""

PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")


def _encoded(text: str) -> str:
    """Percent-encoded; most slugs need no encoding, and the library takes five times as long to say so."""
    return text if PLAIN.fullmatch(text) else quote(text, safe="")


class Addresses(msgspec.Struct, frozen=True):
    """How a portal's public addresses are made. Source: the profile's `[public]` table."""

    article: str
    category: str
    portal: str

    def of(self, identity: Identity, *, is_article: bool) -> str:
        """The public address of an article or a category, percent-encoded."""
        template = self.article if is_article else self.category
        slug, locale = _encoded(identity.slug), _encoded(identity.locale)
        return template.format(portal=_encoded(self.portal), slug=slug, locale=locale)


def _query(query: str) -> str:
    """What a link asks of the page, without what could end a Markdown destination or mean something in one."""
    return f"?{quote(query, safe='/?:@!$&+,=%~')}" if query else ""


def _sizes(query: str) -> str:
    """The size of an image in its link, `?cw_image_width=300px`. It is part of the text: the panel writes it there too.

    Source: docs/service.md, S153 and S160.
    """
    return _query("&".join(pair for pair in query.split("&") if pair.startswith(SIZES)))


@cache
def _fragment(anchor: str) -> str:
    return f"#{quote(unquote(anchor), safe='')}" if anchor else ""


def replacements_of(
    source: Source, address_of: Callable[[str], str | None], image_of: Callable[[str], str | None]
) -> list[tuple[Link, str]]:
    """The links and images that mean something of the tree, each with the address that it gets.

    Args:
        source: the one with the links.
        address_of: the public address of what is at a path of the tree, None where nothing is.
        image_of: the same of an image.
    """
    return [
        (link, address + (_sizes(link.query) if link.is_image else _query(link.query) + _fragment(link.anchor)))
        for link in source.links
        if (address := (image_of if link.is_image else address_of)(link.target)) is not None
    ]


def images_of(source: Source) -> Iterator[str]:
    """The paths of the images that a source shows or links to."""
    return (link.target for link in source.links if link.is_image)


def category_fields(source: Source, identity: Identity) -> dict[str, Value]:
    """What one `_category.md` gives."""
    fields: dict[str, Value] = {"slug": identity.slug, "name": source.name or identity.slug}
    for name in AS_GIVEN["category"]:
        if (value := getattr(source, name)) is not None:
            fields[name] = value
    return fields


def article_fields(source: Source, identity: Identity, authors: Mapping[str, int], content: str) -> dict[str, Value]:
    """What one article gives; `content` is the digest of its body as it is sent."""
    fields: dict[str, Value] = {"slug": identity.slug, "title": source.title or "", "content": content}
    if identity.category:
        fields["category"] = identity.category
    for name in AS_GIVEN["article"]:
        if (value := getattr(source, name)) is not None:
            fields[name] = value
    if source.author is not None and source.author in authors:
        fields["author"] = authors[source.author]
    return fields


class Compiled(NamedTuple):
    """What a tree wants, and what its scan cache did not know of it."""

    items: list[Desired]
    contents: Mapping[str, tuple[bytes, str]]


class Compiler(msgspec.Struct, frozen=True, dict=True):
    """Turns the sources of one tree into desired articles and categories, for one portal.

    `authors` maps the names that sources use to ids of the service; `default` is the one that a create sends where a
    source names no author. `zone` is the time zone of a date without a time.
    """

    tree: Tree
    site: Site
    addresses: Addresses
    authors: Mapping[str, int]
    images: Images
    zone: str = ""

    @cached_property
    def known(self) -> dict[str, str]:
        """By path of the tree, a category's folder included: the public address. Thousands of links share them."""
        articles = self.site.articles
        return {
            path: self.addresses.of(identity, is_article=path in articles)
            for path, identity in self.site.by_path.items()
        }

    @cached_property
    def _creation(self) -> Fields:
        """What only a create sends: one value for all articles."""
        return {"author": self.authors["default"]} if "default" in self.authors else {}

    def compile(self) -> Compiled:
        """Everything the tree wants, categories first, in path order."""
        sources = self.tree.sources
        items = [self.category(sources[path], identity) for path, identity in self.site.categories.items()]
        contents: dict[str, tuple[bytes, str]] = {}
        for path, identity in self.site.articles.items():
            source = sources[path]
            content, links_key = self._content(source)
            items.append(self._article(source, identity, content))
            if links_key is not None:
                contents[path] = links_key, content
        return Compiled(items, contents)

    def category(self, source: Source, identity: Identity) -> Desired:
        """One `_category.md`."""
        fields = category_fields(source, identity)
        return Desired(
            kind="category",
            locale=identity.locale,
            slug=identity.slug,
            path=identity.path,
            fields=fields,
            aliases=source.aliases,
            root_path=self._root_of(source.path),
        )

    def article(self, source: Source, identity: Identity) -> Desired:
        """One article; its body is named by digest and made anew by `content_of` when it is sent."""
        return self._article(source, identity, self._content(source)[0])

    def _article(self, source: Source, identity: Identity, content: str) -> Desired:
        fields = article_fields(source, identity, self.authors, content)
        status = STATUSES.get(source.status)
        return Desired(
            kind="article",
            locale=identity.locale,
            slug=identity.slug,
            path=identity.path,
            fields=fields,
            status=status,
            manage=MANAGED[source.manage],
            aliases=source.aliases,
            root_path=self._root_of(source.path),
            creation=self._creation,
            publish_on=self._publish_on(source),
            release=source.release or "",
        )

    def _publish_on(self, source: Source) -> str:
        if not source.publish_on:
            return ""
        moment = read_moment(source.publish_on, self.zone)
        return moment.isoformat() if moment else ""

    def _root_of(self, path: str) -> str:
        """The path of the article that one translates, at the end of every chain; "" for an original."""
        root, seen = path, {path}
        while above := self._translated(root):
            if above in seen:
                # Where two name each other, the one that says so in its front matter is the translation.
                return root if root != path and self.tree.sources[root].translation_of is None else ""
            seen.add(above)
            root = above
        # The same text as that of the original itself: thousands of translations have one each.
        return "" if root == path else self.site.by_path[root].path

    def _translated(self, path: str) -> str:
        return self.site.translated(path, self.tree.sources[path].translation_of)

    def content_of(self, path: str, address_of: Callable[[str], str] = image_name) -> str:
        """The body of an article, with its uploaded images named by key, or as it is sent.

        Args:
            path: the source.
            address_of: the address of an uploaded image by its key; by default it is named by that.

        Raises:
            ContentError: the file is no longer the one that was read.
        """
        source = self.tree.sources[path]
        data = self.tree.read_again(path)

        def image_of(target: str) -> str | None:
            image = self.images.uploaded(target)
            return address_of(image.key) if image else self.images.name(target)

        return body_of(source, data, replacements_of(source, self.known.get, image_of))

    def uploaded(self, path: str) -> Iterator[Image]:
        """The images of a source that are uploaded, in the order in which it shows them."""
        found = map(self.images.uploaded, images_of(self.tree.sources[path]))
        return (image for image in found if image is not None)

    def _content(self, source: Source) -> tuple[str, bytes | None]:
        """The digest of a body; the cached one where every link still has the address that it had.

        Else the name of these addresses comes with it, for the scan cache.
        """
        addresses = [
            (self.images.name if link.is_image else self.known.get)(link.target) or "" for link in source.links
        ]
        if not any(addresses):
            return source.body_digest, None
        row = self.tree.rows[source.path]
        key = blake2b("\0".join(addresses).encode(), digest_size=16).digest()
        if row.links_key == key:
            return row.content_digest, None
        return body_digest(self.content_of(source.path)), key
