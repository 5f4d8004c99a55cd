"""`resolve --into-file` and `--merge`: the edit that a person has pending in the panel, written into its file.

Written only where the file then means exactly that edit, and where git has what the file said before.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from kbsync.app.fix import Fix
from kbsync.app.pulling import errors_in
from kbsync.content.body import body_of
from kbsync.content.compile import Compiler, images_of, replacements_of
from kbsync.content.images import git_id
from kbsync.content.parse import parse_source
from kbsync.content.post import HANDLER, SourcePost, read_post
from kbsync.content.source import Source
from kbsync.errors import ContentError
from kbsync.files import real_path
from kbsync.history.base_texts import find_texts
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository
from kbsync.markdown.constructs import Target
from kbsync.markdown.rewrite import rewrite
from kbsync.markdown.spans import scan
from kbsync.markdown.uploaded import body_digest, by_key, image_name
from kbsync.model import Base
from kbsync.plan.three_way import merge_texts, with_ends_of

ONE_SIDE = "Use `--ours` or `--into-file`, or merge them by hand."
BY_HAND = "Copy the edit from the panel into your file by hand, then discard it there."


class Texts(NamedTuple):
    """Title and body of an article, as the portal has them."""

    title: str
    body: str


def take(compiler: Compiler, path: str, *, title: str | None, body: str) -> None:
    """Write title and body into a source; without a title it keeps its own.

    Raises:
        ContentError: the file would not mean the same, or what it says now would be lost.
    """
    place = real_path(compiler.tree.root / path)
    if not place.is_relative_to(real_path(compiler.tree.root)):
        raise ContentError(f"{path} is a link to a file outside of the content folder.", hint=BY_HAND)
    before = compiler.tree.read_bytes(path)
    _check_committed(compiler, path, before)
    source = compiler.tree.sources[path]
    wanted = source.title if title is None else title
    after = _written(compiler, source, before.decode("utf-8"), wanted or "", body)
    if errors := errors_in(path, after):
        raise ContentError(f"{path} would have an error: {errors[0]}. Nothing was written.", hint=BY_HAND)
    found = parse_source(path, after)
    same = (found.keys, found.title) == (source.keys, wanted)
    if not same or body_digest(_compiled(compiler, found, after)) != body_digest(body):
        message = f"{path} cannot say exactly what was edited in the panel. Nothing was written."
        raise ContentError(message, hint=BY_HAND)
    try:
        Fix(path, place, before, after).write()
    except OSError as exc:
        raise ContentError(f"{path} cannot be written: {exc.strerror}.", hint=BY_HAND) from exc


PENDING = "the pending edit"
SHOWN = "what readers see"


def merge(base: Texts, ours: Texts, theirs: Texts, *, what: str = PENDING) -> Texts:
    """Title and body with both edits of a text, bodies line by line; `what` are theirs.

    Raises:
        ContentError: both changed the title, or the same lines.
    """
    title = theirs.title if ours.title in (base.title, theirs.title) else ours.title
    if title == ours.title and theirs.title not in (base.title, ours.title):
        raise ContentError(f"Your file and {what} have different titles. Nothing was written.", hint=ONE_SIDE)
    body = merge_texts(base.body, ours.body, theirs.body)
    if body.conflicts:
        raise ContentError(f"Your file and {what} change the same lines. Nothing was written.", hint=ONE_SIDE)
    return Texts(title, body.text)


def base_of(compiler: Compiler, path: str, base: Base | None) -> Texts:
    """Title and body that the file and what readers see had in common before both changed.

    Raises:
        ContentError: neither the ledger nor git has them.
    """
    name, title = (base.fields.get("content"), base.fields.get("title")) if base is not None else (None, None)
    if name == body_digest(compiler.content_of(path)):
        return Texts(str(title or ""), compiler.content_of(path))
    wanted = {path: (name, (base.path,) if base is not None else ())}
    body = find_texts(compiler, wanted, compiled=True).get(path) if name is not None else None
    if body is None or title is None:
        message = "What your file and the portal had in common is neither in the ledger nor in git."
        raise ContentError(f"{message} Nothing was written.", hint=ONE_SIDE)
    return Texts(str(title), body)


def _check_committed(compiler: Compiler, path: str, data: bytes) -> None:
    """Refuse to write over a text that git does not have.

    Raises:
        ContentError: it does not.
    """
    try:
        repository = Repository(compiler.tree.root)
        named = repository.git.ask("rev-parse", "--verify", "--quiet", repository.at("HEAD", path))
    except GitFailed:
        named = b""
    if named.decode("ascii").strip() not in {git_id(data), git_id(data.replace(b"\r\n", b"\n"))}:
        raise ContentError(f"{path} has changes that are not committed. Nothing was written.", hint="Commit it first.")


def _written(compiler: Compiler, source: Source, text: str, title: str, body: str) -> bytes:
    """The file with another title and body, as near to what it was as can be."""
    post = read_post(text)
    start, end = source.title_span
    old, new = post.content, with_ends_of(text, _with_paths(compiler, source, by_key(body))).strip("\r\n")
    if end:
        heading = old[:end] if source.title == title else f"{old[:start]}# {title}\n"
        tail = "\r\n" if "\r\n" in old else "\n"
        return f"{post.head}{heading.rstrip()}{tail}{tail}{new}{tail}".encode()
    first = old[: len(old) - len(old.lstrip("\r\n"))]
    last = old[len(old.rstrip("\r\n")) :] or "\n"
    return f"{_with_title(post, source, title)}{first}{new}{last}".encode()


def _with_title(post: SourcePost, source: Source, title: str) -> str:
    """The front matter with another title, all else as it was written."""
    if source.title == title or "title" not in post.front:
        return post.head
    lines = post.head.splitlines(keepends=True)
    at = post.front["title"].place.line - 1
    ending = lines[at][len(lines[at].rstrip("\r\n")) :]
    lines[at] = HANDLER.export({"title": title}) + ending
    return "".join(lines)


def _with_paths(compiler: Compiler, source: Source, body: str) -> str:
    """A body of the portal with the links and images of the tree as a file writes them."""
    folder = posixpath.dirname(source.path)
    articles = {address: path for path, address in compiler.known.items()}
    shown = (compiler.images.uploaded(path) for path in images_of(source))
    images = {image_name(image.key): image.path for image in shown if image is not None}

    def replaced() -> Iterator[tuple[Target, str]]:
        for target in scan(body).targets:
            address, mark, anchor = target.destination.partition("#")
            address, asks, query = address.partition("?")
            if path := articles.get(address) or images.get(address):
                yield target, quote(posixpath.relpath(path, folder)) + asks + query + mark + anchor

    return rewrite(body, replaced())


def _compiled(compiler: Compiler, source: Source, data: bytes) -> str:
    """The body that a file would have on the portal."""

    def image_of(target: str) -> str | None:
        image = compiler.images.uploaded(target)
        return image_name(image.key) if image else compiler.images.name(target)

    return body_of(source, data, replacements_of(source, compiler.known.get, image_of))
