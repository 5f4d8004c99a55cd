"""Sources become what the portal shall hold: defaults filled in, links between sources turned into addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from urllib.parse import quote, unquote

import msgspec

from kbsync.content.body import body_of, raw_digest
from kbsync.content.identity import Identity, Site
from kbsync.content.pictures import PLACEHOLDER, Picture, Pictures
from kbsync.content.source import Link, Source
from kbsync.content.tree import Tree
from kbsync.errors import ContentError
from kbsync.model import MANAGED, STATUSES, Desired, Value, body_digest, digest

PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")


def _encoded(text: str) -> str:
    """Percent-encoded; most slugs need no encoding, and the library takes five times as long to say so."""
    return text if PLAIN.fullmatch(text) else quote(text, safe="")


@dataclass(frozen=True, slots=True)
class Addresses:
    """How a portal's public addresses are made. Source: the profile's `[public]` table."""

    article: str
    category: str
    portal: str

    def of(self, identity: Identity, *, is_article: bool) -> str:
        """The public address of an article or a category, percent-encoded."""
        template = self.article if is_article else self.category
        slug, locale = _encoded(identity.slug), _encoded(identity.locale)
        return template.format(portal=_encoded(self.portal), slug=slug, locale=locale)


def resolve_links(source: Source, site: Site) -> Iterator[tuple[Link, Identity | None]]:
    """Each link of a source that means Markdown or a folder of the tree, with what is there; pictures are left out."""
    for link in source.links:
        identity = site.by_path.get(link.target)
        if link.kind != "image" and (identity is not None or link.target.endswith(".md")):
            yield link, identity


def _query(query: str) -> str:
    """What a link asks of the page, without what could end a Markdown destination or mean something in one."""
    return f"?{quote(query, safe='/?:@!$&+,=%~')}" if query else ""


@cache
def _fragment(anchor: str) -> str:
    return f"#{quote(unquote(anchor), safe='')}" if anchor else ""


def replacements_of(
    source: Source, address_of: Callable[[str], str | None], picture_of: Callable[[str], str | None]
) -> list[tuple[Link, str]]:
    """The links and pictures that mean something of the tree, each with the address that it gets.

    Args:
        source: the one with the links.
        address_of: the public address of what is at a path of the tree, None where nothing is.
        picture_of: the same of a picture.
    """
    return [
        (link, address + ("" if link.is_picture else _query(link.query) + _fragment(link.anchor)))
        for link in source.links
        if (address := (picture_of if link.is_picture else address_of)(link.target)) is not None
    ]


def pictures_of(source: Source) -> Iterator[str]:
    """The paths of the pictures that a source shows or links to."""
    return (link.target for link in source.links if link.is_picture)


def category_fields(source: Source, identity: Identity) -> dict[str, Value]:
    """What one `_category.md` gives."""
    fields: dict[str, Value] = {"slug": identity.slug, "name": source.name or identity.slug}
    for name in ("description", "position", "icon"):
        if (value := getattr(source, name)) is not None:
            fields[name] = value
    return fields


def article_fields(source: Source, identity: Identity, authors: Mapping[str, int], content: str) -> dict[str, Value]:
    """What one article gives; `content` is the digest of its body as it is sent."""
    fields: dict[str, Value] = {"slug": identity.slug, "title": source.title or "", "content": content}
    if identity.category:
        fields["category"] = identity.category
    for name in ("description", "position", "tags", "meta_title", "meta_description"):
        if (value := getattr(source, name)) is not None:
            fields[name] = value
    if source.author is not None and source.author in authors:
        fields["author"] = authors[source.author]
    return fields


@dataclass(frozen=True)
class Compiler:
    """Turns the sources of one tree into desired articles and categories, for one portal.

    `authors` maps the names that sources use to ids of the service; `default` is the one that a create sends where a
    source names nobody.
    """

    tree: Tree
    site: Site
    addresses: Addresses
    authors: Mapping[str, int]
    pictures: Pictures

    @cached_property
    def known(self) -> dict[str, str]:
        """By path of the tree, a category's folder included: the public address. Thousands of links share them."""
        articles = self.site.articles
        return {
            path: self.addresses.of(identity, is_article=path in articles)
            for path, identity in self.site.by_path.items()
        }

    def compile(self) -> list[Desired]:
        """Everything the tree wants, categories first, in path order."""
        sources = self.tree.sources
        categories = [self.category(sources[path], identity) for path, identity in self.site.categories.items()]
        return categories + [self.article(sources[path], identity) for path, identity in self.site.articles.items()]

    def category(self, source: Source, identity: Identity) -> Desired:
        """One `_category.md`."""
        fields = category_fields(source, identity)
        return Desired("category", identity.locale, identity.slug, source.path, fields, aliases=source.aliases)

    def article(self, source: Source, identity: Identity) -> Desired:
        """One article; its body is named by digest and made anew by `content_of` when it is sent."""
        fields = article_fields(source, identity, self.authors, self._content_digest(source))
        status = STATUSES.get(source.status)
        creation = {"author": self.authors["default"]} if "default" in self.authors else {}
        return Desired(
            "article",
            identity.locale,
            identity.slug,
            source.path,
            fields,
            status,
            MANAGED[source.manage],
            source.aliases,
            self._root_of(source.path),
            creation,
        )

    def _root_of(self, path: str) -> str:
        """The path of the article that one translates, at the end of every chain; "" for an original."""
        root, seen = path, {path}
        while above := self._translated(root):
            if above in seen:
                # Where two name each other, the one that was told so is the translation.
                return root if root != path and self.tree.sources[root].translation_of is None else ""
            seen.add(above)
            root = above
        return "" if root == path else root

    def _translated(self, path: str) -> str:
        """The path of what a source says that it translates; by default the same path under the default locale."""
        said = self.tree.sources[path].translation_of
        if said is None:
            first, _, rest = path.partition("/")
            default = self.site.default_locale
            said = f"{default}/{rest}" if first != default and first in self.site.locales else ""
        return said if said in self.site.articles else ""

    def content_of(self, path: str) -> str:
        """The body of an article as it is sent.

        Raises:
            ContentError: the file is no longer the one that was read.
        """
        source = self.tree.sources[path]
        try:
            data = self.tree.read_bytes(path)
        except OSError as exc:
            raise ContentError(f"{path} can no longer be read: {exc.strerror}.") from exc
        if raw_digest(data) != source.raw_digest:
            raise ContentError(f"{path} changed while kbsync was running.", hint="Run the command again.")
        return body_of(
            source, data, replacements_of(source, self.known.get, lambda at: self.pictures.address(at, path))
        )

    def awaited(self, path: str) -> list[Picture]:
        """The pictures of a source that must be uploaded before it can be sent."""
        return self.pictures.awaited(pictures_of(self.tree.sources[path]), path)

    def has_pictures(self, path: str) -> bool:
        """Whether what is sent of an article depends on the addresses of its pictures."""
        paths = pictures_of(self.tree.sources[path])
        return any(self.pictures.address(picture, path) is not None for picture in paths)

    def pictures_at(self, path: str) -> dict[str, str]:
        """The pictures of a source that are uploaded: by what is in them, where they are."""
        found = map(self.pictures.by_path.get, pictures_of(self.tree.sources[path]))
        keys = {picture.key for picture in found if picture and picture.kind} if self.pictures.can_upload else set()
        addresses = {key: self.pictures.of_key(key, path) for key in sorted(keys)}
        return {key: url for key, url in addresses.items() if not url.startswith(PLACEHOLDER)}

    def _id_of_picture(self, path: str) -> str | None:
        picture = self.pictures.by_path.get(path)
        return picture.id if picture else None

    def addresses_of(self, source: Source, picture_of: Callable[[str], str | None]) -> list[str]:
        """The address of each link of a source, "" for what means nothing of the tree."""
        return [(picture_of if link.is_picture else self.known.get)(link.target) or "" for link in source.links]

    def _content_digest(self, source: Source) -> str:
        """The digest of what is sent; the cached one where every link still has the address that it had.

        As long as nobody knows where its pictures are, an article's body is named by what the tree says of it.
        """
        if self.pictures.by_path and not self.pictures.settled and self.has_pictures(source.path):
            return digest("\0".join((source.body_digest, *self.addresses_of(source, self._id_of_picture))))
        addresses = self.addresses_of(source, lambda at: self.pictures.address(at, source.path))
        if not any(addresses):
            return source.body_digest
        row = self.tree.rows[source.path]
        key = blake2b("\0".join(addresses).encode(), digest_size=16).digest()
        if row.links_key == key:
            return row.content_digest
        content = body_digest(self.content_of(source.path))
        self.tree.rows[source.path] = msgspec.structs.replace(row, links_key=key, content_digest=content)
        self.tree.stale = True
        return content
