"""Whatever writers, people in the panel and accidents do: the portal shows what the sources say, each once.

`make soak` plays thousands of these rounds.
"""

from __future__ import annotations

import pytest

from repo import needs_git

from .play import play
from .stage import stages

pytestmark = [needs_git, pytest.mark.slow]

ROUNDS, PARTS = 200, 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_random_round_ends_with_one_article_for_each_source_and_nobody_s_edit_lost(part, tmp_path, record_property):
    share = ROUNDS // PARTS
    wrong: list[str] = []
    with stages(tmp_path) as stage_of:
        results = [play(stage_of(seed), seed) for seed in range(part * share, (part + 1) * share)]
    for result in results:
        record_property("soak", dict(result.counts))
        wrong += result.headlines
    assert not wrong, "\n".join(wrong)
