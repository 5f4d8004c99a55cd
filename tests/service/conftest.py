"""A sandbox and a client for it."""

import pytest

from .world import MINUTE_S, Sleepless, a_sandbox, a_service


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path) as running:
        yield running


@pytest.fixture
def service(sandbox):
    with a_service(sandbox.base_url) as client:
        yield client


@pytest.fixture
def clock():
    return Sleepless(MINUTE_S)
