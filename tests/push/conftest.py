"""What all tests of pushes have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from in_process import in_process
from kbsync.sandbox import Sandbox

from .world import a_sandbox

__all__ = ["in_process"]


@pytest.fixture
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A service whose files are not in the folder of the test."""
    with a_sandbox(tmp_path_factory.mktemp("portal")) as sandbox:
        yield sandbox
