"""Links between translations: an article of another locale is linked to the one it translates, and so is a category.

Pure. A category says itself what it is linked to, so its link is a field that decides as others do (`with_originals`).
What follows is about articles.

The value of the field `translation_of` is the id of the original, or its path while that is still to be made. The
service names the links in the answer of the original only (docs/service.md, section 4); once the ledger knows of a
link it is not looked at again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kbsync.fields import LINK_FIELD
from kbsync.model import Action, Change, Desired, FieldChange, Kind, Manage, Reason, RemoteId, Status, Value
from kbsync.plan.draft import Draft, hold
from kbsync.plan.hints import live_hint
from kbsync.plan.match import Match, Matches, Weighed


def decide_links(draft: Draft, matches: Matches) -> None:
    """Plan the links of everything that says what it translates."""
    if LINK_FIELD not in draft.policy.keeps["article"]:
        return
    wanted = (match for match in matches.matched if match.desired.root_path and match.desired.kind == "article")
    children = [match for match in wanted if match.desired.manage is Manage.TRUE]
    if not children:
        return
    articles = [match for match in matches.matched if match.desired.kind == "article"]
    # Of a hundred thousand articles only those that one of these is linked to, or shall be.
    roots, linked = {match.desired.root_path for match in children}, {_link_of(match) for match in children}
    names = {m.observed.remote_id: m.desired.path for m in articles if m.observed and m.observed.remote_id in linked}
    ids = {match.desired.path: _id_of(match) for match in articles if match.desired.path in roots}
    made = {change.path: place for place, change in enumerate(draft.changes) if change.action is Action.CREATE}
    for match in children:
        root_path = match.desired.root_path
        root: RemoteId | None = ids.get(root_path)
        if root is None and root_path in made:
            root = root_path
        if root is None or match.desired.path == root_path:
            continue
        if match.desired.path in made:
            _link_create(draft, made[match.desired.path], root, later=root == root_path)
        elif match.observed is not None:
            _link(draft, match, root, names)


def with_originals(desired: Sequence[Desired], weighed: Weighed) -> list[Desired]:
    """What is desired, each category with the id of the one that it translates, or its path where it is to be made."""
    paths = {item.path for item in desired}
    nodes, found = weighed.index.nodes, weighed.found

    def linked(item: Desired) -> Desired:
        root_path = item.root_path
        node = found.get(root_path)
        root: Value = node[1] if node is not None and nodes[node].observed is not None else None
        if root is None and node is None and root_path in paths:
            root = root_path
        return item if root is None else replace(item, fields={**item.fields, LINK_FIELD: root})

    return [linked(item) if item.kind == "category" and item.root_path else item for item in desired]


def name_originals(draft: Draft, matches: Matches) -> None:
    """Say in words what categories are linked to, and make what waits for its original after it."""
    # An article may have the same id.
    categories = [match for match in matches.matched if match.desired.kind == "category"]
    names = {match.observed.remote_id: match.desired.path for match in categories if match.observed is not None}
    roots = {match.desired.path: match.desired.root_path for match in categories}

    def called(value: Value) -> str:
        known = names.get(value, f"category {value}") if isinstance(value, int | str) else ""
        return str(value) if str(value).endswith(".md") else known

    def named(field: FieldChange, path: str) -> FieldChange:
        if field.name != LINK_FIELD:
            return field
        return replace(field, said=(called(field.before), roots.get(path) or called(field.after)))

    for place, change in enumerate(draft.changes):
        if change.kind == "category" and LINK_FIELD in change.after:
            fields = tuple(named(field, change.path) for field in change.fields)
            turn = max(1, change.turn) if is_unresolved(change) else change.turn
            draft.changes[place] = replace(change, fields=fields, turn=turn)
    for place, item in enumerate(draft.held):
        if item.kind == "category" and LINK_FIELD in item.fields:
            values = (named(value, item.path) for value in item.values)
            shown = tuple(replace(v, before=v.shown[0], after=v.shown[1], said=None) for v in values)
            draft.held[place] = replace(item, values=shown)


def _id_of(match: Match) -> RemoteId | None:
    return match.observed.remote_id if match.observed else None


def _link_of(match: Match) -> Value:
    """The original that the portal links an article to."""
    return match.observed.fields.get(LINK_FIELD) if match.observed else None


def _link_create(draft: Draft, place: int, root: RemoteId, *, later: bool) -> None:
    """What is made is made with its link; after the original, where that is made too."""
    change = draft.changes[place]
    fields = (*change.fields, FieldChange(LINK_FIELD, None, root))
    draft.changes[place] = replace(change, fields=fields, turn=1 if later else 0)


def _link(draft: Draft, match: Match, root: RemoteId, names: Mapping[RemoteId, str]) -> None:
    desired, base, observed = match.desired, match.base, match.observed
    assert observed is not None
    there = observed.fields.get(LINK_FIELD)
    if base is not None and base.fields.get(LINK_FIELD) == root:
        return
    if there == root:
        draft.settled.link((observed.kind, observed.remote_id), root, base)
        return
    if desired.manage is not Manage.TRUE:
        return
    live = observed.status is Status.PUBLISHED
    if "update_article" not in draft.policy.can:
        return
    if live and draft.policy.live == "hold" and desired.path not in draft.policy.consent:
        draft.held.append(hold(desired, Reason.LIVE, observed.remote_id, (LINK_FIELD,), live_hint(desired.path)))
        return
    former = there if isinstance(there, int | str) else None
    said = ("" if former is None else names.get(former, f"article {former}"), desired.root_path)
    fields = (FieldChange(LINK_FIELD, former, root, said),)
    draft.changes.append(_change(desired, observed.remote_id, fields, live))


def _change(desired: Desired, remote_id: RemoteId, fields: tuple[FieldChange, ...], live: bool) -> Change:
    return Change(
        action=Action.UPDATE,
        kind="article",
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        remote_id=remote_id,
        title=desired.title,
        fields=fields,
        live=live,
    )


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
