"""By item and field, the commit whose files had what is agreed on: who has older files must not put it back.

A column of its own beside the base. It is written with every base, and read only for what a plan sends. The journal
would not do: it knows what a push sent, not what a push found alike (an edit that was pulled, an article that was
adopted), and of a ledger in git it has the newest runs only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from kbsync.ledger.database import Database
from kbsync.ledger.rows import FIELDS_DECODER, CommitId, checked, decode_id, encode_id, reading
from kbsync.ledger.values import FORMER, NOT_COMMITTED
from kbsync.model import Base, Kind, RemoteId, Value

ALL_OTHERS = ""
"""Under this is the commit of every field without one of its own: most items came whole, with one commit."""

ROWS_AT_ONCE = 500
"""SQLite before 3.32 takes 999 values in a query."""

Node = tuple[Kind, RemoteId]
"""What names an article or category on the portal."""

AGREED_COLUMNS = "kind, remote_id, fields, status, locale, commits"
AgreedRow = tuple[Kind, str, str, str | None, str, str]

DECODER: msgspec.json.Decoder[dict[str, CommitId]] = msgspec.json.Decoder(dict[str, CommitId])


def commits_of(db: Database, target: str, nodes: Collection[Node]) -> dict[Node, dict[str, str]]:
    """By item, and by field or `ALL_OTHERS`, the commit of what is agreed on; nothing where that was not recorded."""
    wanted = {(kind, encode_id(remote_id)): (kind, remote_id) for kind, remote_id in nodes}
    rows = _rows(db, target, nodes)
    with reading(db):
        return {wanted[row[0], row[1]]: DECODER.decode(row[5]) for row in rows}


def check_commits(db: Database, columns: Iterable[str]) -> None:
    """Read some columns.

    Raises:
        LedgerError: one is damaged.
    """
    with reading(db):
        for column in msgspec.convert([*columns], list[str]):
            DECODER.decode(column)


def marked(db: Database, target: str) -> dict[Node, dict[str, str]]:
    """The same of every item with a value whose file was not committed when it was agreed on."""
    query = f"SELECT {AGREED_COLUMNS} FROM item WHERE target = ? AND commits LIKE ?"
    rows = checked(db, db.ask(query, (target, f'%"{NOT_COMMITTED}%')), list[AgreedRow])
    with reading(db):
        found = [((row[0], decode_id(row[1])), DECODER.decode(row[5])) for row in rows]
    return {(kind, number): known for (kind, number), known in found if number is not None}


def note_commits(db: Database, target: str, commits: Mapping[Node, Mapping[str, str]]) -> None:
    """By item and field, the commit that has by now what was not committed when it was agreed on."""
    wanted = {(kind, encode_id(remote_id)): came for (kind, remote_id), came in commits.items()}
    rows = [*_rows(db, target, commits)]
    with reading(db):
        noted = [(_noted(row, wanted[row[0], row[1]]), target, row[0], row[1]) for row in rows]
    db.run_many("UPDATE item SET commits = ? WHERE target = ? AND kind = ? AND remote_id = ?", noted)


def commits_after(
    db: Database,
    target: str,
    some: Sequence[Base],
    commit: str,
    renumbered: Collection[Node] = (),
    *,
    is_sent: bool = False,
) -> list[str]:
    """For each base that is about to be recorded, its column: what moves came with this commit.

    What `is_sent` replaced something that may have been found alike: its commit stays beside the new one.

    Without a commit (an undo, a folder without git) all stays: what an undo puts back is of no commit, and who lacks
    the one that was published before lacks this, too. So does the place of what is only `renumbered`.
    """
    rows = {(row[0], row[1]): row for row in _rows(db, target, [(base.kind, base.remote_id) for base in some])}
    with reading(db):
        return [
            _after(base, rows.get((base.kind, encode_id(base.remote_id) or "")), commit, renumbered, is_sent)
            for base in some
        ]


def _after(base: Base, row: AgreedRow | None, commit: str, renumbered: Collection[Node], is_sent: bool) -> str:
    if row is None or not commit:
        known = {ALL_OTHERS: commit} if commit else {}
        return row[5] if row else msgspec.json.encode(known).decode()
    before: dict[str, Value] = {**FIELDS_DECODER.decode(row[2]), "status": row[3], "locale": row[4]}
    now: dict[str, Value] = {**base.fields, "status": base.status, "locale": base.locale}
    moved = {name for name, value in now.items() if name not in before or before[name] != value}
    if (base.kind, base.remote_id) in renumbered:
        moved.discard("position")
    if not moved:
        return row[5]
    known = DECODER.decode(row[5])
    own = {name: known[name] for name in now.keys() & known.keys()} | dict.fromkeys(moved, commit)
    rest = known.get(ALL_OTHERS, "")
    former = {name: known[name + FORMER] for name in now if name + FORMER in known}
    if is_sent:
        former = {name: known.get(name, rest) for name in moved & before.keys()} | former
    else:
        former = {name: former[name] for name in former.keys() - moved}
    if len(moved) == len(now):
        own, rest = {}, commit
    return _encoded(own, former, rest)


def _noted(row: AgreedRow, came: Mapping[str, str]) -> str:
    """The column of an item some of whose fields came with these commits. What they replaced is in these, too."""
    known = DECODER.decode(row[5])
    names = {*FIELDS_DECODER.decode(row[2]), "status", "locale"}
    own = {name: came.get(name) or known.get(name, known.get(ALL_OTHERS, "")) for name in names}
    former = {name: known[name + FORMER] for name in names - came.keys() if name + FORMER in known}
    values = set(own.values())
    return _encoded(own, former, values.pop() if len(values) == 1 else known.get(ALL_OTHERS, ""))


def _encoded(own: Mapping[str, str], former: Mapping[str, str], rest: str) -> str:
    """The column: the commits of fields, those of before, and the one of every other field."""
    found = {name: own[name] for name in sorted(own) if own[name] != rest}
    found |= {name + FORMER: former[name] for name in sorted(former) if former[name] not in ("", found.get(name, rest))}
    return msgspec.json.encode({ALL_OTHERS: rest, **found} if rest else found).decode()


def _rows(db: Database, target: str, nodes: Collection[Node]) -> Iterator[AgreedRow]:
    # By kind, as the table's key is: without it each query would go through the whole portal.
    for kind in {kind for kind, _ in nodes}:
        ids = [encode_id(remote_id) for of_kind, remote_id in nodes if of_kind == kind]
        for first in range(0, len(ids), ROWS_AT_ONCE):
            some = ids[first : first + ROWS_AT_ONCE]
            marks = ", ".join("?" * len(some))
            query = f"SELECT {AGREED_COLUMNS} FROM item WHERE target = ? AND kind = ? AND remote_id IN ({marks})"
            yield from checked(db, db.ask(query, (target, kind, *some)), list[AgreedRow])
