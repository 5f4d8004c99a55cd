"""Looks through git history, newest first: what a file was before, and which of its revisions the portal holds.

A path is given up as soon as what is asked of it is known. The rest costs a walk through all commits, in which each
older text is read once. Only one whose outline is that of the portal's body is compiled, with its links as they were.

What git history knows of the content tree: what files were before, and which values of the portal were ours.

A revision that compiles to what the portal holds proves that the value was not touched since, if the portal says that
the article was not touched after the next revision was committed. It proves nothing else: history turns what is held
into a change to send and never the other way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field

from msgspec import structs

from kbsync.content.body import CATEGORY_FILE
from kbsync.content.compile import Compiler
from kbsync.history.blobs import UNREAD, Blob, Blobs
from kbsync.history.git_process import COMPLAINTS, ENDED, GitFailed
from kbsync.history.linking import AT_ONCE, Linking
from kbsync.history.raw_log import UNCHANGED, Entry
from kbsync.history.repository import Repository
from kbsync.history.revisions import Revision, Then, has_same_body
from kbsync.history.trail import Text, Trail
from kbsync.model import Base, Fields, Kind, Observed, RemoteId, Status, Value
from kbsync.plan.decide import EMPTY
from kbsync.plan.known import NEVER, Former, GitWord
from kbsync.plan.nodes import Key, key_of
from kbsync.plan.order import ASIDE
from kbsync.plan.questions import Question, Questions, differing

MAX_UNKNOWN = 3
"""So many texts of a file that is gone are looked at for an article, the newest first: its slug may have changed."""


class Search:
    """One walk through history for all questions."""

    def __init__(self, compiler: Compiler, repository: Repository, blobs: Blobs, questions: Questions) -> None:
        self.repository = repository
        self.blobs = blobs
        self.then = Then(compiler, repository, blobs)
        self.tree = compiler.tree.sources
        self.questions = questions
        self.candidates: dict[Key, Observed] = {
            key_of(item.kind, item.locale, item.slug.removesuffix(ASIDE)): item
            for item in sorted(questions.candidates, key=lambda item: not item.slug.endswith(ASIDE))
        }
        self.files = {question.desired.path: self._file(question) for question in questions.sources}
        self.trail = Trail(self._matters, self.tree.__contains__, self._is_same)
        self._tried: set[tuple[str, str, str]] = set()
        self.linking = Linking(self.then, self.repository, blobs)

    def _file(self, question: Question) -> File:
        pairs = {item.remote_id: Pair(item, differing(question.desired, item)) for item in question.observed}
        return File(question, pairs)

    def run(self) -> None:
        """Find what can be found.

        Raises:
            GitFailed: the history cannot be read to its end; what was found is true.
        """
        self._walk()
        # What a source links to may have moved on since its own last commit.
        newest = [f.newest for path, f in self.files.items() if f.newest and path in self.linking.noted]
        self._try(text._replace(commit="HEAD") for text in newest)
        for texts in self.linking.other_moments(lambda path: "content" in self.files[path].wants()):
            self._try(texts)

    def word(self) -> GitWord:
        """The answers of git."""
        former = {
            path: tuple(Former(name, locale, slug, until) for (name, locale, slug), until in found.former.items())
            for path, found in self.files.items()
            if found.question is not None and found.former
        }
        pairs = {
            (path, remote_id): pair
            for path, found in self.files.items()
            if found.question is not None
            for remote_id, pair in found.pairs.items()
        }
        proofs = {key: dict(pair.found) for key, pair in pairs.items()}
        ended_s = {key: dict(pair.ended_s) for key, pair in pairs.items()}
        deleted = tuple(self._deleted())
        known = {base.remote_id for base in deleted}
        named = {pair.observed.remote_id for _, _, pair in self._of_gone() if pair.observed.kind == "article"}
        return GitWord(former, proofs, ended_s, deleted, frozenset(named - known))

    def _deleted(self) -> Iterator[Base]:
        """The articles of files that are gone, as the last agreement that git knows of."""
        for path, found, pair in self._of_gone():
            seen = pair.observed
            # The file of a former name is still there, and is another article by now.
            if path not in self.trail.renamed and pair.found.keys() & {"title", "content", "name"}:
                gave = found.gave.keys() - {"status", "locale"}
                # A person may have gone back to what was not the last, so that does not count as agreed.
                fields = {name: seen.fields.get(name) if pair.found.get(name) else None for name in gave}
                status = seen.status if pair.found.get("status") else _status_in(found.gave)
                yield Base(
                    kind=seen.kind,
                    remote_id=seen.remote_id,
                    locale=seen.locale,
                    slug=seen.slug,
                    path=path,
                    fields=fields,
                    status=status,
                )

    def _of_gone(self) -> Iterator[tuple[str, File, Pair]]:
        """The files that are gone, each with the articles that have a slug of it."""
        for path, found in self.files.items():
            for pair in found.pairs.values() if found.question is None else ():
                yield path, found, pair

    # --- the walk --------------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        staged = self.repository.staged_renames()
        renames = [entry for entry in staged if entry.percent == UNCHANGED or self._is_same(entry)]
        self.trail.begin(renames)
        self._leave_out_what_is_not_committed({entry.name for entry in renames})
        queue: list[Text] = []
        try:
            with closing(self.repository.log(keep=self.trail.concerns)) as log:
                for commit in log:
                    queue += [text for text in self.trail.follow(commit) if self._is_new(text)]
                    # Where all that is open has something to try, waiting for more could only cost.
                    if len(queue) >= AT_ONCE or len({text.path for text in queue}) >= self._still_open():
                        self._try(queue)
                        queue = []
                    if not self.questions.deleted and not self._still_open():
                        return
        except GitFailed:
            # What was read before the history broke off is true.
            self._try(queue)
            raise
        self._try(queue)

    def _leave_out_what_is_not_committed(self, renamed: Collection[str]) -> None:
        """A file that HEAD does not have was nothing else before, as far as git knows, unless it is staged as one."""
        asked = {path: found for path, found in self.files.items() if not found.pairs}
        committed = self.repository.committed() if asked else set()
        for path, found in asked.items():
            found.done = path not in committed and path not in renamed

    def _still_open(self) -> int:
        return sum(1 for found in self.files.values() if not found.done)

    def _matters(self, path: str) -> bool:
        return path in self.files or (self.questions.deleted and path not in self.tree)

    def _is_new(self, text: Text) -> bool:
        if text.path not in self.files:
            if not self.questions.deleted:
                return False
            self.files[text.path] = File(None)
        found = self.files[text.path]
        if found.newest is None:
            found.newest = text
        return not found.done and (text.is_first or text[:3] not in self._tried)

    def _is_same(self, entry: Entry) -> bool:
        return has_same_body(self.blobs, entry)

    def _try(self, texts: Iterable[Text]) -> None:
        todo = list(texts)
        for start in range(0, len(todo), AT_ONCE):
            self._try_some([text for text in todo[start : start + AT_ONCE] if not self.files[text.path].done])

    def _try_some(self, texts: list[Text]) -> None:
        blobs = self.blobs.read(text.oid for text in texts if self._must_read(text))
        waiting: list[tuple[Text, Revision, list[str]]] = []
        for text in texts:
            found = self.files[text.path]
            blob = blobs.get(text.oid, UNREAD)
            if found.done or blob is None or blob.data is None:
                continue
            self._identify(found, text, blob.data)
            revision = self._revision(found, text, blobs)
            needs = list(self.then.needs(revision)) if revision else []
            if "category" not in found.wants():
                # Once is enough: what its links meant at other commits is looked at in the end.
                self._tried.add(text[:3])
            if revision is not None and needs:
                self.linking.note(text, revision, found.newest)
                waiting.append((text, revision, needs))
                continue
            if revision is not None:
                self._compare(found, revision, text)
            self._is_done(found, text)
        self.then.load((revision.commit, path) for _, revision, needs in waiting for path in needs)
        for text, revision, _ in waiting:
            self._compare(self.files[text.path], revision, text)
            self._is_done(self.files[text.path], text)

    def _must_read(self, text: Text) -> bool:
        """Whether it takes the text itself to say what it was, as far as is known yet."""
        return not self.then.knows(text.name, text.oid) or self._is_wanted(self.files[text.path], text)

    def _is_wanted(self, found: File, text: Text) -> bool:
        wants = found.wants()
        if found.question is None or wants != {"content"}:
            return bool(wants)
        return not self.then.rules_out(text.name, text.oid, found.outlines())

    def _revision(self, found: File, text: Text, blobs: dict[str, Blob | None]) -> Revision | None:
        if not self._is_wanted(found, text):
            return None
        if text.oid not in blobs:
            # The article that it may be was only just found.
            blobs |= self.blobs.read([text.oid])
        blob = blobs[text.oid]
        if blob is None or blob.data is None:
            return None
        return self.then.read(text, blob.data, found.wants(), found.outlines())

    def _identify(self, found: File, text: Text, data: bytes) -> None:
        """Note who the file was, and take the article that it may have been into what is asked."""
        question = found.question
        kind: Kind = "category" if text.name.endswith(CATEGORY_FILE) else "article"
        for identity in self.then.identities(text.name, text.oid, data):
            name = (text.name, identity.locale, identity.slug)
            is_news = name not in found.former
            found.former[name] = max(found.former.get(name, 0), text.until_s)
            seen = self.candidates.get(key_of(kind, identity.locale, identity.slug)) if is_news else None
            if seen is not None and seen.remote_id not in found.pairs and (question is None or question.former):
                status = {"status": seen.status} if self.questions.statuses else {}
                values = differing(question.desired, seen) if question else {**seen.fields, **status}
                found.pairs[seen.remote_id] = Pair(seen, values)

    def _compare(self, found: File, revision: Revision, text: Text) -> None:
        wants = found.wants() & revision.wanted
        fields = self.then.fields_of(revision) if wants - {"content"} or found.question is None else {}
        if found.question is None and not found.gave:
            # A file without a status leaves it to people.
            found.gave = {name: v for name, v in fields.items() if name != "status" or revision.source.status}
            for pair in found.pairs.values():
                pair.open = {name: value for name, value in pair.open.items() if name in fields}
        is_text = "content" in wants and revision.source.kind == "article"
        body = self.then.name_of_body(revision) if is_text else None
        for pair in found.pairs.values():
            for name, value in list(pair.open.items()):
                # What a revision does not give is empty on the portal.
                same = (
                    (is_text and value == body)
                    if name == "content"
                    else fields.get(name) == value or _both_empty(fields, name, value)
                )
                if same:
                    # What the last revision of a file gave is nobody's edit, whenever somebody was there.
                    is_last = found.question is None and found.newest is not None and text[:3] == found.newest[:3]
                    pair.note(name, NEVER if is_last else text.until_s)

    def _is_done(self, found: File, text: Text) -> None:
        settled = [pair.is_settled for pair in found.pairs.values()]
        if found.question is None:
            found.looked += 1
            given_up = bool(settled) or found.looked >= MAX_UNKNOWN
            found.done = text.is_first or (given_up and all(settled))
        elif found.question.former:
            # A file that was deleted and brought back has an article from before, where one is without a source.
            begun = text.is_first and not found.question.observed and not self.questions.deleted
            found.done = begun or any(settled)
        else:
            found.done = all(settled)


def _status_in(fields: Fields) -> Status | None:
    status = fields.get("status")
    return Status(str(status)) if status else None


def _both_empty(fields: Mapping[str, Value], name: str, value: Value) -> bool:
    return value in EMPTY and fields.get(name) in EMPTY


@dataclass(slots=True)
class Pair:
    """One file and one article that it may be: the portal's values that no revision had so far."""

    observed: Observed
    open: dict[str, Value]
    found: dict[str, bool] = field(default_factory=dict)
    ended_s: dict[str, int] = field(default_factory=dict)

    def note(self, name: str, until_s: int) -> None:
        """A revision had this value, and was replaced then."""
        ours = self.observed.updated_at <= until_s
        self.found[name] = self.found.get(name, False) or ours
        self.ended_s[name] = max(self.ended_s.get(name, 0), until_s)
        if ours:
            del self.open[name]

    @property
    def is_settled(self) -> bool:
        """Whether each value is known for that of a revision."""
        return self.open.keys() <= self.found.keys()


@dataclass(slots=True)
class File:
    """What is asked of one file, and what is known so far.

    `question` is None for one that is gone; then `gave` is what its last revision gave, and `looked` how many of
    its texts were read.
    """

    question: Question | None
    pairs: dict[RemoteId, Pair] = field(default_factory=dict)
    former: dict[tuple[str, str, str], int] = field(default_factory=dict)
    newest: Text | None = None
    gave: Fields = field(default_factory=dict)
    looked: int = 0
    done: bool = False

    def wants(self) -> set[str]:
        """The fields that are still to be found."""
        return {name for pair in self.pairs.values() for name in pair.open}

    def outlines(self) -> set[str]:
        """Those of the bodies that are still to be found; none where one of them is not known."""
        found = {pair.observed.outline for pair in self.pairs.values() if "content" in pair.open}
        return set() if "" in found else found


SHALLOW = (
    "This clone is shallow. Fetch the whole history: `fetch-depth: 0` in GitHub Actions, `GIT_DEPTH: 0` in GitLab, "
    "`git fetch --unshallow` elsewhere."
)


def ask_git(
    compiler: Compiler,
    questions: Questions,
    *,
    environ: Mapping[str, str] = os.environ,
    program: str = "git",
    slow: Callable[[str], None] = lambda text: None,
) -> GitWord:
    """Ask git. Whatever is wrong with the repository, it only says less.

    Args:
        compiler: of the tree as it is now.
        questions: what neither ledger nor portal answers.
        environ: what git may need of the environment; what leads it elsewhere is left out.
        program: the git to run.
        slow: called where git takes long.
    """
    search, word = None, ""
    try:
        repository = Repository(compiler.tree.root, environ, program=program, slow=slow)
        word = SHALLOW if repository.is_shallow else ""
        with closing(Blobs(repository)) as blobs:
            search = Search(compiler, repository, blobs, questions)
            search.run()
    except GitFailed as exc:
        word = word or str(exc)
    found = search.word() if search else GitWord()
    return structs.replace(found, word=word, is_cut=word == SHALLOW, gave_up=word == COMPLAINTS[ENDED])
