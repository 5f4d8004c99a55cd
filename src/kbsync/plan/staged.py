"""Edits that are pending in the panel, and that readers do not see yet: whose they are, and what would lose one. Pure.

From 4.16 on the panel keeps edits of a live article beside its text (docs/service.md, S107). Publishing them later
replaces the text: ours, if it was sent meanwhile, would be gone. `plan/staging.py` decides about them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs
from msgspec.structs import replace

from kbsync.command import Option, command_line
from kbsync.model import (
    DRAFTS,
    Action,
    Agreed,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Held,
    Observed,
    Reason,
    RemoteId,
    Status,
    Value,
)
from kbsync.plan.draft import change_of, held_of
from kbsync.plan.hints import push_alone
from kbsync.plan.match import Match, Matches

DRAFT_TITLE, DRAFT_CONTENT = DRAFTS["title"], DRAFTS["content"]

TOUCHING = frozenset({*DRAFTS, *DRAFTS.values()})
"""The fields of which the panel keeps an edit, and that edit."""


def sends_text(change: Change) -> bool:
    """Whether an update sends title or body to readers."""
    is_update = change.action is Action.UPDATE and change.kind == "article"
    return is_update and not change.after.keys().isdisjoint(DRAFTS)


def hides(change: Change) -> bool:
    """Whether a change takes away the page that a pending edit is for."""
    return change.status in {Status.DRAFT, Status.ARCHIVED} and change.action is not Action.CREATE


def is_about_the_page(change: Change) -> bool:
    """Whether a change takes the page away, or publishes it with others: that is then what the files say."""
    return hides(change) or change.together


def touches_staged(change: Change) -> bool:
    """Whether a change touches what a pending edit is about, or the page that it is for."""
    return change.is_removal or is_about_the_page(change) or not change.after.keys().isdisjoint(TOUCHING)


def has_staged(base: Base | None) -> bool:
    """Whether kbsync staged an edit of this article, as far as the record says."""
    # Asked of every article of every plan: two look-ups cost a third of what sets do.
    return base is not None and (DRAFT_TITLE in base.fields or DRAFT_CONTENT in base.fields)


def is_watched(base: Base) -> bool:
    """Whether what is pending has to be known exactly: we staged it, or a person decided about it."""
    drafts = DRAFTS.values()
    decided = base.is_decided and not (base.kept.keys() | base.overruled.keys()).isdisjoint(drafts)
    return has_staged(base) or decided


def texts_of(fields: Fields) -> dict[str, Value]:
    """Title and body."""
    return {name: fields.get(name) for name in DRAFTS}


def touched_of(item: Observed) -> dict[str, Value]:
    """What somebody edited of a pending edit: the panel keeps both texts, also the one that nobody touched."""
    touched = {name: value for name, value in item.staged.items() if value != item.fields.get(name)}
    return touched or dict(item.staged)


def editor_of(item: Observed) -> dict[str, Value]:
    """What the panel's editor shows of title and body: the pending edit, or what readers see where it has none."""
    return {**texts_of(item.fields), **item.staged}


def has_third_text(match: Match) -> bool:
    """Whether a person has an edit pending that is neither what readers see nor the file, and not decided about."""
    base, item = match.base, match.observed
    if item is None or not item.staged or (base is not None and (base.is_decided or base.staged == item.staged)):
        return False
    return editor_of(item) not in (texts_of(item.fields), texts_of(match.desired.fields))


def after_publication(matches: Matches) -> Matches:
    """The matches with what somebody published of our staged edits: readers see it, so both sides agree on it."""
    return structs.replace(
        matches,
        matched=tuple(map(published, matches.matched)),
        orphans=tuple((_published(base, seen), seen) for base, seen in matches.orphans),
    )


def published(match: Match) -> Match:
    """One of them."""
    if match.base is None or not has_staged(match.base):
        return match
    return replace(match, base=_published(match.base, match.observed))


def _published(base: Base, seen: Observed | None) -> Base:
    if seen is None or not has_staged(base):
        return base
    shown = {name: value for name, value in base.staged.items() if seen.fields.get(name) == value}
    return replace(base, fields={**base.fields, **shown})


def without_staged_edit(base: Base) -> Base:
    """A base that knows of no staged edit."""
    return replace(base, fields={name: value for name, value in base.fields.items() if name not in DRAFTS.values()})


def with_staged_edit(base: Base, staged: Fields) -> Base:
    """A base that knows of this one."""
    edit = {DRAFTS[name]: value for name, value in staged.items()}
    return replace(base, fields={**without_staged_edit(base).fields, **edit})


def draft_fields(item: Observed, after: Mapping[str, Value], agreed: Mapping[str, Agreed]) -> tuple[FieldChange, ...]:
    """The pending edit of an article, before and after; nothing `after` discards it.

    `agreed` is what had been agreed on of it, by the name of the field, where that is not what is pending.
    """
    touched = touched_of(item)
    return tuple(
        FieldChange(
            draft,
            item.staged.get(name),
            after.get(name),
            said=None if name in touched or name in after else ("", ""),
            agreed=agreed.get(name),
        )
        for name, draft in DRAFTS.items()
    )


def agreed_of(base: Base | None) -> dict[str, Agreed]:
    """What had been agreed on of a pending edit that is not ours."""
    ours = base.staged if base is not None else {}
    return {name: (ours[name],) if name in ours else () for name in DRAFTS}


def discarding(desired: Desired, item: Observed, agreed: Mapping[str, Agreed] = {}) -> Change:
    """The change that takes a staged edit back; `agreed` as in `draft_fields`."""
    return _change(desired, item, desired.title, draft_fields(item, {}, agreed), live=False)


def publication(desired: Desired, base: Base | None, item: Observed) -> Change | None:
    """The change that shows readers what is staged, as the panel does it.

    None where they see a text by now that is neither the one of then, nor one that somebody decided to replace.
    """
    known, replaced = (texts_of(base.fields), base.overruled) if base is not None else ({}, {})
    seen = texts_of(item.fields)
    agreed = [name for name in DRAFTS if known.get(name) is not None]
    is_moved = any(seen[name] not in (known[name], replaced.get(name)) for name in agreed)
    if not item.staged or item.status is not Status.PUBLISHED or is_moved:
        return None
    texts = tuple(FieldChange(name, seen[name], value) for name, value in item.staged.items())
    title = str(item.staged.get("title", desired.title))
    return _change(desired, item, title, (*texts, *draft_fields(item, {}, {})), live=True)


def _change(desired: Desired, item: Observed, title: str, fields: tuple[FieldChange, ...], *, live: bool) -> Change:
    return replace(change_of(desired, item, Action.UPDATE, fields), slug=item.slug, title=title, live=live)


def without_texts(change: Change) -> Change | None:
    """What of a change does not touch a pending edit."""
    if change.is_removal or hides(change):
        return None
    rest = tuple(field for field in change.fields if field.name not in TOUCHING)
    return replace(change, fields=rest) if rest else None


def hold_staged(change: Change, item: Observed, ours: Fields, *, staging: bool, options: Sequence[Option] = ()) -> Held:
    """A change that would lose the pending edit of a person.

    `ours` is what the file says of the article; `options` are those without which the change is not made.
    """
    return _held(change, change.path, change.title, item, ours, _hint(change.path, options, staging=staging))


def hold_removed(change: Change, item: Observed) -> Held:
    """The removal of an article whose file is gone, which would take the pending edit of a person along."""
    resolve = command_line("resolve", change.was)
    hint = (
        f"The file is gone, and to {change.action} the article would lose this edit. {PANEL_HINT} Or bring the file "
        f"back. `{resolve}` shows the edit and asks."
    )
    return replace(_held(change, change.was, change.title, item, {}, hint), values=())


def hold_edited(desired: Desired, item: Observed, *, staging: bool) -> Held:
    """An edit that is pending beside something else of the article that needs a decision."""
    hint = _hint(desired.path, (), staging=staging)
    return _held(desired, desired.path, desired.title, item, desired.fields, hint)


def hold_alone(desired: Desired, item: Observed) -> Held:
    """An edit that is pending where our file was to be sent over it, and has nothing to send."""
    hint = f"Your file has nothing to send. {PANEL_HINT} {note_edit(desired, item).hint}"
    return _held(desired, desired.path, desired.title, item, desired.fields, hint)


def note_edit(desired: Desired, item: Observed) -> Held:
    """An edit that is pending where we have nothing to send: no push would lose it, and a person may still decide."""
    hint = f"`{command_line('resolve', desired.path)}` shows it and asks what to do with it."
    return _held(desired, desired.path, desired.title, item, desired.fields, hint)


def hold_begun(change: Change, before: Observed, after: Observed) -> Held | None:
    """An edit that somebody began between the last look and the write, and so without what the change sent.

    `before` is what that look showed, `after` is the answer to the write.
    """
    sent = {name: change.after[draft] for name, draft in DRAFTS.items() if draft in change.after}
    ours = {name: value for name, value in {**before.staged, **sent}.items() if value is not None}
    if not touches_staged(change) or not after.staged or after.staged == ours:
        return None
    hint = "Somebody began this edit while kbsync sent your file. Publishing it would replace what was sent."
    path = change.path or change.was
    shows = f"`{command_line('resolve', path)}` shows both and asks." if change.path else "Discard it in the panel."
    return _held(change, path, change.title, after, change.after, f"{hint} {shows}")


PANEL_HINT = "Publish or discard the edit in the panel."


def _hint(path: str, options: Sequence[Option], *, staging: bool) -> str:
    push = push_alone(path, *options, ("--overwrite", path), ("--stage", staging))
    resolve = command_line("resolve", path, options=[option for option in options if option[0] != "--live"])
    what = "stage your file in its place" if staging else "discard it and send your file"
    return f"{PANEL_HINT} To {what}, run `{push}`. `{resolve}` shows both and asks."


def _held(ref: Change | Desired, path: str, title: str, item: Observed, after: Fields, hint: str) -> Held:
    pending = tuple(
        FieldChange(name, value, after.get(name, item.fields.get(name))) for name, value in touched_of(item).items()
    )
    values = tuple(value for value in pending if value.before != value.after) or pending
    names = tuple(value.name for value in values)
    held = held_of(ref, Reason.STAGED, item.remote_id, names, hint, title, values)
    return replace(held, kind="article", path=path)


def hold_discarded(desired: Desired, remote_id: RemoteId) -> Held:
    """A staged edit of ours that somebody discarded in the panel."""
    wanted = texts_of(desired.fields)
    values = tuple(FieldChange(draft, None, wanted[name]) for name, draft in DRAFTS.items())
    again = push_alone(desired.path, ("--stage", True))
    hint = f"Somebody discarded the staged edit. Change your file, or run `{again}` to stage it again."
    return held_of(desired, Reason.DRIFT, remote_id, tuple(DRAFTS.values()), hint, desired.title, values)
