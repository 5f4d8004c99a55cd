"""`kbsync translate --out`: writes a folder for translators: whole Markdown files, and all that they need beside."""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kbsync.app.glossary import glossary_of
from kbsync.app.reading import Reading
from kbsync.app.translating.translated import Ids
from kbsync.app.workspace import Workspace
from kbsync.content.glossary import NAME as GLOSSARY
from kbsync.content.glossary import Term, occurring
from kbsync.content.handed import ID_CHARS, prepared
from kbsync.errors import ContentError, UsageError
from kbsync.files import real_path, write_whole
from kbsync.history.git_process import GitFailed
from kbsync.history.originals import Originals
from kbsync.history.repository import Repository
from kbsync.plan.freshness import Freshness, Translation
from kbsync.report.handoff_types import NAME, VERSION, HandedArticle, HandOff

TO_TRANSLATE, ORIGINAL, BEFORE, DIFF = "translate", "original", "before", "diff"
"""The folders of a hand-off."""


@dataclass(frozen=True, slots=True)
class Article:
    """One article to hand off, with all its texts; one that does not exist is ""."""

    state: Translation
    translated_from: str
    original: str
    before: str
    present: str
    text: str
    terms: tuple[Term, ...] = ()

    @property
    def diff(self) -> str:
        """What changed in the original since it was translated."""
        if not self.before:
            return ""
        old, new = (text.splitlines(keepends=True) for text in (self.before, self.original))
        path = self.state.original
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(old, new, f"{path} (translated)", f"{path} (now)")
        )


@dataclass(slots=True)
class Gatherer:
    """Collects the texts of what is to be translated."""

    workspace: Workspace
    reading: Reading
    states: Sequence[Translation]
    terms: tuple[Term, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.terms = glossary_of(self.workspace, self.reading.compiler.site)

    def articles(self) -> Iterator[Article]:
        """Each article with its texts.

        Raises:
            ContentError: a file cannot be read.
        """
        before = self._before()
        with closing(Ids(self.reading)) as ids:
            for state in self.states:
                try:
                    yield self._article(state, ids, before.get(state.path, ""))
                except (OSError, UnicodeDecodeError) as exc:
                    raise ContentError(f"{state.original} cannot be read: {exc}.", hint="Run `kbsync lint`.") from exc

    def _article(self, state: Translation, ids: Ids, before: str) -> Article:
        tree, site = self.reading.compiler.tree, self.reading.compiler.site
        data = tree.read_bytes(state.original)
        original = data.decode("utf-8")
        oid, _ = ids.of(state.original, data)
        terms = tuple(occurring(self.terms, original, site.articles[state.original].locale))
        terms = tuple(term for term in terms if state.locale in term.spellings)
        if state.state != Freshness.MISSING:
            present = tree.read_bytes(state.path).decode("utf-8")
            return Article(state, oid[:ID_CHARS], original, before, present, present, terms)
        coming = {item.path for item in self.states} | tree.sources.keys() | tree.others.keys() | site.by_path.keys()
        source = tree.sources[state.original]
        is_paired = site.translated(state.path, None) == state.original
        text = prepared(source, data, state.path, coming.__contains__, paired=is_paired)
        return Article(state, oid[:ID_CHARS], original, "", "", text, terms)

    def _before(self) -> dict[str, str]:
        """The originals as they were translated, by the path of the translation."""
        sources = self.reading.compiler.tree.sources
        named = {s.path: sources[s.path].translated_from or "" for s in self.states if s.path in sources}
        try:
            repository = Repository(self.reading.compiler.tree.root)
            with closing(Originals(repository, self.reading.compiler.site)) as originals:
                found = originals.resolve(named.values())
                data = originals.read(found.values())
        except GitFailed:
            return {}
        return {
            path: data[found[name]].decode("utf-8", "replace")
            for path, name in named.items()
            if found.get(name) in data
        }


def write_hand_off(out: Path, articles: Sequence[Article], root: Path) -> HandOff:
    """Write the folder. One that has something in it is refused.

    Args:
        out: the folder.
        articles: what is in it.
        root: the content root, which cannot hold it.

    Raises:
        UsageError: the folder cannot be used.
        OSError: a file cannot be written.
    """
    check_folder(out, root)
    terms = list(dict.fromkeys(id(term) for article in articles for term in article.terms))
    by_id = {id(term): term for article in articles for term in article.terms}
    if terms:
        _write(out, GLOSSARY, _glossary_text([by_id[name] for name in terms]))
    handed = tuple(_write_article(out, article) for article in articles)
    locales = sorted({article.state.locale for article in articles})
    hand_off = HandOff(VERSION, locales, handed, len(terms))
    # Last: without it, nothing of the folder is taken back.
    _write(out, NAME, msgspec.json.format(msgspec.json.encode(hand_off), indent=2).decode() + "\n")
    return hand_off


def check_folder(out: Path, root: Path) -> None:
    """Refuse a folder that has something in it, or is in the content folder.

    Raises:
        UsageError: it cannot be used.
    """
    if real_path(out).is_relative_to(real_path(root)):
        raise UsageError(f"{out} is in the content folder.", hint="Name a folder outside of it.")
    try:
        if os.path.lexists(out) and any(out.iterdir()):
            raise UsageError(f"The folder {out} is not empty.", hint="Name a new folder.")
    except OSError as exc:
        raise UsageError(f"{out} cannot be used: {exc.strerror}.", hint="Name a new folder.") from exc


def _write_article(out: Path, article: Article) -> HandedArticle:
    path, state = article.state.path, article.state
    files = {
        "file": (f"{TO_TRANSLATE}/{path}", article.text),
        "original_file": (f"{ORIGINAL}/{state.original}", article.original),
        "before_file": (f"{BEFORE}/{path}", article.before),
        "diff_file": (f"{DIFF}/{path}.diff", article.diff),
    }
    for name, text in files.values():
        if text:
            _write(out, name, text)
    names = {key: name if text else "" for key, (name, text) in files.items()}
    return HandedArticle(
        path=path,
        original=state.original,
        locale=state.locale,
        state=state.state.value,  # type: ignore[arg-type]
        translated_from=article.translated_from,
        given=digest(article.text.encode()),
        present=digest(article.present.encode()) if article.present else "",
        views=state.views,
        **names,
    )


def digest(data: bytes) -> str:
    """What names the bytes of a file in a manifest."""
    return hashlib.sha256(data).hexdigest()


def _write(out: Path, name: str, text: str) -> None:
    place = out / name
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, text.encode())


def _glossary_text(terms: Sequence[Term]) -> str:
    locales = list(dict.fromkeys(name for term in terms for name in term.spellings))
    others = list(dict.fromkeys(name for term in terms for name in term.others))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*locales, *others])
    for term in terms:
        cells = ["|".join(term.spellings.get(name, ())) for name in locales]
        writer.writerow([*cells, *(term.others.get(name, "") for name in others)])
    return file.getvalue()
