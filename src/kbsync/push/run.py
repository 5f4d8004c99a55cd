"""What a push needs of the world, and where what it agrees on comes from."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from kbsync.ledger import Ledger
from kbsync.ledger.values import NOT_COMMITTED, SENT, Owner
from kbsync.model import Change, Kind, RemoteId

NOBODY = Owner("", "", 0, 0.0, 0.0)

NONE_LATE: Mapping[tuple[Kind, RemoteId], Mapping[str, str]] = {}


class Provenance(msgspec.Struct, frozen=True):
    """Where what a push agrees on comes from.

    Args:
        commit: the one that is checked out; "" where the files of none are published.
        uncommitted: the paths of the files that differ from it.
        clone: the id of this one; "" where nothing differs.
        made: whether a CI job made these files, of what is checked out: another one of that commit makes the same.
        renumbered: what gets another number in its order, and no other place.
        late: by item and field, the commit that has by now what was agreed on before it was committed.
    """

    commit: str = ""
    uncommitted: frozenset[str] = frozenset()
    clone: str = ""
    made: bool = False
    renumbered: frozenset[tuple[Kind, RemoteId]] = frozenset()
    late: Mapping[tuple[Kind, RemoteId], Mapping[str, str]] = NONE_LATE

    @property
    def sender(self) -> str:
        """The id of the clone where some of what is sent was not committed; "" where other clones have it, too."""
        return "" if self.made else self.clone

    def marked(self, change: Change) -> Change:
        """A change as it goes into the journal: with a mark where its file is not committed as it is."""
        if not self.sender or self.uncommitted.isdisjoint((change.path, change.was)):
            return change
        return replace(change, source_commit=NOT_COMMITTED + SENT + self.sender)


NOT_OF_FILES = Provenance()


@dataclass(slots=True)
class Run:
    """What a push needs of the world.

    Args:
        ledger: the record; `number` is this run's in it, `owner` who we are in it.
        clock: seconds since 1970.
        stopping: whether somebody asked to stop; what is under way is still finished and recorded.
        beat: keeps the lock alive; False when it was broken.
        is_dead: whether another runner is not to be waited for any more.
        provenance: where what is agreed on comes from.
    """

    ledger: Ledger
    number: int
    clock: Callable[[], float]
    stopping: Callable[[], bool]
    beat: Callable[[], bool]
    owner: Owner = NOBODY
    is_dead: Callable[[Owner], bool] = lambda owner: False
    sleep: Callable[[float], None] = time.sleep
    provenance: Provenance = NOT_OF_FILES
