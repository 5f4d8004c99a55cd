"""The id of this clone, by which it knows what it published of files that were not committed."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from kbsync.files import make_folder, read_within, store_whole

NAME = "clone"
BYTES = 8
FORM = re.compile(rb"([0-9a-f]{16}) ([0-9]{1,39})")
MOST_BYTES = 64


def known_clone_id(folder: Path) -> str:
    """The id in the folder of kbsync's own files; "" before it was made.

    In a copy of the folder too, which is a clone of its own: what one of the two publishes, the other does not have.
    """
    try:
        found = FORM.fullmatch(read_within(folder / NAME, MOST_BYTES))
        return found[1].decode("ascii") if found and int(found[2]) == _number_of(folder) else ""
    except OSError:
        return ""


def clone_id(folder: Path) -> str:
    """That id, made the first time that it is asked for.

    Where it cannot be kept, what is published now is another clone's from then on: it is held, not put back.
    """
    if known := known_clone_id(folder):
        return known
    made = os.urandom(BYTES).hex()
    with suppress(OSError):
        make_folder(folder)
        store_whole(folder / NAME, f"{made} {_number_of(folder)}".encode("ascii"))
    return made


def _number_of(folder: Path) -> int:
    """The number of the folder on its disk: it stays with a folder that is moved, and a copy has another."""
    return folder.stat().st_ino
