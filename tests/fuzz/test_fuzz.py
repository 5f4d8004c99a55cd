"""A short run of each kind; `make fuzz` is the long one.

What fails is made again by `bench/fuzz.py --kind KIND --only NUMBER`.
"""

from collections.abc import Iterator

import asking
import pytest
from examine import examine
from hostile import MOST_CHARS, texts
from kinds import KINDS
from mutate import mutated, seeds

from rings import some

pytestmark = pytest.mark.slow

FILES = 2_000
PARTS = 8
SEEDS = seeds()


@pytest.fixture(scope="module", autouse=True)
def servers_end() -> Iterator[None]:
    yield
    asking.stop()


@pytest.mark.parametrize("first", some(range(0, FILES, FILES // PARTS)))
def test_broken_files_raise_nothing_and_their_links_stay_inside_the_tree(first: int):
    wrong = [
        (number, told)
        for number in range(first, first + FILES // PARTS)
        for told in examine(mutated(number, SEEDS), preview=number % 4 == 0)
    ]
    assert wrong == []


@pytest.mark.parametrize(("kind", "count"), [("images", 1_500), ("requests", 400), ("encodings", 150), ("names", 60)])
def test_hostile_things_of_other_kinds_are_taken_for_nothing_that_they_are_not(kind: str, count: int):
    examined = KINDS[kind]
    wrong = [(number, told) for number in some(range(count)) for told in examined.examine(examined.make(number, ()))]
    assert wrong == []


@pytest.mark.parametrize("name", texts())
def test_a_text_made_to_be_slow_comes_through(name: str):
    # Half of the length: `make fuzz` takes all of it, and a clock.
    assert list(examine(texts()[name][: MOST_CHARS // 2].encode(), preview=True)) == []


def test_a_link_that_climbs_out_of_the_tree_is_a_finding_and_is_not_resolved():
    for written in ("../../../etc/passwd.md", "%2e%2e/%2e%2e/%2e%2e/etc/passwd.md", "../../en/../../en/a/refunds.md"):
        assert list(examine(f"# T\n\n[a]({written}) ![b]({written})\n".encode(), preview=True)) == []
