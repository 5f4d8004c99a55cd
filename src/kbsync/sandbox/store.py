"""The database of a sandbox: accounts, people, portals and categories; articles are in `articles`."""

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .portal_config import is_sound
from .records import Category, Portal, User, columns_of
from .refusals import crashed
from .setup import PortalSetup, Setup

COLOR = "#1f93ff"
"""The colour of a new portal. Source: tests/fixtures/observed, `portals list`."""

PORTAL_COLUMNS = ", ".join(columns_of(Portal))
CATEGORY_COLUMNS = ", ".join(columns_of(Category))
STAMPS = ("created_at", "updated_at")
"""Columns of the service that no answer about a portal or category shows; they have no place here."""

Row = tuple[Any, ...]


@dataclass(slots=True)
class Store:
    """The open database. Only the server's thread uses it, one request at a time."""

    connection: sqlite3.Connection
    clock: Callable[[], float]
    last_stamp_us: int = 0

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[Row]:
        """All rows of a query."""
        return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: tuple[object, ...] = ()) -> Row | None:
        """The first row of a query."""
        found: Row | None = self.connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, values: tuple[object, ...] = ()) -> int:
        """Change rows; how many."""
        return self.connection.execute(sql, values).rowcount

    def insert(self, table: str, row: Mapping[str, object]) -> None:
        """A new row.

        Raises:
            Halt: the database refuses it, which is an unhandled error of the service, such as for a taken slug.
        """
        self._write(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", (*row.values(),))

    def change(self, table: str, row_id: int, values: Mapping[str, object]) -> None:
        """Other values for a row; raises as `insert` does."""
        columns = ", ".join(f"{name} = ?" for name in values)
        self._write(f"UPDATE {table} SET {columns} WHERE id = ?", (*values.values(), row_id))

    def _write(self, sql: str, values: tuple[object, ...]) -> None:
        try:
            self.run(sql, values)
        except sqlite3.IntegrityError as exc:
            raise crashed() from exc

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several changes at once; all or none."""
        self.connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def stamp_us(self) -> int:
        """Now in microseconds, never twice the same: a real server never writes two rows at one instant."""
        self.last_stamp_us = max(int(self.clock() * 1_000_000), self.last_stamp_us + 1)
        return self.last_stamp_us

    def take_id(self, table: str) -> int:
        """The next id of a table. Like a sequence it is used up even when the row is then refused."""
        sql = "INSERT INTO sequences VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"
        found = self.row(sql, (table,))
        return int(found[0]) if found else 0

    def secret(self, name: str) -> str:
        """A random value that stays the same as long as the database does."""
        self.run("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, secrets.token_hex(20)))
        found = self.row("SELECT value FROM secrets WHERE name = ?", (name,))
        return str(found[0]) if found else ""

    def token_owner(self, token: str) -> tuple[int | None] | None:
        """The user id behind a token: None for an unknown token, (None,) for a bot's."""
        found = self.row("SELECT user_id FROM tokens WHERE token = ?", (token,))
        return (found[0],) if found else None

    def user(self, user_id: int, account_id: int | None) -> User | None:
        """A person with their role in an account."""
        sql = (
            "SELECT u.id, u.name, u.email, m.role FROM users u "
            "LEFT JOIN memberships m ON m.user_id = u.id AND m.account_id = ? WHERE u.id = ?"
        )
        found = self.row(sql, (account_id, user_id))
        return User(*found) if found else None

    def portal(self, account_id: int, slug: str) -> Portal | None:
        """A portal of an account by its slug, letter for letter."""
        return self._portal("account_id = ? AND slug = ?", (account_id, slug))

    def portal_by_id(self, portal_id: int) -> Portal | None:
        """A portal by its id."""
        return self._portal("id = ?", (portal_id,))

    def public_portal(self, slug: str) -> Portal | None:
        """A portal that visitors can see."""
        return self._portal("slug = ? AND NOT archived", (slug,))

    def _portal(self, condition: str, values: tuple[object, ...]) -> Portal | None:
        found = self.row(f"SELECT {PORTAL_COLUMNS} FROM portals WHERE {condition}", values)
        return as_portal(found) if found else None

    def portals(self, account_id: int) -> list[Portal]:
        """All portals of an account, oldest first."""
        sql = f"SELECT {PORTAL_COLUMNS} FROM portals WHERE account_id = ? ORDER BY id"
        return [as_portal(row) for row in self.rows(sql, (account_id,))]

    def category(self, portal_id: int, category_id: int) -> Category | None:
        """A category of a portal."""
        sql = f"SELECT {CATEGORY_COLUMNS} FROM categories WHERE id = ? AND portal_id = ?"
        found = self.row(sql, (category_id, portal_id))
        return Category(*found) if found else None


def as_portal(row: Row) -> Portal:
    """A row of PORTAL_COLUMNS as a value."""
    fields: dict[str, Any] = dict(zip(PORTAL_COLUMNS.split(", "), row, strict=True))
    return Portal(**fields | {"archived": bool(fields["archived"]), "config": _config_of(fields["config"])})


def _config_of(text: str) -> dict[str, Any] | None:
    """What is kept of a portal's settings; the file may have come with a clone.

    Raises:
        sqlite3.DatabaseError: it is something else.
    """
    try:
        config = json.loads(text)
        if config is None:
            return None
        if isinstance(config, dict) and is_sound(config):
            return config
    except (TypeError, ValueError, RecursionError):
        pass
    raise sqlite3.DatabaseError("the settings of a portal in it are damaged")


def apply_setup(store: Store, setup: Setup) -> None:
    """Make the account, people, portals and locales that are missing; nothing is changed back or deleted.

    Tokens are the exception: only those of the setup are good, none of an earlier one.
    """
    with store.transaction():
        store.run("DELETE FROM tokens")
        for account in (setup, *setup.neighbours):
            _apply_account(store, account)


def _apply_account(store: Store, setup: Setup) -> None:
    store.run(
        "INSERT OR IGNORE INTO accounts VALUES (?, ?, ?)",
        (setup.account_id, setup.account_name, setup.suspended),
    )
    for user in setup.users:
        store.run("INSERT OR IGNORE INTO users VALUES (?, ?, ?, 1)", (user.id, user.name, user.email))
        store.run("INSERT OR IGNORE INTO memberships VALUES (?, ?, ?)", (setup.account_id, user.id, user.role))
        store.run("INSERT OR IGNORE INTO tokens VALUES (?, ?)", (user.token, user.id))
    for token in setup.bot_tokens:
        store.run("INSERT OR IGNORE INTO tokens VALUES (?, NULL)", (token,))
    for portal in setup.portals:
        _apply_portal(store, setup.account_id, portal)


def _apply_portal(store: Store, account_id: int, wanted: PortalSetup) -> None:
    present = store.portal(account_id, wanted.slug)
    if present is None:
        config = {"allowed_locales": list(wanted.locales), "default_locale": wanted.default_locale}
        row = {"id": store.take_id("portals"), "account_id": account_id, "name": wanted.name, "slug": wanted.slug}
        row |= {"color": COLOR, "custom_domain": wanted.custom_domain or None, "header_text": wanted.header_text}
        page_title = wanted.header_text and wanted.name
        store.insert("portals", row | {"page_title": page_title, "config": json.dumps(config)})
        return
    locales = present.allowed_locales or []
    missing = [locale for locale in wanted.locales if locale not in locales]
    if missing:
        config = (present.config or {}) | {"allowed_locales": [*locales, *missing]}
        store.change("portals", present.id, {"config": json.dumps(config)})
