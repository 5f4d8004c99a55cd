"""How far a plan may go, and the plan while it is being made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec.structs import replace

from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS, LINK_FIELD, SideEffects
from kbsync.model import (
    Action,
    Agreed,
    Base,
    Change,
    Desired,
    FieldChange,
    Fields,
    Finding,
    Held,
    ItemRef,
    Kind,
    Observed,
    Reason,
    RemoteId,
    StagedEdit,
    Status,
    Unpublished,
    Value,
    Waiting,
)
from kbsync.plan.agreed import Settled
from kbsync.plan.decide import ABSENT, Absent, Verdict
from kbsync.plan.known import SILENT, GitWord

STATUS_ACTIONS = {Status.PUBLISHED: Action.PUBLISH, Status.DRAFT: Action.UNPUBLISH, Status.ARCHIVED: Action.ARCHIVE}
"""What brings an article to a status."""


Renamed = Mapping[tuple[str, str], str]
"""Categories that get another slug, by locale: the portal's to the tree's."""


class Policy(msgspec.Struct, frozen=True):
    """How far this plan may go; most of it is [push] of kbsync.toml.

    `overwrite` are the paths whose drift and conflicts the user wants overwritten. `can` are the profile's operations,
    `keeps` the fields it keeps of each kind, `side_effects` what a save changes besides. `consent` are the paths of
    live articles that may be changed although `live` is "hold"; `allow_removals` takes the place of `max_fraction`
    once. `whole` is False when a selector leaves sources out: then nothing is an orphan. `article_url` is an article's
    public address with `{slug}` in it. `needs_author`: nothing but the source or [authors] default can say who wrote an
    article, and the service makes none without. `stage`: title and body of live articles are staged, and `stages_again`
    also where somebody discarded that before; `publish_staged` shows readers what was staged, and does nothing else.
    `version` is that of the service, "" where it is unknown, and `lacks` what it does not have of what newer ones have,
    with the version that each came with. `blank` are the paths of articles without a body,
    `unfinished` the fields of articles that are not written or translated yet, by path.
    `now_s` are the seconds since 1970 at which it is carried out; `release` is the one that it publishes, "" for none.
    """

    can: frozenset[str]
    keeps: Mapping[Kind, frozenset[str]]
    side_effects: SideEffects
    needs_author: bool = False
    publish: bool = False
    live: Literal["update", "stage", "hold"] = "update"
    stage: bool = False
    stages_again: bool = False
    publish_staged: bool = False
    removed: Literal["report", "archive", "delete"] = "report"
    max_fraction: float = 0.1
    allow_removals: int | None = None
    recreate: bool = False
    overwrite: frozenset[str] = frozenset()
    consent: frozenset[str] = frozenset()
    whole: bool = True
    default_locale: str = "en"
    article_url: str = "/articles/{slug}"
    requests_per_minute: float = 1200
    concurrency: int = 4
    latency_s: float = 0.03
    now_s: float = 0.0
    release: str = ""
    version: str = ""
    lacks: Mapping[str, str] = msgspec.field(default_factory=dict)
    blank: frozenset[str] = frozenset()
    unfinished: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def fields_of(self, desired: Desired) -> Fields:
        """The fields that the source gives and the service keeps."""
        keeps = self.keeps.get(desired.kind)
        if keeps is None or desired.fields.keys() <= keeps:
            return desired.fields
        return {name: value for name, value in desired.fields.items() if name in keeps}

    def keeps_from_readers(self, path: str) -> bool:
        """Whether what readers see of a file stays as it is, because nobody agreed to the change."""
        return self.live == "hold" and path not in self.consent


class Place(msgspec.Struct, frozen=True):
    """The verdict about an item's place in its order (`plan/sequence.py`), which takes the place of its number's.

    `said` are the places on the portal and in the files in words. `agreed` is the number that the base gets where the
    files' place is agreed on. `is_still`: the difference was accepted, and is what it was then.
    """

    verdict: Verdict
    said: tuple[str, str] | None = None
    sentence: str = ""
    agreed: int | None = None
    is_still: bool = False

    def of(self, held: Held) -> Held:
        """What is held of the item because of an edit in the panel, with its places in words."""
        if self.said is None or "position" not in held.fields:
            return held
        return replace(self.worded(held), hint=f"{self.sentence} {held.hint}".strip())

    def worded(self, held: Held) -> Held:
        """The same with its places in words; a number on the portal and one in a file say nothing beside each other."""
        values = tuple(
            replace(value, said=self.said, leaves=None if self.agreed is None else (self.agreed,))
            if value.name == "position"
            else value
            for value in held.values
        )
        return replace(held, values=values)


NO_AUTHOR = (
    "The service needs an author for each article. Write the id of a user as `default = 1` under [authors] in "
    "kbsync.toml, or add `author` to the file."
)


class LeftDraft(msgspec.Struct, frozen=True, gc=False):
    """An article that stays a draft although its file says `published`. Nearly all of a large tree may be."""

    desired: Desired
    remote_id: RemoteId | None

    @property
    def path(self) -> str:
        """That of its source."""
        return self.desired.path


class Draft(msgspec.Struct):
    """The plan while it is being made. `unclear_categories` are held; so are `missing_categories`, which are not on
    the portal. Both by locale and slug.

    `complete`: whether the portal's list had no gaps; `has_record`: whether the ledger knows anything of this portal.
    `is_seen`: whether the portal was looked at. `strangers`: locales with articles that no source is, and that the
    panel's editor did not make. `places` are the verdicts about orders, by path; where there is none, all sides have
    one number, or numbers are compared.
    """

    policy: Policy
    git: GitWord = SILENT
    complete: bool = True
    has_record: bool = True
    strangers: frozenset[str] = frozenset()
    is_seen: bool = True
    changes: list[Change] = msgspec.field(default_factory=list)
    statuses: list[Change] = msgspec.field(default_factory=list)
    removals: list[Change] = msgspec.field(default_factory=list)
    held: list[Held] = msgspec.field(default_factory=list)
    kept: list[Held] = msgspec.field(default_factory=list)
    overruled: list[Held] = msgspec.field(default_factory=list)
    unpublished: list[Unpublished | LeftDraft] = msgspec.field(default_factory=list)
    staged_edits: list[StagedEdit] = msgspec.field(default_factory=list)
    panel_edits: list[Held] = msgspec.field(default_factory=list)
    waiting: list[Waiting] = msgspec.field(default_factory=list)
    settled: Settled = msgspec.field(default_factory=Settled)
    forgotten: list[Base] = msgspec.field(default_factory=list)
    warnings: list[Finding] = msgspec.field(default_factory=list)
    not_here: dict[str, str] = msgspec.field(default_factory=dict)
    unclear_categories: set[tuple[str, str]] = msgspec.field(default_factory=set)
    missing_categories: set[tuple[str, str]] = msgspec.field(default_factory=set)
    places: dict[str, Place] = msgspec.field(default_factory=dict)
    unchanged: int = 0


OWN_FIELDS = tuple(name for name in CATEGORY_FIELDS if name != LINK_FIELD)


def names_of(kind: Kind) -> tuple[str, ...]:
    """The fields of an item that count when it is removed: the link of a category goes with its original."""
    return ARTICLE_FIELDS if kind == "article" else OWN_FIELDS


def removed_fields(item: Observed) -> tuple[FieldChange, ...]:
    """What goes when an item is deleted."""
    fields = tuple(FieldChange(name, item.fields[name], None) for name in names_of(item.kind) if name in item.fields)
    return fields if item.status is None else (*fields, FieldChange("status", item.status, None))


def change_of(
    desired: Desired,
    observed: Observed | None,
    action: Action,
    fields: tuple[FieldChange, ...] = (),
    status: Status | None = None,
) -> Change:
    """One action on the item of a source; without `observed` it is still to be made."""
    return Change(
        action=action,
        kind=desired.kind,
        locale=desired.locale,
        slug=desired.slug,
        path=desired.path,
        remote_id=observed.remote_id if observed else None,
        title=desired.title,
        fields=fields,
        live=observed is not None and observed.status is Status.PUBLISHED,
        status=status,
    )


def held_of(
    item: ItemRef,
    reason: Reason,
    remote_id: RemoteId | None,
    fields: tuple[str, ...],
    hint: str,
    title: str,
    values: tuple[FieldChange, ...] = (),
) -> Held:
    """What is held of an item."""
    return Held(
        reason=reason,
        kind=item.kind,
        locale=item.locale,
        slug=item.slug,
        path=item.path,
        remote_id=remote_id,
        fields=fields,
        hint=hint,
        title=title,
        values=values,
    )


def hold(
    desired: Desired,
    reason: Reason,
    remote_id: RemoteId | None,
    fields: tuple[str, ...],
    hint: str,
    there: Fields | None = None,
    *,
    edited_s: int = 0,
    needs: str = "",
) -> Held:
    """What is held of a source; `there` are the portal's values, which were edited at `edited_s`.

    `needs` is the version of the service that can do it.
    """
    ours = {**desired.fields, "locale": desired.locale, "status": desired.status}
    values = tuple(FieldChange(name, there.get(name), ours.get(name)) for name in fields) if there is not None else ()
    held = held_of(desired, reason, remote_id, fields, hint, desired.title, values)
    return replace(held, edited_s=edited_s, needs=needs)


def agreed_status(base: Base | None) -> Status | Absent:
    """The status that both sides agreed on."""
    return ABSENT if base is None or base.status is None else base.status


def agreed_before(base: Base, name: str, there: Value | Status) -> Agreed | None:
    """What was agreed on of a field, where that is not what the portal has; `()` where nothing was."""
    if name in {"status", "locale"}:
        known = base.status if name == "status" else base.locale
        return None if known == there else () if known is None else (known,)
    if name not in base.fields:
        return ()
    return None if base.fields[name] == there else (base.fields[name],)


def position_of(fields: Fields) -> int | None:
    """The number of a place, where there is one."""
    number = fields.get("position")
    return number if isinstance(number, int) else None


def follow_rename(fields: Fields, locale: str, renamed: Renamed) -> Fields:
    category = fields.get("category")
    if not renamed or not isinstance(category, str) or (locale, category) not in renamed:
        return fields
    return {**fields, "category": renamed[locale, category]}
