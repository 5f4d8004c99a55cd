"""Two ledgers that grew apart: what this machine recorded and could not send, and what others recorded meanwhile. Pure.

Others went on from what they knew: they looked at the portal after us. So where both changed an item, theirs counts; a
run that both know is theirs as well. What only we have is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kbsync.ledger.dump import TABLES, Tables

Row = Sequence[Any]


def merge(base: Tables, ours: Tables, theirs: Tables) -> dict[str, list[list[Any]]]:
    """The tables with both sides' rows.

    Args:
        base: what both began with.
        ours: of this machine.
        theirs: of the remote.
    """
    found = {table: [list(row) for row in theirs[table]] for table in TABLES}
    found["item"] = _items(base["item"], ours["item"], theirs["item"])
    for table, key in (("body", 1), ("picture", 2)):
        there = {tuple(row[:key]) for row in theirs[table]}
        found[table] += [list(row) for row in ours[table] if tuple(row[:key]) not in there]
    _add_runs(found, ours, sent=max((row[0] for row in base["run"]), default=0))
    return found


def _items(base: Sequence[Row], ours: Sequence[Row], theirs: Sequence[Row]) -> list[list[Any]]:
    kind, remote_id = TABLES["item"].index("kind"), TABLES["item"].index("remote_id")

    def by_id(rows: Sequence[Row]) -> dict[tuple[Any, Any], list[Any]]:
        return {(row[kind], row[remote_id]): list(row) for row in rows}

    before, here, there = by_id(base), by_id(ours), by_id(theirs)
    found = {}
    for key in {**there, **here}:
        unmoved_there = before.get(key) == there.get(key)
        row = here.get(key) if unmoved_there else there.get(key)
        if row is not None:
            found[key] = row
    named = {_name(row) for row in theirs}
    # Made twice for one source while two were at work: the article that the others know is the one.
    return [row for key, row in found.items() if key in there or key in before or _name(row) not in named]


def _name(row: Row) -> tuple[Any, ...]:
    values = dict(zip(TABLES["item"], row, strict=True))
    return values["kind"], values["path"], values["slug"], values["locale"]


def _add_runs(found: dict[str, list[list[Any]]], ours: Tables, *, sent: int) -> None:
    """Runs that only we know come after theirs, with numbers of their own.

    Args:
        found: the tables of the remote.
        ours: of this machine.
        sent: the newest run of what both began with. Earlier ones were sent as well, even if they are too old to be
            in the tree now.
    """
    # By when and as what they began: a run got another number when it came after theirs the last time.
    columns = [TABLES["run"].index(name) for name in ("command", "started_at", "digest")]
    known = {tuple(row[column] for column in columns) for row in found["run"]}
    number = max((row[0] for row in found["run"]), default=0)
    entry = max((row[0] for row in found["journal"]), default=0)
    run_of = TABLES["journal"].index("run")
    for row in ours["run"]:
        if row[0] <= sent or tuple(row[column] for column in columns) in known:
            continue
        number += 1
        found["run"].append([number, *row[1:]])
        for line in (line for line in ours["journal"] if line[run_of] == row[0]):
            entry += 1
            moved = [entry, *line[1:]]
            moved[run_of] = number
            found["journal"].append(moved)
