"""What somebody dragged in the panel comes into the files as an order, in the numbers that the files have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from msgspec import structs

from kbsync.model import Plan, Status
from kbsync.plan.build import build_plan
from kbsync.plan.draft import Draft
from kbsync.plan.known import Known, Last, Records
from kbsync.plan.match import Matches, Reading, Unclear, match_items, weigh
from kbsync.plan.new_paths import NewFile
from kbsync.plan.nodes import Article
from kbsync.plan.pull import Moved, Step, find_moved
from kbsync.plan.pull_order import find_orders
from kbsync.plan.pull_places import Placed, fewest_numbers, put_in_order, step_between
from kbsync.plan.sequence import Slot

from .items import POLICY, TARGET, Item, a_category, an_article

BILLING = a_category(slug="billing", remote_id=900)


def path(name: str) -> str:
    return f"en/billing/{name}.md"


@dataclass
class Category:
    """A category on all sides, by name: the numbers of files, portal and bases, and what was last pulled.

    `loose` are on the portal, and their files give no position; `old` those that are archived.
    """

    files: dict[str, int]
    portal: dict[str, int]
    bases: dict[str, int] = field(default_factory=dict)
    records: Records = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    loose: set[str] = field(default_factory=set)
    old: set[str] = field(default_factory=set)

    @classmethod
    def pushed(cls, **files: int) -> Category:
        return cls(dict(files), dict(files), dict(files))

    def item(self, name: str, number: int | None) -> Item:
        place = {} if number is None else {"position": number}
        status = Status.ARCHIVED if name in self.old else Status.DRAFT
        made = an_article(category="billing", **place)
        return made.but(slug=name, path=path(name), remote_id=ord(name), status=status)

    def items(self, numbers: dict[str, int]) -> list[Item]:
        return [BILLING, *(self.item(name, number) for name, number in numbers.items())]

    def sides(self) -> tuple[list, Known]:
        loose = dict.fromkeys(self.loose)
        tree = [item.desired() for item in self.items({**self.files, **loose})]
        bases = [structs.replace(item.base(), touched_s=1) for item in self.items({**self.bases, **loose})]
        seen = [item.observed() for item in self.items(self.portal)]
        there = [structs.replace(item, updated_at=2 if item.slug in self.touched else 1) for item in seen]
        return tree, Known(there, bases)

    def plan(self) -> Plan:
        return build_plan(TARGET, *self.sides(), policy=POLICY)

    def pulled(self, *chosen: str, side: str | None = None, named: Sequence[str] | None = None) -> Placed:
        """What a pull would write."""
        tree, known = self.sides()
        matches, draft = match_items(tree, weigh(tree, known)), Draft(POLICY)
        paths = None if named is None else [path(name) for name in named]
        orders = find_orders(draft, matches, self.records, paths)
        found = find_moved(draft, matches, self.records)
        new = [NewFile(path(item.slug), item) for item in found.new]
        return put_in_order(orders, found.incoming, new, {path(name) for name in chosen} or None, side)

    def pull(self, *chosen: str, side: str | None = None) -> dict[str, int]:
        """Pull, and give back the numbers that changed in files that were there."""
        placed = self.pulled(*chosen, side=side)
        changed = {}
        for item in placed.incoming:
            (moved,) = item.fields
            assert (moved.name, moved.step) == ("position", Step.TAKE)
            changed[item.match.desired.slug] = moved.theirs
        made = {file.observed.slug: file.observed.fields["position"] for file in placed.new}
        self.files |= changed | made
        # A new file is in no base before the next push.
        records = {node: dict(fields) for node, fields in self.records.items()}
        for order in placed.noted:
            for node, last in order.numbers.items():
                records.setdefault(node, {})["position"] = last
        self.records = records
        return changed

    def drag(self, name: str, place: int, version: str = "4.16") -> None:
        """Drop an article at a place of the portal's order, with the numbers of a version of the service."""
        rest = [other for other in self.row() if other != name]
        order = [*rest[:place], name, *rest[place:]]
        numbers = sorted(self.portal.values())
        if version == "4.16" or len(set(numbers)) < len(numbers):
            numbers = [10 * number for number in range(1, len(order) + 1)]
        before, self.portal = self.portal, dict(zip(order, numbers, strict=True))
        # Only those move the time whose number was sent (docs/service.md, S124).
        moved = {name} if version == "4.16" else {other for other in order if before[other] != self.portal[other]}
        self.touched |= moved

    def row(self) -> list[str]:
        """The order on the portal."""
        rank = {name: place for place, name in enumerate(self.order())}
        return sorted(self.portal, key=lambda name: (self.portal[name], rank.get(name, 0), name))

    def order(self) -> str:
        """The order of the files."""
        return "".join(sorted(self.files, key=lambda name: (self.files[name], name)))

    def seen(self) -> str:
        """The portal's order of those whose files give a position."""
        return "".join(name for name in self.row() if name in self.files)


MANY = [chr(ord("a") + number) for number in range(100)]

# By what is promised: the numbers of the files, the drags, and the numbers that change in files with each pull.
DRAGGED = {
    "one drag is one number between its new neighbors": (
        {"a": 10, "b": 20, "c": 30, "d": 40, "e": 50}, [("d", 1)], [{"d": 15}]),
    "a second drag before any push is taken too": (
        {"a": 10, "b": 20, "c": 30, "d": 40, "e": 50}, [("d", 1), ("d", 4)], [{"d": 15}, {"d": 60}]),
    "one drag in a long category changes one file": (
        {name: number for number, name in enumerate(MANY, 1)}, [(MANY[90], 0)], [{MANY[90]: 0}]),
    "one drag in a long category of tens changes one file": (
        {name: 10 * number for number, name in enumerate(MANY, 1)}, [(MANY[90], 40)], [{MANY[90]: 405}]),
}  # fmt: skip


@pytest.mark.parametrize(("files", "drags", "pulled"), DRAGGED.values(), ids=DRAGGED)
def test_a_pull_writes_the_fewest_numbers_and_leaves_nothing(files, drags, pulled):
    category = Category.pushed(**files)
    for drag, numbers in zip(drags, pulled, strict=True):
        category.drag(*drag)
        assert category.pull() == numbers
        plan = category.plan()
        assert (category.order(), plan.held, plan.changes) == (category.seen(), (), ())
        assert category.pull() == {}


@pytest.mark.parametrize(
    ("numbers", "order", "found"),
    [
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "abced", {"d": 6}),
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "acbde", {"c": 2, "b": 3}),
        ({"a": 3, "b": 6, "c": 9}, "bca", {"a": 12}),
        ({"a": 100, "b": 200, "c": 300}, "cab", {"c": 50}),
        ({"a": 2147483646, "b": 2147483647, "c": 1}, "abc", {"c": 2147483647, "b": 2147483646, "a": 2147483645}),
    ],
)
def test_the_numbers_are_as_far_apart_as_those_of_the_files(numbers, order, found):
    moved = {name for name in found if next(iter(found)) == name}
    slots = [Slot(name, None if name in moved else numbers[name], may_make_room=True) for name in order]
    assert fewest_numbers(slots, step_between(numbers.values())) == found


def test_both_moved_is_shown_with_the_number_of_the_portals_place_and_no_other_file_is_touched():
    category = Category.pushed(a=1, b=2, c=3, d=4, e=5)
    category.files |= {"b": 0}
    category.drag("b", 4)
    (item,) = category.pulled().incoming
    assert item.fields == (Moved("position", Step.MERGE, 0, 6, 0),)
    assert category.pulled(side="ours").incoming == ()
    assert category.pull(side="theirs") == {"b": 6}
    assert (category.plan().held, category.plan().changes) == ((), ())


def test_one_of_two_drags_is_taken_and_the_other_one_still_asks():
    category = Category.pushed(a=10, b=20, c=30, d=40, e=50, f=60)
    category.drag("e", 0)
    category.drag("c", 5)
    assert category.pull("e") == {"e": 5}
    assert [item.slug for item in category.plan().held] == ["c"]
    assert category.pull("c") == {"c": 70}
    assert category.order() == category.seen() and category.plan().held == ()


@given(
    st.permutations("abcdef"),
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
    st.sampled_from(["4.10", "4.16"]),
)
def test_a_plan_never_takes_a_drag_since_the_last_pull_for_a_move_of_ours(names, places, numbers, version):
    first, second, ours = names[:3]
    category = Category.pushed(a=10, b=20, c=30, d=40, e=50, f=60)
    category.drag(first, places[0], version)
    category.pull()
    category.drag(second, places[1], version)
    row, pulled = category.seen(), category.order()
    assume(row != "abcdef")  # What is as it was agreed on is nobody's move.
    # Our own move: one file, to a number that no other has.
    category.files[ours] = sorted(category.files.values())[numbers[0]] + (1 if numbers[1] % 2 else -1)
    plan = category.plan()
    sent = {change.slug: change.after["position"] for change in plan.changes}
    after = "".join(sorted(category.portal, key=lambda name: (sent.get(name, category.portal[name]), row.index(name))))
    assert after.replace(ours, "") == row.replace(ours, ""), (pulled, row, category.order(), sent)


def test_a_file_that_moved_since_it_was_pulled_is_in_dispute():
    category = Category.pushed(a=10, b=20, c=30, d=40, e=50)
    category.drag("d", 1)
    category.pull()
    category.files["d"] = 99
    category.drag("d", 2)
    assert [moved.step for item in category.pulled().incoming for moved in item.fields] == [Step.MERGE]


def test_a_place_that_somebody_asks_for_by_name_is_the_portals_whoever_moved_it():
    category = Category.pushed(a=10, b=20, c=30)
    category.files["c"] = 5
    (item,) = category.pulled(named=["c"]).incoming
    assert [moved.theirs for moved in item.fields] == [30]


def test_a_new_article_comes_between_its_neighbors_and_keeps_its_number_where_that_fits():
    category = Category.pushed(a=1, b=2, c=3)
    category.drag("c", 2)
    category.portal |= {"n": 15, "z": 40}
    assert category.portal["c"] == 30
    category.pull()
    assert category.order() == "anbcz" and category.plan().held == ()
    wide = Category.pushed(a=10, b=20)
    wide.portal |= {"z": 70}
    assert wide.pull() == {} and wide.files == {"a": 10, "b": 20, "z": 70}


def test_where_no_file_gives_a_position_new_ones_have_the_portals():
    category = Category({}, {"m": 30, "n": 17})
    category.pull()
    assert category.files == {"m": 30, "n": 17}


def test_another_category_in_the_panel_brings_the_place_there():
    tree = [BILLING, BILLING.but(slug="other", remote_id=901, path="en/other/_category.md")]
    ours = [an_article(category="other", position=n).but(slug=s, remote_id=ord(s)) for n, s in enumerate("abc", 1)]
    x = an_article(category="billing", position=2).but(slug="x", remote_id=7)
    there = [item.but(position=10 * item.fields["position"]) for item in ours]
    known = Known(
        [item.observed() for item in (*tree, *there, x.but(category="other", position=40))],
        [item.base() for item in (*tree, *ours, x)],
    )
    desired = [item.desired() for item in (*tree, *ours, x)]
    matches, draft = match_items(desired, weigh(desired, known)), Draft(POLICY)
    orders = find_orders(draft, matches, {})
    (item,) = put_in_order(orders, find_moved(draft, matches, {}).incoming, ()).incoming
    assert [(moved.name, moved.theirs) for moved in item.fields] == [("category", "other"), ("position", 4)]


# --- properties ------------------------------------------------------------------------------------------------------

NUMBERS = st.one_of(st.integers(-3, 8), st.sampled_from([10, 20, 30, 40, 50, 60]))
FILES = st.dictionaries(st.sampled_from("abcdefg"), NUMBERS, min_size=2)
DRAGS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4)
VERSION = st.sampled_from(["4.10", "4.16"])


def in_order(files: dict[str, int]) -> bool:
    return all(low < high for low, high in pairwise(files.values()))


@example({"a": 1, "b": 1, "c": 1}, [(2, 0)], "4.16", {"b"}, "q", 1)
@given(FILES, DRAGS, VERSION, st.sets(st.sampled_from("abcdefg")), st.sampled_from(["", "q"]), st.integers(0, 9))
def test_after_a_pull_the_files_have_the_portals_order_and_nothing_is_left(files, drags, version, some, new, place):
    category = Category(files, dict(files), dict(files), old=some & files.keys())
    loose = {"l": 15, "m": 25}
    category.portal |= loose
    category.loose = set(loose)
    names = sorted(category.portal)
    dragged = {names[which % len(names)] for which, _ in drags}
    for which, where in drags:
        category.drag(names[which % len(names)], where % len(names), version)
    if new:
        category.portal |= {new: 999}
        category.drag(new, place, version)
    before = dict(category.files)
    out_of_order = {item.slug for item in category.plan().held}
    changed = category.pull()
    assert category.order() == category.seen()
    # What is out of order is what was dragged, or as many others.
    assert len(out_of_order) <= len(dragged)
    plan = category.plan()
    assert plan.held == () and all(change.slug == new for change in plan.changes)
    assert category.pull() == {}
    if not out_of_order and not new:
        assert changed == {}
    # Where there is room for each, no other file changes.
    wide = {name: 1000 * rank for rank, name in enumerate(sorted(before, key=lambda name: (before[name], name)), 1)}
    roomy = Category(wide, dict(category.portal), dict(wide), loose=set(loose), old=category.old)
    out_of_order = {item.slug for item in roomy.plan().held}
    assert roomy.pull().keys() <= out_of_order


@given(FILES, DRAGS, VERSION)
def test_file_by_file_it_comes_to_the_same_order(files, drags, version):
    category = Category(files, dict(files), dict(files))
    names = sorted(files)
    for which, where in drags:
        category.drag(names[which % len(names)], where % len(names), version)
    for _ in names:
        held = [item.slug for item in category.plan().held]
        if not held:
            break
        category.pull(held[0], side="theirs")
    assert category.order() == category.seen()
    plan = category.plan()
    assert (plan.held, plan.changes) == ((), ())


@given(st.permutations("abcdef"), st.lists(st.integers(0, 5), min_size=1, max_size=3), NUMBERS, st.integers(1, 4))
def test_what_only_our_files_moved_stays(order, ours, number, step):
    category = Category.pushed(**{name: place * step for place, name in enumerate("abcdef", 1)})
    category.files |= {"abcdef"[which]: number + nth for nth, which in enumerate(ours)}
    assert category.pull() == {}


def test_records_of_an_order_say_nothing_where_one_is_missing():
    category = Category.pushed(a=10, b=20, c=30)
    category.records = {("article", ord("a")): {"position": Last(1)}}
    category.files["c"] = 5
    category.drag("c", 1)
    assert [moved.step for item in category.pulled().incoming for moved in item.fields] == [Step.MERGE]


def test_a_category_is_new_that_has_the_number_of_an_article_that_a_file_may_be():
    maybe, category = an_article(remote_id=7).observed(), a_category(remote_id=7).observed()
    reading = Reading(Article(None, maybe), ())
    unclear = Unclear(an_article(slug="other").desired(), (reading,))
    found = find_moved(Draft(POLICY), Matches((), (), (maybe, category), (unclear,)), {})
    assert found.new == (category,)
