"""What the memory of a project has, for tests that take some of it away."""

import sqlite3
from contextlib import closing
from pathlib import Path


def knows(folder: Path, word: str) -> bool:
    """Whether something of a kind is kept in a project's folder."""
    file = folder / ".kbsync" / "cache.db"
    if not file.exists():
        return False
    with closing(sqlite3.connect(file)) as db:
        return bool(db.execute("SELECT 1 FROM kept WHERE kind GLOB ?", (f"{word} *",)).fetchall())


def forget(folder: Path, word: str) -> None:
    """Forget all of a kind."""
    with closing(sqlite3.connect(folder / ".kbsync" / "cache.db")) as db, db:
        db.execute("DELETE FROM kept WHERE kind GLOB ?", (f"{word} *",))
