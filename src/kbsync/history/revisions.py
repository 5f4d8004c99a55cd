"""Older revisions of sources, compiled as they were then: with the slugs and categories of that commit.

What only today knows is taken from today: locales, authors, the shape of addresses, and the address of what a link
means where nothing was there then.

Also: which files the folders of the tree had at older commits.

To find one path, git reads a folder after the other from the commit on, each time anew. So where several files of a
folder are asked about, the folder itself is read, once, and looked into here.

Whether a file that git calls renamed is the same one still.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from kbsync.content.apart import head_of
from kbsync.content.body import BOM, CATEGORY_FILE, body_of
from kbsync.content.compile import Compiler, article_fields, category_fields, images_of, replacements_of
from kbsync.content.identity import Identity, default_slug, folder_category, identify_article, identify_category
from kbsync.content.parse import parse_source
from kbsync.content.source import Source
from kbsync.history.blobs import UNREAD, Blob, Blobs
from kbsync.history.raw_log import Entry
from kbsync.history.repository import SURE_PERCENT, Repository
from kbsync.history.trail import Text
from kbsync.markdown.outline import outline
from kbsync.markdown.uploaded import NAME_CHARS, body_digest, image_name
from kbsync.model import STATUSES, Status, Value
from kbsync.plan.evidence import MIN_WORDS, NEAR, likeness, words


def has_same_body(blobs: Blobs, entry: Entry) -> bool:
    """Whether a file that git calls renamed has nearly its body still: front matter makes short files alike.

    A category has no body; there the name decides.
    """
    found = blobs.read([entry.old_oid, entry.oid])
    bodies = []
    for name, oid in ((entry.old_name, entry.old_oid), (entry.name, entry.oid)):
        blob = found.get(oid)
        if blob is None or blob.data is None:
            return False
        source = parse_source(name, blob.data)
        bodies.append((words(body_of(source, blob.data)), source.title or source.name))
    (old, old_title), (new, new_title) = bodies
    if max(old.total(), new.total()) < MIN_WORDS or entry.name.endswith(CATEGORY_FILE):
        is_category = entry.name.endswith(CATEGORY_FILE)
        return entry.percent >= SURE_PERCENT or (is_category and new_title == old_title)
    return (likeness(new, old, same_title=new_title == old_title) or 0.0) >= NEAR


Place = tuple[str, str]
"""A commit and a path."""

MANY = 3
"""Of a folder with fewer paths that are asked about, git finds each on its own."""

MOST_NAMES = 100_000
"""So many names of files are remembered."""

FILE_MODES = (b"100", b"120")
"""How the mode of a file or a symbolic link begins; those of folders and submodules do not."""


class Folders:
    """Reads folders, and remembers them for the next question about the same commit."""

    def __init__(self, repository: Repository, blobs: Blobs) -> None:
        self.repository = repository
        self.blobs = blobs
        self._known: dict[Place, dict[str, str] | None] = {}

    def find(self, places: Iterable[Place]) -> dict[Place, str]:
        """The ids of files, "" where none was; left out are those of which each has to be asked for by its path.

        Raises:
            GitFailed: too much of the repository is broken.
        """
        if sum(len(files) for files in self._known.values() if files) > MOST_NAMES:
            self._known.clear()
        by_folder: dict[Place, list[str]] = defaultdict(list)
        for commit, path in places:
            if _is_plain(path):
                by_folder[commit, path.rpartition("/")[0]].append(path)
        wanted = {place: paths for place, paths in by_folder.items() if len(paths) >= MANY or place in self._known}
        self._read([place for place in wanted if place not in self._known])
        return {
            (commit, path): files.get(path.rpartition("/")[2], "")
            for (commit, folder), paths in wanted.items()
            if (files := self._known[commit, folder]) is not None
            for path in paths
        }

    def _read(self, places: list[Place]) -> None:
        asked = {self.repository.at(commit, folder).rstrip("/"): (commit, folder) for commit, folder in places}
        found = self.blobs.read(asked, kind=b"tree")
        self._known |= {place: _files_of(found.get(request)) for request, place in asked.items()}


def _is_plain(path: str) -> bool:
    """Whether git takes a path as it is: `./x` is relative to where git runs, and a request is a line."""
    return "\n" not in path and {"", ".", ".."}.isdisjoint(path.split("/"))


def _files_of(folder: Blob | None) -> dict[str, str] | None:
    """The ids of a folder's files by name; None where there is no such folder, it is too large or broken."""
    if folder is None or folder.data is None:
        return None
    entries = re.findall(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(folder.oid) // 2), folder.data, re.DOTALL)
    if sum(len(mode) + len(name) + len(oid) + 2 for mode, name, oid in entries) != len(folder.data):
        return None
    return {name.decode("utf-8", "surrogateescape"): oid.hex() for mode, name, oid in entries if mode[:3] in FILE_MODES}


BODY = frozenset({"content", "title"})
"""The fields for which the Markdown is read; a title may be its first heading."""


NO_HEAD: tuple[bytes, Source | None] = (b"", None)


class Revision(NamedTuple):
    """One source as a commit has it. `wanted` are the fields that it may have given the portal."""

    source: Source
    data: bytes
    commit: str
    wanted: frozenset[str]


class Then:
    """Who was at which path of the tree at older commits."""

    def __init__(self, compiler: Compiler, repository: Repository, blobs: Blobs) -> None:
        self.compiler = compiler
        self.repository = repository
        self.blobs = blobs
        self.folders = Folders(repository, blobs)
        self._known: dict[tuple[str, str], Identity] = {}
        self._outlines: dict[tuple[str, str], str] = {}
        self._at: dict[tuple[str, str], Identity | None] = {}
        self._images: dict[tuple[str, str], str] = {}
        self._by_head: dict[tuple[str, str], Source] = {}
        self._last_heads: dict[str, tuple[bytes, Source]] = {}
        self.scanned = 0
        """Texts whose Markdown was parsed."""

    def read(self, text: Text, data: bytes, wanted: Collection[str], outlines: Collection[str]) -> Revision | None:
        """Parse an older text as far as some fields need it; None where it could never have been pushed.

        Args:
            text: where it was.
            data: its bytes.
            wanted: the fields that are looked for.
            outlines: of the bodies that are looked for; none where one of them has none.
        """
        (source, body), left = self._front(text.name, data), frozenset(wanted)
        if _is_broken(source):
            return None
        if source.kind == "article" and not BODY.isdisjoint(left):
            # A title in the front matter: no heading left the body, and its outline is known without parsing it.
            if source.title is not None and self._is_another(text, body, outlines):
                left -= {"content"}
            if source.title is None or "content" in left or b"\0" in data:
                self.scanned += 1
                source = parse_source(text.name, data)
                if _is_broken(source):
                    return None
                if self._is_another(text, body_of(source, data), outlines):
                    left -= {"content"}
        return Revision(source, data, text.commit, left)

    def _is_another(self, text: Text, body: str, outlines: Collection[str]) -> bool:
        """Whether no addresses could make a body one of those with these outlines."""
        if not outlines:
            return False
        found = self._outlines[text.name, text.oid] = outline(body)
        return found not in outlines

    def _front(self, path: str, data: bytes) -> tuple[Source, str]:
        """What the front matter of a file says, and the text behind it. Most revisions change the text alone."""
        head, known = self._last_heads.get(path, NO_HEAD)
        if known is not None and data.startswith(head):
            with suppress(UnicodeDecodeError):
                return known, data[len(head) :].decode("utf-8")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        return self._new_front(path, data, text)

    def _new_front(self, path: str, data: bytes, text: str) -> tuple[Source, str]:
        head = head_of(text)
        body = text[len(head) :]
        if not head.removeprefix(BOM):
            return parse_source(path, data, body=False), body
        if (known := self._by_head.get((path, head))) is None:
            known = self._by_head[path, head] = parse_source(path, head.encode("utf-8"), body=False)
        if body and head.endswith("\n"):
            # Nothing behind such a head makes it longer: it is closed, and its last line ended.
            self._last_heads[path] = head.encode("utf-8"), known
        return known, body

    def needs(self, revision: Revision) -> Iterator[str]:
        """The paths of the tree on which the fields of a revision depend."""
        source, wanted = revision.source, revision.wanted
        if source.kind == "article" and "category" in wanted and not source.category:
            asked: list[str] = []
            folder_category(source.path, self.compiler.site.locales, asked.append)
            yield from asked
        if "content" in wanted:
            yield from targets_of(source)
            yield from images_of(source)

    def load(self, needed: Iterable[tuple[str, str]]) -> None:
        """Look up paths at commits, all at once; what was looked up before is forgotten."""
        self._at.clear()
        self._images.clear()
        places = dict.fromkeys(needed)
        listed = self.folders.find(places)
        self._load_listed(listed)
        asked = {self.repository.at(*place): place for place in places if place not in listed}
        for request, blob in self.blobs.read(asked).items():
            commit, path = asked[request]
            if blob and not path.endswith(".md"):
                self._images[commit, path] = blob.oid
                continue
            data = blob.data if blob else None
            self._at[commit, path] = self.identify(path, blob.oid, data) if blob and data is not None else None

    def _load_listed(self, listed: Mapping[tuple[str, str], str]) -> None:
        """Note which files were there. No image is read, and no source of which it is known who it was."""
        sources = {place: oid for place, oid in listed.items() if oid and place[1].endswith(".md")}
        self._images |= {place: oid for place, oid in listed.items() if oid and place not in sources}
        unknown = [oid for (_, path), oid in sources.items() if not self.knows(path, oid)]
        blobs = self.blobs.read(unknown, is_sure=False)
        for (commit, path), oid in sources.items():
            blob = blobs.get(oid, UNREAD)
            if blob is not None and blob.data is not None:
                self._at[commit, path] = self.identify(path, oid, blob.data)

    def identify(self, path: str, oid: str, data: bytes) -> Identity:
        """Who a file was, from its front matter and its path; an article without its category."""
        if (known := self._known.get((path, oid))) is not None:
            return known
        (source, _), site = self._front(path, data), self.compiler.site
        found = (
            identify_category(path, source, site)
            if source.kind == "category"
            else identify_article(path, source, site, lambda path: None)
        )
        self._known[path, oid] = found
        return found

    def knows(self, path: str, oid: str) -> bool:
        """Whether it is known who a file was, without reading it."""
        return (path, oid) in self._known

    def rules_out(self, path: str, oid: str, outlines: Collection[str]) -> bool:
        """Whether a text is certainly not one of the bodies with these outlines, without reading it."""
        known = self._outlines.get((path, oid), "")
        return bool(known and outlines) and known not in outlines

    def identities(self, path: str, oid: str, data: bytes) -> Iterator[Identity]:
        """The identities that a file may have had: its first folder may have been a locale that was removed."""
        identity, site = self.identify(path, oid, data), self.compiler.site
        yield identity
        if not identity.locale:
            folder, slug = path.partition("/")[0], identity.slug
            is_article = not path.endswith(CATEGORY_FILE)
            if is_article and slug == default_slug(path, "", site):
                slug = default_slug(path, folder, site)
            yield Identity(path, folder, slug)

    def address(self, identity: Identity) -> str:
        """The public address that it had."""
        is_article = not identity.path.endswith(CATEGORY_FILE)
        return self.compiler.addresses.of(identity, is_article=is_article)

    def fields_of(self, revision: Revision) -> Mapping[str, Value]:
        """What the revision compiled to, but for the body; with the status and the locale that it had on the portal.

        An article whose file says no status was made as a draft.
        """
        source, site = revision.source, self.compiler.site
        if source.kind == "category":
            category = identify_category(source.path, source, site)
            return {**category_fields(source, category), "locale": category.locale}

        def slug_at(path: str) -> str | None:
            identity = self._at.get((revision.commit, path))
            return identity.slug if identity else None

        identity = identify_article(source.path, source, site, slug_at)
        status = STATUSES.get(source.status) or Status.DRAFT
        fields = article_fields(source, identity, self.compiler.authors, "")
        return {**fields, "status": status, "locale": identity.locale}

    def name_of_body(self, revision: Revision) -> Value:
        """The name of its body as it is compared, in which the line ends of a checkout do not count."""
        return body_digest(self.body_of(revision))

    def body_of(self, revision: Revision) -> str:
        """The body as it was committed, with addresses in the place of links and images."""

        def address_of(path: str) -> str | None:
            identity = self._at.get((revision.commit, file_of(path)))
            return self.address(identity) if identity else self.compiler.known.get(path)

        def image_of(path: str) -> str | None:
            # An image of another path or of none today is named by what it was.
            images, oid = self.compiler.images, self._images.get((revision.commit, path))
            if oid is None or images.base_url or not images.can_upload:
                return images.name(path)
            return image_name(oid[:NAME_CHARS])

        return body_of(revision.source, revision.data, replacements_of(revision.source, address_of, image_of))


def _is_broken(source: Source) -> bool:
    return any(problem.level == "error" for problem in source.problems)


def targets_of(source: Source) -> Iterator[str]:
    """The files of the tree that the links of a source mean."""
    for link in source.links:
        if link.kind != "image" and not any(part.startswith(".") for part in link.target.split("/")):
            yield file_of(link.target)


def file_of(target: str) -> str:
    """The file behind the target of a link: a folder is its category."""
    return target if target.endswith(".md") else f"{target}/{CATEGORY_FILE}"
