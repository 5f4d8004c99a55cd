"""`kbsync translate --done`: writes into a translation which version of the original it renders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kbsync.app.file_transaction import write_file
from kbsync.app.reading import Reading, read_content
from kbsync.app.selectors import is_word, select_paths
from kbsync.app.workspace import Workspace
from kbsync.content.front_edit import set_value
from kbsync.content.handed import ID_CHARS, blob_ids
from kbsync.content.images import git_id
from kbsync.errors import ContentError, UsageError
from kbsync.files import real_path
from kbsync.history.git_process import GitFailed
from kbsync.history.originals import Originals
from kbsync.history.repository import Repository

KEY = "translated_from"


@dataclass(frozen=True, slots=True)
class Marked:
    """A translation that names the original as it is now.

    Args:
        path: of the translation.
        original: path of the original.
        is_new: whether the file had to be written.
        is_committed: whether git has the original as it is; None where git cannot tell.
        is_machine: whether the file still says that a program translated it.
    """

    path: str
    original: str
    is_new: bool
    is_committed: bool | None
    is_machine: bool


def mark_done(workspace: Workspace, selectors: Sequence[str], *, here: Path) -> Iterator[Marked]:
    """Write `translated_from` into translations, one after the other.

    Args:
        workspace: the project.
        selectors: their paths.
        here: the folder from which paths are seen.

    Raises:
        UsageError: one of them is not a translation; nothing is written then.
        ContentError: a file cannot be written.
    """
    reading = read_content(workspace, compiled=False)
    paths = [_translation(reading, selector, here) for selector in dict.fromkeys(selectors)]
    with closing(Ids(reading)) as ids:
        for path, original in paths:
            yield _mark(reading, path, original, ids)


def _translation(reading: Reading, selector: str, here: Path) -> tuple[str, str]:
    """The path of a translation that a person named, and of its original."""
    tree, site = reading.compiler.tree, reading.compiler.site
    hint = "Name the files of translations, such as content/fr/billing/refunds.md."
    if is_word(selector):
        raise UsageError(f"`{selector}` is not a file.", hint=hint)
    paths = select_paths(site, tree.sources.values(), (), (selector,), root=real_path(tree.root), here=here)
    path = next(iter(paths))
    if len(paths) != 1 or path not in site.articles:
        raise UsageError(f"`{selector}` is not an article.", hint=hint)
    original = site.translated(path, tree.sources[path].translation_of)
    if not original:
        hint = "Add `translation_of` with the path of its original. Nothing was written."
        raise UsageError(f"{path} is not a translation: kbsync does not know its original.", hint=hint)
    return path, original


def _mark(reading: Reading, path: str, original: str, ids: Ids) -> Marked:
    tree = reading.compiler.tree
    place = real_path(tree.root / path)
    if not place.is_relative_to(real_path(tree.root)):
        raise ContentError(f"{path} is a link to a file outside of the content folder.", hint="Copy the file here.")
    try:
        data = tree.read_bytes(original)
        before = tree.read_bytes(path)
        oid, is_committed = ids.of(original, data)
        after = with_key(path, before.decode("utf-8"), KEY, oid[:ID_CHARS]).encode()
        if after != before:
            write_file(place, before, after)
    except OSError as exc:
        raise ContentError(f"{path} was not written: {exc.strerror}.", hint="Run the command again.") from exc
    except UnicodeDecodeError as exc:
        raise ContentError(f"{path} is not UTF-8.", hint="Save the file as UTF-8.") from exc
    return Marked(path, original, after != before, is_committed, tree.sources[path].machine)


def with_key(path: str, text: str, key: str, value: str) -> str:
    """The text of a file with another value of a key.

    Raises:
        ContentError: the front matter is written in a way that this cannot change.
    """
    try:
        return set_value(text, key, value)
    except ContentError as exc:
        message = f"{path} was not written: kbsync cannot change `{key}` in its front matter."
        raise ContentError(message, hint=f"Write `{key}: {value}` on a line of its own.") from exc


class Ids:
    """The git blob ids of originals. To be closed."""

    def __init__(self, reading: Reading) -> None:
        self._originals: Originals | None = None
        try:
            repository = Repository(reading.compiler.tree.root)
            self._originals = Originals(repository, reading.compiler.site)
        except GitFailed:
            # Content alone decides; without git the difference cannot be shown later.
            return

    def close(self) -> None:
        """End the process."""
        if self._originals is not None:
            self._originals.close()

    def of(self, path: str, data: bytes) -> tuple[str, bool | None]:
        """What git calls a file, and whether it has it."""
        ids = blob_ids(data)
        if self._originals is None:
            return ids[0], None
        known = self._originals.in_index(path)
        if known in ids:
            return known, True
        # As git would take it in: where the line ends of the committed file are CRLF, it keeps them.
        return (git_id(data) if self._has_crlf(known) else ids[0]), False

    def _has_crlf(self, oid: str) -> bool:
        assert self._originals is not None
        return b"\r\n" in self._originals.read([oid]).get(oid, b"") if oid else False
