"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, never a part.

    Raises:
        OSError: the old file is still there.
    """
    handle, name = tempfile.mkstemp(prefix=path.name + ".", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def store_whole(path: Path, data: bytes) -> bool:
    """Write a cache, where that can be done; whether it was. A cache that is not there costs time, nothing else."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError:
        return False
    return True
