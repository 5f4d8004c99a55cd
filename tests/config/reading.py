"""A kbsync.toml of some text, read; and the complaint about one that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbsync.config import Settings, read_settings
from kbsync.errors import ConfigError


def read(folder: Path, text: str | bytes, *, env: str = "", **environ: str) -> Settings:
    path = folder / "kbsync.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(path, env=env, environ=environ)


def complaint(folder: Path, text: str | bytes, *, env: str = "", **environ: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(folder, text, env=env, **environ)
    return caught.value
