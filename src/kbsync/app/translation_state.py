"""How every translation is to its original: the files, and git where they do not say enough.

reading = read_content(workspace, compiled=False)
for item in translation_states(workspace, reading): ...
counts = by_locale(items)            # {"fr": {"fresh": 12, "stale": 3, "missing": 1, "unknown": 0}}

Also: how often readers opened the articles of your files, as the portal said when it was last read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.content.body import raw_digest
from kbsync.content.handed import is_translated_from, translated_texts
from kbsync.content.source import Source
from kbsync.history.git_process import GitFailed
from kbsync.history.originals import Originals, Version
from kbsync.history.repository import Repository
from kbsync.lint.untranslated import still_original
from kbsync.memory import Memory
from kbsync.plan.freshness import Edit, Freshness, Texts, Translation, changes_between, only_minor
from kbsync.service.snapshot import load_snapshot

if TYPE_CHECKING:
    from kbsync.content.identity import Site
    from kbsync.content.tree import Tree


def views_of(site: Site, memory: Memory, target: str) -> dict[str, int]:
    """The views by path, where they are known.

    Args:
        site: which file is which article.
        memory: has the last listing of the portal.
        target: the key of the portal.
    """
    by_slug = load_snapshot(memory, target).views_by_slug
    if not by_slug:
        return {}
    return {path: by_slug[item.slug] for path, item in site.articles.items() if item.slug in by_slug}


NOT_IN_CLONE = "The version that was translated is not in this clone, so the difference is unknown."
NOT_WRITTEN = "The file does not say which version it translates."
NOT_TRANSLATED = "Not translated yet: the {}."
BY_HISTORY = "Without `translated_from`, the last edit of the translation in git counts."


SameFiles = set[tuple[str | None, bytes]]
"""What a translation names as its original, with `raw_digest` of the files that are known to be just that."""


def translation_states(workspace: Workspace, reading: Reading) -> tuple[Translation, ...]:
    """Every translation that there is or should be, in path order of the originals.

    git is asked only about translations that are not of the very file that is there now. Without git, these are stale
    or unknown.
    """
    tree, site = reading.compiler.tree, reading.compiler.site
    return states_of(tree, site, note=workspace.session.note)


def states_of(
    tree: Tree, site: Site, *, note: Callable[[str], None], guess: bool = True, same: SameFiles | None = None
) -> tuple[Translation, ...]:
    """The same of a tree that was read otherwise.

    Args:
        tree, site: the files.
        note: called where git takes long.
        guess: whether a translation without `translated_from` is looked for in the history.
        same: of earlier calls, whose originals need not be read again; gets what is found now.
    """
    pairs, same = list(_pairs(tree, site)), set() if same is None else same
    sure = {pair.path: found for pair in pairs if (found := _without_git(tree, pair, same, guess=guess)) is not None}
    open_pairs = [pair for pair in pairs if pair.path not in sure]
    if open_pairs:
        sure |= _by_git(tree, site, open_pairs, note)
    machine = {path for path, source in tree.sources.items() if source.machine}
    return tuple(
        _marked(_unless_copied(tree, site, pair, sure[pair.path]), is_machine=pair.path in machine) for pair in pairs
    )


def _unless_copied(tree: Tree, site: Site, pair: _Pair, item: Translation) -> Translation:
    """The state of a translation; one that still has the text of its original was not translated."""
    if pair.source is None:
        return item
    locales = site.articles[pair.original].locale, pair.locale
    still = still_original(tree, tree.sources[pair.original], pair.source, locales)
    # Where the file says what it translates, somebody may have kept a title.
    if not still or (still == ("title",) and pair.source.translated_from):
        return item
    return pair.state(Freshness.STALE, NOT_TRANSLATED.format(" and the ".join(still)))


def _by_git(tree: Tree, site: Site, pairs: list[_Pair], note: Callable[[str], None]) -> dict[str, Translation]:
    """The states that the files alone do not say."""
    try:
        with closing(Originals(Repository(tree.root, slow=note), site)) as originals:
            return {item.path: item for item in _Asked(originals, pairs).states()}
    except GitFailed as exc:
        return {pair.path: _without_history(pair, str(exc)) for pair in pairs}


def _marked(item: Translation, *, is_machine: bool) -> Translation:
    """A copy costs ten times the question: most are as they should be."""
    return item if item.is_machine == is_machine else replace(item, is_machine=is_machine)


@dataclass(slots=True)
class _Pair:
    """An original with one translation; `source` is None where that is missing."""

    original: str
    path: str
    locale: str
    source: Source | None
    data: bytes = b""

    def state(self, state: Freshness, reason: str = "") -> Translation:
        return Translation(self.locale, self.original, self.path, state, reason)


def _pairs(tree: Tree, site: Site) -> Iterator[_Pair]:
    """The originals with their translations; a translation may be the original of another."""
    there: dict[str, dict[str, str]] = {}
    for path, identity in site.articles.items():
        if original := site.translated(path, tree.sources[path].translation_of):
            there.setdefault(original, {}).setdefault(identity.locale, path)
    wanted = {*site.locales, *(identity.locale for identity in site.articles.values())} - {"", site.default_locale}
    for original, identity in site.articles.items():
        found = there.get(original, {})
        for locale, path in sorted(found.items()):
            yield _Pair(original, path, locale, tree.sources[path])
        if identity.locale == site.default_locale and is_for_readers(tree.sources[original]):
            for locale in sorted(wanted - found.keys()):
                yield _Pair(original, f"{locale}/{original.partition('/')[2]}", locale, None)


def is_for_readers(source: Source) -> bool:
    """Whether readers of another locale miss a translation of it."""
    return source.status not in {"draft", "archived"} and source.manage != "false" and not source.body_blank


def _without_git(tree: Tree, pair: _Pair, same: SameFiles, *, guess: bool) -> Translation | None:
    """The state, where the files alone say it."""
    if pair.source is None:
        return pair.state(Freshness.MISSING)
    if not guess and not pair.source.translated_from:
        return pair.state(Freshness.UNKNOWN, NOT_WRITTEN)
    named = pair.source.translated_from
    if (named, tree.sources[pair.original].raw_digest) in same:
        return pair.state(Freshness.FRESH)
    try:
        pair.data = tree.read_bytes(pair.original)
    except OSError as exc:
        return pair.state(Freshness.UNKNOWN, f"{pair.original} cannot be read: {exc.strerror}.")
    if is_translated_from(pair.source, pair.data):
        same.add((named, raw_digest(pair.data)))
        return pair.state(Freshness.FRESH)
    return None


def _without_history(pair: _Pair, reason: str) -> Translation:
    if pair.source is not None and pair.source.translated_from:
        return pair.state(Freshness.STALE, f"{NOT_IN_CLONE} {reason}")
    return pair.state(Freshness.UNKNOWN, f"{NOT_WRITTEN} {reason}")


class _Asked:
    """The pairs that git is asked about, all in one go."""

    def __init__(self, originals: Originals, pairs: list[_Pair]) -> None:
        self.originals = originals
        self.pairs = pairs
        self.named = {pair.path: pair.source.translated_from or "" for pair in pairs if pair.source is not None}
        self.minor = originals.minor_commits()
        self.known: dict[tuple[str, bytes], Texts] = {}
        self.versions = self._versions()

    def _versions(self) -> dict[str, list[Version]]:
        """Of files whose history is of use: a walk through all of it costs more than the rest."""
        wanted = {pair.original for pair in self.pairs} if self.minor else set[str]()
        if not self.originals.repository.is_shallow:
            for pair in self.pairs:
                wanted |= set() if self.named[pair.path] else {pair.original, pair.path}
        return self.originals.versions(wanted) if wanted and self.originals.repository.head() else {}

    def states(self) -> Iterator[Translation]:
        """Their states."""
        resolved = self.originals.resolve(self.named.values())
        data = self.originals.read(resolved.values())
        for pair in self.pairs:
            oid = resolved.get(self.named[pair.path], "")
            if not self.named[pair.path]:
                yield self._by_history(pair)
            elif oid not in data:
                yield pair.state(Freshness.STALE, NOT_IN_CLONE)
            else:
                yield self._compared(pair, data[oid])

    def _texts(self, path: str, data: bytes) -> Texts:
        """What is translated of a file; each is read once."""
        if (path, data) not in self.known:
            self.known[path, data] = translated_texts(path, data)
        return self.known[path, data]

    def _compared(self, pair: _Pair, data: bytes) -> Translation:
        """The state of a translation that was made from these bytes of its original."""
        if data == pair.data:
            return pair.state(Freshness.FRESH)
        then, now = self._texts(pair.original, data), self._texts(pair.original, pair.data)
        changes = changes_between(then, now)
        if not changes or self._is_minor(pair, then, now):
            return pair.state(Freshness.FRESH)
        return replace(pair.state(Freshness.STALE), changes=changes)

    def _is_minor(self, pair: _Pair, then: Texts, now: Texts) -> bool:
        versions = self.versions.get(pair.original, ())
        steps = [Edit(version.before, version.oid) for version in versions if version.commit in self.minor]
        found = self.originals.read({oid for step in steps for oid in step if oid})
        texts = {oid: self._texts(pair.original, data) for oid, data in found.items()}
        return only_minor(then, now, steps, texts)

    def _by_history(self, pair: _Pair) -> Translation:
        """Without `translated_from`: the original as it was when the words of the translation were last changed."""
        if self.originals.repository.is_shallow:
            return pair.state(Freshness.UNKNOWN, f"{NOT_WRITTEN} This clone is shallow.")
        moment = self._last_edit(pair)
        names = dict.fromkeys((*(v.name for v in self.versions.get(pair.original, ())), pair.original))
        found = self.originals.at((moment, name) for name in names) if moment else {}
        then = next((data for name in names if (data := found.get((moment, name))) is not None), None)
        if then is None:
            return pair.state(Freshness.UNKNOWN, f"{NOT_WRITTEN} git does not know what it was made from.")
        state = self._compared(pair, then)
        return replace(state, reason=BY_HISTORY, by_history=True)

    def _last_edit(self, pair: _Pair) -> str:
        """The commit that gave the translation its words; "" where git does not know the file."""
        versions = self.versions.get(pair.path, [])
        if len(versions) == 1:
            return versions[0].commit  # There is nothing to compare it with.
        texts = _lazily(self.originals, pair.path, (version.oid for version in versions))
        newest = next(texts, None)
        last = 0
        for number, text in enumerate(texts, start=1):
            if newest is None or text is None or changes_between(text, newest):
                break
            last = number
        return versions[last].commit if versions else ""


def _lazily(originals: Originals, path: str, oids: Iterable[str]) -> Iterator[Texts | None]:
    for oid in oids:
        data = originals.read([oid]).get(oid)
        yield translated_texts(path, data) if data is not None else None
