"""What all tests of pushes have."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from in_process import in_process
from kbsync.sandbox import Sandbox

from .project import Project, a_checkout
from .world import World, a_pushed_world, a_sandbox

__all__ = ["in_process"]


@pytest.fixture
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A service whose files are not in the folder of the test."""
    with a_sandbox(tmp_path_factory.mktemp("portal")) as sandbox:
        yield sandbox


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """The portal has the TREE of the file with the test."""
    with a_pushed_world(tmp_path, request.module.TREE) as world:
        yield world


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path, portal: Sandbox) -> Project:
    """The TREE of the file with the test in a folder, not pushed yet."""
    return a_checkout(tmp_path / "project", portal, request.module.TREE)
