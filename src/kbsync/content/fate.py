"""What became of a file that is gone. `history/fates.py` learns it from git."""

from __future__ import annotations

from typing import NamedTuple


class Fate(NamedTuple):
    """What became of a file. `path` is its name today, "" where it was deleted; `commit` did that, "" for a rename that
    is not committed yet. `is_sure`: git found it nearly unchanged under that name, at each rename.
    """

    path: str
    commit: str
    is_sure: bool = True
