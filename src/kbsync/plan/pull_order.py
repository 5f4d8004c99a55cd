"""What of the portal's order goes into files: the sequence is compared as for a plan, and not the numbers. Pure.

    verdict about a place (`plan/sequence.py`) | what `pull` does
    -------------------------------------------+-----------------------------------------------------------
    NOTHING, ADOPT, SEND                       | nothing
    DRIFT                                      | TAKE    the file gets a number that puts it there
    CONFLICT, or DRIFT without a base          | MERGE   conflict markers
    an article without a file                  | its file gets a number at the portal's place
    the file moves to a category of the panel  | as an article without a file

The numbers are those of the files (`plan/file_numbers.py`), not the portal's: it numbers a whole category anew when
somebody drags one article (docs/service.md, S123). Where no file gives a number yet, the portal's are taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kbsync.model import Manage
from kbsync.plan.decide import HELD, Verdict
from kbsync.plan.draft import Draft
from kbsync.plan.match import Matches
from kbsync.plan.pull import Records
from kbsync.plan.renamed import renamed_categories
from kbsync.plan.reorder import Group, Key, compare_orders, member_of, members_since_pull
from kbsync.plan.resolve import is_for_another
from kbsync.plan.sequence import Compared, Member, compare


@dataclass(frozen=True, slots=True)
class Order:
    """An order on both sides.

    Args:
        group: what is ordered.
        compared: who moved what.
        members: their numbers on all sides; empty where all of them are the same.
        taken: what moved on the portal alone; `disputed` on both sides.
    """

    group: Group
    compared: Compared
    members: tuple[Member, ...] = ()
    taken: frozenset[str] = frozenset()
    disputed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Orders:
    """All orders; `renamed` are categories with another slug on the portal."""

    by_key: Mapping[Key, Order]
    renamed: Mapping[tuple[str, str], str]


def find_orders(draft: Draft, matches: Matches, records: Records, named: Collection[str] | None = None) -> Orders:
    """Compare every order, and give the draft the verdict about each place.

    Args:
        draft: what git knows.
        matches: everything, matched.
        records: what this clone last pulled.
        named: the files that somebody wants at the portal's place, whoever moved them; None: what moved there.
    """
    renamed = renamed_categories(matches)
    groups = compare_orders(draft, matches.matched, renamed)
    return Orders(
        {key: _order(draft, group, records, named) for key, group in groups.items() if group.matches}, renamed
    )


def _order(draft: Draft, group: Group, records: Records, named: Collection[str] | None) -> Order:
    compared = group.compared
    if not compared.seen:
        return Order(group, compare(member_of(draft, group, match) for match in group.matches.values()))
    members = tuple(member_of(draft, group, match) for match in group.matches.values())
    if named is not None:
        return Order(group, compared, members, frozenset(path for path in compared.moved if path in named))
    held = {path for path in compared.moved if _is_open(draft, group, path)}
    taken = {path for path in held if _is_drift(draft, group, path)}
    disputed = {path for path in held - taken if draft.places[path].verdict in HELD}
    if held - taken and (since := _since_last_pull(draft, group, records)):
        theirs = {path for path in held if (moved := since.moved.get(path)) and moved.theirs}
        taken |= {path for path in theirs if not since.moved[path].ours}
        disputed = (disputed & theirs) - taken
    return Order(group, compared, members, frozenset(taken), frozenset(disputed))


def _is_open(draft: Draft, group: Group, path: str) -> bool:
    """Whether a person may have moved it, and nobody decided about that yet.

    What our file moved by a pull may have been moved again in the panel, which a comparison with the base cannot tell
    from nothing where that is beside its old place.
    """
    is_ours = group.matches[path].desired.manage is Manage.TRUE
    is_moved = draft.places[path].verdict in HELD or group.compared.moved[path].ours
    return is_ours and is_moved and not _is_decided(group, path)


def _is_drift(draft: Draft, group: Group, path: str) -> bool:
    """Whether only a person moved it, in the panel."""
    base, moved = group.matches[path].base, group.compared.moved[path]
    is_known = base is not None and "position" in base.fields
    return draft.places[path].verdict is Verdict.DRIFT and is_known and moved.theirs and not moved.ours


def _is_decided(group: Group, path: str) -> bool:
    """Whether a person decided about this very place."""
    match, number = group.matches[path], group.numbers[path]
    base, moved = match.base, group.compared.moved[path]
    if base is None or not base.is_decided:
        return False
    is_still = not moved.ours and not moved.theirs and "position" in base.kept
    is_overruled = base.overruled.get("position") == number
    if is_overruled and not is_for_another(base, "position", match.desired.fields.get("position")):
        return True
    return is_still or base.kept.get("position") == number


def _since_last_pull(draft: Draft, group: Group, records: Records) -> Compared | None:
    """Who moved what since this clone last pulled the order; None where that is not known."""
    members = members_since_pull(draft, group, records)
    return compare(members) if members else None
