"""How one change went: a value for the ledger and for the report, and what an answer says about it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Literal

import msgspec
from msgspec.structs import replace

from kbsync.errors import AnswerLost, ContentError, Denied, ServerFailed, ServiceError, Throttled, Unreachable
from kbsync.fields import SideEffects, empty_of
from kbsync.model import DRAFTS, STATUSES, Agreed, Base, Change, Fields, Held, Observed, RemoteId, Status
from kbsync.plan.agreed import base_at
from kbsync.plan.resolve import undecided
from kbsync.words import field_names

OUTSIDE = frozenset({"status", "locale", "translation_of"})
"""Fields that are not among those of an answer."""

UNSEEN = frozenset({"locale", "translation_of"})
"""What an answer does not show as it is stored: the locale is the category's, the link the original's.

Source: docs/service.md, S3 and section 4.
"""

PLAN_AGAIN = "Run `kbsync plan` again."
"""The advice for a change that is left out because of an edit since the plan was made."""

HOPELESS = (Unreachable, Denied, Throttled)
"""What no other change would fare better with."""


class Result(msgspec.Struct, frozen=True):
    """How one change went, for the ledger and for the report.

    `journal` closes the journal's entry: `done`, `failed` (nothing was written), or `pending` (unknown: the next
    run looks). `base` is what both sides agree on from now, None where nothing was written. `hopeless` means that no
    other change would fare better (no connection, no permission). `held`: see `Outcome`.
    """

    outcome: Literal["done", "failed", "skipped"]
    journal: Literal["done", "failed", "pending"]
    base: Base | None = None
    removed: bool = False
    remote_id: RemoteId | None = None
    error: str = ""
    hint: str = ""
    hopeless: bool = False
    held: Held | None = None


class Current(msgspec.Struct, frozen=True):
    """What a change is about, as it is right before the change is sent.

    `body` is an article's text where that is about to change; None where it stays, or is not known. So is
    `draft_body` the text of the edit that is pending.
    """

    current: Observed
    body: str | None = None
    draft_body: str | None = None

    @property
    def bodies(self) -> tuple[str, ...]:
        """The texts that would be lost."""
        return tuple(text for text in (self.body, self.draft_body) if text is not None)


def lost_by(change: Change, looked: Current) -> Current:
    """What was looked at, with the texts that the change replaces, and no others."""
    after = change.after
    body = looked.body if "content" in after else None
    draft_body = looked.draft_body if DRAFTS["content"] in after else None
    return Current(looked.current, body, draft_body)


def failed(
    exc: ServiceError | ContentError,
    remote_id: RemoteId | None = None,
    *,
    lost: bool = False,
    after: ServiceError | None = None,
) -> Result:
    """An error as a result. `lost`: a write went out before it, with an unknown result."""
    message = f"{after.message} Then: {exc.message}" if after else exc.message
    journal: Literal["failed", "pending"] = "pending" if lost or isinstance(exc, AnswerLost) else "failed"
    hopeless = isinstance(exc, HOPELESS)
    return Result("failed", journal, remote_id=remote_id, error=message, hint=exc.hint, hopeless=hopeless)


def moved_on(names: list[str], remote_id: RemoteId, done: str) -> Result:
    """A change that is left out because somebody was there since the plan was made."""
    error = f"Changed on the portal after the plan was made: {field_names(names)}. Nothing was {done}."
    return Result("skipped", "failed", remote_id=remote_id, error=error, hint=PLAN_AGAIN)


def deleted_meanwhile(change: Change, remote_id: RemoteId, *, lost: bool = False) -> Result:
    """A change of what is not there any more. `lost`: it was sent, and what became of that is not known."""
    done = "" if lost else " Nothing was sent."
    error = f"Somebody deleted this {change.kind} on the portal after the plan was made.{done}"
    hint = "Run `kbsync plan`: it asks whether to create it again."
    return Result("failed", "pending" if lost else "failed", remote_id=remote_id, error=error, hint=hint)


def pending_edit(remote_id: RemoteId, done: str) -> Result:
    """A change that is left out because a person has an edit pending that it would lose."""
    error = f"Somebody has an edit of this article pending in the panel. Nothing was {done}."
    hint = "Publish or discard it in the panel, then push again."
    return Result("skipped", "failed", remote_id=remote_id, error=error, hint=hint)


def no_longer_staged(remote_id: RemoteId) -> Result:
    """A change that is left out because the staged edit that it was about is not pending any more."""
    error = "Somebody published or discarded the staged edit after the plan was made. Nothing was sent."
    return Result("skipped", "failed", remote_id=remote_id, error=error, hint=PLAN_AGAIN)


def no_staging(remote_id: RemoteId) -> Result:
    """A change that is left out because the service cannot keep an edit beside the live text."""
    error = "This service has no staged edits. Nothing was sent."
    hint = "Push without `--stage`."
    return Result("skipped", "failed", remote_id=remote_id, error=error, hint=hint)


def made(change: Change, sent: Fields, seen: Observed) -> Result:
    """Read the answer: it must hold what was sent, and be a draft."""
    fields, status = {**sent, **seen.fields}, seen.status or change.status
    base = replace(base_at(change, seen, fields, status, seen.updated_at), slug=change.slug)
    wrong = differences(sent, seen)
    if seen.status not in (None, Status.DRAFT) and change.kind == "article":
        wrong.append("status")
    return _read(base, seen, wrong)


def _read(base: Base, seen: Observed, wrong: list[str]) -> Result:
    if wrong:
        # Of the portal the service ignores what somebody sends who may not change it (docs/service.md, S159).
        hint = "Use the token of an administrator." if base.kind == "portal" else ""
        return Result("failed", "done", base, remote_id=seen.remote_id, error=not_taken(wrong), hint=hint)
    return Result("done", "done", base, remote_id=seen.remote_id)


def updated(change: Change, seen: Observed, known: Base | None, effects: SideEffects) -> Result:
    """Read the answer to an update; `known` is what was agreed on before."""
    wrong = differences(change.after, seen)
    arrived = {name: value for name, value in change.after.items() if name not in wrong}
    # Without a base, only what was sent is agreed on: what else the portal holds may be what a plan held.
    known = known or base_at(change, seen, {})
    sent = arrived.keys()
    fields = {name: value for name, value in arrived.items() if name not in {"status", "locale"}}
    base = with_arrived(known, seen, change.path, fields, sent, effects)
    base = replace(base, locale=str(arrived.get("locale", known.locale)))
    leaves = {name: left for name, left in change.leaves.items() if name in sent}
    return _read(hold_again(base, known, leaves), seen, wrong)


def with_arrived(known: Base, seen: Observed, path: str, arrived: Fields, sent: Set[str], effects: SideEffects) -> Base:
    """The base with fields that arrived, and with what the service overwrote along: that is not a person's edit.

    The decisions about all that was sent and is there end, and a status is agreed on where it is among that. The locale
    stays.
    """
    fields = {**arrived, **{name: seen.fields[name] for name in effects.overwrites(arrived) if name in seen.fields}}
    status = seen.status if "status" in sent else None
    return replace(
        undecided(known, sent),
        slug=str(fields.get("slug", known.slug)),
        path=path or known.path,
        fields=without_staged({**known.fields, **fields}, fields),
        status=status or known.status,
        touched_s=seen.updated_at,
    )


def without_staged(fields: Fields, arrived: Fields) -> Fields:
    """The fields of a base without an edit that is not staged any more: it was sent to readers, or discarded."""
    sent = not arrived.keys().isdisjoint(DRAFTS)
    dead = {draft for draft in DRAFTS.values() if fields.get(draft) is None or (sent and draft not in arrived)}
    return {name: value for name, value in fields.items() if name not in dead} if dead else fields


def taken(change: Change, seen: Observed, exc: ServiceError) -> Result:
    """The failure of a change whose slug something else has."""
    what = f'The slug `{change.slug}` is taken by {change.kind} {seen.remote_id} "{seen.title}"'
    state = f" ({seen.status})" if seen.status else ""
    return Result(
        "failed",
        "failed",
        error=f"{what}{state}. Nothing was overwritten. ({exc.message})",
        hint="Run `kbsync plan` to compare the two, or give the file another slug.",
    )


def taken_elsewhere(change: Change, exc: ServiceError) -> ServerFailed:
    """The failure of a change whose slug another portal of the installation has."""
    return ServerFailed(
        f"The slug `{change.slug}` belongs to another portal of this service. ({exc.message})",
        hint="Set `slug_prefix` under [content] in kbsync.toml, or give the file another `slug:`.",
        status=exc.status,
    )


def hold_again(base: Base, known: Base, leaves: Mapping[str, Agreed]) -> Base:
    """A base that does not take over the fields which a change leaves to be held, as it was known before.

    `leaves` is what is agreed on of these fields, which is not what the portal has now.
    """
    fields = dict(base.fields)
    locale, status, slug = base.locale, base.status, base.slug
    for name, agreed in leaves.items():
        if name == "locale":
            locale = str(agreed[0]) if agreed else known.locale
        elif name == "status":
            status = STATUSES.get(str(agreed[0])) if agreed else None
        elif agreed:
            fields[name] = agreed[0]
            slug = str(agreed[0]) if name == "slug" else slug
        else:
            fields.pop(name, None)
    return replace(base, fields=fields, locale=locale, status=status, slug=slug)


def differences(wanted: Fields, seen: Observed) -> list[str]:
    """The fields that an item shows otherwise than wanted; a field that an answer leaves out says nothing."""
    shown = seen.shown
    return [name for name, value in wanted.items() if name in shown and shown[name] != value]


def with_empties(portal: Observed, names: Iterable[str]) -> Observed:
    """The portal with these fields, empty where nothing is stored: it names only what is."""
    return replace(portal, fields={**{name: empty_of(name) for name in names}, **portal.fields})


def missing(wanted: Fields, seen: Observed) -> list[str]:
    """The fields that an answer leaves out, though it could have them."""
    shown = seen.shown
    return [name for name in wanted if name not in OUTSIDE and name not in shown]


def must_be_sent(change: Change) -> bool:
    """Whether a change has to go out, whatever an answer shows: it does not show what is stored."""
    return bool(UNSEEN & change.after.keys())


def not_taken(names: list[str]) -> str:
    """The failure of an answer that shows other values than were sent."""
    return f"The service answered 200, but did not store what was sent: {field_names(names)}."
