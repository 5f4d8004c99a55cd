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

Also: A row of the ledger as a line of JSON, and back, without what its file or its change says already. Pure.
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
from kbsync.ledger.schema import TOO_OLD, VERSION
from kbsync.ledger.tracked import Fingerprints, fingerprint
from kbsync.ledger.values import Owner
from kbsync.model import DRAFTS, Change

JSON_COLUMNS = frozenset({"remote_id", "fields", "kept", "overruled", "decided_for", "before", "after", "change"})
"""Columns that hold JSON: in the files it is part of the line."""

LEFT_OUT: Mapping[str, frozenset[str]] = {
    "item": frozenset({"target"}),
    "run": frozenset({"target"}),
    "journal": frozenset({"target", "run", "runner"}),
    "picture": frozenset({"target"}),
}
"""What the place of the line says already, or what means something on one machine alone."""

OF_CHANGE = frozenset({"action", "kind", "locale", "slug", "path", "before", "after"})
"""Columns of the journal that its change says as well."""

DEFAULTS: Mapping[str, Any] = {
    "error": "", "hint": "", "again": 0, "phase": 0, "kept": "{}", "overruled": "{}", "decided_for": "{}",
    "version": "", "who": "", "source_commit": "", "source_s": 0,
}  # fmt: skip
"""Left out of a line where it is so."""

NAMES: Mapping[str, tuple[str, ...]] = {
    table: tuple(name.strip('"') for name in columns) for table, columns in TABLES.items()
}
"""The columns of each table, as a line names them."""

BY = ("path", "key", "remote_id")
"""What the lines of a file are sorted by."""


def lines_of(table: str, rows: Iterable[Sequence[Any]]) -> bytes:
    """The content of a file with some rows, in the order of its lines."""
    names = NAMES[table]
    lines: list[tuple[str, bytes]] = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        order = f"{values['id']:012}" if table == "journal" else "\0".join(str(values.get(key)) for key in BY)
        lines.append((order, msgspec.json.encode(as_dict(table, row))))
    return b"\n".join(line for _, line in sorted(lines)) + b"\n"


def as_dict(table: str, row: Sequence[Any]) -> dict[str, Any]:
    """What the line of a row says, by column."""
    found: dict[str, Any] = {}
    names = NAMES[table]
    change = _decoded(row[names.index("change")] or "null") if "change" in names else None
    left_out = LEFT_OUT[table] | OF_CHANGE | {"change"} if change else LEFT_OUT[table]
    for name, value in zip(names, row, strict=True):
        if name in left_out or value in (None, DEFAULTS.get(name)):
            continue
        found[name] = _decoded(value) if name in JSON_COLUMNS else value
    if change:
        found["change"] = _brief(change)
    # Who reads a line looks for the file first.
    return {"path": found.pop("path"), **found} if "path" in found else found


def _brief(change: dict[str, Any]) -> dict[str, Any]:
    """A change without what is as it always is; `leaves: []` says something."""
    fields = [{name: value for name, value in field.items() if value is not None} for field in change["fields"]]
    brief = {name: value for name, value in change.items() if value not in (None, "", False, 0, [])}
    return {**brief, "fields": fields}


def _decoded(text: str) -> Any:
    value = msgspec.json.decode(text)
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def rows_of(table: str, content: bytes, target: str, **given: Any) -> list[list[Any]]:
    """The rows of a file; `given` are columns that its name says."""
    lines = msgspec.json.Decoder(dict[str, Any]).decode_lines(content)
    return [as_row(table, line, {"target": target, "runner": "", **given}) for line in lines]


def as_row(table: str, found: dict[str, Any], given: Mapping[str, Any]) -> list[Any]:
    """The row of what a line says."""
    if found.get("change"):
        found = {**found, **_of_change(found["change"])}
    row = []
    for name in NAMES[table]:
        value = given[name] if name in given else found.get(name, DEFAULTS.get(name))
        if name in JSON_COLUMNS and value is not None and name in found:
            value = msgspec.json.encode(value).decode()
        row.append(value)
    return row


def _of_change(brief: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that follow from a change."""
    required = {"locale": "", "slug": "", "path": "", "title": "", "remote_id": None}
    fields = [{"before": None, "after": None, **field} for field in brief["fields"]]
    change = msgspec.convert({**required, **brief, "fields": fields}, Change)
    columns = {name: getattr(change, name) for name in ("action", "kind", "locale", "slug", "path", "before", "after")}
    return {**columns, "change": change}


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


class LedgerFiles(NamedTuple):
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


class ShardContents(NamedTuple):
    """What the files of a commit say: the tables, who is at work, and by name the files that have rows of tables."""

    tables: dict[str, list[list[Any]]]
    lease: Lease | None
    shards: Mapping[str, Shard]

    @property
    def fingerprints(self) -> Fingerprints:
        """Of the rows of each file."""
        return {name: shard.fingerprint for name, shard in self.shards.items()}


def to_files(tables: Tables, target: str, lease: Lease | None, there: Fingerprints = NONE_THERE) -> LedgerFiles:
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
    return LedgerFiles(files, frozenset({*same, *map(body_file, needed)}), fingerprints)


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


def from_files(files: Files, target: str, place: str, known: Mapping[str, Shard] = NO_SHARDS) -> ShardContents:
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


def _read(files: Files, target: str, place: str, known: Mapping[str, Shard]) -> ShardContents:
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
    return ShardContents(tables, lease, shards)


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
