"""`kbsync translate --in`: takes translated files back. What somebody changed meanwhile is never overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from kbsync.app.file_transaction import TAKE, Changes, NewBytes
from kbsync.app.reading import Reading, read_content
from kbsync.app.translating.hand_off import TO_TRANSLATE, digest
from kbsync.app.translating.translated import KEY, with_key
from kbsync.app.workspace import Workspace
from kbsync.content.body import BOM, CATEGORY_FILE
from kbsync.content.handed import prepared, with_machine, with_translation
from kbsync.content.identity import one_form
from kbsync.content.keys import BLOB_ID
from kbsync.content.parse import parse_source
from kbsync.content.post import dumps, new_post
from kbsync.content.source import Source
from kbsync.content.walk import MAX_SOURCE_BYTES
from kbsync.errors import ContentError, UsageError
from kbsync.files import read_within, real_path
from kbsync.lint import inspect
from kbsync.report.handoff_types import NAME, HandedArticle, HandOff

MAX_MANIFEST_BYTES = 50_000_000

OF_CATEGORY = ("name", "description", "position", "icon", "icon_color")
"""What a new category has of its original, until somebody translates it."""

Outcome = Literal["new", "updated", "untouched", "refused"]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of one file of a hand-off; `reason` is a sentence for one that was refused.

    `name`: of a category that got a file, in the language of the original.
    """

    path: str
    outcome: Outcome
    reason: str = ""
    name: str = ""


class RefusedFile(Exception):
    """This file is not taken; the message is a sentence."""


def read_manifest(folder: Path) -> HandOff:
    """The manifest of a hand-off.

    Raises:
        UsageError: the folder is no hand-off.
    """
    hint = "Name the folder that `kbsync translate --out` wrote."
    try:
        return msgspec.json.decode(read_within(folder / NAME, MAX_MANIFEST_BYTES), type=HandOff)
    except OSError as exc:
        raise UsageError(f"{folder / NAME} cannot be read: {exc.strerror}.", hint=hint) from exc
    except msgspec.DecodeError as exc:
        raise UsageError(f"{folder / NAME} is not the manifest of a hand-off: {exc}.", hint=hint) from exc


def take_back(workspace: Workspace, folder: Path) -> list[TakenBack]:
    """Write the translated files of a hand-off into the content folder, all at once.

    Raises:
        UsageError: the folder is no hand-off.
        ContentError: there is no room for the files, or another command was interrupted.
    """
    changes = Changes.of(workspace)
    changes.settle(TAKE, workspace.session.note)
    hand_off = read_manifest(folder)
    reading = read_content(workspace, compiled=False)
    edits: dict[str, NewBytes] = {}
    taken = [item for article in hand_off.articles for item in _take(reading, folder, article, edits)]
    failed = changes.write(TAKE, list(edits.values()))
    return [
        TakenBack(item.path, "refused", f"It was not written: {failed[item.path]}.")
        if item.outcome in {"new", "updated"} and item.path in failed
        else item
        for item in taken
    ]


def _take(reading: Reading, folder: Path, article: HandedArticle, edits: dict[str, NewBytes]) -> Iterator[TakenBack]:
    """What becomes of one file; `edits` gets what is to be written."""
    try:
        outcome = _take_one(reading, folder, article, edits)
        yield TakenBack(article.path, outcome)
        if outcome == "new":
            yield from _new_category(reading, article.path, edits)
    except RefusedFile as exc:
        yield TakenBack(article.path, "refused", str(exc))
    except ContentError as exc:
        yield TakenBack(article.path, "refused", f"{exc.message} {exc.hint or ''}".rstrip())
    except OSError as exc:
        yield TakenBack(article.path, "refused", f"It was not written: {exc.strerror}.")


def _take_one(reading: Reading, folder: Path, article: HandedArticle, edits: dict[str, NewBytes]) -> Outcome:
    place = _place(reading, article)
    translated = folder / TO_TRANSLATE / article.path
    if not real_path(translated).is_relative_to(real_path(folder)):
        raise RefusedFile("The file leads out of the folder of the hand-off.")
    try:
        data = read_within(translated, MAX_SOURCE_BYTES)
    except FileNotFoundError:
        return "untouched"
    if digest(data) == article.given:
        return "untouched"
    given = checked(article.path, data)
    is_machine = parse_source(article.path, data, body=False).machine
    present = b""
    if article.path in edits:
        present = edits[article.path].after
    elif os.path.lexists(place):
        present = reading.compiler.tree.read_bytes(article.path)

    def translated_into(base: str) -> str:
        text = with_key(article.path, with_translation(base, given, article.path), KEY, article.translated_from)
        return with_machine(text, on=is_machine)

    with suppress(UnicodeDecodeError, ContentError):
        if present and translated_into(now := present.decode("utf-8")) == now:
            return "untouched"  # It was taken back before.
    text = translated_into(_base(reading, article, present, is_machine=is_machine))
    checked(article.path, text.encode())
    edits[article.path] = NewBytes(article.path, present or None, text.encode())
    return "updated" if present else "new"


def _new_category(reading: Reading, path: str, edits: dict[str, NewBytes]) -> Iterator[TakenBack]:
    """Make the file of the category that a new translation is in, where its language does not have it yet.

    Without it, the files could not be planned. It says what the original's category says.
    """
    tree, site = reading.compiler.tree, reading.compiler.site
    locale, *folders = path.split("/")[:-1]
    above = ["/".join(folders[:number]) for number in range(len(folders), 0, -1)]
    files = {folder: f"{locale}/{folder}/{CATEGORY_FILE}" for folder in above}
    if not above or any(file in edits or os.path.lexists(tree.root / file) for file in files.values()):
        return
    originals = {folder: tree.sources.get(f"{site.default_locale}/{folder}/{CATEGORY_FILE}") for folder in above}
    folder = next(filter(originals.get, above), above[-1])
    name = folder.rpartition("/")[2]
    if (locale, one_form(name)) in site.declared:
        return
    values = {"name": name.replace("-", " ").capitalize(), **_translatable(originals[folder])}
    made = files[folder]
    edits[made] = NewBytes(made, None, dumps(new_post("", **values)).encode())
    yield TakenBack(made, "new", name=values["name"])


def _translatable(original: Source | None) -> dict[str, Any]:
    """What a new category has of its original."""
    return {key: value for key in OF_CATEGORY if (value := getattr(original, key, None)) is not None}


def _place(reading: Reading, article: HandedArticle) -> Path:
    """Where the file of a translation is. A manifest comes from outside: no path of it is believed."""
    tree, site = reading.compiler.tree, reading.compiler.site
    parts = article.path.split("/")
    if not _is_of_article(parts):
        raise RefusedFile("The path is not one of an article.")
    if not BLOB_ID.fullmatch(article.translated_from):
        raise RefusedFile("The manifest does not say which version of the original it is.")
    if parts[0] not in site.locales or parts[0] == site.default_locale:
        raise RefusedFile(f"`{parts[0]}` is not a language to translate into.")
    if article.original not in site.articles:
        raise RefusedFile(f"Its original {article.original} is not there any more.")
    source = tree.sources.get(article.path)
    if source is not None and site.translated(article.path, source.translation_of) != article.original:
        raise RefusedFile(f"It is not a translation of {article.original} any more.")
    place = tree.root / article.path
    if not real_path(place).is_relative_to(real_path(tree.root)) or place.is_symlink():
        raise RefusedFile("The path leads out of the content folder.")
    return real_path(place)


def _is_of_article(parts: Sequence[str]) -> bool:
    is_strange = any(not part or part.startswith(".") or "\\" in part for part in parts)
    return not is_strange and len(parts) > 1 and parts[-1].endswith(".md") and parts[-1] != CATEGORY_FILE


def checked(path: str, data: bytes) -> str:
    """A translated file as text, if it can be read as an article.

    Raises:
        RefusedFile: it cannot.
    """
    try:
        text = data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError:
        raise RefusedFile("It is not UTF-8.") from None
    source = parse_source(path, data, inspect=inspect)
    for problem in source.problems:
        if problem.level == "error":
            raise RefusedFile(f"Line {problem.line}: {problem.message}")
    if not (source.title or "").strip() or source.body_blank:
        raise RefusedFile("It has no title, or no body.")
    return text


def _base(reading: Reading, article: HandedArticle, present: bytes, *, is_machine: bool) -> str:
    """The file that gets the translated texts: the one that is there, or a new draft."""
    tree, site = reading.compiler.tree, reading.compiler.site
    if (digest(present) if present else "") != article.present:
        raise RefusedFile("The translation in your files changed since the hand-off. Merge it by hand.")
    if present:
        if is_machine and not parse_source(article.path, present, body=False).machine:
            raise RefusedFile("A person wrote the translation in your files: `machine: true` does not replace it.")
        return present.decode("utf-8")
    source: Source = tree.sources[article.original]
    is_paired = site.translated(article.path, None) == article.original
    data = tree.read_bytes(article.original)
    return prepared(source, data, article.path, lambda _: True, paired=is_paired)
