"""What a clone knows, as one value: the portal, the ledger's rows, git's word, how alike texts are. Nothing else
depends on where it came from.

Each may be missing: a fresh clone has no ledger, a profile may not list, a folder may lie in no repository. What is
missing makes a plan hold more; it never makes it guess.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from kbsync.model import Action, Base, Kind, Observed, Pending, RemoteId, Value

NEVER = sys.maxsize
"""The time at which a revision ended that is still the newest."""


class Former(msgspec.Struct, frozen=True, gc=False):
    """What a file was at an older revision: its path, and who its article was.

    `until_s` is the time of the commit that made it something else, in seconds since 1970; `NEVER` for the newest.
    """

    path: str
    locale: str
    slug: str
    until_s: int = NEVER


Proof = Mapping[str, bool]
"""By field: whether the portal's value is that of an older revision. True: the article was not touched since that
revision was replaced, so ours may go out. False: somebody did, so the value may be a person's way back."""

NO_PROOF: Proof = {}


class GitWord(msgspec.Struct, frozen=True):
    """What git says of sources and of articles.

    Args:
        former: by source path, what the file was at older revisions, the newest first.
        proofs: by source path and remote id of an article or category.
        ended_s: the same, when the file last had these values of the portal, in seconds since 1970.
        deleted: of articles whose file is gone, what the file last agreed to; a field that a person changed is None.
        once: articles with the slug of a file that is gone, but none of its texts; or with one that a file had before
            it was renamed and became another article.
        is_cut: whether older commits are missing here, as in a shallow clone.
        word: why git could not say all: what is wrong, a colon, what to do; or "".
        gave_up: whether git took too long, and would again.
    """

    former: Mapping[str, tuple[Former, ...]] = msgspec.field(default_factory=dict)
    proofs: Mapping[tuple[str, RemoteId], Proof] = msgspec.field(default_factory=dict)
    ended_s: Mapping[tuple[str, RemoteId], Mapping[str, int]] = msgspec.field(default_factory=dict)
    deleted: tuple[Base, ...] = ()
    once: frozenset[RemoteId] = frozenset()
    is_cut: bool = False
    word: str = ""
    gave_up: bool = False

    def proof(self, path: str, remote_id: RemoteId) -> Proof:
        """What history proves of the values of one item."""
        return self.proofs.get((path, remote_id), NO_PROOF) if self.proofs else NO_PROOF

    def was_renamed(self, path: str) -> bool:
        """Whether a file had another path, locale or slug before."""
        return len({(then.path, then.locale, then.slug) for then in self.former.get(path, ())}) > 1

    def and_then(self, more: GitWord) -> GitWord:
        """Both, where git was asked twice."""
        return GitWord(
            {**self.former, **more.former},
            {**self.proofs, **more.proofs},
            {**self.ended_s, **more.ended_s},
            self.deleted or more.deleted,
            self.once | more.once,
            self.is_cut or more.is_cut,
            self.word or more.word,
            self.gave_up or more.gave_up,
        )


SILENT = GitWord()

Likeness = Mapping[tuple[str, RemoteId], float]
"""By source path and remote id: how much of two bodies is the same, 0.0 to 1.0."""


Node = tuple[Kind, RemoteId]
"""What names an article or category on the portal."""


class Last(msgspec.Struct, frozen=True, array_like=True):
    """A field as the portal had it when it was pulled; `before` is what the file had, `()` where it was new."""

    theirs: Value
    before: tuple[Value, ...] = ()


Records = Mapping[Node, Mapping[str, Last]]
"""By article or category: what this clone last pulled."""

NO_RECORD: Mapping[str, Last] = {}


Item = TypeVar("Item", bound=Base | Observed)


def by_node(items: Iterable[Item]) -> dict[Node, Item]:
    return {(item.kind, item.remote_id): item for item in items}


class Newer(msgspec.Struct, frozen=True):
    """What was published from commits that are not part of this checkout (`plan/newer.py`).

    Args:
        rows: by item, the commit of the run that wrote its row of the ledger.
        made_s: when those commits were made, in seconds since 1970.
        left: by path of a file that such a run saw deleted or renamed, the commit.
        late: a commit that was published and that continues what is checked out; "" where there is none.
        deleted_s: when the commits of this checkout deleted the file of an item of `rows`, in seconds since 1970.
        is_blind: whether git could not tell anything here.
    """

    rows: Mapping[Node, str] = msgspec.field(default_factory=dict)
    made_s: Mapping[Node, float] = msgspec.field(default_factory=dict)
    left: Mapping[str, str] = msgspec.field(default_factory=dict)
    deleted_s: Mapping[str, float] = msgspec.field(default_factory=dict)
    late: str = ""
    is_blind: bool = False

    def __bool__(self) -> bool:
        return bool(self.rows or self.left or self.late)


NOTHING_NEWER = Newer()


class Known(msgspec.Struct, frozen=True):
    """Everything that is known beside what the content tree wants.

    Args:
        observed: what the portal holds; None where it cannot be listed: then the ledger alone says.
        bases: the ledger's rows.
        pending: requests with an unknown result that a lookup could not settle.
        git: git's word.
        likeness: of the bodies that were compared.
        complete: whether `observed` is certainly all; else nothing is forgotten for not being there.
        elsewhere: slugs that another portal of the service has, each with what a person can do.
        newer: what was published from commits that are not part of this checkout.
    """

    observed: Sequence[Observed] | None
    bases: Sequence[Base] = ()
    pending: Sequence[Pending] = ()
    git: GitWord = SILENT
    likeness: Likeness = msgspec.field(default_factory=dict)
    complete: bool = True
    elsewhere: Mapping[str, str] = msgspec.field(default_factory=dict)
    newer: Newer = NOTHING_NEWER

    @property
    def unanswered(self) -> set[tuple[Kind, str, str]]:
        """Kind, locale and slug of what a create without an answer may have made."""
        return {(entry.kind, entry.locale, entry.slug) for entry in self.pending if entry.action == Action.CREATE}

    @property
    def seen(self) -> Sequence[Observed]:
        """What the portal holds, as far as anybody knows."""
        if self.observed is not None:
            return self.observed
        return [
            Observed(
                kind=b.kind,
                remote_id=b.remote_id,
                locale=b.locale,
                slug=b.slug,
                fields=b.fields,
                status=b.status,
                staged=b.staged,
                stages=True,
            )
            for b in self.bases
        ]
