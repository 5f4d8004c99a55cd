"""What moved between two marks of a tree: the same as by comparing every stamp, and None where a file came or went.

The locales of a tree, too, are what looking at every path finds.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.content.identity import locales_of
from kbsync.content.mark import PIECE_SOURCES, Mark
from kbsync.content.walk import Stamp, Walk

STAMPS = st.builds(Stamp, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
NAMES = [f"en/{number:04}.md" for number in range(3 * PIECE_SOURCES)]


def mark(sources: dict[str, Stamp], others: dict[str, Stamp] | None = None) -> Mark:
    return Mark.of(Walk(sources=dict(sorted(sources.items())), others=others or {}))


@given(st.sets(st.sampled_from(NAMES)), st.dictionaries(st.sampled_from(NAMES), STAMPS, max_size=5))
def test_what_moved_is_what_a_comparison_of_all_stamps_finds(names, edits):
    before = dict.fromkeys(names, Stamp(1, 1, 1))
    now = before | {name: stamp for name, stamp in edits.items() if name in before}
    moved = mark(before).moved(mark(now))
    assert moved == {name: before[name] for name in before if before[name] != now[name]}


@pytest.mark.parametrize("number", [0, PIECE_SOURCES - 1, PIECE_SOURCES, len(NAMES) - 1])
def test_a_file_that_came_went_or_has_another_name_is_not_a_source_that_moved(number):
    before = dict.fromkeys(NAMES, Stamp(1, 1, 1))
    fewer = {name: stamp for name, stamp in before.items() if name != NAMES[number]}
    renamed = fewer | {NAMES[number].replace("en/", "de/"): Stamp(1, 1, 1)}
    for now in (fewer, renamed):
        assert mark(before).moved(mark(now)) is None
        assert mark(now).moved(mark(before)) is None


def test_another_file_that_is_no_source_makes_it_unknown_what_moved():
    before = dict.fromkeys(NAMES, Stamp(1, 1, 1))
    assert mark(before).moved(mark(before, {"en/a.png": Stamp(1, 1, 1)})) is None


@given(st.lists(st.text("ade/", min_size=1, max_size=6).filter(lambda path: not path.startswith("/"))))
def test_the_locales_of_a_tree_are_its_folders_whatever_the_order_of_its_paths(paths):
    assert locales_of(paths) == tuple(sorted({path.partition("/")[0] for path in paths if "/" in path}))
