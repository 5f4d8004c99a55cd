"""Every ledger there is, opened as often as a test asks; and two repositories for the one in git."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbsync.ledger import Ledger

from .makers import LEDGERS, Opener, a_clone, a_remote, opener_of


@pytest.fixture(params=LEDGERS)
def opened(request, tmp_path) -> Iterator[Opener]:
    """Opens the ledger as often as a test asks, and closes all of them."""
    opener, ledgers = opener_of(request.param, tmp_path, request), []

    def open_once_more() -> Ledger:
        ledgers.append(opener())
        return ledgers[-1]

    yield open_once_more
    for ledger in ledgers:
        ledger.close()


@pytest.fixture
def ledger(opened) -> Ledger:
    return opened()


@pytest.fixture
def remote(tmp_path) -> Path:
    return a_remote(tmp_path / "remote.git")


@pytest.fixture
def here(tmp_path, remote) -> Path:
    return a_clone(remote, tmp_path / "here")
