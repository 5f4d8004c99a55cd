"""`resolve --into-file` and `--merge`: the edit that a person has pending in the panel, written into its file.

Written only where the file then means exactly that edit, and where git has what the file said before.
"""

from __future__ import annotations

from typing import NamedTuple

from kbsync.app.file_transaction import write_file
from kbsync.app.pulling.pulled_bodies import errors_in
from kbsync.content.body import body_of
from kbsync.content.compile import Compiler, images_of, replacements_of
from kbsync.content.parse import parse_source
from kbsync.content.relative import Places, to_relative
from kbsync.content.source import Source
from kbsync.content.source_edits import body_in, edit_source
from kbsync.errors import ContentError
from kbsync.files import real_path
from kbsync.history.base_texts import find_texts
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import uncommitted
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
    _check_committed(compiler, path)
    source, text = compiler.tree.sources[path], before.decode("utf-8")
    wanted = source.title if title is None else title
    front = {"title": wanted} if wanted != source.title else {}
    written = with_ends_of(text, body_in(source, text), to_relative(by_key(body), path, _places(compiler, source)))
    after = (edit_source(source, text, front, written) or text).encode("utf-8", "surrogatepass")
    if errors := errors_in(path, after):
        raise ContentError(f"{path} would have an error: {errors[0]}. Nothing was written.", hint=BY_HAND)
    found = parse_source(path, after)
    same = (found.keys, found.title) == (source.keys, wanted)
    if not same or body_digest(_compiled(compiler, found, after)) != body_digest(body):
        message = f"{path} cannot say exactly what was edited in the panel. Nothing was written."
        raise ContentError(message, hint=BY_HAND)
    try:
        write_file(place, before, after)
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


def begun_with(base: Texts, shown: Texts, edit: Texts) -> Texts:
    """What a pending edit was made from: what readers see, or, if that was edited later, what there was before.

    A line of which readers see a change that the edit lacks would else count as one that the edit takes back.
    """
    before, after, found = ({text.title, *text.body.splitlines()} for text in (base, shown, edit))
    return shown if (after - before) <= found and not (before - after) & found else base


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


def _check_committed(compiler: Compiler, path: str) -> None:
    """Refuse to write over a text that git does not have.

    Raises:
        ContentError: it does not.
    """
    try:
        found = uncommitted(compiler.tree.root, [path])
    except GitFailed:
        found = [path]
    if found:
        raise ContentError(f"{path} has changes that are not committed. Nothing was written.", hint="Commit it first.")


def _places(compiler: Compiler, source: Source) -> Places:
    """What is where: images by the name that a body has of their content."""
    places = Places.of(compiler.known)
    for path in images_of(source):
        if image := compiler.images.uploaded(path):
            places.add_image(image_name(image.key), image.path)
    return places


def _compiled(compiler: Compiler, source: Source, data: bytes) -> str:
    """The body that a file would have on the portal."""

    def image_of(target: str) -> str | None:
        image = compiler.images.uploaded(target)
        return image_name(image.key) if image else compiler.images.name(target)

    return body_of(source, data, replacements_of(source, compiler.known.get, image_of))
