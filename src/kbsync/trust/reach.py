"""What a kbsync.toml reaches outside its repository: programs, files, databases. Reads the file; runs nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from kbsync.config import ContentSettings, LedgerSettings
from kbsync.config.toml import read_toml
from kbsync.errors import ConfigError
from kbsync.files import real_path
from kbsync.git import top_of
from kbsync.model import visible
from kbsync.service.profile import BUILT_IN

STATE = ".kbsync"


class Reach(msgspec.Struct, frozen=True):
    """One thing outside the repository.

    Args:
        table, key: what names it in kbsync.toml; for the folder `.kbsync` the table is empty.
        value: what it says there, as JSON.
        leads: where symbolic links make of it something else, seen from the folder of kbsync.toml; else "".
        what: in words, for the question.
        layer: the `[env.NAME]` that it is written in, "" for none.
    """

    table: str
    key: str
    value: str
    leads: str
    what: str
    layer: str = ""

    @property
    def place(self) -> str:
        """`[service] token_command`, or the path."""
        return f"[{self.layer}{self.table}] {self.key}" if self.table else self.key

    @property
    def mark(self) -> tuple[str, str, str, str]:
        """What two layers have in common when they say the same."""
        return self.table, self.key, self.value, self.leads


def digest_of(reaches: Iterable[Reach]) -> str:
    """Names what is agreed to. No path of this machine is in it, so that it is the same in every CI job."""
    rows = sorted({(reach.layer, *reach.mark) for reach in reaches})
    return blake2b(msgspec.json.encode(rows), digest_size=16).hexdigest()


def reaches_of(path: Path) -> tuple[Reach, ...]:
    """Everything outside the repository that a kbsync.toml names, in all its environments. It was checked before."""
    _, raw = read_toml(path, path.name)
    look = ReachFinder(path.parent)
    environments = raw.pop("env", {})
    base: dict[str, Any] = {"content": {"root": ContentSettings().root}, "ledger": {"url": LedgerSettings().url}}
    for table in (*base, "service"):
        base[table] = {**base.get(table, {}), **raw.get(table, {})}
    found = [*look.of_state(), *look.of_tables(base)]
    for name in sorted(environments):
        found += look.of_tables(environments[name], layer=f"env.{name}.")
    return tuple(found)


class ReachFinder:
    """Looks where the keys of the kbsync.toml in a folder lead."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.boundary = top_of(folder)

    def of_tables(self, tables: dict[str, Any], *, layer: str = "") -> Iterator[Reach]:
        """What the keys of one layer reach."""
        for table, keys in tables.items():
            for key, value in keys.items():
                yield from self.of_key(table, key, value, layer=layer)

    def of_key(self, table: str, key: str, value: Any, *, layer: str = "") -> Iterator[Reach]:
        """What one key reaches outside: mostly nothing, once in a while one thing."""
        if (table, key) == ("service", "token_command") and value:
            words = value if isinstance(value, str) else " ".join(value)
            yield Reach(table, key, _json(value), "", f"runs a program: {visible(words)}", layer)
        elif (table, key) == ("service", "profile"):
            yield from self._of_profile(value, layer)
        elif (table, key) == ("content", "root"):
            yield from self._of_path(table, key, value, value, "reads articles from", layer)
        elif (table, key) == ("ledger", "url"):
            scheme, _, rest = value.partition(":")
            if scheme == "sqlite":
                name = rest.removeprefix("//")
                yield from self._of_path(table, key, value, name, "keeps the ledger in", layer)
            elif scheme in {"postgresql", "postgres"}:
                shown = visible(LedgerSettings(value).place)
                yield Reach(table, key, _json(value), "", f"signs in to a database: {shown}", layer)

    def of_state(self) -> Iterator[Reach]:
        """Where `.kbsync` is a link that leads out."""
        if (self.folder / STATE).is_symlink():
            yield from self._of_path("", STATE, "", STATE, "keeps its data in", "")

    def _of_profile(self, name: str, layer: str) -> Iterator[Reach]:
        """A profile outside, also where one inside extends it."""
        seen: set[str] = set()
        first = name
        while name not in BUILT_IN and name not in seen:
            seen.add(name)
            yield from self._of_path("service", "profile", [first, name], name, "reads the profile", layer)
            try:
                _, raw = read_toml(self.folder / name, name)
            except (OSError, ConfigError):
                return  # The real reading reports what is wrong.
            parent = raw.get("extends")
            if not isinstance(parent, str):
                return
            name = parent

    def _of_path(self, table: str, key: str, value: Any, name: str, what: str, layer: str) -> Iterator[Reach]:
        place = Path(os.path.normpath(self.folder / name))
        end = real_path(self.folder / name)
        if end.is_relative_to(self.boundary):
            return
        inside = real_path(self.folder)
        plain = Path(os.path.normpath(inside / name))
        leads = "" if end in (place, plain) else os.path.relpath(end, inside)
        yield Reach(table, key, _json(value), leads, f"{what} {visible(str(end))}", layer)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
