"""A few games of `both_ways.py` and of `wide.py`; more by `bench/both_ways.py` and `bench/wide_games.py`."""

from __future__ import annotations

import pytest

from repo import needs_git

from . import wide
from .both_ways import play

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("seed", "version"), [(1, "4.16.2"), (2, "4.16.2"), (3, "4.10.0"), (4, "4.16.2")])
def test_nothing_is_lost_or_there_twice_whatever_both_sides_do(tmp_path, seed, version):
    game = play(tmp_path, seed, 40, version)
    assert game.wrong == [], "\n".join(game.story)


@needs_git
@pytest.mark.parametrize(
    ("seed", "version", "ledger"), [(1, "4.16.2", "git"), (2, "4.10.0", "sqlite"), (3, "4.19.0", "none")]
)
def test_nothing_is_lost_or_there_twice_in_several_clones_with_faults_kills_and_pasted_hints(
    tmp_path, seed, version, ledger
):
    game = wide.play(tmp_path, seed, 15, version, ledger)
    assert game.wrong == [], "\n".join(game.story)
