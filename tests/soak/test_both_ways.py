"""A few games of `both_ways.py`; more by `bench/both_ways.py`."""

from __future__ import annotations

import pytest

from .both_ways import play

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("seed", "version"), [(1, "4.16.2"), (2, "4.16.2"), (3, "4.10.0"), (4, "4.16.2")])
def test_nothing_is_lost_or_there_twice_whatever_both_sides_do(tmp_path, seed, version):
    game = play(tmp_path, seed, 40, version)
    assert game.wrong == [], "\n".join(game.story)
