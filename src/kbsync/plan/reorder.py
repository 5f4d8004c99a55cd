"""The order within categories, and of categories, for a plan: the verdict about each place. Pure.

`plan/sequence.py` compares; `plan/renumber.py` has the numbers, once the plan has all its changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kbsync.model import Desired, Manage, Observed
from kbsync.plan.decide import ABSENT, Verdict, decide
from kbsync.plan.draft import Draft, Place, Renamed, follow_rename, position_of
from kbsync.plan.known import Node
from kbsync.plan.match import Match
from kbsync.plan.proofs import proof_of
from kbsync.plan.resolve import is_for_another
from kbsync.plan.sequence import Member, OrderSides, compare

Key = tuple[str, str, object]
"""What is ordered together: kind, locale, and the category of articles."""

AT_ITS_PLACE, AGREED_ON = Place(Verdict.NOTHING), Place(Verdict.ADOPT)
"""The verdicts about nearly all: one value of each."""


class Group(msgspec.Struct):
    """A category with articles that give a `position`, or the categories of a locale.

    Args:
        matches: those that are in it on both sides, by path; `numbers` are the portal's.
        coming: those that come into it.
        taken: numbers of all else that is in it.
        compared: its orders; empty where all numbers are the same.
    """

    matches: dict[str, Match] = msgspec.field(default_factory=dict)
    numbers: dict[str, int] = msgspec.field(default_factory=dict)
    coming: dict[str, Desired] = msgspec.field(default_factory=dict)
    taken: set[int] = msgspec.field(default_factory=set)
    compared: OrderSides = msgspec.field(default_factory=OrderSides)

    @property
    def wishes(self) -> dict[str, int]:
        """The numbers in the files, of what is in it and what comes, by path."""
        wanted = {path: match.desired for path, match in self.matches.items()} | self.coming
        return {path: wish_of(desired) for path, desired in wanted.items()}

    @property
    def is_plain(self) -> bool:
        """Whether all numbers are the same on all three sides."""
        return all(
            match.base is not None
            and not match.base.is_decided
            and match.desired.fields["position"] == self.numbers[path] == match.base.fields.get("position", ABSENT)
            for path, match in self.matches.items()
        )


Groups = Mapping[Key, Group]


def key_of_order(kind: str, locale: str, category: object) -> Key | None:
    """What an item is ordered in; None of an article without a category, which no reader sees in any order."""
    if kind == "category":
        return (kind, locale, None)
    return (kind, locale, category) if category is not None else None


def compare_orders(draft: Draft, matched: Iterable[Match], renamed: Renamed) -> Groups:
    """Compare every order of the whole content tree, and give the draft the verdict about each place."""
    groups = _groups(draft, matched, renamed)
    for group in groups.values():
        if len(group.matches) == 1 and not group.is_plain:
            draft.places |= {path: _place_alone(draft, group, match) for path, match in group.matches.items()}
        elif not group.is_plain:
            group.compared = compare_members(draft, group)
            verdict = _verdict(draft, group)
            draft.places |= {path: _place(group, match, verdict) for path, match in group.matches.items()}
    return groups


def _groups(draft: Draft, matched: Iterable[Match], renamed: Renamed) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    for match in matched:
        desired, there = match.desired, match.observed
        key = _order_of(draft, match)
        if key is None:
            continue
        group = groups.setdefault(key, Group())
        if there is None:
            group.coming[desired.path] = desired
        elif not _is_in_it(there, desired, renamed):
            group.coming[desired.path] = desired
            draft.places[desired.path] = Place(Verdict.NOTHING)
        elif (seen := position_of(there.fields)) is not None:
            group.matches[desired.path] = match
            group.numbers[desired.path] = seen
    return groups


def _order_of(draft: Draft, match: Match) -> Key | None:
    """The order in which a file has a place; None where it gives none, or has no say about it."""
    desired = match.desired
    if position_of(desired.fields) is None or "position" not in draft.policy.keeps[desired.kind]:
        return None
    if desired.manage is Manage.FALSE or (desired.manage is Manage.SEED and match.base is not None):
        return None
    return key_of_order(desired.kind, desired.locale, desired.fields.get("category"))


def _is_in_it(there: Observed, desired: Desired, renamed: Renamed) -> bool:
    """Whether the portal has an item in the order that its file has it in."""
    if there.locale not in ("", desired.locale):
        return False
    category = follow_rename(there.fields, there.locale, renamed).get("category")
    return desired.kind == "category" or category == desired.fields.get("category")


def wish_of(desired: Desired) -> int:
    """The number in a file."""
    number = desired.fields["position"]
    assert isinstance(number, int)
    return number


def member_of(draft: Draft, group: Group, match: Match) -> Member:
    """One of an order, by its numbers."""
    desired, base, there = match.desired, match.base, match.observed
    assert there is not None
    wanted = wish_of(desired)
    agreed = base.fields.get("position") if base else None
    last = base.kept.get("position") if base else None
    proven = proof_of(draft, match, there).get("position") if agreed is None else None
    return Member(
        desired.path,
        wanted,
        group.numbers[desired.path],
        agreed if isinstance(agreed, int) else None,
        last if isinstance(last, int) else None,
        is_touched=base is not None and there.updated_at > base.touched_s,
        is_renumbered=proven is not None if agreed is None else wanted != agreed,
    )


def compare_members(draft: Draft, group: Group) -> OrderSides:
    """The orders of what is in a group on both sides."""
    return compare(member_of(draft, group, match) for match in group.matches.values())


def node_of(match: Match) -> Node:
    """What an item is known by; it is on the portal."""
    assert match.observed is not None
    return match.observed.kind, match.observed.remote_id


# --- verdicts --------------------------------------------------------------------------------------------------------


def _place_alone(draft: Draft, group: Group, match: Match) -> Place:
    """The verdict about the only one that gives a position, which has no order: a new number in its file counts.

    Another number on the portal may only mean that something else was dragged, so it is left alone.
    """
    path, there = match.desired.path, match.observed
    assert there is not None
    wanted = wish_of(match.desired)
    agreed = match.base.fields.get("position", ABSENT) if match.base else ABSENT
    verdict = decide(wanted, agreed, group.numbers[path], proof_of(draft, match, there).get("position"))
    if verdict is Verdict.DRIFT and wanted == agreed:
        return Place(Verdict.NOTHING)
    return Place(Verdict.ADOPT if verdict is Verdict.CONFLICT and agreed is ABSENT else verdict)


def _verdict(draft: Draft, group: Group) -> Verdict:
    """The verdict about a category whose order differs: one for all that is out of order."""
    compared = group.compared
    found = {_verdict_of(draft, compared, group.matches[path]) for path in compared.moved}
    verdict = found.pop() if len(found) == 1 else Verdict.CONFLICT
    # A person who decided about a place knows both orders: what is ours is agreed on, and the rest is theirs.
    is_asked = any(path in draft.policy.overwrite or is_decided(group, path) for path in compared.moved)
    return Verdict.DRIFT if verdict is Verdict.CONFLICT and is_asked else verdict


def _verdict_of(draft: Draft, compared: OrderSides, match: Match) -> Verdict:
    assert match.observed is not None
    proof = proof_of(draft, match, match.observed).get("position")
    if match.base is None or "position" not in match.base.fields:
        return Verdict.CONFLICT if proof is None else Verdict.SEND if proof else Verdict.DRIFT
    if compared.theirs:
        return Verdict.DRIFT if not compared.ours else Verdict.SEND if proof else Verdict.CONFLICT
    return Verdict.SEND


def is_decided(group: Group, path: str) -> bool:
    """Whether a person decided about this very place."""
    match, number = group.matches[path], group.numbers[path]
    base = match.base
    if base is None or not base.is_decided:
        return False
    is_overruled = base.overruled.get("position") == number
    if is_overruled and not is_for_another(base, "position", match.desired.fields.get("position")):
        return True
    return base.kept.get("position") == number or (group.compared.is_still and "position" in base.kept)


def _place(group: Group, match: Match, verdict: Verdict) -> Place:
    path, base, compared = match.desired.path, match.base, group.compared
    agreed = base.fields.get("position") if base is not None else None
    if path not in compared.moved:
        return AT_ITS_PLACE if agreed is not None else AGREED_ON
    seen, wanted = _words(group, path)
    sentence = f"In the panel, `{match.desired.slug}` now comes {seen}."
    is_still = verdict is Verdict.DRIFT and compared.is_still
    return Place(verdict, (seen, wanted), sentence, agreed if isinstance(agreed, int) else None, is_still)


def _words(group: Group, path: str) -> tuple[str, str]:
    """Where something is on the portal and in the files, by a neighbor that says what differs."""
    order = group.compared
    seen, wanted = order.anchors(order.seen), order.anchors(order.wanted)
    place = {other: number for number, other in enumerate(order.seen)}
    rank = {other: number for number, other in enumerate(order.wanted)}
    there = sum(place[other] < place[path] for other in seen)
    here = sum(rank[other] < rank[path] for other in wanted)
    if there == here:
        # Only what is out of order itself comes between: the nearest of those that it has on its other side.
        crossed = [o for o in order.moved if (place[o] < place[path]) is not (rank[o] < rank[path])]
        other = min(crossed, key=lambda o: abs(place[o] - place[path]))
        name = _name(group, other)
        return ("after", "before")[place[other] > place[path]] + f" {name}", ("after", "before")[
            rank[other] > rank[path]
        ] + f" {name}"
    if there < here:
        return f"before {_name(group, seen[there])}", f"after {_name(group, wanted[here - 1])}"
    return f"after {_name(group, seen[there - 1])}", f"before {_name(group, wanted[here])}"


def _name(group: Group, path: str) -> str:
    return f"`{group.matches[path].desired.slug}`"
