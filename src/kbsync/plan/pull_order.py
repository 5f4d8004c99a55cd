"""What of the portal's order goes into files: the sequence is compared as for a plan, and not the numbers. Pure.

    verdict about an order (`plan/sequence.py`) | what `pull` does with what is out of order
    --------------------------------------------+----------------------------------------------------------
    NOTHING, ADOPT, SEND                        | nothing
    DRIFT                                       | TAKE    the file gets a number that puts it there
    CONFLICT, or DRIFT without a base           | MERGE   conflict markers
    an article without a file                   | its file gets a number at the portal's place
    the file moves to a category of the panel   | as an article without a file

The numbers are those of the files (`plan/pull_places.py`), not the portal's: it numbers a whole category anew when
somebody drags one article (docs/service.md, S123). Where no file gives a number yet, the portal's are taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from msgspec import structs

from kbsync.model import Manage
from kbsync.plan.decide import HELD
from kbsync.plan.draft import Draft, Renamed
from kbsync.plan.known import NO_RECORD, Records
from kbsync.plan.match import Matches, renamed_categories
from kbsync.plan.reorder import Group, Key, compare_members, compare_orders, is_decided, member_of, node_of, wish_of
from kbsync.plan.sequence import OrderSides, compare


@dataclass(frozen=True, slots=True)
class Order:
    """An order on both sides. `taken` is what moved on the portal alone, `disputed` what moved on both sides."""

    group: Group
    compared: OrderSides
    taken: frozenset[str] = frozenset()
    disputed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Orders:
    """All orders; `renamed` are categories with another slug on the portal."""

    by_key: Mapping[Key, Order]
    renamed: Renamed


def find_orders(draft: Draft, matches: Matches, records: Records, named: Collection[str] | None = None) -> Orders:
    """Compare every order, and give the draft the verdict about each place.

    `named` are the files that somebody wants at the portal's place, whoever moved them; None: what moved there.
    """
    renamed = renamed_categories(matches)
    groups = compare_orders(draft, matches.matched, renamed)
    return Orders(
        {key: _order(draft, group, records, named) for key, group in groups.items() if group.matches}, renamed
    )


def _order(draft: Draft, group: Group, records: Records, named: Collection[str] | None) -> Order:
    compared = group.compared
    if not compared.seen:
        return Order(group, compare_members(draft, group))
    if named is not None:
        return Order(group, compared, compared.moved.intersection(named))
    # Only those whose files may get another number, and about whose place nobody decided yet.
    open_paths = (path for path in compared.moved if group.matches[path].desired.manage is Manage.TRUE)
    found = frozenset(path for path in open_paths if not is_decided(group, path))
    is_taken, is_disputed = _who_moved(draft, group, records, found)
    return Order(group, compared, found if is_taken else frozenset(), found if is_disputed else frozenset())


def _who_moved(draft: Draft, group: Group, records: Records, paths: Collection[str]) -> tuple[bool, bool]:
    """Whether only the portal's order moved; and whether both did, so that people have to choose."""
    compared, are_known = group.compared, _are_known(group, paths)
    since = _since_last_pull(draft, group, records) if compared.ours or not are_known else None
    if since is not None:
        # What was moved back to its place of the last push differs only from what was pulled.
        return since.theirs and not since.ours, since.theirs and since.ours
    is_taken = compared.theirs and not compared.ours and are_known
    return is_taken, not is_taken and any(draft.places[path].verdict in HELD for path in paths)


def _are_known(group: Group, paths: Iterable[str]) -> bool:
    """Whether something was agreed on of all of these places."""
    bases = (group.matches[path].base for path in paths)
    return all(base is not None and "position" in base.fields for base in bases)


def _since_last_pull(draft: Draft, group: Group, records: Records) -> OrderSides | None:
    """Which side moved since this clone last pulled; None where that is not known, or the files do not have it."""
    members = []
    for path, match in group.matches.items():
        last = records.get(node_of(match), NO_RECORD).get("position")
        is_pulled = last is not None and (path not in group.compared.moved or last.before != (wish_of(match.desired),))
        if last is None or not isinstance(last.theirs, int) or not is_pulled:
            return None
        members.append(structs.replace(member_of(draft, group, match), agreed=last.theirs, last=None))
    return compare(members)
