"""Files that are written whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, never a part.

    What is large comes in pieces, so that it need not be in memory whole.

    Raises:
        OSError: the old file is still there.
    """
    # Hidden, so that neither the walk nor a watcher takes it for a source.
    part = path.with_name(f".kbsync-{secrets.token_hex(8)}")
    try:
        with part.open("xb") as file:
            file.writelines((data,) if isinstance(data, bytes) else data)
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def store_whole(path: Path, data: bytes | Iterable[bytes]) -> bool:
    """Write a cache, where that can be done; whether it was. A cache that is not there costs time, nothing else."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError:
        return False
    return True
