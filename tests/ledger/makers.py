"""Every ledger there is, as something that opens it again and again, and the values that the suite records."""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kbsync.ledger import Ledger
from kbsync.ledger.git_ledger import GitLedger, open_git_ledger, ref_of
from kbsync.ledger.postgres import PostgresDatabase
from kbsync.ledger.remote import RemoteRef
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.ledger.values import Owner, Turn
from kbsync.model import Action, Base, Change, FieldChange, Status, Target
from repo import Repo

Opener = Callable[[], Ledger]
"""Opens the same ledger once more, by a connection of its own."""

LEDGERS = ("sqlite", "postgresql", "git")
"""A new kind of ledger is one more word here, and a line in `opener_of`."""


def opener_of(name: str, folder: Path, request: pytest.FixtureRequest) -> Opener:
    """Opens a new ledger of this kind."""
    if name == "postgresql":
        url = request.getfixturevalue("postgres").database_for(request)
        return lambda: Ledger(PostgresDatabase(url))
    if name == "git":
        clone = a_clone(a_remote(folder / "remote.git"), folder / "clone")
        return lambda: git_ledger(clone)
    return lambda: Ledger(SqliteDatabase(folder / "kbsync" / "ledger.db"))


def a_remote(folder: Path) -> Path:
    """A bare repository."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(folder.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(folder))
    return folder


def a_clone(remote: Path, folder: Path) -> Path:
    """A repository whose `origin` is another one; it has nothing of that yet."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(folder.parent, "init", "--quiet", "--initial-branch=main", str(folder))
    git(folder, "remote", "add", "origin", str(remote))
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git there; what it prints."""
    return Repo(folder).git(*arguments)


def a_program(path: Path, script: str) -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


def found_first(program: Path) -> dict[str, str]:
    """The environment in which this program is found before any other of its name."""
    return os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def git_ledger(
    clone: Path, environ: Mapping[str, str] = os.environ, *, beside: bool = False, fetch: bool = True
) -> GitLedger:
    """The ledger that a clone's remote has, as the processes of that clone see it."""
    ref = RemoteRef(clone, "origin", ref_of(TARGET), environ)
    return open_git_ledger(ref, TARGET, clone / ".kbsync", fetch=fetch, beside=beside)


TARGET = Target("https://a.example", 1, "handbook", "chatwoot")
PORTAL, OTHER = "https://a.example|1|handbook", "https://a.example|1|other"
ANA = Owner("ana", "laptop", 11, 100.0, 100.0)
BEN = Owner("ben", "laptop", 22, 200.0, 200.0)


def a_base(slug: str = "x", remote_id: int | str = 7, **given: object) -> Base:
    values: dict[str, object] = {"kind": "article", "locale": "en", "path": f"en/a/{slug}.md", "status": Status.DRAFT}
    values |= {"fields": {"slug": slug, "title": "Ünïcode “X”", "position": None, "tags": ("a", "b")}} | given
    return Base(remote_id=remote_id, slug=slug, **values)


def a_change(action: Action = Action.CREATE, slug: str = "x", remote_id: int | str | None = None, **fields) -> Change:
    changes = tuple(FieldChange(name, before, after) for name, (before, after) in fields.items())
    item = {"kind": "article", "locale": "en", "slug": slug, "path": f"en/a/{slug}.md", "title": "X"}
    return Change(action=action, **item, remote_id=remote_id, fields=changes)


def all_at_once(*works: Callable[[], object]) -> None:
    """Each in a thread of its own; what one of them raised is raised."""
    raised: list[BaseException] = []

    def caught(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as exc:  # noqa: BLE001 - raised below
            raised.append(exc)

    threads = [threading.Thread(target=caught, args=(work,)) for work in works]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert raised == []


def begin(ledger: Ledger, *changes: Change, target: str = PORTAL, owner: Owner = ANA) -> list[int]:
    """A run that is about to send these changes; the entries' numbers."""
    run = ledger.begin_run(target, command="push", now=1.0, owner=owner)
    entries = ledger.offer(target, run, [(1, change) for change in changes])
    ledger.turn(target, run, owner, Turn(phase=1, most=len(entries)), now=2.0)
    looked = {entry: () for entry, change in zip(entries, changes, strict=True) if change.action != Action.CREATE}
    ledger.turn(target, run, owner, Turn(sending=looked), now=2.0)
    return entries
