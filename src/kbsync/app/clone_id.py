"""The id of this clone, by which it knows what it published of files that were not committed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kbsync.files import read_within, store_whole

NAME = "clone"
BYTES = 8
FORM = re.compile(rb"[0-9a-f]{16}")


def known_clone_id(folder: Path) -> str:
    """The id in the folder of kbsync's own files; "" before it was made."""
    try:
        found = read_within(folder / NAME, 2 * BYTES)
    except OSError:
        return ""
    return found.decode("ascii") if FORM.fullmatch(found) else ""


def clone_id(folder: Path) -> str:
    """That id, made the first time that it is asked for.

    Where it cannot be kept, what is published now is another clone's from then on: it is held, not put back.
    """
    if known := known_clone_id(folder):
        return known
    made = os.urandom(BYTES).hex()
    store_whole(folder / NAME, made.encode("ascii"))
    return made
