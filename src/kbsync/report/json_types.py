"""The JSON that commands print, as types: what `data.py` fills in, and what `kbsync schema` makes schemas of.

Keys are added, never changed, within a number of a schema. A description is one sentence for somebody who reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from kbsync.model import Action, AsOf, Finding, Kind, Level, Reason, RemoteId, Status, Target, Value

Count = Annotated[int, Meta(ge=0)]
Path = Annotated[str, Meta(description="Path of the file below the content folder, with forward slashes.")]
Locale = Annotated[str, Meta(description="Language of the item, such as `en`.")]
Slug = Annotated[str, Meta(description="Last part of the item's address.")]
Id = Annotated[RemoteId | None, Meta(description="Number of the item on the service, null before it exists.")]
Of = Annotated[
    Kind, Meta(description="What it is about: an article, a category, an image to upload, or the portal itself.")
]
Name = Annotated[str, Meta(description="Name of the field; the body is called `content`.")]
Title = Annotated[str, Meta(description="Title of the article, or name of the category.")]
Hint = Annotated[str, Meta(description="What to do about it, in words for people.")]
EditedAt = Annotated[
    str | None, Meta(description="When the item last changed on the portal (ISO 8601, UTC), where that is known.")
]
Failure = Annotated[str, Meta(description="Why it failed or was skipped, else empty.")]

SIDES = {"before": "portal", "after": "ours"}
"""The two values of a field that is compared, and not changed."""

E = TypeVar("E", bound=Struct)


def entry_of(kind: type[E], item: object, **others: Any) -> E:
    """An entry with the values that the item has under the same names, and with `others`, which it has not."""
    same = [name for name in kind.__struct_fields__ if name not in others and hasattr(item, name)]
    return kind(**{name: getattr(item, name) for name in same}, **others)


class TargetEntry(Target, frozen=True):
    """The portal that the report is about."""

    base_url: Annotated[str, Meta(description="Address of the service, or `sandbox` for the one built into kbsync.")]
    account_id: Annotated[int, Meta(description="Number of the account.")]
    portal: Annotated[str, Meta(description="Slug of the portal.")]
    profile: Annotated[str, Meta(description="Name of the profile that says what the service can do.")]
    version: Annotated[
        str, Meta(description="Version of the service, as kbsync.toml or the service gives it; empty if it is unknown.")
    ] = ""


class Summary(Struct, frozen=True):
    """The numbers of a plan or a push."""

    create: Annotated[Count, Meta(description="Items that are created.")]
    adopt: Annotated[Count, Meta(description="Items that already match and are only recorded.")]
    update: Annotated[Count, Meta(description="Items whose fields are updated.")]
    publish: Annotated[Count, Meta(description="Articles that are published.")]
    unpublish: Annotated[Count, Meta(description="Articles that become drafts again.")]
    archive: Annotated[Count, Meta(description="Articles that are archived.")]
    delete: Annotated[Count, Meta(description="Items that are deleted.")]
    upload: Annotated[Count, Meta(description="Images that are uploaded.")]
    unchanged: Annotated[Count, Meta(description="Items that are up to date.")]
    held: Annotated[Count, Meta(description="Items that need a decision.")]
    unmanaged: Annotated[Count, Meta(description="Other items on the portal that are not in this repository.")]
    live: Annotated[Count, Meta(description="Changes that readers see immediately.")]
    staged: Annotated[Count, Meta(description="Edits of live articles that readers do not see yet.")]
    pending: Annotated[Count, Meta(description="Edits that were staged before, and that wait for publication.")]
    requests: Annotated[Count, Meta(description="HTTP requests: estimated by a plan, made by a push.")]
    seconds: Annotated[float, Meta(ge=0, description="Duration in seconds: estimated by a plan, measured by a push.")]
    reading_requests: Annotated[
        Count | UnsetType, Meta(description="HTTP requests that a push made to read the portal, among `requests`.")
    ] = UNSET
    waiting: Annotated[Count, Meta(description="Articles that are published later, at a date or with a release.")] = 0


class FieldEntry(Struct, frozen=True):
    """One field before and after. A body is given by its fingerprint."""

    name: Name
    before: Annotated[Value, Meta(description="Value on the portal before the change.")]
    after: Annotated[Value, Meta(description="Value after the change.")]


Diff = Annotated[
    Sequence[str] | UnsetType,
    Meta(description="With `--diff`: the lines of the body that change, as in a unified diff."),
]


class ChangeEntry(Struct, frozen=True):
    """One change to one item."""

    action: Annotated[Action, Meta(description="What the change does.")]
    kind: Of
    locale: Locale
    slug: Slug
    path: Path
    remote_id: Id
    title: Title
    was: Annotated[str, Meta(description="Earlier path of a renamed or deleted file, else empty.")]
    live: Annotated[bool, Meta(description="Whether readers see the change immediately.")]
    staged: Annotated[bool, Meta(description="Whether readers see the change only after someone publishes it.")]
    fields: Annotated[Sequence[FieldEntry], Meta(description="The fields that are sent.")]
    diff: Diff = UNSET


class PushedEntry(ChangeEntry, frozen=True, kw_only=True):
    """One change to one item, and how it went."""

    outcome: Annotated[Literal["done", "failed", "skipped"], Meta(description="How the change went.")]
    error: Failure
    hint: Hint = ""


class ValueEntry(Struct, frozen=True, rename=SIDES):
    """One field with both of its values."""

    name: Name
    before: Annotated[Value, Meta(description="Value on the portal.")]
    after: Annotated[Value, Meta(description="Value in your files.")]


class HeldEntry(Struct, frozen=True):
    """One item that needs a decision."""

    reason: Annotated[Reason, Meta(description="Why it needs a decision.")]
    kind: Of
    locale: Locale
    slug: Slug
    path: Path
    remote_id: Id
    fields: Annotated[Sequence[str], Meta(description="Names of the fields that it is about.")]
    values: Annotated[Sequence[ValueEntry], Meta(description="Both values of each field, where they are known.")]
    hint: Hint
    edited_at: EditedAt = None
    why: Annotated[str, Meta(description="The reason in words for people: more exact than `reason`.")] = ""
    diff: Diff = UNSET


class FindingEntry(Finding, frozen=True):
    """One error or warning."""

    code: Annotated[str, Meta(pattern="^KB[0-9]{3}$", description="Code that `kbsync lint --explain CODE` explains.")]
    level: Annotated[Level, Meta(description="Level in this project, after [lint] levels.")]
    path: Path
    line: Annotated[int, Meta(ge=1, description="Line in the file, from 1.")]
    column: Annotated[int, Meta(ge=1, description="Column in the line, in characters, from 1.")]
    message: Annotated[str, Meta(description="What was found, in words for people.")]
    hint: Hint
    fixable: Annotated[bool, Meta(description="Whether `kbsync lint --fix` fixes it.")]


class OtherEntry(Struct, frozen=True):
    """One item on the portal that is not in this repository."""

    kind: Of
    locale: Locale
    slug: Slug
    remote_id: Id
    title: Title
    status: Annotated[Status | None, Meta(description="Status of the article, null for a category.")]


class UnpublishedEntry(Struct, frozen=True):
    """One article whose file says `published`, and that stays a draft because this plan leaves statuses alone."""

    kind: Of
    locale: Locale
    slug: Slug
    path: Path
    remote_id: Id
    title: Annotated[str, Meta(description="Title of the article.")]
    hint: Hint


class StagedEntry(UnpublishedEntry, frozen=True):
    """One live article with an edit that is staged, and that readers do not see yet."""


class WaitingEntry(Struct, frozen=True):
    """One article that is not published before a date, or without a release."""

    path: Path
    slug: Slug
    locale: Locale
    until: Annotated[
        str | None, Meta(description="Not before this date and time (ISO 8601), null if it waits for none.")
    ]
    release: Annotated[str | None, Meta(description="Not without this release, null if it waits for none.")]
    title: Annotated[str, Meta(description="Title of the article.")]
    remote_id: Id


class RefusedEntry(Struct, frozen=True):
    """Why a plan is not carried out."""

    removals: Annotated[int, Meta(description="How many items it would remove.")]
    allowed: Annotated[int, Meta(description="How many it may remove.")]
    message: Annotated[str, Meta(description="The reason, in words for people.")]
    hint: Hint


Accepted = Annotated[Sequence[HeldEntry], Meta(description="Differences that somebody accepted with `resolve`.")]
NotPublished = Annotated[
    Sequence[UnpublishedEntry],
    Meta(description="Articles that are published in their file, and drafts on the portal."),
]
NotSeen = Annotated[Sequence[StagedEntry], Meta(description="Staged edits that wait for publication.")]
PanelEdits = Annotated[
    Sequence[StagedEntry],
    Meta(description="Edits that people have pending in the panel, and that a push would not touch."),
]
Waits = Annotated[Sequence[WaitingEntry], Meta(description="Articles that are published later.")]
Refused = Annotated[RefusedEntry | None, Meta(description="Why the plan is not carried out; null if it may be.")]


class AsOfEntry(AsOf, frozen=True, rename={"at_s": "at"}):
    """The run that the files were compared with, instead of the portal."""

    run: Annotated[int, Meta(description="The number of the run.")]
    at_s: Annotated[float, Meta(description="When it ended, in seconds since 1970.")]


class PlanReport(Struct, frozen=True):
    """What a push would do, from `kbsync plan --format json`."""

    schema: Annotated[Literal["kbsync.plan/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal that the plan is for.")]
    summary: Annotated[Summary, Meta(description="The numbers of the plan.")]
    changes: Annotated[Sequence[ChangeEntry], Meta(description="The changes, in the order in which they are made.")]
    held: Annotated[Sequence[HeldEntry], Meta(description="What needs a decision.")]
    findings: Annotated[Sequence[FindingEntry], Meta(description="Errors and warnings of your files and of the plan.")]
    unmanaged: Annotated[
        Sequence[OtherEntry] | UnsetType,
        Meta(description="Other items on the portal, if the plan lists them."),
    ] = UNSET
    as_of: Annotated[
        AsOfEntry | UnsetType,
        Meta(description="With `--offline`: the run whose record the files were compared with."),
    ] = UNSET
    accepted: Accepted = ()
    unpublished: NotPublished = ()
    waiting: Waits = ()
    refused: Refused = None
    pending: NotSeen = ()
    panel_edits: PanelEdits = ()


class PushReport(Struct, frozen=True):
    """What a push did, from `kbsync push --format json` and `kbsync undo --format json`."""

    schema: Annotated[Literal["kbsync.push/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal that was pushed to.")]
    summary: Annotated[Summary, Meta(description="The numbers of the push.")]
    changes: Annotated[Sequence[PushedEntry], Meta(description="The changes, and how each one went.")]
    held: Annotated[Sequence[HeldEntry], Meta(description="What needs a decision.")]
    findings: Annotated[Sequence[FindingEntry], Meta(description="Errors and warnings of your files and of the plan.")]
    accepted: Accepted = ()
    unpublished: NotPublished = ()
    waiting: Waits = ()
    refused: Refused = None
    pending: NotSeen = ()
    panel_edits: PanelEdits = ()
    run: Annotated[int | None, Meta(description="The number of the run in the ledger, for `kbsync undo`.")] = None
    drafts: Annotated[Sequence[str], Meta(description="Addresses of drafts that were created.")] = ()


class LintReport(Struct, frozen=True):
    """Errors and warnings of your files, from `kbsync lint --format json`."""

    schema: Annotated[Literal["kbsync.lint/1"], Meta(description="Name and version of this format.")]
    findings: Annotated[Sequence[FindingEntry], Meta(description="Errors and warnings, in the order of the paths.")]


State = Literal["same", "differs", "not_published", "waiting", "unreachable", "not_in_files"]


class ProblemEntry(Struct, frozen=True, rename={"theirs": "portal"}):
    """One thing that readers get otherwise than the file says."""

    what: Annotated[Literal["title", "body", "page", "image", "link", "status"], Meta(description="What it is about.")]
    message: Annotated[str, Meta(description="What is wrong, in words for people; empty where both values say it.")]
    line: Annotated[int, Meta(ge=0, description="First line of the body that differs, from 1, else 0.")]
    theirs: Annotated[str, Meta(description="Value on the portal, of a long line the part that differs.")]
    ours: Annotated[str, Meta(description="Value in your file, of a long line the part that differs.")]
    address: Annotated[str, Meta(description="Address of the image or of the page that is linked, else empty.")]


class VerifiedEntry(Struct, frozen=True, rename={"state": "result"}):
    """One published article, and whether readers get what is in its file."""

    path: Path
    locale: Locale
    slug: Slug
    address: Annotated[str, Meta(description="Public address of the article.")]
    state: Annotated[State, Meta(description="How it compares; `not_in_files` only with `--all`.")]
    problems: Annotated[Sequence[ProblemEntry], Meta(description="What differs.")]


class VerifySummary(Struct, frozen=True):
    """The numbers of a comparison."""

    same: Annotated[Count, Meta(description="Articles that readers get as they are in your files.")]
    differs: Annotated[Count, Meta(description="Articles that differ.")]
    not_published: Annotated[Count, Meta(description="Articles that your files publish and readers do not get.")]
    waiting: Annotated[Count, Meta(description="Articles that wait for their `publish_on` or their `release`.")]
    unreachable: Annotated[Count, Meta(description="Articles that could not be read.")]
    not_in_files: Annotated[Count, Meta(description="With `--all`: published articles that no file publishes.")]
    skipped: Annotated[Count, Meta(description="Published articles that kbsync does not keep up to date.")]
    requests: Annotated[Count, Meta(description="HTTP requests.")]
    seconds: Annotated[float, Meta(ge=0, description="Duration in seconds.")]


class VerifyReport(Struct, frozen=True):
    """What readers get, beside your files, from `kbsync verify --format json`."""

    schema: Annotated[Literal["kbsync.verify/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal that was read.")]
    summary: Annotated[VerifySummary, Meta(description="The numbers.")]
    articles: Annotated[Sequence[VerifiedEntry], Meta(description="The articles, in the order of the paths.")]


Mark = Literal["ok", "note", "bad"]


class CheckEntry(Struct, frozen=True):
    """One thing that was checked."""

    mark: Annotated[Mark, Meta(description="Whether it works: `note` works, but read what was found.")]
    what: Annotated[str, Meta(description="What was checked, such as `token`.")]
    found: Annotated[str, Meta(description="What was found, in words for people.")]
    hint: Hint
    code: Annotated[int, Meta(ge=0, description="Exit code that it causes, 0 unless it is bad.")]


class CheckReport(Struct, frozen=True):
    """What works and what does not, from `kbsync check --format json`."""

    schema: Annotated[Literal["kbsync.check/1"], Meta(description="Name and version of this format.")]
    checks: Annotated[Sequence[CheckEntry], Meta(description="What was checked, in this order.")]


class TranslationsEntry(Struct, frozen=True):
    """The translations into one locale."""

    fresh: Annotated[Count, Meta(description="Articles whose translation is of the original as it is now.")]
    stale: Annotated[Count, Meta(description="Articles whose original changed after it was translated.")]
    missing: Annotated[Count, Meta(description="Articles without a translation.")]
    unknown: Annotated[Count, Meta(description="Translations of which kbsync does not know what they translate.")]


class LocaleEntry(Struct, frozen=True):
    """The articles of one locale."""

    locale: Annotated[str, Meta(description="Language, such as `en`; empty for all of them together.")]
    files: Annotated[Count, Meta(description="Articles in your files.")]
    live: Annotated[Count, Meta(description="Of these, and of articles whose file is gone: what readers see now.")]
    draft: Annotated[Count, Meta(description="The same: drafts on the portal.")]
    archived: Annotated[Count, Meta(description="The same: archived on the portal.")]
    others: Annotated[
        Count | None,
        Meta(description="Articles on the portal that are not in this repository; null if kbsync did not look."),
    ]
    new: Annotated[Count, Meta(description="Articles in your files that are not on the portal yet.")]
    changed: Annotated[Count, Meta(description="Articles whose changes a push would send.")]
    edited: Annotated[Count, Meta(description="Articles that were edited in the panel; a part of `decide`.")]
    pending: Annotated[Count, Meta(description="Live articles with an edit that waits in the panel.")]
    decide: Annotated[Count, Meta(description="Articles that need a decision.")]
    orphans: Annotated[
        Count | None,
        Meta(description="Articles on the portal whose file is gone; null if kbsync did not look."),
    ]
    translations: Annotated[
        TranslationsEntry | None, Meta(description="The translations; null for the locale of the originals.")
    ]


class OwedEntry(Struct, frozen=True):
    """A translation to make or to renew."""

    locale: Annotated[str, Meta(description="Language of the translation.")]
    original: Annotated[str, Meta(description="Path of the original below the content folder.")]
    path: Annotated[str, Meta(description="Path of the translation; of a missing one, where it would be.")]
    state: Annotated[Literal["stale", "missing"], Meta(description="Whether it is out of date or does not exist.")]
    words: Annotated[
        Count | None,
        Meta(description="Words of the original that changed since; null if it is missing, or that is not known."),
    ]
    views: Annotated[
        Count | None, Meta(description="How often readers opened the original; null if that is not known.")
    ]


class StatusReport(Struct, frozen=True):
    """What is where, from `kbsync status --format json`."""

    schema: Annotated[Literal["kbsync.status/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal.")]
    locales: Annotated[Sequence[LocaleEntry], Meta(description="Each locale, the one of the originals first.")]
    total: Annotated[LocaleEntry, Meta(description="All locales together.")]
    other_changes: Annotated[Count, Meta(description="Changes of categories, images and the portal's own settings.")]
    other_held: Annotated[Count, Meta(description="What of that needs a decision.")]
    next: Annotated[Sequence[str], Meta(description="Commands to run next; empty if everything is up to date.")]
    already: Annotated[
        str, Meta(description="What already matches and is not recorded yet, in words for people, else empty.")
    ] = ""
    as_of: Annotated[
        AsOfEntry | None, Meta(description="With `--offline`: the run whose record was counted; else null.")
    ] = None
    owed: Annotated[
        Sequence[OwedEntry],
        Meta(description="Translations that are stale or missing, those whose original is read most first."),
    ] = ()
    waiting: Annotated[
        str, Meta(description="How many articles wait for which date or release, in words for people, else empty.")
    ] = ""


Decision = Literal["send", "decide", "accepted", "left", "later"]
ItemState = Literal["new", "changed", "removed"]


class DifferenceEntry(Struct, frozen=True, rename=SIDES):
    """One field that differs."""

    name: Name
    before: Annotated[Value, Meta(description="Value on the portal; a body is given by its fingerprint.")]
    after: Annotated[Value, Meta(description="Value in your files; a body is given by its fingerprint.")]
    decision: Annotated[
        Decision,
        Meta(
            description="What becomes of it: a push sends it, it needs a decision, it was accepted with `resolve`, "
            "only a push with `--publish` sends it, or it is published later."
        ),
    ]
    reason: Annotated[Reason | None, Meta(description="Why it needs a decision, else null.")] = None
    diff: Annotated[
        Sequence[str] | UnsetType,
        Meta(description="Lines of a body that differ: `-` the portal, `+` your file; left out if it was not read."),
    ] = UNSET


class DifferentEntry(Struct, frozen=True):
    """One item that differs."""

    kind: Of
    locale: Locale
    slug: Slug
    path: Path
    remote_id: Id
    title: Title
    state: Annotated[
        ItemState,
        Meta(description="Whether a push would create it, change it, or remove it because its file is gone."),
    ]
    live: Annotated[bool, Meta(description="Whether readers would see the change immediately.")]
    fields: Annotated[Sequence[DifferenceEntry], Meta(description="The fields that differ.")]
    hints: Annotated[Sequence[str], Meta(description="What to do where a decision is needed, in words for people.")]
    edited_at: EditedAt = None


class DiffReport(Struct, frozen=True):
    """In what your files and the portal differ, from `kbsync diff --format json`."""

    schema: Annotated[Literal["kbsync.diff/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal.")]
    items: Annotated[Sequence[DifferentEntry], Meta(description="What differs, in the order of the paths.")]
    bodies_left: Annotated[Count, Meta(description="Bodies that differ and were not read.")]
    note: Annotated[str, Meta(description="What to know of bodies that are not shown, in words for people.")] = ""
    as_of: Annotated[
        AsOfEntry | None, Meta(description="With `--offline`: the run whose record was compared with; else null.")
    ] = None


class HistoryEntry(Struct, frozen=True):
    """What one run did to the item."""

    run: Annotated[int, Meta(description="Number of the run, for `kbsync undo`.")]
    command: Annotated[str, Meta(description="What it was: `push`, or `undo` with the number of the run.")]
    at: Annotated[str, Meta(description="When it began (ISO 8601, UTC).")]
    who: Annotated[
        str, Meta(description="User and machine, or who started the CI job and its address; empty if not recorded.")
    ]
    action: Annotated[Action, Meta(description="What it did.")]
    state: Annotated[
        Literal["waiting", "taken", "pending", "unknown", "done", "failed", "skipped", "settled"],
        Meta(description="How it went; `settled` is done, as a later run found out."),
    ]
    path: Path
    remote_id: Id
    title: Title
    fields: Annotated[Sequence[FieldEntry], Meta(description="The fields that it changed.")]
    error: Failure


class HistoryReport(Struct, frozen=True):
    """What was published of one article, from `kbsync why --history --format json`."""

    schema: Annotated[Literal["kbsync.history/1"], Meta(description="Name and version of this format.")]
    target: Annotated[TargetEntry, Meta(description="The portal.")]
    kind: Of
    locale: Locale
    slug: Slug
    path: Path
    remote_id: Id
    entries: Annotated[Sequence[HistoryEntry], Meta(description="What the runs did, the newest first.")]
    left: Annotated[Count, Meta(description="Older entries that `--limit` leaves out.")] = 0
    note: Annotated[str, Meta(description="Where still older runs are, in words for people, else empty.")] = ""
