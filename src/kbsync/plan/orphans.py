"""What becomes of items that no source wants: reported, archived, deleted, forgotten, or not ours. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote

from msgspec import structs
from msgspec.structs import replace

from kbsync.model import Action, Base, Change, FieldChange, Finding, ItemRef, Observed, Reason, Status
from kbsync.plan.draft import Draft, Renamed, follow_rename, held_of, names_of, removed_fields
from kbsync.plan.hints import unknown_status_hint
from kbsync.plan.match import Match, Matches
from kbsync.plan.nodes import key_of
from kbsync.plan.rules import DYING_ADDRESS, FILE_GONE, LOOK_ALIKE

MACHINE_SLUG = re.compile(r"\d{9,}-")
"""A slug that the panel made: unix seconds and the title. Source: docs/service.md, section 4."""

ALWAYS = frozenset({"title", "content", "name", "category"})
"""The fields that nearly every source of their kind gives: what was never agreed on of them is a person's."""


PENDING = "It has an edit pending in the panel: publish or discard that first."


def decide_orphans(draft: Draft, matches: Matches, renamed: Renamed, *, complete: bool) -> None:
    """Articles first: a category goes only when everything in it goes.

    What is gone is forgotten, unless somebody made another under its slug: should that go as well, both were deleted.
    """
    anew = (match.desired for match in matches.matched if match.is_stranger)
    taken = {key_of(item.kind, item.locale, item.slug) for item in anew}
    made = _kinds_made(draft)
    for base, observed in sorted(matches.orphans, key=lambda pair: pair[0].kind == "category"):
        if observed is None:
            draft.forgotten += [base] if complete and key_of(base.kind, base.locale, base.slug) not in taken else []
        elif base.kind == "category" and _is_filled(draft, matches, observed):
            report_orphan(draft, base, base.path, "because it still has articles", "Move or remove its articles first.")
        elif observed.unknown_status:
            hint = unknown_status_hint(observed)
            draft.held.append(held_of(base, Reason.UNKNOWN, base.remote_id, ("status",), hint, base.slug))
        else:
            agreed = replace(base, fields=follow_rename(base.fields, base.locale, renamed))
            there = replace(observed, fields=follow_rename(observed.fields, observed.locale, renamed))
            _remove_orphan(draft, agreed, there, may_be_renamed=base.kind in made)


def locales_of_strangers(matches: Matches) -> frozenset[str]:
    """Where the portal has articles that no source is, other than those that the panel's editor made."""
    strangers = (item for item in matches.unmanaged if item.kind == "article" and not MACHINE_SLUG.match(item.slug))
    return frozenset(item.locale for item in strangers)


def without_those_that_wait(matches: Matches, *, recreate: bool) -> Matches:
    """The matches without the orphans that a held source may be, until a person decides that it is new."""
    if recreate:
        return matches
    waiting = matches.maybe
    orphans = (pair for pair in matches.orphans if (pair[0].kind, pair[0].remote_id) not in waiting)
    return structs.replace(matches, orphans=tuple(orphans))


def is_in(item: Observed | None, category: Observed) -> bool:
    """Whether something is an article of this category."""
    if item is None or item.kind != "article" or category.kind != "category":
        return False
    return (item.locale, item.fields.get("category")) == (category.locale, category.slug)


def _is_filled(draft: Draft, matches: Matches, category: Observed) -> bool:
    """Whether an article stays in the category: a wanted one, a stranger's, or an orphan that does not go."""
    going = {change.remote_id for change in draft.removals if change.action is Action.DELETE}
    wanted = (match.observed for match in matches.matched)
    orphans = (item for _, item in matches.orphans if item is not None and item.remote_id not in going)
    return any(is_in(item, category) for item in (*wanted, *orphans, *matches.unmanaged))


def _remove_orphan(draft: Draft, base: Base, observed: Observed, *, may_be_renamed: bool) -> None:
    policy = draft.policy
    if policy.removed == "report" or (policy.removed == "archive" and base.kind == "category"):
        why = f'because [push] removed is "{policy.removed}"'
        report_orphan(draft, base, base.path, why, _how_to_remove(base, observed, may_be_renamed=may_be_renamed))
    elif policy.removed == "archive" and observed.status is Status.ARCHIVED:
        draft.unchanged += 1
    elif moved := _moved(base, observed, publish=policy.publish):
        hint = "Its file is gone, and it was edited in the panel. Delete it in the panel, or bring the file back."
        draft.held.append(held_of(base, Reason.DRIFT, base.remote_id, moved, hint, base.slug))
    elif (f"delete_{base.kind}" if policy.removed == "delete" else "update_article") not in policy.can:
        hint = f"{policy.removed.capitalize()} it in the panel."
        draft.held.append(held_of(base, Reason.UNSUPPORTED, base.remote_id, (), hint, base.slug))
    elif policy.removed == "archive":
        field = FieldChange("status", observed.status, Status.ARCHIVED)
        draft.removals.append(_removal(Action.ARCHIVE, base, observed, (field,), Status.ARCHIVED))
    else:
        draft.removals.append(_removal(Action.DELETE, base, observed, removed_fields(observed), None))


def _moved(base: Base, observed: Observed, *, publish: bool) -> tuple[str, ...]:
    """What somebody edited of an item since both sides agreed."""
    moved = tuple(name for name in names_of(base.kind) if _is_moved(name, base, observed))
    gives_status = base.status is not None or "status" in base.fields
    return (*moved, "status") if publish and gives_status and observed.status is not base.status else moved


def _is_moved(name: str, base: Base, observed: Observed) -> bool:
    """Whether the portal's value is not the agreed one; what a source always gives was agreed on, or is a person's."""
    if name == "position" or name not in observed.fields:
        return False
    return observed.fields[name] != base.fields[name] if name in base.fields else name in ALWAYS


def _kinds_made(draft: Draft) -> set[str]:
    """The kinds of which this plan makes an item: an alias could still make that the orphan instead."""
    return {change.kind for change in draft.changes if change.action is Action.CREATE}


def _how_to_remove(base: Base, observed: Observed, *, may_be_renamed: bool) -> str:
    """What can be done about what stays; only what is not set so already, and what this kind of item has."""
    pending = f"{PENDING} " if observed.staged and base.staged != observed.staged else ""
    if base.kind == "category":
        return f'{pending}Delete it in the panel, or set [push] removed to "delete".'
    how = 'elete it in the panel, or set [push] removed to "archive" or "delete".'
    if may_be_renamed:
        return f"{pending}If you renamed the file, add `aliases: [{base.slug}]` to the new one. If not, d{how}"
    return f"{pending}D{how}"


def _removal(
    action: Action, base: Base, observed: Observed, fields: tuple[FieldChange, ...], status: Status | None
) -> Change:
    live = observed.status is Status.PUBLISHED
    return Change(
        action=action,
        kind=base.kind,
        locale=base.locale,
        slug=base.slug,
        path="",
        remote_id=base.remote_id,
        title=observed.title,
        fields=fields,
        live=live,
        status=status,
        was=base.path,
    )


def report_orphan(draft: Draft, item: ItemRef, path: str, why: str, hint: str) -> None:
    """Say that something stays on the portal although its file, which was at this path, is gone."""
    message = f"The file for `{item.slug}` is gone. The {item.kind} stays on the portal {why}."
    draft.warnings.append(FILE_GONE.finding(path, 1, 1, message, hint))


def warn_of_dying_addresses(draft: Draft, matches: Matches) -> None:
    """The service leaves no redirect behind (docs/service.md, S22); another article may take the address.

    A person who has the address can read drafts and archived articles, too (S8); a slug with a dot has none (S21).
    What an article has in its `aliases` is in the list of `kbsync redirects`.
    """
    leaving = [(change, old) for change in draft.changes if (old := _old_address(change))]
    if not leaving:
        return  # Of a plan that only adopts, a hundred thousand addresses are not looked up.
    of_path = {match.desired.path: match for match in matches.matched}
    takers = {change.after["slug"]: change for change in draft.changes if _takes(change)}
    published = {change.path for change in draft.statuses if change.status is Status.PUBLISHED}
    for change, old in leaving:
        address = draft.policy.article_url.format(slug=quote(old, safe=""))
        draft.warnings.append(_fate_of(address, of_path[change.path], change, takers.get(old), published))


def _fate_of(address: str, match: Match, change: Change, taker: Change | None, published: Collection[str]) -> Finding:
    """What becomes of an address that an article leaves, and that another one may take."""
    status = match.observed.status if match.observed else None
    if taker is not None:
        hidden = "" if taker.live or taker.path in published else ", which is not published"
        fate = f"will show another article, `{taker.path}`{hidden}"
        return _dying(change, f"{address} {fate}", _who_loses_it(status, "lead to that article"))
    if status is Status.DRAFT:
        return _draft_moves(change, address)
    redirect = _redirect_of(str(change.before["slug"]), match.desired.aliases)
    return _dying(change, f"{address} will be 404 at once", _who_loses_it(status, "break") + redirect)


def _old_address(change: Change) -> str:
    """The slug that an article gives up, where it has an address; "" for none."""
    old = str(change.before.get("slug") or "")
    is_update = change.action is Action.UPDATE and change.kind == "article"
    return old if is_update and "." not in old else ""


def _dying(change: Change, fate: str, lost: str) -> Finding:
    message = f"The slug becomes `{change.slug}`. The old address {fate}."
    return DYING_ADDRESS.finding(change.path, 1, 1, message, f"Links between your files are updated. {lost}")


def _draft_moves(change: Change, address: str) -> Finding:
    """No reader found a draft; only a person who was given its address."""
    message = f"The slug of this draft becomes `{change.slug}`. Readers do not find drafts, so they miss nothing."
    message += f" If you shared the old address {address}, it stops working."
    hint = "Links between your files are updated. Share the new address after the push."
    return DYING_ADDRESS.finding(change.path, 1, 1, message, hint)


def _redirect_of(old: str, aliases: Collection[str]) -> str:
    """What can send readers of the old address to the new one."""
    if old in aliases:
        return " `kbsync redirects` lists the old address for your web server."
    return f" To have it in the list of `kbsync redirects`, add `aliases: [{old}]` to the file."


def _who_loses_it(status: Status | None, become: str) -> str:
    """Whose links are concerned when an article of this status leaves its address."""
    if status in (None, Status.PUBLISHED):
        return f"Links from elsewhere (emails, search engines) {become}."
    state = "a draft" if status is Status.DRAFT else status
    return f"It is {state}, so lists and search do not show it. Only addresses that you shared {become}."


def _takes(change: Change) -> bool:
    return change.kind == "article" and change.action in {Action.CREATE, Action.UPDATE} and "slug" in change.after


def warn_of_look_alikes(draft: Draft, matches: Matches) -> None:
    """An article made in the panel that looks like one of ours; two of them would confuse readers."""
    machine_made = {item.title: item for item in matches.unmanaged if MACHINE_SLUG.match(item.slug)}
    for match in matches.matched:
        other = machine_made.get(match.desired.title)
        if match.desired.kind == "article" and other is not None:
            message = f"The portal has another article with this title, made in the panel: `{other.slug}`."
            hint = f"To use that article for this file, add `aliases: [{other.slug}]`. If not, delete it in the panel."
            if match.observed is not None:
                hint = "Delete one of the two in the panel."
            draft.warnings.append(LOOK_ALIKE.finding(match.desired.path, 1, 1, message, hint))
