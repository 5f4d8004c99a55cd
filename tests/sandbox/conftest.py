"""A sandbox of the newest version, as most tests want it."""

import pytest

from .world import a_sandbox


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path) as running:
        yield running
