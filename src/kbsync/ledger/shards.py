"""A portal's ledger as the files of a git tree, and back: sorted text that a person can read and git can compare.

    README                          what this is
    kbsync.json                     the format, and which portal
    items/en/billing.jsonl          one article a line, by path
    items/en/_categories.jsonl      one category a line
    items/_portal.jsonl             the portal itself
    images/3f.jsonl                 where images were uploaded to, by key
    runs/000012.json                a run: what, when, how it ended
    journal/000012.jsonl            its changes, one a line, each with its outcome
    bodies/body-9c1f...             what an article held before one of these changes, for `undo`
    lease.json                      while a run is under way: who

Of runs the newest are kept in the tree; the commits have them all. Pure: tables are those of `dump.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from kbsync.command import quote as for_shell
from kbsync.errors import LedgerError
from kbsync.ledger.dump import TABLES, Tables
from kbsync.ledger.fingerprints import Fingerprints, fingerprint
from kbsync.ledger.lines import NAMES, as_dict, as_row, lines_of, rows_of
from kbsync.ledger.schema import TOO_OLD, VERSION
from kbsync.ledger.values import Owner
from kbsync.model import DRAFTS

FORMAT, FORMER = "kbsync.ledger-ref/1", "kbsync.git-ledger/1"
META, LEASE, README = "kbsync.json", "lease.json", "README"

KEPT_RUNS = 20
"""Runs whose journal stays in the tree, so that they can be undone from any clone."""

ABOUT = """\
This is kbsync's record of a help center: which article of the portal belongs to which file, what both sides agreed
on last, and what each push did. kbsync reads and writes it; do not edit it. `git log` of this ref shows who published
what and when. Remove it only if kbsync no longer publishes to this portal.
"""

RUN = NAMES["journal"].index("run")
NONE_THERE: Fingerprints = {}
NO_SHARDS: Mapping[str, Shard] = {}

Files = Mapping[str, bytes]
Lease = tuple[Owner, int]
"""Who is at work, and the number of the run."""

TABLE_OF: Mapping[str, str] = {"items": "item", "images": "picture", "journal": "journal"}
"""Of the rows in the files of a folder."""


class Made(NamedTuple):
    """A portal's ledger as files.

    `files` are those that may not be as they were; `same` are names of those that are, and of bodies that belong to it,
    whether they are here or not. `fingerprints` are those of all rows.
    """

    files: dict[str, bytes]
    same: frozenset[str]
    fingerprints: Fingerprints


class Shard(NamedTuple):
    """The rows of a file, and their fingerprint."""

    rows: list[list[Any]]
    fingerprint: bytes


class Found(NamedTuple):
    """What the files of a commit say: the tables, who is at work, and by name the files that have rows of tables."""

    tables: dict[str, list[list[Any]]]
    lease: Lease | None
    shards: Mapping[str, Shard]

    @property
    def fingerprints(self) -> Fingerprints:
        """Of the rows of each file."""
        return {name: shard.fingerprint for name, shard in self.shards.items()}


def to_files(tables: Tables, target: str, lease: Lease | None, there: Fingerprints = NONE_THERE) -> Made:
    """The files of a portal's ledger.

    Args:
        tables: all of the ledger.
        target: the portal.
        lease: who is at work, and the number of the run.
        there: the fingerprints of the files that are there; one with the same rows is not made again.
    """
    meta = {"schema": FORMAT, "tables": VERSION, "target": target}
    files = {README: ABOUT.encode(), META: _pretty(meta)}
    if lease is not None:
        files[LEASE] = _pretty({"run": lease[1], **msgspec.to_builtins(lease[0])})
    runs = {row[0]: row for row in tables["run"] if row[1] == target}
    kept = frozenset(_kept(runs, tables["journal"]))
    files |= {f"runs/{number:06}.json": _pretty(as_dict("run", runs[number])) for number in kept}
    journal = [row for row in tables["journal"] if row[RUN] in kept]
    shards = {
        "item": _sharded((row for row in tables["item"] if row[0] == target), _item_file),
        "picture": _sharded((row for row in tables["picture"] if row[0] == target), _image_file),
        "journal": _sharded(journal, lambda row: f"journal/{row[RUN]:06}.jsonl"),
    }
    fingerprints = {name: fingerprint(rows) for found in shards.values() for name, rows in found.items()}
    same = {name for name, known in fingerprints.items() if there.get(name) == known}
    for table, found in shards.items():
        files |= {name: lines_of(table, rows) for name, rows in found.items() if name not in same}
    needed = set(_bodies_before(journal))
    files |= {
        body_file(digest): body.encode("utf-8", "surrogatepass") for digest, body in tables["body"] if digest in needed
    }
    return Made(files, frozenset({*same, *map(body_file, needed)}), fingerprints)


def body_file(digest: str) -> str:
    """Where a body lies, by its digest."""
    return f"bodies/{digest.replace(':', '-', 1)}"


def bodies_from(files: Files, place: str) -> list[list[Any]]:
    """Rows of bodies, by the names of their files.

    Raises:
        LedgerError: one is no text.
    """
    try:
        return [
            [name.removeprefix("bodies/").replace("-", ":", 1), content.decode("utf-8", "surrogatepass")]
            for name, content in files.items()
        ]
    except UnicodeDecodeError as exc:
        raise LedgerError(f"The ledger {place} is damaged ({exc}).", hint=_rescue(place)) from exc


def _rescue(place: str) -> str:
    return f"`git log {place.partition(' ')[0]}` shows who wrote it. Move the ref back to the commit before."


def from_files(files: Files, target: str, place: str, known: Mapping[str, Shard] = NO_SHARDS) -> Found:
    """What the files of a ledger say.

    Args:
        files: of the tree.
        target: the portal that it must be about.
        place: the ref, for messages.
        known: what other files of the tree say.

    Raises:
        LedgerError: damaged, of another portal, or written by a newer kbsync.
    """
    try:
        return _read(files, target, place, known)
    except (
        msgspec.DecodeError, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError
    ) as exc:  # fmt: skip
        raise LedgerError(f"The ledger {place} is damaged ({exc}).", hint=_rescue(place)) from exc


def _read(files: Files, target: str, place: str, known: Mapping[str, Shard]) -> Found:
    meta = msgspec.json.decode(files[META], type=dict[str, Any])
    if meta["schema"] == FORMER:
        ref, _, remote = place.partition(" of ")
        hint = f"Take it away: `git push {for_shell(remote)} --delete {for_shell(ref)}`. Then run this again."
        raise LedgerError(f"The ledger {place} {TOO_OLD}", hint=hint)
    if meta["schema"] != FORMAT or meta["tables"] > VERSION:
        raise LedgerError(
            f"The ledger {place} was written by a newer kbsync ({meta['schema']}, schema {meta['tables']}).",
            hint="Update kbsync. The ledger was not changed.",
        )
    if meta["target"] != target:
        raise LedgerError(
            f"The ledger {place} is that of another portal ({meta['target']}).",
            hint="Set [ledger] ref to another name, or leave it out.",
        )
    tables: dict[str, list[list[Any]]] = {table: [] for table in TABLES}
    shards = dict(known)
    for name, content in sorted(files.items()):
        folder, _, rest = name.partition("/")
        if folder in TABLE_OF and name.isascii():  # See `_plain`.
            given = {"run": int(rest.partition(".")[0])} if folder == "journal" else {}
            rows = rows_of(TABLE_OF[folder], content, target, **given)
            shards[name] = Shard(rows, fingerprint(rows))
        elif folder == "runs":
            tables["run"].append(as_row("run", msgspec.json.decode(content), {"target": target}))
        elif name not in {META, LEASE, README}:
            raise ValueError(f"it has a file that kbsync does not write, {name!r}")
    tables |= rows_in(shards)
    lease = None
    if LEASE in files:
        found = msgspec.json.decode(files[LEASE], type=dict[str, Any])
        lease = (msgspec.convert({k: v for k, v in found.items() if k != "run"}, Owner), int(found["run"]))
    return Found(tables, lease, shards)


def rows_in(shards: Mapping[str, Shard]) -> dict[str, list[list[Any]]]:
    """Their rows by table, in the order of the files' names."""
    tables: dict[str, list[list[Any]]] = {table: [] for table in TABLE_OF.values()}
    for name in sorted(shards):
        tables[TABLE_OF[name.partition("/")[0]]] += shards[name].rows
    return tables


def _kept(runs: Mapping[int, Sequence[Any]], journal: Iterable[Sequence[Any]]) -> list[int]:
    """The newest runs, and those with a request whose result is not known."""
    state = NAMES["journal"].index("state")
    still = {row[RUN] for row in journal if row[state] in {"pending", "unknown", "waiting", "taken"}}
    return sorted(number for number in runs if number in still or number in sorted(runs)[-KEPT_RUNS:])


def _bodies_before(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    before = TABLES["journal"].index("before")
    for row in rows:
        if 'content":' not in row[before]:
            continue
        values = msgspec.json.decode(row[before])
        yield from (name for key in ("content", DRAFTS["content"]) if (name := values.get(key)) is not None)


def _sharded(rows: Iterable[Sequence[Any]], file_of: Callable[[Sequence[Any]], str]) -> dict[str, list[Sequence[Any]]]:
    found: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        found.setdefault(file_of(row), []).append(row)
    return found


class _Place(msgspec.Struct, gc=False):
    """What of the fields of an item says where it lies."""

    category: Any = None


PLACE = msgspec.json.Decoder(_Place)
KIND, LOCALE, FIELDS = (NAMES["item"].index(name) for name in ("kind", "locale", "fields"))
KEY = NAMES["picture"].index("key")


def _item_file(row: Sequence[Any]) -> str:
    if row[KIND] == "portal":
        return "items/_portal.jsonl"
    folder = f"items/{_plain(row[LOCALE])}"
    if row[KIND] == "category":
        return f"{folder}/_categories.jsonl"
    return f"{folder}/{_plain(str(PLACE.decode(row[FIELDS]).category or '-'))}.jsonl"


def _image_file(row: Sequence[Any]) -> str:
    return f"images/{_plain(row[KEY])[:2]}.jsonl"


@lru_cache(maxsize=10_000)
def _plain(name: str) -> str:
    """A part of a path for any name. Git refuses some; and no name shall look like one of ours."""
    quoted = quote(name, safe="", errors="surrogatepass")
    if quoted.startswith((".", "_")) or quoted.endswith((".", ".lock")):
        quoted = quoted.replace(".", "%2E").replace("_", "%5F")
    return quoted or "-"


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
