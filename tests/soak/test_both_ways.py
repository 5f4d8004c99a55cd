"""A few games of `both_ways.py` and of `wide.py`; more by `bench/both_ways.py` and `bench/wide_games.py`."""

from __future__ import annotations

import pytest

from repo import needs_git
from rings import seeds

from . import wide
from .both_ways import play

pytestmark = pytest.mark.slow

WIDE = (("4.16.2", "git"), ("4.10.0", "sqlite"), ("4.19.0", "none"))
"""Versions of the service, and where the ledger is."""


@pytest.mark.parametrize("seed", seeds(4))
def test_nothing_is_lost_or_there_twice_whatever_both_sides_do(tmp_path, seed):
    game = play(tmp_path, seed, 40, "4.10.0" if (seed + seed // 1000) % 4 == 3 else "4.16.2")
    assert game.wrong == [], "\n".join(game.story)


@needs_git
@pytest.mark.parametrize("seed", seeds(4))
def test_nothing_is_lost_or_there_twice_in_several_clones_with_faults_kills_and_pasted_hints(tmp_path, seed):
    game = wide.play(tmp_path, seed, 15, *WIDE[(seed + seed // 1000) % len(WIDE)])
    assert game.wrong == [], "\n".join(game.story)
