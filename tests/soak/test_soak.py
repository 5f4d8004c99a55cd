"""Whatever writers, people in the panel and accidents do: the portal shows what the sources say, each once.

`make soak` plays thousands of these rounds.
"""

from collections.abc import Callable

import pytest

from repo import needs_git
from rings import seeds

from . import both_ways, wide
from .play import Result, play
from .stage import stages

pytestmark = [needs_git, pytest.mark.slow]

ROUNDS, PARTS, GIT_ROUNDS = 140, 4, 14

FAILED_ONCE = (992066, 992172, 992240, 993041, 993066, 993191, 993613, 993809, 995312, 998017, 7770354)
"""Rounds that found something: a status that git was not asked about, a slug that was held and given to another article
all the same, an article that may be another one and was published, a deleted article that was made again where its file
moved and a new one took the path, a second article of a file that moved to another locale, a description that was asked
about where there had been none, an article of a deleted file that got the text of one which took its path."""


@pytest.mark.parametrize("part", range(PARTS))
def test_a_random_round_ends_with_one_article_for_each_source_and_nobody_s_edit_lost(part, tmp_path, record_property):
    with stages(tmp_path) as stage_of:
        results = [play(stage_of(seed), seed) for seed in seeds(ROUNDS)[part::PARTS]]
    _check(results, record_property)


@pytest.mark.parametrize("part", range(2))
def test_a_round_that_found_something_once_finds_nothing(part, tmp_path, record_property):
    with stages(tmp_path) as stage_of:
        results = [play(stage_of(seed), seed) for seed in FAILED_ONCE[part::2]]
    _check(results, record_property)


def test_a_random_round_with_the_ledger_in_git_ends_the_same_whatever_runners_disks_and_remote_do(
    tmp_path, record_property
):
    with stages(tmp_path, "git") as stage_of:
        results = [play(stage_of(seed), seed) for seed in seeds(GIT_ROUNDS)]
    _check(results, record_property)


def _check(results: list[Result], record_property: Callable[[str, object], None]) -> None:
    for result in results:
        record_property("soak", dict(result.counts))
    wrong = [line for result in results for line in result.headlines]
    assert not wrong, "\n".join(wrong)


# --- a few games of `both_ways.py` and of `wide.py` ------------------------------------------------------------------


WIDE = (("4.16.2", "git"), ("4.10.0", "sqlite"), ("4.19.0", "none"))
"""Versions of the service, and where the ledger is."""


@pytest.mark.parametrize("seed", seeds(4))
def test_nothing_is_lost_or_there_twice_whatever_both_sides_do(tmp_path, seed):
    game = both_ways.play(tmp_path, seed, 40, "4.10.0" if (seed + seed // 1000) % 4 == 3 else "4.16.2")
    assert game.wrong == [], "\n".join(game.story)


@pytest.mark.parametrize("seed", seeds(4))
def test_nothing_is_lost_or_there_twice_in_several_clones_with_faults_kills_and_pasted_hints(tmp_path, seed):
    game = wide.play(tmp_path, seed, 15, *WIDE[(seed + seed // 1000) % len(WIDE)])
    assert game.wrong == [], "\n".join(game.story)
