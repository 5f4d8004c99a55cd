"""Links between translations: an article of another locale is linked to the one it translates, and so is a category.

Pure. A category says itself what it is linked to, so its link is a field that decides as others do (`with_originals`).
What follows is about articles.

The value of the field `translation_of` is the id of the original, or its path while that is still to be made. The
service names the links in the answer of the original only (docs/service.md, section 4); once the ledger knows of a
link it is not looked at again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from kbsync.fields import LINK_FIELD
from kbsync.model import (
    Action,
    Change,
    Desired,
    FieldChange,
    Held,
    Kind,
    Manage,
    Observed,
    Reason,
    RemoteId,
    Status,
    Value,
)
from kbsync.plan.draft import Draft, change_of, hold
from kbsync.plan.hints import live_hint
from kbsync.plan.match import Match, Matches, Weighed


def decide_links(draft: Draft, matches: Matches) -> None:
    """Plan the links of everything that says what it translates."""
    children = _children(draft, matches)
    if not children:
        return
    names = _names_of_linked(children, matches)
    made = {change.path: place for place, change in enumerate(draft.changes) if change.action is Action.CREATE}
    roots = _roots(children, matches, made)
    for match in children:
        path, root_path = match.desired.path, match.desired.root_path
        root = roots.get(root_path)
        if root is not None and path in made:
            # What is made is made with its link; after the original, where that is made too.
            change = draft.changes[made[path]]
            fields, turn = (*change.fields, FieldChange(LINK_FIELD, None, root)), int(root == root_path)
            draft.changes[made[path]] = replace(change, fields=fields, turn=turn)
        elif root is not None and match.observed is not None:
            _link(draft, match, match.observed, root, names)


def _children(draft: Draft, matches: Matches) -> list[Match]:
    """The articles that say which other one they translate, where the service links them."""
    if LINK_FIELD not in draft.policy.keeps["article"]:
        return []
    wanted = (match for match in matches.matched if match.desired.root_path not in ("", match.desired.path))
    return [match for match in wanted if match.desired.kind == "article" and match.desired.manage is Manage.TRUE]


def _names_of_linked(children: Iterable[Match], matches: Matches) -> dict[RemoteId | None, str]:
    """The files of what the portal links these articles to. Of a hundred thousand articles only those are looked up."""
    linked = {match.observed.fields.get(LINK_FIELD) for match in children if match.observed}
    originals = (match for match in matches.matched if match.remote_id in linked and match.desired.kind == "article")
    return {match.remote_id: match.desired.path for match in originals}


def _roots(children: Iterable[Match], matches: Matches, made: Container[str]) -> dict[str, RemoteId]:
    """The ids of originals by their paths; of one that this plan makes, the path itself."""
    wanted = {match.desired.root_path for match in children}
    found: dict[str, RemoteId] = {path: path for path in wanted if path in made}
    there = (match for match in matches.matched if match.desired.path in wanted and match.desired.kind == "article")
    return found | {match.desired.path: match.observed.remote_id for match in there if match.observed}


def with_originals(desired: Sequence[Desired], weighed: Weighed) -> list[Desired]:
    """What is desired, each category with the id of the one that it translates, or its path where it is to be made."""
    paths = {item.path for item in desired}
    nodes, found = weighed.index.nodes, weighed.found

    def original(path: str) -> Value:
        node = found.get(path)
        if node is None:
            return path if path in paths else None
        return node[1] if nodes[node].observed is not None else None

    def linked(item: Desired) -> Desired:
        if item.kind == "category" and item.root_path and (root := original(item.root_path)) is not None:
            return replace(item, fields={**item.fields, LINK_FIELD: root})
        return item

    return [linked(item) for item in desired]


def name_originals(draft: Draft, matches: Matches) -> None:
    """Say in words what categories are linked to, and make what waits for its original after it."""
    # An article may have the same id.
    categories = [match for match in matches.matched if match.desired.kind == "category"]
    words = _Words(
        {match.remote_id: match.desired.path for match in categories},
        {match.desired.path: match.desired.root_path for match in categories},
    )
    draft.changes = [words.of_change(change) for change in draft.changes]
    draft.held = [words.of_held(item) for item in draft.held]


class _Words(msgspec.Struct, frozen=True):
    """The files of categories by id, and by the path of a file what it says that it translates."""

    names: Mapping[Value, str]
    roots: Mapping[str, str]

    def of_change(self, change: Change) -> Change:
        if change.kind != "category" or LINK_FIELD not in change.after:
            return change
        fields = tuple(self._named(field, change.path) for field in change.fields)
        return replace(change, fields=fields, turn=max(1, change.turn) if is_unresolved(change) else change.turn)

    def of_held(self, item: Held) -> Held:
        if item.kind != "category" or LINK_FIELD not in item.fields:
            return item
        values = (self._named(value, item.path) for value in item.values)
        return replace(item, values=tuple(replace(v, before=v.shown[0], after=v.shown[1], said=None) for v in values))

    def _named(self, field: FieldChange, path: str) -> FieldChange:
        if field.name != LINK_FIELD:
            return field
        return replace(field, said=(self._called(field.before), self.roots.get(path) or self._called(field.after)))

    def _called(self, value: Value) -> str:
        if str(value).endswith(".md"):
            return str(value)
        return self.names.get(value, f"category {value}") if isinstance(value, int | str) else ""


def _link(draft: Draft, match: Match, observed: Observed, root: RemoteId, names: Mapping[RemoteId | None, str]) -> None:
    desired, base, there = match.desired, match.base, observed.fields.get(LINK_FIELD)
    if base is not None and base.fields.get(LINK_FIELD) == root:
        return
    if there == root:
        draft.settled.link((observed.kind, observed.remote_id), root, base)
        return
    if "update_article" not in draft.policy.can:
        return
    if observed.status is Status.PUBLISHED and draft.policy.keeps_from_readers(desired.path):
        draft.held.append(hold(desired, Reason.LIVE, observed.remote_id, (LINK_FIELD,), live_hint(desired.path)))
        return
    former = there if isinstance(there, int | str) else None
    said = ("" if former is None else names.get(former, f"article {former}"), desired.root_path)
    draft.changes.append(change_of(desired, observed, Action.UPDATE, (FieldChange(LINK_FIELD, former, root, said),)))


def is_link(change: Change) -> bool:
    """Whether a change is nothing but a link to an original."""
    return len(change.fields) == 1 and change.fields[0].name == LINK_FIELD


def is_unresolved(change: Change) -> bool:
    """Whether the original of a change was still to be made when it was planned, and has no id yet."""
    return str(change.after.get(LINK_FIELD, "")).endswith(".md")


def resolve(change: Change, made: Mapping[tuple[Kind, str], RemoteId]) -> Change:
    """A change with the id of its original, where this run has made that.

    A create whose original failed goes without; the next plan links it.
    """
    if not is_unresolved(change):
        return change
    root = made.get((change.kind, str(change.after[LINK_FIELD])))
    if root is None:
        rest = tuple(field for field in change.fields if field.name != LINK_FIELD)
        return replace(change, fields=rest) if rest else change
    fields = tuple(replace(field, after=root) if field.name == LINK_FIELD else field for field in change.fields)
    return replace(change, fields=fields)
